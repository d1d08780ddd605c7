// Makes the tables, promises, JSON and plots of the native comparison.
#include <lab/experiments/report.hpp>

#include <callisto/app/base/table.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/draw/svg_plot.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace callisto::lab {
namespace {

std::string name_of(const schedule_report& r, const loop_way& way) {
  const candidate_description& d = r.candidates[way.candidate].description;
  return d.methods.size() == 1 ? d.name : d.name + ' ' + d.methods[way.method].name;
}

std::string batch_name(std::uint64_t batch) { return batch == 0 ? "automatic" : with_separators(batch); }

std::string name_with_batch(const schedule_report& r, const loop_way& way) {
  const bool only_automatic = !r.candidates[way.candidate].description.methods[way.method].takes_batches;
  return name_of(r, way) + (only_automatic   ? std::string()
                            : way.batch == 0 ? ", automatic"
                                             : ", batch " + with_separators(way.batch));
}

/// Returns the median speed-up of `perfect`, in which each thread runs a plain loop.
double perfect_of(const measured_loop& loop) { return median_of(loop.perfect); }

bool is_peer(const schedule_report& r, const loop_way& way) { return !r.candidates[way.candidate].callisto; }

/// Returns text such as "1.970 [1.950, 1.980]".
std::string with_bounds(const estimate& e) { return fmt::format("{:.3f} [{:.3f}, {:.3f}]", e.median, e.low, e.high); }

std::string claim_table(const schedule_report& r) {
  if (r.results.claims.empty()) return {};
  table rows({{"empty iterations, batch 1", table::align::left}, {"ns of thread time a batch"}});
  for (const measured_claim& c : r.results.claims) {
    rows.add_row({name_of(r, c.way), fmt::format("{:.1f}", median_of(c.nanoseconds))});
  }
  return rows.render() + '\n';
}

std::string launch_table(const schedule_report& r) {
  if (r.results.launches.empty()) return {};
  table rows({{"two empty iterations", table::align::left},
              {"back to back"},
              {"by two"},
              {"after 50 us serial"},
              {"by two"},
              {"after 5 ms sleep"},
              {"by two"}});
  for (const measured_launch& l : r.results.launches) {
    std::vector<std::string> cells{name_with_batch(r, l.way)};
    for (std::size_t wait = 0; wait < launch_waits.size(); ++wait) {
      cells.push_back(human_seconds(median_of(l.seconds[wait])));
      cells.push_back(fmt::format("{:.0f} %", median_of(l.share[wait]) * 100));
    }
    rows.add_row(std::move(cells));
  }
  return rows.render() + '\n';
}

/// Returns the peer that did best against Callisto without settings, or null if there is none.
const paired_run* hardest(const measured_loop& loop) {
  const auto least =
      std::min_element(loop.paired_runs.begin(), loop.paired_runs.end(),
                       [](const paired_run& a, const paired_run& b) { return a.ratio.median < b.ratio.median; });
  return least == loop.paired_runs.end() ? nullptr : &*least;
}

std::string sweep_table(const schedule_report& r) {
  table rows({{"loop", table::align::left},
              {"Callisto"},
              {"best peer"},
              {"which", table::align::left},
              {"its time : Callisto's"}});
  for (const measured_loop& loop : r.results.loops) {
    const measured_way* ours = loop.find(default_way);
    std::vector<std::string> cells{loop.workload.name, ours == nullptr ? "" : fmt::format("{:.2f}", ours->median())};
    if (const paired_run* d = hardest(loop); d != nullptr) {
      cells.push_back(fmt::format("{:.2f}", loop.find(d->peer)->median()));
      cells.push_back(name_with_batch(r, d->peer));
      cells.push_back(with_bounds(d->ratio));
    }
    rows.add_row(std::move(cells));
  }
  return rows.render() + '\n';
}

promise::verdict at_least(double found, double limit) {
  return found >= limit ? promise::verdict::kept : promise::verdict::missed;
}

promise::verdict below(double found, double limit) { return at_least(limit, found); }

/// Returns the verdict. A promise is missed only if the whole confidence interval lies below `least`.
promise::verdict judged(const estimate& e, double least) {
  return e.median >= least ? promise::verdict::kept
         : e.high >= least ? promise::verdict::open
                           : promise::verdict::missed;
}

const char* name_of(promise::verdict found) {
  return found == promise::verdict::kept ? "kept" : found == promise::verdict::open ? "open" : "missed";
}

/// Appends the promises about one loop of the table.
void add_loop_promises(const schedule_report& r, const measured_loop& loop, std::vector<promise>& out) {
  const std::string& name = loop.workload.name;
  const double threads = r.plan.threads;
  const auto add = [&](promise::verdict found, std::string text) {
    out.push_back({name + ": " + std::move(text), found});
  };
  const measured_way* ours = loop.find(default_way);
  if (ours != nullptr && !r.sweep && name == "tiny") {
    const double least = 0.875 * threads;
    add(at_least(ours->median(), least),
        fmt::format("default speed-up {:.3f} (at least {:.3g})", ours->median(), least));
  } else if (ours != nullptr && !r.sweep && loop.of_perfect) {
    add(judged(*loop.of_perfect, 0.97),
        fmt::format(
            "default speed-up {:.3f}, {:.3f} of {:g}; {} of what loops without a scheduler reach (at least 0.97)",
            ours->median(), ours->median() / threads, threads, with_bounds(*loop.of_perfect)));
  }
  const measured_way* single = loop.find({0, 0, 1});
  if (single != nullptr && !r.sweep && (name == "even" || name == "skewed")) {
    const double least = (name == "even" ? 0.8 : 0.875) * threads;
    add(at_least(single->median(), least),
        fmt::format("speed-up at batch 1 {:.3f} (at least {:.3g})", single->median(), least));
  }
  const double share = r.sweep ? 0.95 : 0.99;
  for (const paired_run& d : loop.paired_runs) {
    if (r.sweep && &d != hardest(loop)) continue;
    add(judged(d.ratio, share), fmt::format("{} takes {} times as long as the default (no less than {:.2f})",
                                            name_with_batch(r, d.peer), with_bounds(d.ratio), share));
  }
}

void add_launch_promises(const schedule_report& r, std::vector<promise>& out) {
  const measured_launch* ours = nullptr;
  const measured_launch* best = nullptr;
  const auto after_sleep = [](const measured_launch& l) { return median_of(l.seconds.back()); };
  for (const measured_launch& l : r.results.launches) {
    if (l.way == default_way) ours = &l;
    const bool truly_two = median_of(l.share.back()) >= 0.5;
    if (is_peer(r, l.way) && truly_two && (best == nullptr || after_sleep(l) < after_sleep(*best))) best = &l;
  }
  if (ours == nullptr) return;
  const double back_to_back = median_of(ours->seconds.front());
  out.push_back(
      {fmt::format("launch back to back {} (below 100 ns)", human_seconds(back_to_back)), below(back_to_back, 100e-9)});
  if (best != nullptr) {
    out.push_back(
        {fmt::format("launch after 5 ms of sleep {}, {} for {}, the best that uses both threads (no more)",
                     human_seconds(after_sleep(*ours)), human_seconds(after_sleep(*best)), name_of(r, best->way)),
         below(after_sleep(*ours), after_sleep(*best))});
  }
}

json to_json(const schedule_report& r, const loop_way& way) {
  const candidate_description& d = r.candidates[way.candidate].description;
  return {{"contestant", d.name}, {"method", d.methods[way.method].name}, {"batch", way.batch}};
}

json to_json(const estimate& e) { return {{"median", e.median}, {"low", e.low}, {"high", e.high}}; }

}  // namespace

