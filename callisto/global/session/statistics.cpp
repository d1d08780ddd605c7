// Tables and JSON of what ranks did.
#include <callisto/global/session/statistics.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>

namespace callisto::global {
namespace {

std::string formatted(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

double rate(std::uint64_t count, const rank_statistics& s) {
  const double core_seconds = s.seconds * s.cores;
  return core_seconds > 0 ? static_cast<double>(count) / core_seconds : 0;
}

/// One column of the table.
struct column {
  const char* title;
  const char* format;
  double (*value)(const rank_statistics&);
};

constexpr std::array columns{
    column{"messages/s/core", "%.0f", [](const rank_statistics& s) { return rate(s.messages, s); }},
    column{"MB/s/core", "%.2f", [](const rank_statistics& s) { return rate(s.message_bytes, s) / 1e6; }},
    column{"B/packet", "%.0f",
           [](const rank_statistics& s) {
             return s.packets == 0 ? 0 : static_cast<double>(s.message_bytes) / static_cast<double>(s.packets);
           }},
    column{"tasks/s/core", "%.0f", [](const rank_statistics& s) { return rate(s.tasks, s); }},
    column{"active", "%.1f", [](const rank_statistics& s) { return s.workers; }},
    column{"ready", "%.1f", [](const rank_statistics& s) { return s.ready; }},
    column{"switches/s/core", "%.0f", [](const rank_statistics& s) { return rate(s.switches, s); }},
    column{"steals tried", "%.0f", [](const rank_statistics& s) { return static_cast<double>(s.steals_tried); }},
    column{"made", "%.0f", [](const rank_statistics& s) { return static_cast<double>(s.steals_made); }},
    column{"idle %", "%.1f",
           [](const rank_statistics& s) {
             return s.seconds * s.cores > 0 ? 100 * s.idle_seconds / (s.seconds * s.cores) : 0;
           }},
};

void add_json(std::string& to, const rank_statistics& s, bool with_rank) {
  auto add = [&to, first = true](const char* name, const std::string& value) mutable {
    to += first ? "{\"" : ", \"";
    first = false;
    to += std::string(name) + "\": " + value;
  };
  if (with_rank) add("rank", std::to_string(s.rank));
  add("cores", std::to_string(s.cores));
  add("seconds", formatted("%.6f", s.seconds));
  add("messages", std::to_string(s.messages));
  add("message_bytes", std::to_string(s.message_bytes));
  add("packets", std::to_string(s.packets));
  add("tasks", std::to_string(s.tasks));
  add("switches", std::to_string(s.switches));
  add("most_workers", std::to_string(s.most_workers));
  add("workers", formatted("%.3f", s.workers));
  add("ready", formatted("%.3f", s.ready));
  add("steals_tried", std::to_string(s.steals_tried));
  add("steals_made", std::to_string(s.steals_made));
  add("tasks_stolen", std::to_string(s.tasks_stolen));
  add("tasks_moved", std::to_string(s.tasks_moved));
  add("waits_for_window", std::to_string(s.waits_for_window));
  add("idle_seconds", formatted("%.6f", s.idle_seconds));
  to += "}";
}

}  // namespace

rank_statistics merged(std::span<const rank_statistics> ranks) {
  rank_statistics all;
  all.rank = -1;
  for (const rank_statistics& s : ranks) {
    all.cores += s.cores;
    all.seconds = std::max(all.seconds, s.seconds);
    all.messages += s.messages;
    all.message_bytes += s.message_bytes;
    all.packets += s.packets;
    all.tasks += s.tasks;
    all.switches += s.switches;
    all.most_workers = std::max(all.most_workers, s.most_workers);
    all.workers += s.workers / static_cast<double>(ranks.size());
    all.ready += s.ready / static_cast<double>(ranks.size());
    all.steals_tried += s.steals_tried;
    all.steals_made += s.steals_made;
    all.tasks_stolen += s.tasks_stolen;
    all.tasks_moved += s.tasks_moved;
    all.waits_for_window += s.waits_for_window;
    all.idle_seconds += s.idle_seconds;
  }
  return all;
}

std::string statistics_table(std::span<const rank_statistics> ranks) {
  const rank_statistics all = merged(ranks);
  std::string table = "rank ";
  for (const column& c : columns) table += std::string("  ") + c.title;
  table += '\n';
  const auto add = [&table](const std::string& name, const rank_statistics& s) {
    table += name + std::string(name.size() < 5 ? 5 - name.size() : 0, ' ');
    for (const column& c : columns) {
      const std::string value = formatted(c.format, c.value(s));
      const std::size_t width = std::string(c.title).size();
      table += "  " + std::string(value.size() < width ? width - value.size() : 0, ' ') + value;
    }
    table += '\n';
  };
  for (const rank_statistics& s : ranks) add(std::to_string(s.rank), s);
  if (ranks.size() > 1) add("all", all);
  return table;
}

std::string statistics_json(std::span<const rank_statistics> ranks) {
  std::string json = "{\"ranks\": [";
  for (std::size_t i = 0; i != ranks.size(); ++i) {
    json += i == 0 ? "\n  " : ",\n  ";
    add_json(json, ranks[i], true);
  }
  json += "\n], \"all\": ";
  add_json(json, merged(ranks), false);
  return json + "}\n";
}

}  // namespace callisto::global
