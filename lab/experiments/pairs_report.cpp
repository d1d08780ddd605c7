// Makes tables, heat maps and curves.
#include <lab/experiments/pairs_report.hpp>

#include <callisto/app/base/table.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/draw/html_page.hpp>
#include <callisto/app/draw/svg_heat_map.hpp>
#include <callisto/app/draw/svg_plot.hpp>
#include <callisto/machine/host/topology.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

namespace callisto::lab {
namespace {

using which = pairs_results::which;

/// Shades from no change (light) to twice as slow or, for gains, twice as fast.
constexpr heat_scale shades{1, 2};
constexpr svg_plot::extent plot_size{380, 330};

std::string ratio(double value) { return std::isfinite(value) ? fmt::format("{:.2f}", value) : "-"; }
std::string ratio(const std::optional<double>& value) { return value ? ratio(*value) : "-"; }

json times_of(const run_times& t) {
  json object{{"median", t.any() ? json(t.median()) : json(nullptr)}, {"runs", t.seconds}};
  object["at_least"] = t.seconds.empty() && t.any();
  return object;
}

/// The extreme of a configuration's ratios, and the programs that reach it.
struct extreme {
  double value = 0;
  std::string where;
};

std::optional<extreme> worst_pair(const pairs_results& r, sharing_way way, bool least) {
  std::optional<extreme> found;
  for (const pair_times& p : r.pairs) {
    if (p.way != way) continue;
    const double value = *r.of_pair(p.a, p.b, way);
    if (!found || (least ? value < found->value : value > found->value)) {
      found = {value, fmt::format("{} and {}", r.programs[p.a].name, r.programs[p.b].name)};
    }
  }
  return found;
}

std::optional<extreme> worst_job(const pairs_results& r, sharing_way way, which of) {
  std::optional<extreme> found;
  for (std::size_t a = 0; a < r.programs.size(); ++a) {
    for (std::size_t b = 0; b < r.programs.size(); ++b) {
      const std::optional<double> value = r.of_job(a, b, way, of);
      if (value && (!found || *value > found->value)) {
        found = {*value, fmt::format("{} with {}", r.programs[a].name, r.programs[b].name)};
      }
    }
  }
  return found;
}

std::string in_words(const std::optional<extreme>& e) {
  return e ? fmt::format("{} ({})", ratio(e->value), e->where) : std::string("-");
}

double middle(const std::vector<double>& ascending) { return ascending.empty() ? 0 : ascending[ascending.size() / 2]; }

/// A row of the comparison: the paper's statement, and the result under each way.
struct summary_row {
  std::string what;
  std::string paper_plain;
  std::string paper_callisto;
  std::array<std::string, 3> found;
};

std::vector<summary_row> summary_of(const pairs_results& r) {
  std::vector<summary_row> rows;
  const auto add = [&](const char* what, const char* paper_plain, const char* paper_callisto, auto number) {
    summary_row row{what, paper_plain, paper_callisto, {}};
    for (std::size_t i = 0; i < sharing_ways.size(); ++i) row.found[i] = number(sharing_ways[i]);
    rows.push_back(std::move(row));
  };
  add("worst pair (waste, 10b e h)", "1.70", "1.16", [&](sharing_way w) { return in_words(worst_pair(r, w, false)); });
  add("best pair (gain, 10a d g)", "-", "-", [&](sharing_way w) { return in_words(worst_pair(r, w, true)); });
  add("median pair (11a)", "-", "-", [&](sharing_way w) { return ratio(middle(r.all_pairs(w))); });
  add("worst job (10c f i)", "3.50", "1.25", [&](sharing_way w) { return in_words(worst_job(r, w, which::median)); });
  add("median job (11b)", "-", "-", [&](sharing_way w) { return ratio(middle(r.all_jobs(w))); });
  add("worst run of all (11c, 13)", "-", "1.53",
      [&](sharing_way w) { return in_words(worst_job(r, w, which::worst)); });
  add("worst job, best runs (13)", "2.5 and more", "-",
      [&](sharing_way w) { return in_words(worst_job(r, w, which::best)); });
  return rows;
}

/// A limit that the project has set for itself.
struct limit_row {
  std::string text;
  bool measured = false;
  bool kept = false;
};

std::vector<limit_row> limits_of(const pairs_results& r) {
  std::vector<limit_row> rows;
  const auto at_most = [&](const std::string& what, std::optional<double> found, double limit) {
    rows.push_back(
        {fmt::format("{}: at most {}, found {}", what, limit, found ? fmt::format("{:.3f}", *found) : "none"),
         found.has_value(), found && *found <= limit});
  };
  const auto value = [](const std::optional<extreme>& e) {
    return e ? std::optional(e->value) : std::optional<double>();
  };
  const auto alone = r.cost_alone();
  at_most("alone as a job, geometric mean of the programs", alone ? std::optional(alone->first) : std::nullopt, 1.01);
  at_most("alone as a job, worst program", alone ? std::optional(alone->second) : std::nullopt, 1.03);
  at_most("Callisto, worst job of a pair", value(worst_job(r, sharing_way::callisto, which::median)), 1.15);
  at_most("Callisto, worst pair", value(worst_pair(r, sharing_way::callisto, false)), 1.05);
  at_most("Callisto, best pair (complementary bursts)", value(worst_pair(r, sharing_way::callisto, true)), 0.85);
  return rows;
}

std::string title_of(const pairs_results& r) {
  return fmt::format("{} programs in pairs, on contexts {} and {}", r.programs.size(),
                     machine::format_cpu_list(r.first_half), machine::format_cpu_list(r.second_half));
}

std::string method_of(const pairs_results& r) {
  return fmt::format(
      "Both programs of a pair start again and again until each has ended {}. Times are medians, over the program's "
      "alone "
      "on half of the contexts without Callisto.{}",
      r.rounds == 1 ? "once" : fmt::format("{} times", r.rounds),
      r.left_out == 0 ? "" : fmt::format(" For {} measurements there was no time.", r.left_out));
}

/// Draws a grid with `number` in the cell at (row, column). Leaves cells below 1 empty.
template <class Number>
svg_panel grid(const pairs_results& r, const std::string& title, Number number) {
  heat_map map;
  map.title = title;
  for (const auto& p : r.programs) {
    map.columns.push_back(p.name);
    map.rows.push_back(p.name);
  }
  for (std::size_t a = 0; a < r.programs.size(); ++a) {
    for (std::size_t b = 0; b < r.programs.size(); ++b) {
      heat_map::cell cell;
      if (const std::optional<std::pair<double, bool>> found = number(a, b)) {
        cell.value = std::max(1.0, found->first);
        cell.at_least = found->second;
        cell.hint = fmt::format("{} with {}: {:.2f}", r.programs[a].name, r.programs[b].name, found->first);
      }
      map.cells.push_back(std::move(cell));
    }
  }
  return map.render(shades);
}

bool ended(const pairs_results& r, std::size_t a, std::size_t b, sharing_way way) {
  const pair_times* const p = r.find(a, b, way);
  return p != nullptr && !p->of_a.seconds.empty() && !p->of_b.seconds.empty();
}

svg_panel grid_of_gains(const pairs_results& r, sharing_way way) {
  return grid(r, "gain", [&](std::size_t a, std::size_t b) -> std::optional<std::pair<double, bool>> {
    const auto value = r.of_pair(a, b, way);
    if (!value) return std::nullopt;
    return std::pair(1 / *value, false);
  });
}
svg_panel grid_of_waste(const pairs_results& r, sharing_way way) {
  return grid(r, "waste", [&](std::size_t a, std::size_t b) -> std::optional<std::pair<double, bool>> {
    const auto value = r.of_pair(a, b, way);
    if (!value) return std::nullopt;
    return std::pair(*value, !ended(r, a, b, way));
  });
}
svg_panel grid_of_jobs(const pairs_results& r, const std::string& title, sharing_way way, which of) {
  return grid(r, title, [&, way, of](std::size_t a, std::size_t b) -> std::optional<std::pair<double, bool>> {
    const auto value = r.of_job(a, b, way, of);
    if (!value) return std::nullopt;
    return std::pair(*value, !ended(r, a, b, way));
  });
}

/// Returns a distribution as at most 40 points.
std::vector<svg_plot::point> curve(const std::vector<double>& ascending) {
  std::vector<svg_plot::point> points;
  const std::size_t n = ascending.size();
  const std::size_t count = std::min<std::size_t>(n, 40);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = count == 1 ? 0 : i * (n - 1) / (count - 1);
    points.push_back({ascending[at], static_cast<double>(at + 1) / static_cast<double>(n)});
  }
  return points;
}

template <class Values>
svg_plot distributions(const std::string& title, Values values) {
  svg_plot plot(title, {"normalized execution time", axis_scale::log2}, {"cumulative share"}, plot_size);
  for (const sharing_way way : sharing_ways) plot.add_line(name_of(way), curve(values(way)));
  return plot;
}

std::vector<std::vector<std::string>> rows_alone(const pairs_results& r) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < r.alone.size(); ++i) {
    const alone_times& a = r.alone[i];
    const double base = a.half.median();
    const auto over = [&](const run_times& t) { return t.any() ? ratio(t.median() / base) : std::string("-"); };
    rows.push_back({r.programs[i].name, a.half.any() ? human_seconds(base) : "-", over(a.half_callisto), over(a.whole),
                    over(a.whole_callisto),
                    a.whole.any() && a.whole_callisto.any()
                        ? fmt::format("{:.3f}", a.whole_callisto.median() / a.whole.median())
                        : "-"});
  }
  return rows;
}