std::vector<promise> promises(const schedule_report& r) {
  std::vector<promise> out;
  for (const measured_loop& loop : r.results.loops) add_loop_promises(r, loop, out);
  for (const measured_claim& c : r.results.claims) {
    if (c.way.candidate != 0) continue;
    const double found = median_of(c.nanoseconds);
    out.push_back({fmt::format("{:.1f} ns of thread time a batch (below 8)", found), below(found, 8)});
  }
  add_launch_promises(r, out);
  return out;
}

std::string heading_of(const schedule_report& r) {
  std::string text = fmt::format("{}, contestants in turns, medians of {}; speed-ups over a plain loop\n\n",
                                 counted(r.plan.threads, "thread"), counted(r.plan.rounds, "round"));
  table who({{"contestant", table::align::left}, {"version", table::align::left}, {"code in", table::align::left}});
  for (const candidate& e : r.candidates)
    who.add_row({e.description.name, e.description.version, e.description.library});
  text += who.render() + '\n';
  for (const absent_peer& a : r.absent) text += fmt::format("not here: {}: {}\n", a.name, a.reason);
  if (!r.absent.empty()) text += '\n';
  return text;
}

std::string to_words(const schedule_report& r, const measured_loop& loop) {
  if (r.sweep) return {};
  std::vector<std::uint64_t> batches = r.plan.batches;
  batches.push_back(0);
  std::vector<double> best(batches.size(), 0);
  for (const measured_way& w : loop.ways) {
    for (std::size_t b = 0; b < batches.size(); ++b) {
      if (w.way.batch == batches[b]) best[b] = std::max(best[b], w.median());
    }
  }
  std::vector<table::column> columns{{loop.workload.name, table::align::left}};
  for (const std::uint64_t batch : batches) columns.push_back({batch_name(batch)});
  table rows(std::move(columns));
  for (std::size_t i = 0; i < r.candidates.size(); ++i) {
    const auto& methods = r.candidates[i].description.methods;
    for (std::size_t m = 0; m < methods.size(); ++m) {
      std::vector<std::string> cells{name_of(r, {i, m, 0})};
      bool any = false;
      for (std::size_t b = 0; b < batches.size(); ++b) {
        const measured_way* w = loop.find({i, m, batches[b]});
        any = any || w != nullptr;
        // Marks all values that equal the best in two digits.
        const bool marked = w != nullptr && std::round(w->median() * 100) >= std::round(best[b] * 100);
        cells.push_back(w == nullptr ? std::string() : fmt::format("{:.2f}{}", w->median(), marked ? '*' : ' '));
      }
      if (any) rows.add_row(std::move(cells));
    }
  }
  std::string text = fmt::format("{}: {}. Plain loop {}; as many plain loops at once: {:.2f}.\n", loop.workload.name,
                                 loop.workload.words,
                                 loop.plain.empty() ? "none" : human_seconds(median_of(loop.plain)), perfect_of(loop));
  text += rows.render(2);
  for (const paired_run& d : loop.paired_runs) {
    text += fmt::format("  {} takes {} times as long as Callisto without settings\n", name_with_batch(r, d.peer),
                        with_bounds(d.ratio));
  }
  return text + '\n';
}

