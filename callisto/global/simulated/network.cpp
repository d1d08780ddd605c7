#include <callisto/global/simulated/network.hpp>
#include <callisto/machine/simulated/described_lines.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include <fmt/format.h>

namespace callisto::global::simulation {
namespace {

using machine::simulation::described_line;
using machine::simulation::trimmed;
using machine::simulation::unexpected;

/// A unit and how much of it is one second, byte or packet of the description.
struct unit {
  std::string_view name;
  double scale;
};
constexpr std::array times{unit{"ns", 1}, unit{"us", 1e3}};
constexpr std::array bandwidths{unit{"GB/s", 1e9}, unit{"MB/s", 1e6}, unit{"Gb/s", 1e9 / 8}};
constexpr std::array rates{unit{"M/s", 1e6}, unit{"K/s", 1e3}};
constexpr std::array sizes{unit{"bytes", 1}, unit{"KiB", 1024}};
constexpr std::array plain{unit{"", 1}};

struct parameter {
  std::string_view key;
  double network::* value = nullptr;
  unsigned network::* count = nullptr;
  std::span<const unit> units = {};
  double least = 0;
  double most = 0;
  std::optional<topology> only_in = {};
  bool may_be_left_out = false;
};

constexpr parameter word(std::string_view key) {
  parameter p;
  p.key = key;
  return p;
}
constexpr parameter number(std::string_view key, double network::* value, std::span<const unit> units, double least,
                           double most, std::optional<topology> only_in = {}) {
  parameter p = word(key);
  p.value = value;
  p.units = units;
  p.least = least;
  p.most = most;
  p.only_in = only_in;
  return p;
}
constexpr parameter count(std::string_view key, unsigned network::* value, std::span<const unit> units, double least,
                          double most, std::optional<topology> only_in = {}) {
  parameter p = number(key, nullptr, units, least, most, only_in);
  p.count = value;
  return p;
}
constexpr parameter stated(std::string_view key, double network::* value, std::span<const unit> units, double least,
                           double most) {
  parameter p = number(key, value, units, least, most);
  p.may_be_left_out = true;
  return p;
}

constexpr double most_time = 1e9;
constexpr parameter parameters[] = {
    word("name"),
    word("topology"),
    count("cores", &network::cores, plain, 1, 1024),
    number("adapter.rate", &network::rate, rates, 1, 1e12),
    number("adapter.bandwidth", &network::bandwidth, bandwidths, 1e3, 1e13),
    count("adapter.framing", &network::framing, sizes, 0, 4096),
    count("adapter.outstanding", &network::outstanding, plain, 1, 65536),
    number("processor.send", &network::send, times, 0, most_time),
    number("processor.receive", &network::receive, times, 0, most_time),
    number("processor.poll", &network::poll, times, 1, most_time),
    number("processor.copy", &network::copy, bandwidths, 1e3, 1e13),
    number("processor.eager", &network::eager, sizes, 0, 1e9),
    number("near.send", &network::near_send, times, 0, most_time),
    number("near.latency", &network::near, times, 1, most_time),
    number("near.bandwidth", &network::near_bandwidth, bandwidths, 1e3, 1e13),
    number("latency.ends", &network::latency, times, 1, most_time),
    number("latency.switch", &network::switch_latency, times, 0, most_time),
    count("leaf.nodes", &network::leaf, plain, 1, 65536, topology::fat_tree),
    number("leaf.taper", &network::taper, plain, 1, 64, topology::fat_tree),
    count("group.nodes", &network::group, plain, 1, 65536, topology::dragonfly),
    count("group.links", &network::global_links, plain, 1, 65536, topology::dragonfly),
    number("link.bandwidth", &network::link, bandwidths, 1e3, 1e13),
    number("step.enqueue", &network::enqueue, times, 0, most_time),
    number("step.serialize", &network::serialize, times, 0, most_time),
    number("step.deserialize", &network::deserialize, times, 0, most_time),
    number("step.switch", &network::change, times, 0, most_time),
    number("step.spawn", &network::spawn, times, 0, most_time),
    number("step.memory", &network::memory, times, 0, most_time),
    stated("stated.latency", &network::stated_latency, times, 1, most_time),
    stated("stated.rate", &network::stated_rate, rates, 1, 1e12),
    stated("stated.bandwidth", &network::stated_bandwidth, bandwidths, 1e3, 1e13),
};

constexpr std::string_view name_of(topology t) { return t == topology::fat_tree ? "fat-tree" : "dragonfly"; }

bool has_source(std::string_view comment) {
  return (comment.starts_with("source: ") || comment.starts_with("estimated: ")) &&
         comment.find(": ") + 2 < comment.size();
}

/// Puts a value into the description. Throws usage_error with what was found and what was expected.
void set(network& n, const parameter& p, std::string_view text) {
  const auto refuse = [&](std::string_view expected) { throw usage_error(unexpected(p.key, text, expected)); };
  if (p.key == "name") {
    if (text.empty()) refuse("a name");
    n.name = text;
    return;
  }
  if (p.key == "topology") {
    for (const topology t : {topology::fat_tree, topology::dragonfly})
      if (text == name_of(t)) {
        n.shape = t;
        return;
      }
    refuse("fat-tree or dragonfly");
  }
  double value = 0;
  const auto space = std::min(text.find_first_of(" \t"), text.size());
  const auto [end, fault] = std::from_chars(text.data(), text.data() + space, value);
  const std::string_view name = trimmed(text.substr(space));
  const auto in = std::ranges::find(p.units, name, &unit::name);
  if (fault != std::errc() || end != text.data() + space || !std::isfinite(value) || in == p.units.end() ||
      (p.count != nullptr && value * in->scale != std::floor(value * in->scale))) {
    std::string expected = p.count != nullptr ? "a whole number" : "a number";
    for (const unit& u : p.units)
      if (!u.name.empty()) expected += fmt::format("{} '{}'", &u == p.units.data() ? " and the unit" : " or", u.name);
    refuse(expected);
  }
  value *= in->scale;
  if (value < p.least || value > p.most)
    refuse(fmt::format("{} to {} {}", p.least / in->scale, p.most / in->scale, in->name));
  if (p.count != nullptr)
    n.*p.count = static_cast<unsigned>(value);
  else
    n.*p.value = value;
}

}  // namespace

network parse_network(std::string_view text, const std::string& file) {
  network n{};
  std::map<std::string_view, std::uint64_t> lines;  // of each parameter that was given
  machine::simulation::for_each_described_line(text, file, [&](const described_line& line) {
    const auto* const p = std::ranges::find(parameters, line.key, &parameter::key);
    if (p == std::end(parameters))
      throw input_error(file, line.number, fmt::format("no parameter is called '{}'", line.key));
    if (!lines.emplace(p->key, line.number).second)
      throw input_error(file, line.number, fmt::format("{} is given twice", line.key));
    if (!has_source(line.comment))
      throw input_error(file, line.number, unexpected(line.key, line.comment, machine::simulation::expected_source));
    try {
      set(n, *p, line.value);
    } catch (const usage_error& e) {
      throw input_error(file, line.number, e.what());
    }
    n.sources.emplace(line.key, line.comment);
  });
  for (const parameter& p : parameters) {
    const auto given = lines.find(p.key);
    const bool applies = !p.only_in || *p.only_in == n.shape;
    if (applies && !p.may_be_left_out && given == lines.end())
      throw input_error(file, 0, fmt::format("{} is missing", p.key));
    if (!applies && given != lines.end())
      throw input_error(file, given->second,
                        fmt::format("{} is for networks with topology = {} only", p.key, name_of(*p.only_in)));
  }
  return n;
}

}  // namespace callisto::global::simulation