const std::vector<std::string>& columns_alone() {
  static const std::vector<std::string> names{"program", "half",         "half, a job",
                                              "whole",   "whole, a job", "as a job / without"};
  return names;
}

/// Returns, for each program beside the load, its measurements by duty cycle.
std::vector<std::pair<std::size_t, std::vector<const background_times*>>> by_program(const pairs_results& r) {
  std::vector<std::pair<std::size_t, std::vector<const background_times*>>> all;
  for (const background_times& b : r.background) {
    if (all.empty() || all.back().first != b.program) all.push_back({b.program, {}});
    all.back().second.push_back(&b);
  }
  return all;
}

std::string words_of_background(const pairs_results& r) {
  std::string text;
  for (const auto& [program, rows] : by_program(r)) {
    table t({{"duty %"}, {"plain system"}, {"Callisto"}});
    const double base = r.alone[program].half.median();
    for (const background_times* one : rows) {
      if (one->way != sharing_way::plain) continue;
      std::string other = "-";
      for (const background_times* with : rows) {
        if (with->way == sharing_way::callisto && with->duty == one->duty) other = ratio(with->times.median() / base);
      }
      t.add_row({std::to_string(one->duty), ratio(one->times.median() / base), other});
    }
    text += fmt::format(
        "\n{} beside a load of varying duty cycle (alone: half 1.00, whole {}):\n{}", r.programs[program].name,
        r.alone[program].whole.any() ? ratio(r.alone[program].whole.median() / base) : "-", t.render(2));
  }
  return text;
}

