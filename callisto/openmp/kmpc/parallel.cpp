// Regions and teams: `__kmpc_fork_call` and its relatives, and what a thread can ask about its place.
#include <callisto/openmp/abi/omp.hpp>
#include <callisto/openmp/kmpc/kmpc.hpp>
#include <callisto/openmp/region/parallel.hpp>
#include <callisto/openmp/region/tool.hpp>
#include <callisto/openmp/settings/diagnostics.hpp>

#include <algorithm>
#include <climits>
#include <cstdarg>
#include <utility>
#include <vector>

namespace callisto::openmp::kmpc {
namespace {

/// A region's body with its arguments, `room` of them readable.
struct call {
  microtask body;
  unsigned room;
  void** arguments;
};

template <std::size_t... N>
void call_with(const call& c, i32* number_in_process, i32* number, std::index_sequence<N...> /*all*/) {
  using function = void (*)(i32*, i32*, decltype(static_cast<void>(N), static_cast<void*>(nullptr))...);
  reinterpret_cast<function>(reinterpret_cast<void*>(c.body))(number_in_process, number, c.arguments[N]...);
}

/// Bodies begin on a stack that is aligned to as many bytes as with libomp. Compiled code asks for 16, but where its
/// arrays lie within cache lines can cost a quarter of its time.
constexpr std::size_t body_alignment = 128;

/// A function ignores arguments behind its own, so a few counts are enough. x86-64 passes four arguments in registers;
/// the counts differ by 16, so that arguments on the stack keep the alignment.
constexpr unsigned most_arguments = 1028;
constexpr unsigned room_for(unsigned arguments) noexcept {
  for (const unsigned room : {4U, 20U, 36U, 68U, 260U})
    if (arguments <= room) return room;
  return most_arguments;
}

void run_call(void* a_call) {
  const call& c = *static_cast<const call*>(a_call);
  const omp_thread& self = this_thread();
  alignas(body_alignment) auto number_in_process = static_cast<i32>(self.number_in_process);
  auto number = static_cast<i32>(self.at.number);
  i32 *const first = &number_in_process, *const second = &number;
  switch (c.room) {
    case 4:
      return call_with(c, first, second, std::make_index_sequence<4>());
    case 20:
      return call_with(c, first, second, std::make_index_sequence<20>());
    case 36:
      return call_with(c, first, second, std::make_index_sequence<36>());
    case 68:
      return call_with(c, first, second, std::make_index_sequence<68>());
    case 260:
      return call_with(c, first, second, std::make_index_sequence<260>());
    default:
      return call_with(c, first, second, std::make_index_sequence<most_arguments>());
  }
}

/// Calls f(call) with the arguments in an array on the stack, as long as a region lasts.
template <class F>
void with_arguments(microtask body, i32 count, va_list from, F f) {
  const auto arguments = static_cast<unsigned>(std::max(count, 0));
  if (arguments > most_arguments)
    report_and_exit("a region has %u arguments, of at most %u", arguments, most_arguments);
  const unsigned room = room_for(arguments);
  const auto fill_and_call = [&](void** to) {
    for (unsigned n = 0; n < room; ++n) to[n] = n < arguments ? va_arg(from, void*) : nullptr;
    f(call{body, room, to});
  };
  if (room <= 20) {
    void* few[20];
    fill_and_call(few);
  } else {
    std::vector<void*> many(room);
    fill_and_call(many.data());
  }
}

void enter(omp_thread& self, unsigned threads) {
  const auto bind = static_cast<unsigned>(std::exchange(self.pushed_bind, proc_bind::none));
  enter_region(self, resolve_threads(self, threads), bind);
}

void lead(const call& c) {
  omp_thread& self = this_thread();
  enter(self, std::exchange(self.pushed_threads, 0));
  run_in_region(self, run_call, const_cast<call*>(&c));
}

void begin_alone(omp_thread& self) {
  self.pushed_threads = 0;
  self.told.program_runs_next = true;
  enter(self, 1);
  begin_region(self.in(), nullptr, nullptr);
}

void end_alone(omp_thread& self) {
  end_region(self);
  leave_region(self);
}

/// The initial teams run in turn, as those of GCC's programs, so that each region inside has all threads.
void run_teams(const call& c) {
  omp_thread& self = this_thread();
  // A target region of the program may stand in a region: compiled code runs it in place.
  if (self.in().level != 0 || self.in().threads != 1) {
    const auto body = [](void* a_call) { run_teams(*static_cast<const call*>(a_call)); };
    return run_on_initial_team(self, 0, body, const_cast<call*>(&c));
  }
  team& here = self.in();
  const task_icvs before = self.icv();
  int limit = std::exchange(self.pushed_thread_limit, 0);
  if (limit <= 0) limit = icvs().teams_thread_limit;
  if (limit > 0) self.icv().thread_limit = static_cast<unsigned>(limit);
  int teams = std::exchange(self.pushed_teams, 0);
  if (teams <= 0) teams = std::max(icvs().teams, 1);
  here.teams = static_cast<unsigned>(teams);
  for (here.team_number = 0; here.team_number < here.teams; ++here.team_number) {
    run_call(const_cast<call*>(&c));
    self.in().barrier(self);
  }
  here.teams = 1;
  here.team_number = 0;
  self.icv() = before;
}

}  // namespace
}  // namespace callisto::openmp::kmpc

