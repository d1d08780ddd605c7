// Reading and writing machine descriptions: one table of parameters serves both.
#include <callisto/machine/simulated/described_lines.hpp>
#include <callisto/machine/simulated/description.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace callisto::machine::simulation {
namespace {

// The kinds of a parameter, and where the description keeps its value.
struct text_value {
  std::string description::* where;
};
struct count_value {
  unsigned description::* where;
  unsigned least;
  unsigned most;
};
struct rate_value {
  double description::* where;
};
struct size_value {
  unsigned description::* where;
};
struct bandwidth_value {
  double description::* where;
};
struct number_value {
  double description::* where;
  double least;
  double most;
};
struct time_value {
  double description::* where;
  double least;
  bool may_be_never = false;
};
struct hop_value {
  distance how_far;
};
struct flag_value {
  bool description::* where;
};
struct fetch_add_value {};

struct parameter {
  std::string_view key;
  std::variant<text_value, count_value, rate_value, size_value, bandwidth_value, number_value, time_value, hop_value,
               flag_value, fetch_add_value>
      value;
  /// True if the machine has this parameter; null: every machine has it.
  bool (*applies)(const description&) = nullptr;
  std::string_view condition = {};
  bool may_be_left_out = false;
};

constexpr double most_cycles = 1e9;

bool has_caches(const description& d) { return d.l2_size != 0; }

const std::array parameters = {
    parameter{"name", text_value{&description::name}},
    parameter{"sockets", count_value{&description::sockets, 1, 64}},
    parameter{"caches", count_value{&description::caches, 1, 256}},
    parameter{"cores", count_value{&description::cores, 1, 1024}},
    parameter{"contexts", count_value{&description::contexts, 1, 16}},
    parameter{"clock", rate_value{&description::clock}},
    parameter{"line", count_value{&description::line, 16, 512}},
    parameter{"load", time_value{&description::load, 0}},
    parameter{"store", time_value{&description::store, 0}},
    parameter{"atomic", time_value{&description::atomic, 0}},
    parameter{"cas.retry", time_value{&description::cas_retry, 0}},
    parameter{"instructions", time_value{&description::instructions, 0}},
    parameter{"fetch-add", fetch_add_value{}},
    parameter{"fetch-add.far", time_value{&description::fetch_add_far, 1},
              [](const description& d) { return d.fetch_add == fetch_add_kind::far; }, "fetch-add = far"},
    parameter{"hop.same-core", hop_value{distance::same_core}},
    parameter{"hop.same-cache", hop_value{distance::same_cache}},
    parameter{"hop.same-socket", hop_value{distance::same_socket}, [](const description& d) { return d.caches > 1; },
              "caches > 1"},
    parameter{"hop.other-socket", hop_value{distance::other_socket}, [](const description& d) { return d.sockets > 1; },
              "sockets > 1"},
    parameter{"hop.request", number_value{&description::hop_request, 0, 1}, nullptr, {}, true},
    parameter{"hold", number_value{&description::hold, 0, 100}},
    parameter{"store-buffer", count_value{&description::store_buffer, 1, 1024}},
    parameter{"pipelines", number_value{&description::pipelines, 0.01, 64}},
    parameter{"ipc", number_value{&description::ipc, 0.01, 64}},
    parameter{"wait.brief", time_value{&description::wait_brief, 1}},
    parameter{"wait.lasting", time_value{&description::wait_lasting, 1}},
    parameter{"wait.poll", time_value{&description::wait_poll, 0}},
    parameter{"wait.monitor", flag_value{&description::wait_monitor}},
    parameter{"wait.brief.limit", time_value{&description::wait_brief_limit, 1, true}},
    parameter{"wait.lasting.limit", time_value{&description::wait_lasting_limit, 1, true}},
    parameter{"park", time_value{&description::park, 0}},
    parameter{"unpark", time_value{&description::unpark, 0}},
    parameter{"wake", time_value{&description::wake, 0}},
    parameter{"l2.size", size_value{&description::l2_size}, nullptr, {}, true},
    parameter{"l2.ways", count_value{&description::l2_ways, 1, 64}, has_caches, "l2.size"},
    parameter{"l3.size", size_value{&description::l3_size}, has_caches, "l2.size"},
    parameter{"l3.ways", count_value{&description::l3_ways, 1, 64}, has_caches, "l2.size"},
    parameter{"l3.hit", time_value{&description::l3_hit, 0}, has_caches, "l2.size"},
    parameter{"memory.near", time_value{&description::memory_near, 0}, has_caches, "l2.size"},
    parameter{"memory.far", time_value{&description::memory_far, 0},
              [](const description& d) { return has_caches(d) && d.sockets > 1; }, "l2.size and sockets > 1"},
    parameter{"memory.bandwidth", bandwidth_value{&description::memory_bandwidth}, has_caches, "l2.size"},
};

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// Splits `text` into a number and the unit behind it.
std::pair<std::optional<double>, std::string_view> quantity(std::string_view text) {
  const auto space = text.find_first_of(" \t");
  if (space == text.npos) return {number(text), {}};
  return {number(text.substr(0, space)), trimmed(text.substr(space))};
}

std::string_view name_of(fetch_add_kind kind) {
  switch (kind) {
    case fetch_add_kind::near:
      return "near";
    case fetch_add_kind::far:
      return "far";
    case fetch_add_kind::loop:
      return "loop";
  }
  return {};
}

/// Puts values into a description. On a fault it throws an exception with the message, which the caller completes.
struct reader {
  description& d;
  std::string_view key;
  std::string_view text;