std::string matrix_of(const pairs_results& r, sharing_way way) {
  std::vector<table::column> columns{{fmt::format("{}: row with column", name_of(way)), table::align::left}};
  for (const auto& p : r.programs) columns.push_back({p.name});
  table t(std::move(columns));
  for (std::size_t a = 0; a < r.programs.size(); ++a) {
    std::vector<std::string> cells{r.programs[a].name};
    for (std::size_t b = 0; b < r.programs.size(); ++b) {
      const auto value = r.of_job(a, b, way);
      cells.push_back(value ? (ended(r, a, b, way) ? "" : ">") + ratio(*value) : "-");
    }
    t.add_row(std::move(cells));
  }
  return t.render(2);
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += fmt::format(" {} |", cell);
  return line + '\n';
}

std::string markdown_table(const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& rows) {
  std::string text = markdown_row(columns);
  text += "|---|";
  for (std::size_t i = 1; i < columns.size(); ++i) text += "--:|";
  text += '\n';
  for (const auto& row : rows) text += markdown_row(row);
  return text;
}

}  // namespace

json to_json(const pairs_results& r) {
  json object;
  object["first_half"] = r.first_half;
  object["second_half"] = r.second_half;
  object["rounds"] = r.rounds;
  object["openmp"] = r.openmp;
  object["programs"] = json::array();
  for (std::size_t i = 0; i < r.programs.size(); ++i) {
    json one{{"name", r.programs[i].name}, {"command", r.programs[i].command}};
    one["alone"] = {{"half", times_of(r.alone[i].half)},
                    {"half_callisto", times_of(r.alone[i].half_callisto)},
                    {"whole", times_of(r.alone[i].whole)},
                    {"whole_callisto", times_of(r.alone[i].whole_callisto)}};
    object["programs"].push_back(std::move(one));
  }
  object["pairs"] = json::array();
  for (const pair_times& p : r.pairs) {
    object["pairs"].push_back({{"a", r.programs[p.a].name},
                               {"b", r.programs[p.b].name},
                               {"way", name_of(p.way)},
                               {"pair", *r.of_pair(p.a, p.b, p.way)},
                               {"of_a", times_of(p.of_a)},
                               {"of_b", times_of(p.of_b)}});
  }
  object["background"] = json::array();
  for (const background_times& b : r.background) {
    object["background"].push_back({{"program", r.programs[b.program].name},
                                    {"duty", b.duty},
                                    {"way", name_of(b.way)},
                                    {"times", times_of(b.times)}});
  }
  object["limits"] = json::array();
  for (const limit_row& l : limits_of(r)) {
    object["limits"].push_back({{"text", l.text}, {"found", !l.measured ? "open" : l.kept ? "kept" : "missed"}});
  }
  object["left_out"] = r.left_out;
  object["other_programs"] = r.other_programs ? json(*r.other_programs) : json();
  return object;
}

