// Makes tables of times, spreads and ratios.
#include <lab/experiments/gap_report.hpp>

#include <callisto/app/base/sample_statistics.hpp>
#include <callisto/app/base/table.hpp>
#include <callisto/app/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace callisto::lab {
namespace {

/// Returns the peer's time divided by Callisto's for each trial.
std::vector<double> ratios_of(const gap_row& row) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < row.peer_seconds.size() && i < row.seconds.size(); ++i) {
    ratios.push_back(row.peer_seconds[i] / row.seconds[i]);
  }
  return ratios;
}

/// Returns the geometric mean of the median ratios of all rows that have one, or 0 if none has.
double mean_ratio(const std::vector<const gap_row*>& rows) {
  double logarithms = 0;
  std::size_t count = 0;
  for (const gap_row* row : rows) {
    const std::vector<double> ratios = ratios_of(*row);
    if (ratios.empty()) continue;
    logarithms += std::log(median_of(ratios));
    ++count;
  }
  return count == 0 ? 0 : std::exp(logarithms / static_cast<double>(count));
}

std::vector<const gap_row*> rows_of(const gap_graph& graph) {
  std::vector<const gap_row*> rows;
  for (const gap_row& row : graph.rows) rows.push_back(&row);
  return rows;
}

std::vector<const gap_row*> rows_of(const gap_report& report) {
  std::vector<const gap_row*> rows;
  for (const gap_graph& graph : report.graphs) {
    for (const gap_row& row : graph.rows) rows.push_back(&row);
  }
  return rows;
}

json to_json(const std::vector<double>& seconds) {
  if (seconds.empty()) return {};
  const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  return {{"median", median_of(seconds)}, {"least", *least}, {"most", *most}, {"trials", seconds}};
}

json to_json(const gap_row& row) {
  json object{{"kernel", row.kernel}, {"callisto", to_json(row.seconds)}, {"peer", to_json(row.peer_seconds)}};
  const std::vector<double> ratios = ratios_of(row);
  object["ratio"] = json();
  if (!ratios.empty()) {
    const estimate e = estimate_of(ratios);
    object["ratio"] = {{"median", e.median}, {"low", e.low}, {"high", e.high}};
  }
  object["failure"] = row.failure.empty() ? json() : json(row.failure);
  object["peer_failure"] = row.peer_failure.empty() ? json() : json(row.peer_failure);
  object["peer_settings"] = row.peer_settings.empty() ? json() : json(row.peer_settings);
  return object;
}

/// Returns two cells: the median of times, and their range.
std::vector<std::string> cells_of(const std::vector<double>& seconds) {
  if (seconds.empty()) return {"-", ""};
  const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  return {human_seconds(median_of(seconds)), fmt::format("{} to {}", human_seconds(*least), human_seconds(*most))};
}

std::string to_words(const gap_graph& graph, bool with_peer) {
  std::string text = fmt::format(
      "{}: {} vertices, {} stored arcs ({}), ready in {}{}\n", one_line(graph.name),
      with_separators(graph.size.vertices), with_separators(graph.size.arcs),
      graph.size.directed ? "directed" : "undirected", human_seconds(graph.made_seconds),
      graph.order_seconds == 0 ? std::string() : fmt::format(" and ordered in {}", human_seconds(graph.order_seconds)));
  std::vector<table::column> columns{{"", table::align::left}, {"trials"}, {"Callisto"}, {"spread"}};
  if (with_peer) columns.insert(columns.end(), {{"peer"}, {"spread"}, {"peer : Callisto"}, {"at least"}});
  table rows(std::move(columns));
  std::string notes;
  for (const gap_row& row : graph.rows) {
    std::vector<std::string> cells{row.kernel, with_separators(row.seconds.size())};
    for (std::string& cell : cells_of(row.seconds)) cells.push_back(std::move(cell));
    if (with_peer) {
      for (std::string& cell : cells_of(row.peer_seconds)) cells.push_back(std::move(cell));
      if (const std::vector<double> ratios = ratios_of(row); !ratios.empty()) {
        const estimate e = estimate_of(ratios);
        cells.push_back(fmt::format("{:.2f}", e.median));
        cells.push_back(fmt::format("{:.2f}", e.low));
      }
    }
    rows.add_row(std::move(cells));
    if (!row.failure.empty()) notes += fmt::format("  {}: {}\n", row.kernel, one_line(row.failure));
    if (!row.peer_settings.empty()) notes += fmt::format("  {}, peer: {}\n", row.kernel, row.peer_settings);
    if (!row.peer_failure.empty()) notes += fmt::format("  {}, peer: {}\n", row.kernel, one_line(row.peer_failure));
  }
  text += rows.render(2) + notes;
  if (const double mean = mean_ratio(rows_of(graph)); mean != 0) {
    text += fmt::format("  geometric mean: {:.2f}\n", mean);
  }
  return text;
}

}  // namespace

json to_json(const gap_report& report) {
  json graphs = json::array();
  for (const gap_graph& graph : report.graphs) {
    json kernels = json::array();
    for (const gap_row& row : graph.rows) kernels.push_back(to_json(row));
    graphs.push_back({{"name", graph.name},
                      {"vertices", graph.size.vertices},
                      {"arcs", graph.size.arcs},
                      {"directed", graph.size.directed},
                      {"made_seconds", graph.made_seconds},
                      {"order_seconds", graph.order_seconds == 0 ? json() : json(graph.order_seconds)},
                      {"kernels", std::move(kernels)}});
  }
  const double mean = mean_ratio(rows_of(report));
  return {{"threads", report.threads},
          {"seed", report.seed},
          {"verified", report.verified},
          {"peer", report.peer.empty() ? json() : json(report.peer)},
          {"graphs", std::move(graphs)},
          {"geometric_mean", mean == 0 ? json() : json(mean)},
          {"other_programs", report.other_programs ? json(*report.other_programs) : json()}};
}

std::string to_words(const gap_report& report) {
  std::string text =
      fmt::format("Medians of trials, {}, seed {}; preparation is part of each trial{}\n",
                  counted(report.threads, "thread"), report.seed, report.verified ? "; all results verified" : "");
  for (const gap_graph& graph : report.graphs) text += '\n' + to_words(graph, !report.peer.empty());
  if (const double mean = mean_ratio(rows_of(report)); mean != 0) {
    text += fmt::format("\nGeometric mean over all: {:.2f}\n", mean);
  }
  return report.busy.empty() ? text : text + '\n' + report.busy;
}

}  // namespace callisto::lab