  [[noreturn]] void refuse(std::string_view expected) const { throw usage_error(unexpected(key, text, expected)); }

  double cycles(double least) const {
    const auto [value, unit] = quantity(text);
    if (!value || (unit != "cycles" && unit != "ns")) refuse("a time: '40 cycles' or '12.5 ns'");
    const double in_cycles = unit == "ns" ? *value * d.clock / 1e9 : *value;
    if (in_cycles < least || in_cycles > most_cycles) refuse(fmt::format("{} to {} cycles", least, most_cycles));
    return in_cycles;
  }

  void operator()(const text_value& v) const {
    if (text.empty()) refuse("a name");
    d.*v.where = text;
  }
  void operator()(const count_value& v) const {
    unsigned value = 0;
    const auto digits =
        v.where == &description::line && text.ends_with(" bytes") ? text.substr(0, text.size() - 6) : text;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (fault != std::errc() || end != digits.data() + digits.size() || value < v.least || value > v.most) {
      refuse(fmt::format("a whole number from {} to {}", v.least, v.most));
    }
    d.*v.where = value;
  }
  void operator()(const rate_value& v) const {
    const auto [value, unit] = quantity(text);
    const double scale = unit == "GHz" ? 1e9 : unit == "MHz" ? 1e6 : 0;
    if (!value || scale == 0 || *value * scale < 1e6 || *value * scale > 1e11) refuse("a clock rate: '3.6 GHz'");
    d.*v.where = *value * scale;
  }
  void operator()(const size_value& v) const {
    const auto [value, unit] = quantity(text);
    const double scale = unit == "KB" ? 1024 : unit == "MB" ? 1024 * 1024 : 0;
    const double bytes = value.value_or(0) * scale;
    if (bytes < 1024 || bytes > 1024.0 * 1024 * 1024 || bytes != std::floor(bytes)) refuse("a size: '128 KB'");
    d.*v.where = static_cast<unsigned>(bytes);
  }
  void operator()(const bandwidth_value& v) const {
    const auto [value, unit] = quantity(text);
    if (!value || unit != "GB/s" || *value < 0.1 || *value > 1e5) refuse("a bandwidth: '80 GB/s'");
    d.*v.where = *value * 1e9;
  }
  void operator()(const number_value& v) const {
    const auto value = number(text);
    if (!value || *value < v.least || *value > v.most) refuse(fmt::format("a number from {} to {}", v.least, v.most));
    d.*v.where = *value;
  }
  void operator()(const time_value& v) const {
    d.*v.where = v.may_be_never && text == "never" ? description::never : cycles(v.least);
  }
  void operator()(const hop_value& v) const { d.hop[static_cast<unsigned>(v.how_far)] = cycles(1); }
  void operator()(const flag_value& v) const {
    if (text != "yes" && text != "no") refuse("yes or no");
    d.*v.where = text == "yes";
  }
  void operator()(fetch_add_value) const {
    for (const auto kind : {fetch_add_kind::near, fetch_add_kind::far, fetch_add_kind::loop}) {
      if (text == name_of(kind)) {
        d.fetch_add = kind;
        return;
      }
    }
    refuse("near, far or loop");
  }
};

/// Returns the text of a value. A number has as few digits as give the same value when read again.
struct printer {
  const description& d;

