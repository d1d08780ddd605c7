// The simulated machine at work: runs one function on each of a description's hardware contexts, cycle by cycle.
//
// A discrete-event simulation. Each context is a fiber that runs until it does something that takes time; a timing
// wheel says who goes on next, first come first served within a cycle, so that a run can be repeated to the cycle.
//
// Lines. A directory knows for each cache line which core owns it or which cores share it. A core's contexts share its
// cache. An access that misses asks for the line; a line makes one journey at a time (several readers may be served
// at once), who asks first is served first, and the journey takes a hop as far as it goes: to the asker from the owner,
// or, to be written, from the farthest of those who share it. A line that has come to be written stays for the hold
// window, however many want it, then goes. Lines are found by the real addresses of the objects, so that packing and
// false sharing count; but no address decides anything else, so that the loader and malloc do not.
//
// Contexts. A load or a read-modify-write waits for its line; a store goes to a buffer and waits there, in order, and
// read-modify-writes wait until the buffer is empty (total store order). A context that waits for a line, or waits
// politely, leaves the core's pipelines to its siblings; the others share these equally where they ask for more than
// there is. Whoever waits for a word to change costs nothing until somebody takes its line for writing; then it looks
// at its next turn.
//
// An object in memory from malloc must not end while stores to it are on their way; read-modify-writes wait for them.
// Stores to the own stack are waited for at once.
//
// Not in the model: what atomics share caches with (a program's data and its caches are caches.hpp's), anything that
// the scheduling code does between its accesses beyond `instructions` cycles, and the memory orders: all accesses take
// effect in one order, delayed stores apart.
#pragma once

#include <callisto/machine/fibers/fiber.hpp>
#include <callisto/machine/simulated/description.hpp>
#include <callisto/machine/simulated/timing_wheel.hpp>
#include <callisto/machine/spare_room.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace callisto::machine::simulation {

/// What a context spends its cycles on.
enum class activity : unsigned {
  work,      ///< simulated::work: what the loop's body costs
  claiming,  ///< everything else that it executes: the scheduling code
  moving,    ///< stalled while a line moves to it, or while its stores go out
  waiting,   ///< in wait_while
  parked,    ///< asleep in the operating system, or on the way there or back
  away,      ///< taken away by the operating system
};
inline constexpr unsigned activities = 6;
/// "work", "claiming", ...
const char* to_string(activity a) noexcept;

/// A stretch of one context's time.
struct span {
  unsigned context;  ///< of the description
  activity what;
  std::uint64_t begin;
  std::uint64_t end;
};

/// The operating system takes a context away for a while; not if it is away already when this begins.
struct absence {
  unsigned context;  ///< of the description
  std::uint64_t begin;
  std::uint64_t cycles;
};

inline constexpr std::size_t default_stack_bytes = std::size_t{64} * 1024;

/// How to run.
struct options {
  /// Decides all that is random: starting times and random absences.
  std::uint64_t seed = 1;
  /// The run ends here if it has not ended before.
  std::uint64_t max_cycles = timing_wheel::horizon / 2;
  /// Contexts start at random within so many cycles; 0: all at once.
  std::uint64_t start_within = 0;
  std::vector<absence> absences;
  /// Every context is taken away at random, once in so many cycles on average (0: never), for so long each time.
  std::uint64_t random_absence_every = 0;
  std::uint64_t random_absence_cycles = 0;
  /// Told of each stretch of time, in the order of their ends.
  std::function<void(const span&)> trace;
  std::size_t stack_bytes = default_stack_bytes;
};

/// Where the cycles of a context went, from cycle 0 to its end, and what it did to lines.
struct account {
  std::array<std::uint64_t, activities> cycles{};
  std::array<std::uint64_t, distances> moves{};  ///< lines that came to it, by how far; same_core: from a sibling
  std::uint64_t accesses = 0;
  std::uint64_t failed_exchanges = 0;

