// Turns measurements into a description.
#include <lab/simulate/describe_machine.hpp>

#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/topology.hpp>
#include <callisto/machine/native.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

namespace callisto::lab {
namespace {

using machine::simulation::description;
using machine::simulation::fetch_add_kind;

#if defined(__x86_64__)
constexpr bool adds_near = true;
#else
constexpr bool adds_near = false;
#endif

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "this machine";
}

/// Returns the number of parts per whole, rounded up. If wholes differ in size, this is close to the largest.
unsigned parts_of(std::size_t parts, std::size_t wholes) {
  return static_cast<unsigned>((parts + wholes - 1) / std::max<std::size_t>(1, wholes));
}

}  // namespace

unsigned usable_contexts() { return static_cast<unsigned>(machine::limits::current().cpus.size()); }

description describe_this_machine(const measured_costs& costs) {
  const std::string measured = "source: measured by callisto-lab simulate --calibrate";
  const std::string found = "source: the operating system";
  const machine::topology& host = machine::topology::host();
  description d;
  const auto set = [&d](std::string_view key, auto& place, auto value, const std::string& source) {
    place = std::move(value);
    d.sources.emplace(key, source);
  };
  const auto cycles = [&costs](double nanoseconds) {
    // Rounds to 0.1 cycles, which is finer than the measurement.
    return std::max(0.1, std::round(nanoseconds * costs.gigahertz * 10) / 10);
  };
  set("name", d.name, fmt::format("{}, {} contexts, as measured", processor_name(), host.contexts().size()), found);
  std::replace(d.name.begin(), d.name.end(), '#', ' ');
  set("sockets", d.sockets, host.packages(), found);
  set("caches", d.caches, parts_of(host.l3_caches(), host.packages()), found);
  set("cores", d.cores, parts_of(host.cores(), host.l3_caches()), found);
  set("contexts", d.contexts, parts_of(host.contexts().size(), host.cores()), found);
  set("clock", d.clock, std::round(costs.gigahertz * 1000) * 1e6, measured);
  set("line", d.line, 64u, "estimated: as on nearly every machine");
  set("load", d.load, cycles(costs.load), measured);
  set("store", d.store, 1.0, "estimated: into the store buffer");
  set("atomic", d.atomic, cycles(costs.fetch_add), measured);
  set("cas.retry", d.cas_retry, 12.0, "estimated: a mispredicted branch");
  set("instructions", d.instructions, cycles(costs.call), measured + ": a claim on one thread without its atomic");
  if (adds_near) {
    set("fetch-add", d.fetch_add, fetch_add_kind::near, "source: lock xadd, Intel SDM and AMD APM");
  } else {
    set("fetch-add", d.fetch_add, fetch_add_kind::far, "estimated: as Arm's LSE");
    double busy = costs.fetch_add;
    for (const auto& contended : costs.contended) busy = contended ? *contended : busy;
    set("fetch-add.far", d.fetch_add_far, std::max(1.0, cycles(busy)), measured + ": two contexts that compete");
  }
  // A claim after another context's claim costs less than one way of a ping-pong if no third context wants the line,
  // and about as much if one does. The model has one number for both: their mean. If the process has no pair of
  // contexts at some distance, that distance gets the cost of the next shorter one. The shortest gets the cost of an
  // atomic operation on the thread's own line.
  double last = std::max(1.0, cycles(costs.fetch_add));
  constexpr std::string_view keys[] = {"hop.same-core", "hop.same-cache", "hop.same-socket", "hop.other-socket"};
  for (std::size_t kind = 0; kind < nearness_kinds; ++kind) {
    const bool exists = (kind != 2 || d.caches > 1) && (kind != 3 || d.sockets > 1);
    std::string source = "estimated: this process has no such pair of contexts";
    if (costs.hop[kind]) {
      last = std::max(1.0, cycles((*costs.hop[kind] + *costs.volley[kind]) / 2));
      source = fmt::format("{}: a claim after another's {:.1f} ns, a stroke of a volley {:.1f} ns, the mean", measured,
                           *costs.hop[kind], *costs.volley[kind]);
    }
    if (exists) set(keys[kind], d.hop[kind], last, source);
  }
  // A hypervisor may report that processors share a cache although they do not, and may move them. A request between
  // caches goes through the line's home.
  constexpr double within_a_cache = 60;  // nanoseconds
  const auto& shortest = costs.hop[1] ? costs.hop[1] : costs.hop[2];
  const bool by_way_of_home = shortest && *shortest > within_a_cache;
  set("hop.request", d.hop_request, by_way_of_home ? 0.51 : 0.0,
      "estimated: fits loops on a guest with 2 Zen 5 processors, within a cache and between two");
  set("hold", d.hold, 0.2, "estimated: fits loops on a guest with 2 Zen 5 processors");
  set("store-buffer", d.store_buffer, 48u, "estimated");
  set("pipelines", d.pipelines, 4.0, "estimated");
  set("ipc", d.ipc, 0.95, "estimated: the paper's loop, 48 instructions in 50 cycles (ATC'15 section 4.1)");
  set("wait.brief", d.wait_brief, std::max(1.0, cycles(costs.poll_brief)), measured);
  set("wait.lasting", d.wait_lasting, std::max(1.0, cycles(costs.poll_lasting)), measured);
  set("wait.poll", d.wait_poll, 5.0, "estimated");
  const std::string_view waiting = machine::native::wait_instruction();
  set("wait.monitor", d.wait_monitor, waiting == "umwait" || waiting == "mwaitx",
      "source: this processor waits by " + std::string(waiting));
  set("wait.brief.limit", d.wait_brief_limit, cycles(costs.spin_brief), measured);
  set("wait.lasting.limit", d.wait_lasting_limit, cycles(costs.spin_lasting), measured);
  const std::string slept = costs.wake ? measured : std::string("estimated: one context has nobody to wake it");
  set("park", d.park, cycles(costs.park.value_or(300)), slept);
  set("unpark", d.unpark, cycles(costs.unpark.value_or(8'000)), slept);
  set("wake", d.wake, cycles(costs.wake.value_or(20'000)), slept);
  return d;
}

json to_json(const measured_costs& c) {
  const auto by_distance = [](const auto& values) {
    json object;
    const char* const names[] = {"core", "cache", "socket", "machine"};
    for (std::size_t kind = 0; kind < nearness_kinds; ++kind) {
      object[names[kind]] = values[kind] ? json(*values[kind]) : json();
    }
    return object;
  };
  const auto maybe = [](const std::optional<double>& value) { return value ? json(*value) : json(); };
  json object;
  object["gigahertz"] = c.gigahertz;
  object["load"] = c.load;
  object["fetch_add"] = c.fetch_add;
  object["compare_exchange"] = c.compare_exchange;
  object["clock"] = c.clock;
  object["claim"] = c.claim;
  object["publish"] = c.publish;
  object["poll_brief"] = c.poll_brief;
  object["poll_lasting"] = c.poll_lasting;
  object["spin_brief"] = c.spin_brief;
  object["spin_lasting"] = c.spin_lasting;
  object["hop"] = by_distance(c.hop);
  object["volley"] = by_distance(c.volley);
  object["contended_fetch_add"] = by_distance(c.contended);
  object["park"] = maybe(c.park);
  object["unpark"] = maybe(c.unpark);
  object["wake"] = maybe(c.wake);
  return object;
}

}  // namespace callisto::lab
