// Makes the environment variables and the words.
#include <callisto/app/jobs/table_access.hpp>

#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/notes.hpp>
#include <callisto/app/process/other_programs.hpp>
#include <callisto/cosched/job.hpp>
#include <callisto/cosched/stepping_aside.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace callisto::app {
namespace {

/// Returns Callisto's OpenMP library, which lies at the same place beside the command in a build and in an
/// installation.
std::optional<std::string> installed_openmp_library() {
  const std::filesystem::path folder = std::filesystem::path(this_program()).parent_path();
  const std::filesystem::path file = (folder / CALLISTO_BIN_TO_LIB / "callisto" / "libgomp.so.1").lexically_normal();
  std::error_code failed;
  if (!std::filesystem::is_regular_file(file, failed)) return std::nullopt;
  return file.string();
}

/// True if LD_PRELOAD can name `path`. Spaces and colons end its words and cannot be escaped (ld.so(8)).
bool fits_ld_preload(const std::string& path) { return path.find_first_of(" :") == std::string::npos; }

/// Returns CALLISTO_COSCHED_DIR if it is set but names no folder in which jobs can have a table.
std::optional<std::string> unusable_folder() {
  const char* const folder = std::getenv("CALLISTO_COSCHED_DIR");
  if (folder == nullptr || *folder == '\0') return std::nullopt;
  std::error_code failed;
  if (std::filesystem::is_directory(folder, failed) && ::access(folder, W_OK | X_OK) == 0) return std::nullopt;
  return folder;
}

}  // namespace

std::optional<std::string> openmp_library() {
  std::optional<std::string> file = installed_openmp_library();
  if (file && !fits_ld_preload(*file)) file.reset();
  return file;
}

void tell_if_openmp_library_is_out_of_reach() {
  const std::optional<std::string> file = installed_openmp_library();
  if (!file || fits_ld_preload(*file)) return;
  std::fprintf(stderr,
               "callisto: OpenMP programs run on their own library: LD_PRELOAD cannot name %s (expected a path without "
               "spaces and colons)\n",
               one_line(*file).c_str());
}

variables environment_of(const job_settings& how) {
  variables all;
  if (how.cosched) all.emplace_back("CALLISTO_COSCHED", *how.cosched ? "on" : "off");
  if (how.weight) all.emplace_back("CALLISTO_WEIGHT", std::to_string(*how.weight));
  if (how.openmp) {
    if (const std::optional<std::string> library = openmp_library()) {
      const char* const others = std::getenv("LD_PRELOAD");
      const std::string_view rest = others != nullptr ? others : "";
      // Callisto's library stands first, so that the loader finds it. It is added once, also if this runs in another
      // `callisto run`.
      const bool is_there = rest == *library || rest.starts_with(*library + ":");
      if (!is_there) all.emplace_back("LD_PRELOAD", rest.empty() ? *library : fmt::format("{}:{}", *library, rest));
      // AddressSanitizer checks that it is the first library; before Callisto's it need not be.
      const char* const asan = std::getenv("ASAN_OPTIONS");
      const std::string_view said = asan != nullptr ? asan : "";
      if (said.find("verify_asan_link_order") == std::string_view::npos)
        all.emplace_back("ASAN_OPTIONS", fmt::format("{}{}verify_asan_link_order=0", said, said.empty() ? "" : ":"));
    }
  }
  return all;
}

std::string note_on_weight(unsigned weight, double used, std::size_t contexts) {
  const double limit = cosched::stepping_aside::outsiders_limit(static_cast<unsigned>(contexts), false);
  if (used <= limit * static_cast<double>(contexts)) return {};
  return fmt::format(
      "--weight {}: has no effect for now: programs that are no jobs use {:.1f} of {} processors, and jobs stand aside "
      "beside them ('callisto status': outsiders); 'nice' works there",
      weight, used, contexts);
}