  static std::string cycles(double value) { return fmt::format("{} cycles", value); }

  std::string operator()(const text_value& v) const { return d.*v.where; }
  std::string operator()(const count_value& v) const {
    return fmt::format("{}{}", d.*v.where, v.where == &description::line ? " bytes" : "");
  }
  std::string operator()(const rate_value& v) const { return fmt::format("{} MHz", d.*v.where / 1e6); }
  std::string operator()(const size_value& v) const { return fmt::format("{} KB", d.*v.where / 1024.0); }
  std::string operator()(const bandwidth_value& v) const { return fmt::format("{} GB/s", d.*v.where / 1e9); }
  std::string operator()(const number_value& v) const { return fmt::format("{}", d.*v.where); }
  std::string operator()(const time_value& v) const {
    return d.*v.where == description::never ? "never" : cycles(d.*v.where);
  }
  std::string operator()(const hop_value& v) const { return cycles(d.hop[static_cast<unsigned>(v.how_far)]); }
  std::string operator()(const flag_value& v) const { return d.*v.where ? "yes" : "no"; }
  std::string operator()(fetch_add_value) const { return std::string(name_of(d.fetch_add)); }
};

const parameter* find(std::string_view key) {
  const auto* const found = std::find_if(parameters.begin(), parameters.end(), [&](auto& p) { return p.key == key; });
  return found == parameters.end() ? nullptr : found;
}

bool has_source(std::string_view comment) {
  constexpr std::string_view source = "source:";
  constexpr std::string_view estimated = "estimated";
  if (comment.starts_with(source)) return !trimmed(comment.substr(source.size())).empty();
  return comment.starts_with(estimated) &&
         (comment.size() == estimated.size() ||
          std::string_view(" :,;(").find(comment[estimated.size()]) != std::string_view::npos);
}

struct given_line {
  std::uint64_t number;
  const parameter* which;
  std::string_view value;
};

}  // namespace

distance description::between(unsigned context, unsigned other) const noexcept {
  if (core_of(context) == core_of(other)) return distance::same_core;
  if (cache_of(context) == cache_of(other)) return distance::same_cache;
  return socket_of(context) == socket_of(other) ? distance::same_socket : distance::other_socket;
}

unsigned description::spread(unsigned thread, unsigned threads) const noexcept {
  // Each level gets an even share of the threads, in blocks of consecutive numbers.
  unsigned context = 0;
  for (const unsigned parts : {sockets, caches, cores, contexts}) {
    const std::uint64_t part = (std::uint64_t{thread} * parts) / threads;
    const auto first = static_cast<unsigned>((part * threads + parts - 1) / parts);
    const auto next = static_cast<unsigned>(((part + 1) * threads + parts - 1) / parts);
    context = context * parts + static_cast<unsigned>(part);
    thread -= first;
    threads = next - first;
  }
  return context;
}