std::string to_words(const pairs_results& r) {
  std::string text = title_of(r) + "\n" + method_of(r) + "\n\n";
  std::vector<table::column> columns;
  for (const std::string& name : columns_alone()) {
    columns.push_back({name, columns.empty() ? table::align::left : table::align::right});
  }
  table alone(std::move(columns));
  for (auto& row : rows_alone(r)) alone.add_row(std::move(row));
  text += "Alone (figure 9):\n" + alone.render(2);
  if (!r.pairs.empty()) {
    for (const sharing_way way : sharing_ways) text += '\n' + matrix_of(r, way);
    table summary({{"", table::align::left},
                   {"paper: plain"},
                   {"Callisto"},
                   {"here: static halves", table::align::left},
                   {"plain system", table::align::left},
                   {"Callisto", table::align::left}});
    for (const summary_row& row : summary_of(r)) {
      summary.add_row({row.what, row.paper_plain, row.paper_callisto, row.found[0], row.found[1], row.found[2]});
    }
    text += '\n' + summary.render();
  }
  text += words_of_background(r) + '\n';
  for (const limit_row& l : limits_of(r)) {
    if (l.measured) text += fmt::format("{}  {}\n", l.kept ? "kept  " : "missed", l.text);
  }
  return text + r.busy;
}