  std::uint64_t operator[](activity a) const noexcept { return cycles[static_cast<unsigned>(a)]; }
  account& operator+=(const account& other) noexcept;
};

/// What came of a run.
struct outcome {
  bool finished = false;     ///< every function has returned
  std::uint64_t cycles = 0;  ///< when the last one did, or when the run was given up
  std::uint64_t events = 0;
  std::uint64_t hash = 0;          ///< of every access: who, when, to which line, in order
  std::vector<account> contexts;   ///< in the order of spawn()
  std::string stuck;               ///< if nothing could happen any more: which contexts wait for what
  account total() const noexcept;  ///< over the contexts
};

/// One run of one machine. Not thread-safe; at most one runs on an OS thread at a time.
class engine {
 public:
  explicit engine(const description& machine, options how = {});
  ~engine();
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  const description& machine() const noexcept { return machine_; }

  /// Before run(): `context`, one of machine().total_contexts() and not given before, is to run `body`.
  void spawn(unsigned context, std::function<void()> body);

  /// Runs until every body has returned, nothing can happen any more, or max_cycles; once. What a body throws ends the
  /// run and is thrown here. A run that is given up does not unwind what its contexts have on their stacks.
  outcome run();

  /// An object that lives as long as the engine, at an address whose place in its line is always the same. Memory from
  /// malloc has no such place.
  template <class T, class... Args>
  T& make(Args&&... args) {
    constexpr std::size_t alignment = alignof(T) > 512 ? alignof(T) : 512;
    void* const room = ::operator new(sizeof(T), std::align_val_t{alignment});
    try {
      T* const object = ::new (room) T(std::forward<Args>(args)...);
      owned_.push_back({room, alignment, [](void* p) { static_cast<T*>(p)->~T(); }});
      return *object;
    } catch (...) {
      ::operator delete(room, std::align_val_t{alignment});
      throw;
    }
  }

  // What machine::simulated is made of.

  /// The engine whose context runs on this thread; null outside of contexts.
  static engine* running() noexcept { return running_; }

  std::uint64_t now() const noexcept;
  /// The description's number of the running context.
  unsigned self() const noexcept;
  /// What the running context has given back. Memory from malloc would be another's at one time and not at another.
  spare_room& rooms() noexcept;
  /// Executes for `cycles`, accounted to `as`.
  void execute(std::uint64_t cycles, activity as) noexcept;
  /// The cycle, for who models what a context does: unlike now(), which a program calls, it costs nothing.
  std::uint64_t time() const noexcept { return wheel_.now(); }
  /// Waits for data for `cycles` and leaves the pipelines to the siblings: `moving`.
  void stall(std::uint64_t cycles) noexcept;

  struct line;
  /// A load: returns when the value may be read. If it is still in the context's store buffer, true and it is in
  /// `bits`.
  bool begin_load(const void* address, std::uint64_t& bits) noexcept;
  void end_load() noexcept;
  /// A read-modify-write: the value may be read and changed between begin and end. `failed`: an exchange that did not.
  line& begin_update(void* address) noexcept;
  void end_update(line& l, bool failed) noexcept;
  /// fetch_add and its like as the machine performs them (fetch_add_kind::near and far).
  line& begin_fetch(void* address) noexcept;
  void end_fetch(line& l) noexcept;
  /// A store, or a fetch-and-add whose result nobody uses, of `bytes` at `address`.
  void post(void* address, std::uint64_t bits, unsigned bytes, bool add) noexcept;
  /// Returns, after `cycles` at least, when what stood in the store buffer of any context has taken effect.
  void fence_all(std::uint64_t cycles) noexcept;
  bool fetches_in_a_loop() const noexcept { return machine_.fetch_add == fetch_add_kind::loop; }