description parse_description(std::string_view text, const std::string& file) {
  description d;
  std::vector<given_line> given;
  std::set<std::string_view> seen;
  for_each_described_line(text, file, [&](const described_line& line) {
    const parameter* const which = find(line.key);
    if (which == nullptr) {
      throw input_error(file, line.number, fmt::format("no parameter is called '{}'", line.key));
    }
    if (!seen.insert(which->key).second) {
      throw input_error(file, line.number, fmt::format("{} is given twice", line.key));
    }
    if (!has_source(line.comment)) {
      throw input_error(file, line.number, unexpected(line.key, line.comment, expected_source));
    }
    d.sources.emplace(line.key, line.comment);
    given.push_back({line.number, which, line.value});
  });
  // Reads the clock first: it turns nanoseconds into cycles.
  const auto clock =
      std::find_if(given.begin(), given.end(), [](const given_line& g) { return g.which->key == "clock"; });
  if (clock != given.end()) std::rotate(given.begin(), clock, clock + 1);
  for (const given_line& g : given) {
    try {
      std::visit(reader{d, g.which->key, g.value}, g.which->value);
    } catch (const usage_error& e) {
      throw input_error(file, g.number, e.what());
    }
  }
  for (const parameter& p : parameters) {
    const bool applies = p.applies == nullptr || p.applies(d);
    if (applies && !p.may_be_left_out && !seen.contains(p.key))
      throw input_error(file, 0, fmt::format("{} is missing", p.key));
    if (!applies && seen.contains(p.key)) {
      const auto at = std::find_if(given.begin(), given.end(), [&](const given_line& g) { return g.which == &p; });
      throw input_error(file, at->number, fmt::format("{} is for machines with {} only", p.key, p.condition));
    }
  }
  const auto line_of = [&](std::string_view key) {
    return std::find_if(given.begin(), given.end(), [&](const given_line& g) { return g.which->key == key; })->number;
  };
  if ((d.line & (d.line - 1)) != 0) {
    throw input_error(file, line_of("line"), unexpected("line", fmt::format("{}", d.line), "a power of two"));
  }
  if (std::uint64_t{d.sockets} * d.caches * d.cores * d.contexts > 65'536) {
    throw input_error(file, line_of("contexts"),
                      fmt::format("found {} contexts in all, expected at most 65536",
                                  std::uint64_t{d.sockets} * d.caches * d.cores * d.contexts));
  }
  const auto check_sets = [&](std::string_view level, unsigned bytes, unsigned ways) {
    const std::uint64_t set = std::uint64_t{d.line} * ways;
    if (bytes % set == 0 && std::has_single_bit(bytes / set)) return;
    throw input_error(
        file, line_of(fmt::format("{}.size", level)),
        fmt::format("{0}.size: found {1} bytes, expected a power of two of sets of {2} lines of {3} bytes", level,
                    bytes, ways, d.line));
  };
  if (has_caches(d)) {
    check_sets("l2", d.l2_size, d.l2_ways);
    check_sets("l3", d.l3_size, d.l3_ways);
    if (d.l3_size < std::uint64_t{d.l2_size} * d.cores) {
      throw input_error(
          file, line_of("l3.size"),
          fmt::format("l3.size: found {} bytes, expected no less than {} caches of {} bytes have together", d.l3_size,
                      d.cores, d.l2_size));
    }
  }
  return d;
}

description read_description(const std::string& file) {
  std::string text;
  try {
    std::ifstream in;
    in.exceptions(std::ios::badbit | std::ios::failbit);
    in.open(file, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  } catch (const std::ios::failure&) {
    throw input_error(file, 0, "cannot be read");
  }
  return parse_description(text, file);
}

std::string to_text(const description& d) {
  std::vector<std::pair<std::string, std::string>> lines;
  std::size_t widest = 0;
  for (const parameter& p : parameters) {
    if (p.applies != nullptr && !p.applies(d)) continue;
    const auto source = d.sources.find(p.key);
    if (p.may_be_left_out && source == d.sources.end()) continue;
    if (source == d.sources.end()) throw std::logic_error(fmt::format("{} has no source", p.key));
    lines.emplace_back(fmt::format("{:<18} = {}", p.key, std::visit(printer{d}, p.value)), source->second);
    widest = std::max(widest, lines.back().first.size());
  }
  std::string text;
  for (const auto& [assignment, source] : lines) text += fmt::format("{:<{}}  # {}\n", assignment, widest, source);
  return text;
}

}  // namespace callisto::machine::simulation
