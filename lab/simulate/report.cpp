// Turns sweeps into tables, JSON objects and plots.
#include <lab/simulate/report.hpp>

#include <callisto/app/base/table.hpp>
#include <callisto/app/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace callisto::lab {
namespace {

using machine::simulation::activity;

/// Returns the share of all threads' cycles that went into `a`.
double share(const run_outcome& o, activity a) {
  std::uint64_t all = 0;
  for (const std::uint64_t cycles : o.spent.cycles) all += cycles;
  return all == 0 ? 0 : static_cast<double>(o.spent[a]) / static_cast<double>(all);
}

/// Returns the number of lines that came from other cores, over all distances.
std::uint64_t moves_of(const run_outcome& o) {
  using machine::simulation::distance;
  std::uint64_t moves = 0;
  for (const distance d : {distance::same_cache, distance::same_socket, distance::other_socket}) {
    moves += o.spent.moves[static_cast<unsigned>(d)];
  }
  return moves;
}

double idle_share(const run_outcome& o) { return share(o, activity::waiting) + share(o, activity::parked); }

double moves_per_batch(const run_outcome& o) {
  return static_cast<double>(moves_of(o)) / static_cast<double>(std::max<std::uint64_t>(1, o.batches));
}

std::string hold_name(double hold) { return fmt::format("hold window {:g} of a hop", hold); }

}  // namespace

double main_hold(const machine::simulation::description& machine, const sweep_plan& plan) {
  const bool there = std::find(plan.holds.begin(), plan.holds.end(), machine.hold) != plan.holds.end();
  return there ? machine.hold : plan.holds.front();
}

json describe(const machine::simulation::description& m) {
  return {{"name", m.name},       {"contexts", m.total_contexts()}, {"cores", m.total_cores()},
          {"sockets", m.sockets}, {"gigahertz", m.clock * 1e-9},    {"hold", m.hold}};
}

std::string title_of(const machine::simulation::description& m) {
  return fmt::format("{}: {}, {}, {}, {:g} GHz", m.name, counted(m.sockets, "socket"), counted(m.total_cores(), "core"),
                     counted(m.total_contexts(), "context"), m.clock * 1e-9);
}

std::string simulation_speed(std::uint64_t events, double seconds) {
  return fmt::format("{} simulated in {} ({}).\n", counted(events, "event"), human_seconds(seconds),
                     human_rate(static_cast<double>(events) / seconds, "events"));
}

std::string batch_name(std::uint64_t batch) { return batch == 0 ? "automatic" : with_separators(batch); }

std::string to_text(const run_outcome& o) {
  const int decimals = o.speedup < 10 ? 2 : o.speedup < 100 ? 1 : 0;
  return fmt::format("{}{:.{}f}", o.complete ? "" : "< ", o.speedup, decimals);
}

std::string describe(const workload& loop) {
  return fmt::format("{}: {} iterations, {} cycles of work", name_of(loop.kind()), with_separators(loop.size()),
                     with_separators(loop.total()));
}

std::string speedup_tables(const simulated_loop& s, double hold) {
  const sweep_plan& plan = s.runs->plan();
  std::string text;
  for (const auto& [how, batches] : plan.techniques) {
    text += fmt::format("{}: speed-up by batch size and threads, {}\n", how.to_string(), hold_name(hold));
    std::vector<table::column> columns{{"batch size"}};
    for (const unsigned threads : plan.threads) columns.push_back({counted(threads, "thread")});
    table rows(std::move(columns));
    for (const std::uint64_t batch : batches) {
      std::vector<std::string> cells{batch_name(batch)};
      for (const unsigned threads : plan.threads) cells.push_back(to_text(s.runs->at(how, batch, threads, hold)));
      rows.add_row(std::move(cells));
    }
    text += rows.render(2) + '\n';
  }
  return text;
}

std::string cycle_tables(const simulated_loop& s, double hold) {
  const sweep_plan& plan = s.runs->plan();
  const unsigned threads = plan.threads.back();
  std::string text;
  for (const auto& [how, batches] : plan.techniques) {
    text += fmt::format("{}: where the cycles of {} go, {}\n", how.to_string(), counted(threads, "thread"),
                        hold_name(hold));
    table rows({{"batch size"},
                {"work"},
                {"claiming"},
                {"lines moving"},
                {"waiting"},
                {"away"},
                {"lines moved"},
                {"a batch"},
                {"failed exchanges"}});
    for (const std::uint64_t batch : batches) {
      const run_outcome& o = s.runs->at(how, batch, threads, hold);
      const auto percent = [](double part) { return fmt::format("{:.1f} %", part * 100); };
      rows.add_row({batch_name(batch), percent(share(o, activity::work)), percent(share(o, activity::claiming)),
                    percent(share(o, activity::moving)), percent(idle_share(o)), percent(share(o, activity::away)),
                    with_separators(moves_of(o)), fmt::format("{:.2f}", moves_per_batch(o)),
                    with_separators(o.spent.failed_exchanges)});
    }
    text += rows.render(2) + '\n';
  }
  return text;
}