std::string to_page(const pairs_results& r) {
  html_page page("Callisto pairs", title_of(r), method_of(r));
  page.section("Limits");
  for (const limit_row& l : limits_of(r)) {
    page.paragraph(fmt::format("{}: {}", !l.measured ? "not measured" : l.kept ? "kept" : "missed", l.text));
  }
  if (!r.busy.empty()) page.paragraph(r.busy);
  page.section("Alone (figure 9)");
  page.table("Seconds on half of the contexts, and times over these", {columns_alone(), rows_alone(r)});
  if (!r.pairs.empty()) {
    page.section("Pairs (figure 10)");
    page.figure(heat_legend(shades, "gain: times as fast together; waste, per job: times as slow"),
                "the scale of the colours", "The scale of all heat maps. A line through a cell: at least that.");
    for (const sharing_way way : sharing_ways) {
      page.begin_columns();
      page.figure(grid_of_gains(r, way), fmt::format("gain, {}", name_of(way)),
                  fmt::format("{}: pairwise gain", name_of(way)));
      page.figure(grid_of_waste(r, way), fmt::format("waste, {}", name_of(way)),
                  fmt::format("{}: pairwise waste", name_of(way)));
      page.figure(grid_of_jobs(r, "per job", way, which::median), fmt::format("per job, {}", name_of(way)),
                  fmt::format("{}: of each job (row) beside another (column)", name_of(way)));
      page.end_columns();
    }
    page.section("Distributions (figure 11)");
    page.begin_columns();
    page.figure(distributions("(a) pairs", [&](sharing_way w) { return r.all_pairs(w); }).render(), "pairs",
                "Pairs: below 1 a gain, above 1 waste.");
    page.figure(distributions("(b) medians", [&](sharing_way w) { return r.all_jobs(w); }).render(), "medians of jobs",
                "Each job of each pair: medians.");
    page.figure(distributions("(c) all runs", [&](sharing_way w) { return r.all_runs(w); }).render(), "all runs",
                "Every run.");
    page.end_columns();
  }
  if (!r.background.empty()) {
    page.section("A load beside it (figure 12)");
    page.begin_columns();
    for (const auto& [program, rows] : by_program(r)) {
      svg_plot plot(r.programs[program].name, {"duty cycle of the load, %"}, {"normalized execution time"}, plot_size);
      const double base = r.alone[program].half.median();
      for (const sharing_way way : {sharing_way::plain, sharing_way::callisto}) {
        std::vector<svg_plot::point> points;
        for (const background_times* one : rows) {
          if (one->way == way) points.push_back({static_cast<double>(one->duty), one->times.median() / base});
        }
        plot.add_line(name_of(way), std::move(points));
      }
      plot.add_level("alone, half", 1);
      if (r.alone[program].whole.any()) plot.add_level("alone, whole", r.alone[program].whole.median() / base);
      page.figure(plot.render(), fmt::format("{} beside a load", r.programs[program].name),
                  "The load works for so much of each 100 ms on all contexts.");
    }
    page.end_columns();
  }
  if (!r.pairs.empty()) {
    page.section("The fastest and the slowest runs (figure 13)");
    for (const auto& [of, name] : {std::pair(which::best, "best"), std::pair(which::worst, "worst")}) {
      page.begin_columns();
      for (const sharing_way way : {sharing_way::plain, sharing_way::callisto}) {
        page.figure(grid_of_jobs(r, fmt::format("{} runs", name), way, of),
                    fmt::format("{} runs, {}", name, name_of(way)),
                    fmt::format("{}: the {} run of each job", name_of(way), name));
      }
      const which w = of;
      page.figure(
          distributions(fmt::format("{} runs", name), [&](sharing_way way) { return r.all_jobs(way, w); }).render(),
          fmt::format("{} runs", name), fmt::format("The {} run of each job of each pair.", name));
      page.end_columns();
    }
  }
  page.section("Programs");
  std::vector<std::vector<std::string>> commands;
  for (const auto& p : r.programs) commands.push_back({p.name, p.command});
  page.table("", {{"name", "command"}, commands, 2});
  return page.finish("callisto-lab bench pairs");
}

std::string to_markdown(const pairs_results& r) {
  std::string text = fmt::format("{}. {}\n\n", title_of(r), method_of(r));
  text += markdown_table(columns_alone(), rows_alone(r)) + '\n';
  if (!r.pairs.empty()) {
    std::vector<std::vector<std::string>> rows;
    for (const summary_row& s : summary_of(r)) {
      rows.push_back({s.what, s.paper_plain, s.paper_callisto, s.found[0], s.found[1], s.found[2]});
    }
    text += markdown_table({"", "paper, plain", "paper, Callisto", "static halves", "plain system", "Callisto"}, rows) +
            '\n';
    for (const sharing_way way : sharing_ways) {
      std::vector<std::string> columns{fmt::format("{}: row with column", name_of(way))};
      for (const auto& p : r.programs) columns.push_back(p.name);
      std::vector<std::vector<std::string>> cells;
      for (std::size_t a = 0; a < r.programs.size(); ++a) {
        cells.push_back({r.programs[a].name});
        for (std::size_t b = 0; b < r.programs.size(); ++b) cells.back().push_back(ratio(r.of_job(a, b, way)));
      }
      text += markdown_table(columns, cells) + '\n';
    }
  }
  for (const auto& [program, rows] : by_program(r)) {
    std::vector<std::string> columns{fmt::format("{} beside a load, duty %", r.programs[program].name)};
    std::vector<std::vector<std::string>> cells{{"plain system"}, {"Callisto"}};
    for (const background_times* one : rows) {
      const bool plain = one->way == sharing_way::plain;
      if (plain) columns.push_back(std::to_string(one->duty));
      cells[plain ? 0 : 1].push_back(ratio(one->times.median() / r.alone[program].half.median()));
    }
    text += markdown_table(columns, cells) + '\n';
  }
  for (const limit_row& l : limits_of(r)) {
    text += fmt::format("- {}: {}\n", l.text, !l.measured ? "not measured" : l.kept ? "kept" : "missed");
  }
  return r.busy.empty() ? text : text + '\n' + r.busy;
}

}  // namespace callisto::lab
