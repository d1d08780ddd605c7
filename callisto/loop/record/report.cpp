// Reports on loops when the process ends.
#include <callisto/loop/record/report.hpp>

#include <callisto/loop/record/recorder.hpp>
#include <callisto/loop/record/site_totals.hpp>
#include <callisto/loop/record/statistics.hpp>
#include <callisto/loop/record/trace.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/filled.hpp>
#include <callisto/machine/system/output_file.hpp>
#include <callisto/machine/system/secure_environment.hpp>

#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

namespace callisto::loop {
namespace {

using machine::order;

/// The reports to write. Guarded by the registry's lock.
struct wishes {
  bool table = false;
  std::string statistics_file;
  std::string timeline_file;
};

/// Never destroyed: read at exit.
wishes& wanted() {
  static wishes* const only = new wishes;
  return *only;
}

/// The process for which the files are named; in its children their names get a suffix. 0: no report was asked for.
/// Guarded by the registry's lock.
pid_t first_process = 0;

void print(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;  // there is no place left for a message
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Throws output_error, which says that `source` names the file, if it cannot be made. Makes and removes only a
/// temporary file; an existing file stays.
void try_file(const std::string& path, std::string_view source) {
  try {
    const machine::output_file attempt(path);
  } catch (const output_error& e) {
    throw output_error(machine::filled("{}: {}", source, e.what()));
  }
}

std::string file_here(const std::string& path, bool child) {
  return child ? machine::filled("{}.{}", path, getpid()) : path;
}

void report_at_exit() noexcept {
  try {
    report_loops();
  } catch (const std::exception& e) {
    print(machine::filled("callisto: {}\n", e.what()));
  }
}

/// Asks for a report at the end of the process. The caller holds the lock.
void prepare_exit() {
  if (first_process != 0) return;
  first_process = getpid();
  std::atexit(report_at_exit);
}

std::string statistics_text(const std::vector<loop_statistics_of_site>& sites) {
  return machine::filled(R"({{"ticks_per_second":{},"loops":{}}})"
                         "\n",
                         machine::native::ticks_per_second(), to_json(sites));
}

}  // namespace

void settle_recording() {
  // acquire: pairs with the release below, so this thread sees what was asked for.
  if ((recording.load(order::acquire) & records_unknown) == 0) return;
  const std::string_view statistics = machine::file_variable("CALLISTO_STATS");
  const std::string timeline(machine::file_variable("CALLISTO_TRACE"));
  const bool counts = !statistics.empty() && statistics != "0";
  if (counts || !timeline.empty()) {
    const site_registry::hold held;
    if ((recording.load(order::relaxed) & records_unknown) == 0) return;
    wishes wished;
    wished.table = statistics == "1";
    if (counts && !wished.table) wished.statistics_file = statistics;
    wished.timeline_file = timeline;
    if (!wished.statistics_file.empty()) try_file(wished.statistics_file, "CALLISTO_STATS");
    if (!timeline.empty()) try_file(timeline, "CALLISTO_TRACE");
    prepare_exit();
    wanted() = std::move(wished);
    recording.fetch_or((counts ? records_sums : 0u) | (timeline.empty() ? 0u : records_timeline), order::relaxed);
  }
  recording.fetch_and(~unsigned{records_unknown}, order::release);
}

void set_recording(unsigned bit, bool on) noexcept {
  // relaxed: later loops will see it.
  if (on) {
    recording.fetch_or(bit, order::relaxed);
  } else {
    recording.fetch_and(~bit, order::relaxed);
  }
}

void report_statistics() {
  settle_recording();
  const site_registry::hold held;
  prepare_exit();
  wanted().table = true;
  wanted().statistics_file.clear();
  set_recording(records_sums, true);
}

void report_timeline(const std::string& path, std::string_view source) {
  settle_recording();
  try_file(path, source);
  const site_registry::hold held;
  prepare_exit();
  wanted().timeline_file = path;
  set_recording(records_timeline, true);
}

void report_loops() {
  wishes now;
  bool child = false;
  {
    const site_registry::hold held;
    now = std::exchange(wanted(), {});
    child = getpid() != first_process;
  }
  const std::vector<loop_statistics_of_site> sites = loop_statistics();
  if (child && sites.empty()) return;
  if (now.table) {
    print((child ? machine::filled("callisto: loops of process {}\n", getpid()) : std::string("callisto: loops\n")) +
          to_table(sites));
  }
  // The timeline is written in any case; the first failure is reported.
  std::exception_ptr failed;
  try {
    if (!now.statistics_file.empty()) {
      machine::output_file file(file_here(now.statistics_file, child));
      file.append(statistics_text(sites));
      file.commit();
    }
  } catch (const output_error&) {
    failed = std::current_exception();
  }
  if (!now.timeline_file.empty()) write_loop_trace(file_here(now.timeline_file, child));
  if (failed) std::rethrow_exception(failed);
}

void cancel_loop_reports() noexcept {
  const site_registry::hold held;
  wanted() = {};
}

}  // namespace callisto::loop