void tell_if_weight_is_void(unsigned weight) {
  if (::isatty(STDERR_FILENO) != 1) return;
  const auto time_of_jobs = [] {
    std::uint64_t sum = 0;
    std::string refusal;
    if (const auto table = cosched::table_reader::visit(machine::shared_folders(), refusal)) {
      for (const cosched::job_picture& job : table->jobs()) sum += job.alive ? job.processor_time : 0;
    }
    return sum;
  };
  const std::uint64_t before = time_of_jobs();
  const other_programs others;
  constexpr std::uint64_t look = 120'000'000;
  std::this_thread::sleep_for(std::chrono::nanoseconds(look));
  const std::optional<double> used = others.used();
  const std::uint64_t after = time_of_jobs();
  if (!used) return;
  const double jobs = after > before ? static_cast<double>(after - before) / static_cast<double>(look) : 0;
  const std::string note = note_on_weight(weight, *used - jobs, machine::limits::current().cpus.size());
  if (!note.empty()) say(note);
}

char letter_of(unsigned job) noexcept {
  static constexpr std::string_view letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return job < letters.size() ? letters[job] : '+';
}

std::string state_of(const cosched::job_picture& job, const cosched::holdings& has, bool alone) {
  if (!job.alive) return "ended";
  if (job.state == 'T' || job.state == 't') return "stopped";
  if (job.aside == cosched::aside::light) return "light";
  if (job.aside == cosched::aside::outsiders) return "outsiders";
  if (job.aside == cosched::aside::crowded) return "crowded";
  if (has.silent) return "silent";
  if (has.runs != 0) return "runs";
  if (has.waits != 0) return "waits";
  return has.kept != 0 ? "idle" : alone ? "alone" : "no loop";
}

std::string shown_weight(const cosched::job_picture& job, const std::vector<cosched::job_picture>& jobs) {
  unsigned highest = job.priority;
  for (const cosched::job_picture& other : jobs) highest = std::max(highest, other.priority);
  const double worth = static_cast<double>(job.weight) * job.priority / highest;
  return worth >= 10 ? fmt::format("{:.0f}", worth) : fmt::format("{:.2g}", worth);
}

std::string shown_name(const cosched::job_picture& job) {
  // The kernel cuts names after 15 bytes, and a damaged slot may hold any bytes.
  const std::string name = whole_characters(job.name);
  if (job.argument.empty()) return name.empty() ? "?" : one_line(name);
  constexpr std::size_t longest = 40;
  return one_line(name + ' ' + whole_characters(job.argument.substr(0, longest)));
}

std::string table_places() {
  std::string text;
  for (const std::string& folder : machine::shared_folders()) {
    text += fmt::format("{}{}/{}", text.empty() ? "" : ", ", folder, cosched::table_name());
  }
  return one_line(text);
}

void look_promptly() noexcept {
  // This is struct sched_attr of sched_setattr(2), in its first version.
  struct {
    std::uint32_t size = 48;
    std::uint32_t policy = SCHED_OTHER;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime = 0;
    std::uint64_t deadline = 0;
    std::uint64_t period = 0;
  } wish;
  static_assert(sizeof wish == 48);
  if (::syscall(SYS_sched_getattr, 0, &wish, sizeof wish, 0) != 0 || wish.policy != SCHED_OTHER) return;
  // Requests a short slice of 100 us. The scheduler then runs this thread before the longer slice of a running thread
  // is over. If this thread ran longer than 100 us, it would wait like other threads, so the short slice costs them
  // nothing.
  wish.runtime = 100'000;
  static_cast<void>(::syscall(SYS_sched_setattr, 0, &wish, 0));
}

void refuse_unusable_table(const std::string& refusal) {
  if (!refusal.empty()) throw unusable_table(refusal);
  if (const std::optional<std::string> folder = unusable_folder()) {
    throw unusable_table(
        fmt::format("CALLISTO_COSCHED_DIR={}: expected a folder that this user can write to", one_line(*folder)));
  }
}

std::string why_no_table() {
  std::string why;
  for (const std::string& folder : machine::shared_folders()) {
    const std::string path = fmt::format("{}/{}-trial-{}", folder, cosched::table_name(), ::getpid());
    try {
      const machine::shared_file trial(path, sizeof(cosched::shared_table), machine::shared_file::access::create);
      ::unlink(path.c_str());
      return {};
    } catch (const error& e) {
      why += (why.empty() ? "" : "; ") + std::string(e.what());
    }
  }
  return one_line(why);
}

std::unique_ptr<cosched::table_reader> visit_table() {
  std::string refusal;
  auto table_reader = cosched::table_reader::visit(machine::shared_folders(), refusal);
  if (table_reader == nullptr) refuse_unusable_table(refusal);
  return table_reader;
}

}  // namespace callisto::app