std::string hold_table(const simulated_loop& s) {
  const sweep_plan& plan = s.runs->plan();
  std::vector<double> holds = plan.holds;
  holds.insert(holds.end(), plan.other_holds.begin(), plan.other_holds.end());
  std::sort(holds.begin(), holds.end());
  std::vector<table::column> columns{{"schedule", table::align::left}, {"threads"}, {"batch size"}};
  for (const double hold : holds) columns.push_back({fmt::format("{:g}", hold)});
  table rows(std::move(columns));
  for (const auto& [how, batches] : plan.techniques) {
    for (const unsigned threads : plan.threads) {
      for (const std::uint64_t batch : batches) {
        std::vector<std::string> cells{how.to_string(), with_separators(threads), batch_name(batch)};
        double least = std::numeric_limits<double>::infinity();
        double most = 0;
        for (const double hold : holds) {
          const sweep_cell* c = s.runs->find(how, batch, threads, hold);
          if (c != nullptr) {
            least = std::min(least, c->outcome.speedup);
            most = std::max(most, c->outcome.speedup);
          }
          cells.push_back(c == nullptr ? std::string() : to_text(c->outcome));
        }
        if (most > 1.1 * least) rows.add_row(std::move(cells));
      }
    }
  }
  if (rows.empty()) return {};
  return "Speed-ups that depend by more than a tenth on the hold window (in hops):\n" + rows.render(2) + '\n';
}

json to_json(const simulated_loop& s) {
  json cells = json::array();
  for (const sweep_cell& c : s.runs->cells()) {
    const run_outcome& o = c.outcome;
    json spent;
    for (unsigned a = 0; a < machine::simulation::activities; ++a) {
      spent[to_string(static_cast<activity>(a))] = o.spent.cycles[a];
    }
    const auto& moves = o.spent.moves;
    cells.push_back(
        {{"schedule", c.setup.how.to_string()},
         {"batch", c.setup.batch},
         {"threads", c.setup.threads},
         {"hold", c.setup.hold},
         {"complete", o.complete},
         {"speedup", o.speedup},
         {"iterations", o.iterations},
         {"batches", o.batches},
         {"steals", o.counts.steals},
         {"given_back", o.counts.given_back},
         {"taken_back", o.counts.taken_back},
         {"combined", o.counts.combined},
         {"cycles", o.cycles},
         {"spent", std::move(spent)},
         {"lines_moved", {{"core", moves[0]}, {"cache", moves[1]}, {"socket", moves[2]}, {"machine", moves[3]}}},
         {"failed_exchanges", o.spent.failed_exchanges},
         {"events", o.events},
         {"hash", fmt::format("{:016x}", o.hash)}});
  }
  return {{"kind", name_of(s.loop->kind())},
          {"iterations", s.loop->size()},
          {"total_cycles", s.loop->total()},
          {"largest_cycles", s.loop->largest()},
          {"runs", std::move(cells)}};
}

void add_plots(const simulated_loop& s, double hold, const std::string& machine, std::vector<svg_plot>& plots) {
  constexpr std::size_t most_lines = 6;  // the number of colours
  const sweep_plan& plan = s.runs->plan();
  const std::string kind = name_of(s.loop->kind());
  // Returns at most six of the values, the first and the last among them.
  const auto some = [](const auto& values) {
    auto out = values;
    out.clear();
    const std::size_t n = values.size() < most_lines ? values.size() : most_lines;
    for (std::size_t i = 0; i < n; ++i) out.push_back(values[n == 1 ? 0 : i * (values.size() - 1) / (n - 1)]);
    return out;
  };
  for (const auto& [how, batches] : plan.techniques) {
    const std::string title = fmt::format("{}, {}, {}", machine, kind, how.to_string());
    const std::string at_most =
        fmt::format("{}, {}, {}", kind, how.to_string(), counted(plan.threads.back(), "thread"));
    const auto speedup = [&](std::uint64_t batch, unsigned threads) {
      return s.runs->at(how, batch, threads, hold).speedup;
    };
    if (batches.size() > 1 || plan.threads.size() == 1) {
      svg_plot plot(title, {"batch size", axis_scale::log2}, {"speed-up", axis_scale::log2});
      for (const unsigned threads : some(plan.threads)) {
        std::vector<svg_plot::point> points;
        for (const std::uint64_t batch : batches) {
          points.push_back({static_cast<double>(batch), speedup(batch, threads)});
        }
        plot.add_line(counted(threads, "thread"), std::move(points));
      }
      plots.push_back(std::move(plot));
    }
    if (plan.threads.size() > 1) {
      svg_plot plot(title, {"threads", axis_scale::log2}, {"speed-up", axis_scale::log2});
      for (const std::uint64_t batch : some(batches)) {
        std::vector<svg_plot::point> points;
        for (const unsigned threads : plan.threads)
          points.push_back({static_cast<double>(threads), speedup(batch, threads)});
        plot.add_line(batch == 0 ? "automatic batches" : "batches of " + with_separators(batch), std::move(points));
      }
      plots.push_back(std::move(plot));
    }
    if (batches.size() > 1) {
      const unsigned threads = plan.threads.back();
      svg_plot plot(at_most, {"batch size", axis_scale::log2}, {"% of the cycles"});
      const auto add = [&](const char* name, auto part) {
        std::vector<svg_plot::point> points;
        for (const std::uint64_t batch : batches) {
          points.push_back({static_cast<double>(batch), part(s.runs->at(how, batch, threads, hold)) * 100});
        }
        plot.add_line(name, std::move(points));
      };
      add("work", [](const run_outcome& o) { return share(o, activity::work); });
      add("claiming", [](const run_outcome& o) { return share(o, activity::claiming); });
      add("lines moving", [](const run_outcome& o) { return share(o, activity::moving); });
      add("waiting", idle_share);
      if (plan.noise.length != 0) add("away", [](const run_outcome& o) { return share(o, activity::away); });
      plots.push_back(std::move(plot));
      svg_plot lines(at_most, {"batch size", axis_scale::log2}, {"lines moved a batch"});
      std::vector<svg_plot::point> moves;
      for (const std::uint64_t batch : batches) {
        moves.push_back({static_cast<double>(batch), moves_per_batch(s.runs->at(how, batch, threads, hold))});
      }
      lines.add_line("between cores", std::move(moves));
      plots.push_back(std::move(lines));
    }
  }
}

}  // namespace callisto::lab
