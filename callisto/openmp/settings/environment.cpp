// Reads the environment variables of OpenMP 5.1 (chapter 6), libgomp's own, and those of libomp's (KMP_*) that have a
// meaning here.
//
// Defaults are libgomp's. So are the rules that the specification leaves open: which variable has precedence, and that
// an invalid variable counts as unset.
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/openmp/abi/omp.hpp>
#include <callisto/openmp/settings/diagnostics.hpp>
#include <callisto/openmp/settings/icv.hpp>
#include <callisto/openmp/settings/libgomp_version.hpp>
#include <callisto/openmp/settings/text_reader.hpp>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace callisto::openmp {
namespace {

template <class T>
using words = std::initializer_list<std::pair<std::string_view, T>>;

/// Reads the first word of `expected` that stands next in the text.
template <class T>
std::optional<T> read_word(text_reader& from, words<T> expected) {
  for (const auto& [text, value] : expected)
    if (from.word(text)) return value;
  return std::nullopt;
}

/// Parses a text that is one word.
template <class T>
std::optional<T> parse_word(std::string_view text, words<T> expected) {
  text_reader from(text);
  const auto value = read_word(from, expected);
  return from.at_end() ? value : std::nullopt;
}

std::optional<bool> parse_boolean(std::string_view text, boolean_words words) {
  const auto value = parse_word<bool>(text, {{"true", true}, {"false", false}});
  if (value || words == boolean_words::of_libgomp) return value;
  const auto is_one_of = [text](auto... of) { return (parse_word<bool>(text, {{of, true}}) || ...); };
  if (is_one_of("1", "yes", "on", ".true.", ".t.")) return true;
  if (is_one_of("0", "no", "off", ".false.", ".f.")) return false;
  return std::nullopt;
}

/// Parses a number that is at least `least`.
template <class T>
std::optional<T> parse_number(std::string_view text, T least) {
  text_reader from(text);
  const auto value = from.number<T>();
  if (!value || *value < least || !from.at_end()) return std::nullopt;
  return value;
}

/// Reads a positive number of threads. A number above INT_MAX counts as INT_MAX.
std::optional<unsigned> read_threads(text_reader& from) {
  const auto value = from.number<long>();
  if (!value || *value <= 0) return std::nullopt;
  return *value > INT_MAX ? unsigned{INT_MAX} : static_cast<unsigned>(*value);
}

std::optional<std::vector<unsigned>> parse_threads(std::string_view text) {
  text_reader from(text);
  std::vector<unsigned> list;
  do {
    const auto threads = read_threads(from);
    if (!threads) return std::nullopt;
    list.push_back(*threads);
  } while (from.sign(','));
  if (!from.at_end()) return std::nullopt;
  return list;
}

std::optional<std::vector<proc_bind>> parse_bind(std::string_view text) {
  if (const auto whole = parse_word<proc_bind>(text, {{"false", proc_bind::none}, {"true", proc_bind::yes}}))
    return std::vector{*whole};
  text_reader from(text);
  std::vector<proc_bind> list;
  do {
    const auto one = read_word<proc_bind>(from, {{"master", proc_bind::primary},
                                                 {"primary", proc_bind::primary},
                                                 {"close", proc_bind::close},
                                                 {"spread", proc_bind::spread}});
    if (!one) return std::nullopt;
    list.push_back(*one);
  } while (from.sign(','));
  if (!from.at_end()) return std::nullopt;
  return list;
}

/// Parses a number and an optional letter that multiplies it. If the product is too large, returns the largest number
/// if `saturating`, else nullopt.
std::optional<std::uint64_t> parse_scaled(std::string_view text, words<std::uint64_t> units, std::uint64_t without_unit,
                                          bool saturating) {
  text_reader from(text);
  const auto value = from.number<std::uint64_t>();
  if (!value) return std::nullopt;
  const std::uint64_t unit = from.at_end() ? without_unit : read_word(from, units).value_or(0);
  if (unit == 0 || !from.at_end()) return std::nullopt;
  std::uint64_t product = 0;
  if (!__builtin_mul_overflow(*value, unit, &product)) return product;
  if (!saturating) return std::nullopt;
  return std::numeric_limits<std::uint64_t>::max();
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  return parse_scaled(text, {{"b", 1}, {"k", 1U << 10}, {"m", 1U << 20}, {"g", 1U << 30}}, 1U << 10, false);
}

/// Parses KMP_STACKSIZE. Its unit is a byte.
std::optional<std::uint64_t> parse_kmp_bytes(std::string_view text) {
  return parse_scaled(
      text, {{"b", 1}, {"k", 1U << 10}, {"m", 1U << 20}, {"g", 1U << 30}, {"t", std::uint64_t{1} << 40}}, 1, false);
}

/// Parses KMP_BLOCKTIME, in milliseconds if it names no unit; returns microseconds.
std::optional<std::uint64_t> parse_blocktime(std::string_view text) {
  constexpr std::uint64_t for_ever = std::numeric_limits<std::uint64_t>::max();
  if (const auto word = parse_word<std::uint64_t>(text, {{"infinite", for_ever}, {"infinity", for_ever}})) return word;
  return parse_scaled(text, {{"us", 1}, {"ms", 1'000}, {"s", 1'000'000}}, 1'000, true);
}

std::optional<std::uint64_t> parse_spins(std::string_view text) {
  constexpr std::uint64_t for_ever = std::numeric_limits<std::uint64_t>::max();
  if (const auto word = parse_word<std::uint64_t>(text, {{"infinite", for_ever}, {"infinity", for_ever}})) return word;
  return parse_scaled(text, {{"k", 1'000}, {"m", 1'000'000}, {"g", 1'000'000'000}, {"t", 1'000'000'000'000}}, 1, true);
}

/// Prints libgomp's message about an invalid variable.
void report_invalid(const char* name, const char* text) {
  if (as_gcc_13) return report("Invalid value for environment variable %s: %s", name, text);
  report("Invalid value for environment variable %s", name);
}

/// The value of a variable for the host. If it is unset, the variable with _ALL counts, where that exists (OpenMP 5.2,
/// section 21.2; libgomp since GCC 13). `text` is null if neither is set.
struct setting {
  const char* text;
  std::string name;

  explicit setting(const char* of) : text(std::getenv(of)), name(of) {
    constexpr std::array for_each_device{"OMP_DEFAULT_DEVICE", "OMP_DYNAMIC",     "OMP_MAX_ACTIVE_LEVELS",
                                         "OMP_NUM_TEAMS",      "OMP_NUM_THREADS", "OMP_PROC_BIND",
                                         "OMP_SCHEDULE",       "OMP_STACKSIZE",   "OMP_TEAMS_THREAD_LIMIT",
                                         "OMP_THREAD_LIMIT",   "OMP_WAIT_POLICY"};
    if (text != nullptr || std::ranges::find(for_each_device, name) == for_each_device.end()) return;
    name += "_ALL";
    text = std::getenv(name.c_str());
  }
};

/// Reads one variable: `parse` makes a value of its text, `keep` takes the value. Returns true if the variable is set
/// and valid.
template <class Parse, class Keep>
bool read(const char* of, Parse parse, Keep keep) {
  const auto [text, name] = setting(of);
  if (text == nullptr) return false;
  auto value = parse(std::string_view(text));
  if (!value) {
    report_invalid(name.c_str(), text);
    return false;
  }
  keep(std::move(*value));
  return true;
}

/// Reads OMP_SCHEDULE: [modifier:]kind[,chunk]. Its two messages differ from the messages of other variables.
void read_schedule(task_icvs& into) {
  const auto [text, name] = setting("OMP_SCHEDULE");
  if (text == nullptr) return;
  text_reader from(text);
  const auto modifier = read_word<bool>(from, {{"monotonic", true}, {"nonmonotonic", false}});
  const bool colon = !modifier || from.sign(':');
  const auto kind = read_word<schedule_kind>(from, {{"static", schedule_kind::fixed},
                                                    {"dynamic", schedule_kind::dynamic},
                                                    {"guided", schedule_kind::guided},
                                                    {"auto", schedule_kind::automatic}});
  const auto unknown = [&value = text, &variable = name] {
    if (as_gcc_13) return report_invalid(variable.c_str(), value);
    report("Unknown value for environment variable %s", variable.c_str());
  };
  if (!colon || !kind) return unknown();
  const bool is_static = *kind == schedule_kind::fixed;
  const auto set = [&](int chunk) {
    into.schedule = *kind;
    into.schedule_unset = false;
    into.monotonic = modifier.value_or(is_static);
    into.implies_monotonic = !modifier;
    into.chunk = chunk;
  };
  // Up to GCC 12, libgomp keeps the kind even if it rejects the rest.
  if (!as_gcc_13) set(1);
  int chunk = is_static ? 0 : 1;
  if (from.sign(',')) {
    const auto read = from.number<int>();
    if (!read || *read < 0 || !from.at_end())
      return report("Invalid value for chunk size in environment variable %s", name.c_str());
    if (*read != 0) chunk = *read;
  } else if (!from.at_end()) {
    return unknown();
  }
  set(chunk);
}

/// Reads the value of an allocator's trait. Numbers are positive.
std::optional<std::uintptr_t> read_trait(text_reader& from, int key) {
  using namespace allocator_value;
  const auto word = [&from](words<std::uintptr_t> expected) { return read_word(from, expected); };
  switch (key) {
    case allocator_trait::sync_hint:
      return word(
          {{"contended", contended}, {"uncontended", uncontended}, {"serialized", serialized}, {"private", private_}});
    case allocator_trait::access:
      return word({{"all", all}, {"thread", thread}, {"pteam", pteam}, {"cgroup", cgroup}});
    case allocator_trait::fallback:
      return word({{"default_mem_fb", default_fallback},
                   {"null_fb", null_fallback},
                   {"abort_fb", abort_fallback},
                   {"allocator_fb", allocator_fallback}});
    case allocator_trait::pinned:
      return word({{"true", yes}, {"false", no}});
    case allocator_trait::partition:
      return word(
          {{"environment", environment}, {"nearest", nearest}, {"blocked", blocked}, {"interleaved", interleaved}});
    default: {
      const text_reader before = from;
      const auto number = from.number<std::uintptr_t>();
      if (number != 0) return number;
      from = before;
      return std::nullopt;
    }
  }
}

/// Reads the traits of a memory space, for example `alignment=64,pinned=true`. If one is invalid, returns false and
/// leaves `from` at it.
bool read_traits(text_reader& from, std::vector<omp_alloctrait>& into) {
  using namespace allocator_trait;
  do {
    const auto key = read_word<int>(from, {{"sync_hint=", sync_hint},
                                           {"alignment=", alignment},
                                           {"access=", access},
                                           {"pool_size=", pool_size},
                                           {"fallback=", fallback},
                                           {"pinned=", pinned},
                                           {"partition=", partition}});
    const auto value = key ? read_trait(from, *key) : std::nullopt;
    if (!value) return false;
    into.push_back({*key, *value});
  } while (from.sign(','));
  return true;
}

/// Reads OMP_ALLOCATOR: an allocator, or a memory space with optional traits. Since GCC 13 libgomp has a special
/// message for a text that ends too early.
void read_allocator(process_icvs& into) {
  constexpr const char* variable = "OMP_ALLOCATOR";
  const char* const text = std::getenv(variable);
  if (text == nullptr) return;
  text_reader from(text);
  // omp_allocator_handle_t's numbers.
  const auto predefined = read_word<std::uintptr_t>(from, {{"omp_default_mem_alloc", 1},
                                                           {"omp_large_cap_mem_alloc", 2},
                                                           {"omp_const_mem_alloc", 3},
                                                           {"omp_high_bw_mem_alloc", 4},
                                                           {"omp_low_lat_mem_alloc", 5},
                                                           {"omp_cgroup_mem_alloc", 6},
                                                           {"omp_pteam_mem_alloc", 7},
                                                           {"omp_thread_mem_alloc", 8}});
  std::vector<omp_alloctrait> traits;
  std::optional<std::uintptr_t> handle = predefined;
  bool understood = predefined.has_value();
  if (!understood) {
    // omp_memspace_handle_t's numbers. The first five allocators belong to these spaces, in the same order.
    const auto space = read_word<std::uintptr_t>(from, {{"omp_default_mem_space", 0},
                                                        {"omp_large_cap_mem_space", 1},
                                                        {"omp_const_mem_space", 2},
                                                        {"omp_high_bw_mem_space", 3},
                                                        {"omp_low_lat_mem_space", 4}});
    understood = space && (!from.sign(':') || read_traits(from, traits));
    if (space) handle = *space + 1;
  }
  if (!understood || !from.at_end()) {
    if (!as_gcc_13) return report_invalid(variable, text);
    if (from.at_end()) return report("Missing value at the end of environment variable %s=%s", variable, text);
    return report("Invalid value for environment variable %s when parsing: %s", variable,
                  std::string(from.rest()).c_str());
  }
  if (!traits.empty()) {
    handle = omp_init_allocator(*handle - 1, static_cast<int>(traits.size()), traits.data());
    if (*handle == 0) {
      return report("Allocator of environment variable %s cannot be created, using omp_default_mem_alloc instead",
                    variable);
    }
    into.allocator_text = text;
  }
  into.initial.allocator = *handle;
}

/// Sets how many levels can be active: by OMP_MAX_ACTIVE_LEVELS, else by OMP_NESTED. If neither is set and a list has
/// entries for inner levels, all levels can be active.
void read_levels(process_icvs& into, boolean_words booleans) {
  unsigned char& levels = into.initial.max_active_levels;
  const auto keep = [&levels](long n) {
    levels = static_cast<unsigned char>(n > long{supported_active_levels} ? long{supported_active_levels} : n);
  };
  if (read("OMP_MAX_ACTIVE_LEVELS", [](auto text) { return parse_number<long>(text, 0); }, keep)) return;
  if (read(
          "OMP_NESTED", [booleans](auto text) { return parse_boolean(text, booleans); },
          [&keep](bool nested) { keep(nested ? long{supported_active_levels} : 1); }))
    return;
  if (into.threads_by_level.size() > 1 || into.bind_by_level.size() > 1) keep(supported_active_levels);
}

/// Reads places and binding, which depend on each other. OMP_PROC_BIND=false makes places void, but they are still
/// checked.
void read_places(process_icvs& into) {
  const place& usable = machine::affinity_at_start();
  proc_bind& bind = into.initial.bind;
  const bool unbound = read("OMP_PROC_BIND", parse_bind,
                            [&](std::vector<proc_bind> list) {
                              bind = list.front();
                              if (list.size() > 1) into.bind_by_level = std::move(list);
                            }) &&
                       bind == proc_bind::none;
  bool have = unbound;
  read(
      "OMP_PLACES", [&](auto text) { return parse_places(text, usable); },
      [&](place_reading read) {
        if (unbound) return;
        if (!read.problem.empty()) report("%s", read.problem.c_str());
        if (read.places.empty()) return report_invalid("OMP_PLACES", std::getenv("OMP_PLACES"));
        into.places = std::move(read.places);
        have = true;
      });
  read("GOMP_CPU_AFFINITY", parse_cpu_affinity, [&](place_list list) {
    if (!have) into.places = std::move(list);
  });
  if (bind == proc_bind::none && !into.places.empty()) bind = proc_bind::yes;
  if (bind != proc_bind::none && into.places.empty()) into.places = places_of_threads(usable);
}

void read_waiting(process_icvs& into) {
  read(
      "OMP_WAIT_POLICY",
      [](auto text) {
        return parse_word<wait_policy>(text, {{"active", wait_policy::active}, {"passive", wait_policy::passive}});
      },
      [&](wait_policy policy) { into.waiting = policy; });
  // libgomp's counts: active spins for some minutes, unset for some milliseconds, passive does not spin.
  into.spin_count = into.waiting == wait_policy::active  ? 30'000'000'000
                    : into.waiting == wait_policy::unset ? 300'000
                                                         : 0;
  const bool counted = read("GOMP_SPINCOUNT", parse_spins, [&](std::uint64_t spins) { into.spin_count = spins; });
  if (into.waiting != wait_policy::unset) into.blocktime = into.waiting == wait_policy::active ? INT_MAX : 0;
  const auto keep = [&](std::uint64_t microseconds) {
    constexpr std::uint64_t counts_in_microsecond = 300, most = 30'000'000'000;
    if (into.waiting != wait_policy::unset) return;
    into.blocktime = static_cast<int>(std::min<std::uint64_t>(microseconds / 1'000, INT_MAX));
    if (!counted) into.spin_count = std::min(microseconds, most / counts_in_microsecond) * counts_in_microsecond;
  };
  read("KMP_BLOCKTIME", parse_blocktime, keep);
  read(
      "KMP_LIBRARY",
      [](auto text) {
        return parse_word<kmp_library>(text, {{"serial", kmp_library::serial},
                                              {"turnaround", kmp_library::turnaround},
                                              {"throughput", kmp_library::throughput}});
      },
      [&](kmp_library library) { into.library = library; });
}

void read_stack(process_icvs& into) {
  const auto keep = [&](std::uint64_t bytes) {
    // PTHREAD_STACK_MIN is a constant in some C libraries, a call of sysconf() in other C libraries.
    const auto least = static_cast<std::uint64_t>(PTHREAD_STACK_MIN);
    if (bytes < least) {
      report("Stack size less than minimum of %luk", static_cast<unsigned long>(least + 1023) / 1024);
    }
    into.stack_bytes = bytes;
  };
  // The variable that every runtime reads comes first.
  if (!read("OMP_STACKSIZE", parse_bytes, keep) && !read("GOMP_STACKSIZE", parse_bytes, keep))
    read("KMP_STACKSIZE", parse_kmp_bytes, keep);
}

}  // namespace

process_icvs read_environment(boolean_words booleans) {
  process_icvs icvs;
  task_icvs& initial = icvs.initial;
  const auto flag = [booleans](const char* name, bool& into) {
    read(name, [booleans](auto text) { return parse_boolean(text, booleans); }, [&into](bool b) { into = b; });
  };
  const auto number = [](const char* name, int least, int& into) {
    read(name, [least](auto text) { return parse_number<int>(text, least); }, [&into](int n) { into = n; });
  };

  read_schedule(initial);
  flag("OMP_DYNAMIC", initial.dynamic);
  flag("OMP_CANCELLATION", icvs.cancellation);
  flag("OMP_DISPLAY_AFFINITY", icvs.display_affinity);
  number("OMP_DEFAULT_DEVICE", 0, initial.default_device);
  read(
      "OMP_TARGET_OFFLOAD",
      [](auto text) {
        return parse_word<target_offload>(text, {{"default", target_offload::by_default},
                                                 {"mandatory", target_offload::mandatory},
                                                 {"disabled", target_offload::disabled}});
      },
      [&](target_offload how) { icvs.offload = how; });
  // omp_invalid_device: there is no device other than the host.
  if (as_gcc_13 && icvs.offload == target_offload::mandatory && setting("OMP_DEFAULT_DEVICE").text == nullptr)
    initial.default_device = -4;
  number("OMP_MAX_TASK_PRIORITY", 0, icvs.max_task_priority);
  read_allocator(icvs);
  // libomp's variables count where the standard's is unset.
  for (const char* const name : {"OMP_THREAD_LIMIT", "KMP_DEVICE_THREAD_LIMIT", "KMP_ALL_THREADS"}) {
    const auto limit_threads = [&](long limit) {
      initial.thread_limit = limit > INT_MAX ? UINT_MAX : static_cast<unsigned>(limit);
    };
    if (read(name, [](auto text) { return parse_number<long>(text, 1); }, limit_threads)) break;
  }
  // The mask of now: the program may have bound itself before it loads a library that needs libgomp.
  const unsigned now = machine::contexts_of_affinity(getpid());
  icvs.available_cpus = now != 0 ? now : static_cast<unsigned>(machine::affinity_at_start().size());
  if (!read("OMP_NUM_THREADS", parse_threads, [&](std::vector<unsigned> list) {
        initial.threads = list.front();
        if (list.size() > 1) icvs.threads_by_level = std::move(list);
      })) {
    initial.threads = 0;
  }
  number("OMP_NUM_TEAMS", 1, icvs.teams);
  number("OMP_TEAMS_THREAD_LIMIT", 1, icvs.teams_thread_limit);
  if (icvs.teams_thread_limit == 0) number("KMP_TEAMS_THREAD_LIMIT", 1, icvs.teams_thread_limit);
  read_places(icvs);
  read_levels(icvs, booleans);
  if (const char* const format = std::getenv("OMP_AFFINITY_FORMAT")) icvs.affinity_format = format;
  read_waiting(icvs);
  if (icvs.library == kmp_library::serial) {
    initial.threads = 1;
    icvs.threads_by_level.clear();
  }
  read_stack(icvs);
  return icvs;
}

task_icvs initial_icvs(const process_icvs& of) noexcept {
  task_icvs initial = of.initial;
  if (initial.threads == 0) {
    // Fewer threads than processors if a container's CPU quota is smaller; libgomp would start one for each processor.
    static const unsigned threads = machine::default_threads(machine::limits::at_first_call());
    initial.threads = std::min(threads, std::max(1U, of.available_cpus));
  }
  return initial;
}

constinit std::atomic<process_icvs*> icvs_or_null{nullptr};

namespace {

/// Prints the environment if OMP_DISPLAY_ENV says so.
bool display(const process_icvs& ours) noexcept {
  const char* const text = std::getenv("OMP_DISPLAY_ENV");
  if (text == nullptr) return false;
  enum class display : unsigned char { none, brief, verbose };
  const auto how =
      parse_word<display>(text, {{"true", display::brief}, {"false", display::none}, {"verbose", display::verbose}});
  if (!how) report("Invalid value for environment variable OMP_DISPLAY_ENV");
  if (how.value_or(display::none) != display::none) display_environment(ours, how == display::verbose);
  return true;
}

}  // namespace

process_icvs& read_icvs() noexcept {
  // Never destroyed: threads continue while the process ends.
  static process_icvs& ours = *new process_icvs(
      read_environment(libomp_alone_is_needed() ? boolean_words::of_libomp : boolean_words::of_libgomp));
  icvs_or_null.store(&ours, std::memory_order_release);  // release: publishes them to the acquire in icvs()
  static const bool displayed = display(ours);
  static_cast<void>(displayed);
  return ours;
}

}  // namespace callisto::openmp