std::string summary_of(const schedule_report& r) {
  std::string text = r.sweep ? sweep_table(r) : std::string();
  text += claim_table(r) + launch_table(r);
  for (const promise& p : promises(r)) {
    text += fmt::format("{:<7}  {}\n", p.found == promise::verdict::missed ? "MISSED" : name_of(p.found), p.text);
  }
  text += r.busy;
  for (const candidate& e : r.candidates) {
    if (!e.failure.empty()) text += fmt::format("FAILED   {}: {}\n", e.description.name, e.failure);
  }
  for (const std::string& wrong : r.results.wrong) text += fmt::format("WRONG    {}\n", wrong);
  return text;
}

json to_json(const schedule_report& r) {
  json candidates = json::array();
  for (const candidate& e : r.candidates) {
    candidates.push_back({{"name", e.description.name},
                          {"version", e.description.version},
                          {"library", e.description.library},
                          {"program", e.file},
                          {"failure", e.failure.empty() ? json() : json(e.failure)}});
  }
  json absent = json::array();
  for (const absent_peer& a : r.absent) absent.push_back({{"name", a.name}, {"reason", a.reason}});
  json loops = json::array();
  for (const measured_loop& loop : r.results.loops) {
    json ways = json::array();
    for (const measured_way& w : loop.ways) {
      json object = to_json(r, w.way);
      object["speedup"] = w.median();
      object["speedups"] = w.speedups;
      ways.push_back(std::move(object));
    }
    json paired_runs = json::array();
    for (const paired_run& d : loop.paired_runs) {
      json object = to_json(r, d.peer);
      object["ratio"] = to_json(d.ratio);
      paired_runs.push_back(std::move(object));
    }
    loops.push_back({{"name", loop.workload.name},
                     {"iterations", loop.workload.n},
                     {"repeats", loop.workload.repeats},
                     {"plain_seconds", loop.plain.empty() ? json() : json(median_of(loop.plain))},
                     {"perfect", perfect_of(loop)},
                     {"of_perfect", loop.of_perfect ? to_json(*loop.of_perfect) : json()},
                     {"ways", std::move(ways)},
                     {"duels", std::move(paired_runs)}});
  }
  json claims = json::array();
  for (const measured_claim& c : r.results.claims) {
    json object = to_json(r, c.way);
    object["nanoseconds"] = median_of(c.nanoseconds);
    claims.push_back(std::move(object));
  }
  json launches = json::array();
  for (const measured_launch& l : r.results.launches) {
    json object = to_json(r, l.way);
    for (std::size_t wait = 0; wait < launch_waits.size(); ++wait) {
      object[std::string(launch_waits[wait])] = {{"seconds", median_of(l.seconds[wait])},
                                                 {"by_two", median_of(l.share[wait])}};
    }
    launches.push_back(std::move(object));
  }
  json found = json::array();
  for (const promise& p : promises(r)) found.push_back({{"text", p.text}, {"found", name_of(p.found)}});
  return {{"threads", r.plan.threads},
          {"rounds", r.plan.rounds},
          {"contestants", std::move(candidates)},
          {"absent", std::move(absent)},
          {"loops", std::move(loops)},
          {"claims", std::move(claims)},
          {"launches", std::move(launches)},
          {"promises", std::move(found)},
          {"wrong", r.results.wrong},
          {"other_programs", r.other_programs ? json(*r.other_programs) : json()}};
}