using namespace callisto::openmp;
using namespace callisto::openmp::kmpc;

// Threads and their numbers.

CALLISTO_OPENMP_ABI void __kmpc_begin(compiled_at, i32 /*flags*/) {}
CALLISTO_OPENMP_ABI void __kmpc_end(compiled_at) {}
CALLISTO_OPENMP_ABI i32 __kmpc_global_thread_num(compiled_at) {
  return static_cast<i32>(this_thread().number_in_process);
}
CALLISTO_OPENMP_ABI i32 __kmpc_global_num_threads(compiled_at) { return static_cast<i32>(threads_in_process()); }
CALLISTO_OPENMP_ABI i32 __kmpc_bound_thread_num(compiled_at) { return omp_get_thread_num(); }
CALLISTO_OPENMP_ABI i32 __kmpc_bound_num_threads(compiled_at) { return omp_get_num_threads(); }
CALLISTO_OPENMP_ABI i32 __kmpc_in_parallel(compiled_at) { return omp_in_parallel(); }
CALLISTO_OPENMP_ABI i32 __kmpc_ok_to_fork(compiled_at) { return 1; }

// Regions.

CALLISTO_OPENMP_ABI void __kmpc_push_num_threads(compiled_at, i32, i32 threads) {
  this_thread().pushed_threads = threads > 0 ? static_cast<unsigned>(threads) : 0;
}
CALLISTO_OPENMP_ABI void __kmpc_push_num_threads_strict(compiled_at at, i32 self, i32 threads, i32 /*severity*/,
                                                        const char* /*message*/) {
  __kmpc_push_num_threads(at, self, threads);
}
CALLISTO_OPENMP_ABI void __kmpc_push_num_threads_list(compiled_at at, i32 self, u32 length, const i32* threads) {
  if (length > 0) __kmpc_push_num_threads(at, self, threads[0]);
}
CALLISTO_OPENMP_ABI void __kmpc_push_num_threads_list_strict(compiled_at at, i32 self, u32 length, const i32* threads,
                                                             i32 /*severity*/, const char* /*message*/) {
  __kmpc_push_num_threads_list(at, self, length, threads);
}
CALLISTO_OPENMP_ABI void __kmpc_pop_num_threads(compiled_at, i32) {}
CALLISTO_OPENMP_ABI void __kmpc_push_proc_bind(compiled_at, i32, i32 bind) {
  this_thread().pushed_bind = bind >= 2 && bind <= 4 ? static_cast<proc_bind>(bind) : proc_bind::none;
}

CALLISTO_OPENMP_ABI void __kmpc_fork_call(compiled_at, i32 count, microtask body, ...) {
  va_list rest;
  CALLISTO_ENTERED(this_thread());
  va_start(rest, body);
  with_arguments(body, count, rest, lead);
  va_end(rest);
}
CALLISTO_OPENMP_ABI void __kmpc_fork_call_if(compiled_at, i32 /*count*/, microtask body, i32 condition,
                                             void* arguments) {
  CALLISTO_ENTERED(this_thread());
  void* readable[4] = {arguments};
  const call c{body, 4, readable};
  if (condition != 0) return lead(c);
  omp_thread& self = this_thread();
  begin_alone(self);
  run_call(const_cast<call*>(&c));
  end_alone(self);
}
// Compiled code calls the body itself, between these two functions.
CALLISTO_OPENMP_ABI void __kmpc_serialized_parallel(compiled_at, i32) {
  omp_thread& self = this_thread();
  if (tool::watched()) [[unlikely]]
    tool::enters(self, __builtin_return_address(0), __builtin_dwarf_cfa());
  begin_alone(self);
}
CALLISTO_OPENMP_ABI void __kmpc_end_serialized_parallel(compiled_at, i32) {
  omp_thread& self = this_thread();
  CALLISTO_CALLED(self);
  end_alone(self);
  if (tool::watched()) [[unlikely]]
    tool::returns(self);
}

// Teams.

CALLISTO_OPENMP_ABI void __kmpc_push_num_teams(compiled_at, i32, i32 teams, i32 threads) {
  omp_thread& self = this_thread();
  self.pushed_teams = teams;
  self.pushed_thread_limit = threads;
}
CALLISTO_OPENMP_ABI void __kmpc_push_num_teams_51(compiled_at at, i32 self, i32 least, i32 most, i32 threads) {
  __kmpc_push_num_teams(at, self, std::max(least, most), threads);
}
CALLISTO_OPENMP_ABI void __kmpc_set_thread_limit(compiled_at, i32, i32 threads) {
  if (threads > 0) this_thread().icv().thread_limit = static_cast<unsigned>(threads);
}
CALLISTO_OPENMP_ABI void __kmpc_fork_teams(compiled_at, i32 count, microtask body, ...) {
  va_list rest;
  CALLISTO_ENTERED(this_thread());
  va_start(rest, body);
  with_arguments(body, count, rest, run_teams);
  va_end(rest);
}
CALLISTO_OPENMP_ABI i32 __kmpc_get_target_offload() { return static_cast<i32>(icvs().offload); }
