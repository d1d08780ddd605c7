// The text of OMP_DISPLAY_ENV and omp_display_env, which is libgomp's. Programs and test suites compare it literally.
#include <callisto/openmp/settings/icv.hpp>
#include <callisto/openmp/settings/libgomp_version.hpp>

#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

namespace callisto::openmp {
namespace {

const char* truth(bool b) { return b ? "TRUE" : "FALSE"; }

std::string_view name(proc_bind bind) {
  constexpr std::array<std::string_view, 5> names{"FALSE", "TRUE", "MASTER", "CLOSE", "SPREAD"};
  return names[static_cast<std::size_t>(bind)];
}

std::string_view name(target_offload how) {
  constexpr std::array<std::string_view, 3> names{"DEFAULT", "MANDATORY", "DISABLED"};
  return names[static_cast<std::size_t>(how)];
}

std::string_view allocator_name(std::uintptr_t handle) {
  constexpr std::array<std::string_view, 9> names{
      "",
      "omp_default_mem_alloc",
      "omp_large_cap_mem_alloc",
      "omp_const_mem_alloc",
      "omp_high_bw_mem_alloc",
      "omp_low_lat_mem_alloc",
      "omp_cgroup_mem_alloc",
      "omp_pteam_mem_alloc",
      "omp_thread_mem_alloc",
  };
  return handle < names.size() ? names[handle] : "";
}

/// The modifier is shown if it differs from the default: static schedules are monotonic, all other schedules are not.
std::string schedule_text(const task_icvs& of) {
  constexpr std::array<std::string_view, 5> names{"RUNTIME", "STATIC", "DYNAMIC", "GUIDED", "AUTO"};
  const bool fixed = of.schedule == schedule_kind::fixed;
  std::string text;
  if (of.monotonic != fixed) text = of.monotonic ? "MONOTONIC:" : "NONMONOTONIC:";
  text += names[static_cast<std::size_t>(of.schedule)];
  if (of.schedule != schedule_kind::automatic && of.chunk != (fixed ? 0 : 1)) text += ',' + std::to_string(of.chunk);
  return text;
}

}  // namespace

void display_environment(const process_icvs& of, bool verbose) {
  std::string text = "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n";
  // Since GCC 13 each line names the devices that the value is for.
  const auto put = [&text](std::string_view devices, std::string_view variable, const auto& value) {
    text += "  ";
    if (as_gcc_13) text += devices;
    text += variable;
    text += " = '";
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>)
      text += std::to_string(value);
    else
      text += value;
    text += "'\n";
  };
  const auto line = [&put](std::string_view variable, const auto& value) { put("[host] ", variable, value); };
  const auto all = [&put](std::string_view variable, const auto& value) { put("[all] ", variable, value); };
  const task_icvs& initial = of.initial;
  std::string threads = std::to_string(initial_icvs(of).threads);
  for (std::size_t n = 1; n < of.threads_by_level.size(); ++n) threads += ',' + std::to_string(of.threads_by_level[n]);
  std::string bind(name(initial.bind));
  for (std::size_t n = 1; n < of.bind_by_level.size(); ++n) bind.append(",").append(name(of.bind_by_level[n]));
  std::string places;
  for (const place& one : of.places) places += (places.empty() ? "{" : ",{") + format_place(one) + '}';

  put("", "_OPENMP", "201511");
  line("OMP_DYNAMIC", truth(initial.dynamic));
  line("OMP_NESTED", truth(initial.max_active_levels > 1));
  line("OMP_NUM_THREADS", threads);
  line("OMP_SCHEDULE", schedule_text(initial));
  line("OMP_PROC_BIND", bind);
  line("OMP_PLACES", places);
  line("OMP_STACKSIZE", of.stack_bytes);
  line("OMP_WAIT_POLICY", of.waiting == wait_policy::active ? "ACTIVE" : "PASSIVE");
  line("OMP_THREAD_LIMIT", initial.thread_limit);
  line("OMP_MAX_ACTIVE_LEVELS", unsigned{initial.max_active_levels});
  line("OMP_NUM_TEAMS", of.teams);
  line("OMP_TEAMS_THREAD_LIMIT", of.teams_thread_limit);
  all("OMP_CANCELLATION", truth(of.cancellation));
  all("OMP_DEFAULT_DEVICE", initial.default_device);
  all("OMP_MAX_TASK_PRIORITY", of.max_task_priority);
  all("OMP_DISPLAY_AFFINITY", truth(of.display_affinity));
  line("OMP_AFFINITY_FORMAT", of.affinity_format);
  const std::string_view allocator = allocator_name(initial.allocator);
  line("OMP_ALLOCATOR", allocator.empty() ? of.allocator_text : allocator);
  all("OMP_TARGET_OFFLOAD", name(of.offload));
  if (verbose) {
    line("GOMP_CPU_AFFINITY", "");
    line("GOMP_STACKSIZE", of.stack_bytes);
    line("GOMP_SPINCOUNT", of.spin_count);
  }
  text += "OPENMP DISPLAY ENVIRONMENT END\n";
  std::fputs(text.c_str(), stderr);
}

}  // namespace callisto::openmp