std::string to_svg(const schedule_report& r) {
  std::vector<svg_plot> plots;
  for (const measured_loop& loop : r.results.loops) {
    svg_plot plot(loop.workload.name, {"batch size", axis_scale::log2}, {"speed-up"});
    for (std::size_t i = 0; i < r.candidates.size(); ++i) {
      // Draws one line per candidate: its method with the best sum over the batch sizes.
      double best = 0;
      std::string name;
      std::vector<svg_plot::point> line;
      const auto& methods = r.candidates[i].description.methods;
      for (std::size_t m = 0; m < methods.size(); ++m) {
        std::vector<svg_plot::point> points;
        double sum = 0;
        for (const std::uint64_t batch : r.plan.batches) {
          if (const measured_way* w = loop.find({i, m, batch}); w != nullptr) {
            points.push_back({static_cast<double>(batch), w->median()});
            sum += w->median();
          }
        }
        if (sum > best) {
          best = sum;
          name = name_of(r, {i, m, 0});
          line = std::move(points);
        }
      }
      if (!line.empty()) plot.add_line(std::move(name), std::move(line));
    }
    if (const measured_way* ours = loop.find(default_way); ours != nullptr) {
      plot.add_level("Callisto without settings", ours->median());
    }
    plot.add_level("plain loops at once", perfect_of(loop));
    plots.push_back(std::move(plot));
  }
  return svg_page("Loops by runtime and batch size",
                  fmt::format("{}, speed-up over a plain loop, median of {}; of each runtime the best schedule",
                              counted(r.plan.threads, "thread"), counted(r.plan.rounds, "round")),
                  plots);
}

}  // namespace callisto::lab