  // Waiting: begin_wait(); while the value just loaded is to be waited for and wait(...): load again; end_wait().
  std::uint64_t begin_wait() noexcept;
  /// Waits, from a load of `address` on, until it is time to look again; false if the patience is used up.
  bool wait(const void* address, bool lasting, std::uint64_t begun) noexcept;
  void end_wait() noexcept;

  /// Between begin_park(), which gets the word, and end_park(address, sleep) nothing happens.
  void begin_park(const void* address) noexcept;
  void end_park(const void* address, bool sleep) noexcept;
  void unpark(const void* address, unsigned count) noexcept;

 private:
  struct simulated_context;  ///< one context
  struct pipes;              ///< of one core
  struct request;
  struct posted;
  struct costs {
    std::uint64_t load, store, update, failed, instructions, far, brief, lasting, brief_limit, lasting_limit, park,
        unpark, wake;
    std::array<std::uint64_t, distances> hop, request, hold;
  };
  struct place {
    std::uint64_t number;  ///< an address over the length of a line
    line* at;              ///< null: nothing here
  };
  struct owned {
    void* room;
    std::size_t alignment;
    void (*destroy)(void*);
  };

  static void start(void* of_context) noexcept;
  void finish_context(simulated_context& c) noexcept;

  // Time and pipelines.
  void go_on() noexcept;
  void block(activity as, unsigned duty) noexcept;
  void spend(std::uint64_t cycles) noexcept;
  void set_activity(simulated_context& c, activity a) noexcept;
  void set_duty(simulated_context& c, unsigned duty) noexcept;
  void catch_up(pipes& k) noexcept;
  void plan(pipes& k) noexcept;
  void wake_at(simulated_context& c, std::uint64_t time) noexcept;
  void be_away() noexcept;
  void plan_absence(simulated_context& c) noexcept;

  // Lines.
  line& line_at(const void* address) noexcept;
  line& add_line(std::uint64_t number) noexcept;
  bool may_read(const line& l, unsigned core) const noexcept;
  bool may_write(const line& l, unsigned core) const noexcept;
  distance nearest(const line& l, unsigned core) const noexcept;
  distance farthest(const line& l, unsigned core) const noexcept;
  void ask(line& l, request& r) noexcept;
  void grant(line& l, request& r) noexcept;
  void serve(line& l) noexcept;
  void serve_siblings(line& l, unsigned core) noexcept;
  void arrive(request& r) noexcept;
  void wait_for(line& l, unsigned what) noexcept;
  bool is_siblings(line& l, const simulated_context& c) const noexcept;
  void written(line& l, simulated_context& by) noexcept;
  void drain(simulated_context& c) noexcept;
  void take_effect(simulated_context& c, line& l) noexcept;
  void wait_for_stores() noexcept;
  void record(const simulated_context& c, const line& l, unsigned what) noexcept;

  std::string describe_stuck() const;

  static inline constinit thread_local engine* running_ = nullptr;

  const description machine_;
  const options options_;
  costs cost_;
  std::uint64_t capacity_ = 0;  ///< of a core's pipelines, see set_duty
  bool may_saturate_ = false;
  unsigned poll_duty_[2] = {0, 0};
  unsigned words_ = 0;  ///< of a set of cores
  unsigned line_bits_ = 0;

  timing_wheel wheel_;
  fiber main_;
  simulated_context* self_ = nullptr;
  std::vector<std::unique_ptr<simulated_context>> contexts_;
  std::vector<std::uint32_t> context_at_;  ///< by the description's number: index + 1, or 0
  std::vector<pipes> cores_;
  unsigned unfinished_ = 0;
  std::exception_ptr thrown_;

  std::vector<place> places_;  ///< open addressing
  std::deque<line> lines_;
  std::unordered_map<const void*, std::deque<simulated_context*>> sleepers_;

  std::uint64_t events_ = 0;
  std::uint64_t hash_ = 0;
  std::vector<owned> owned_;
};

}  // namespace callisto::machine::simulation
