// The simulated machine at work: runs one function on each chosen hardware context of a description, cycle by cycle.
//
// This is a discrete-event simulation. Each context is a fiber that runs until it does something that takes time. A
// timing wheel chooses the next context, first come, first served within a cycle, so that a run can be repeated to the
// cycle.
//
// Lines. A directory knows for each cache line which core owns it or which cores share it. A core's contexts share its
// cache. An access that misses requests the line. A line makes one journey at a time, except that it serves several
// readers at once; requests are served in order. A journey's length is one hop: from the owner to the asking core or,
// for a write, from the farthest core that shares the line. A line that has arrived for writing stays for the hold
// window, then goes to the next core. The engine finds lines by the real addresses of objects, so packing and false
// sharing count. Addresses decide nothing else, so the loader and malloc do not matter.
//
// Contexts. A load or a read-modify-write waits for its line. A store goes to a buffer and waits there in order;
// read-modify-writes wait until the buffer is empty (total store order). A context that waits for a line, or waits
// politely, leaves the core's pipelines to its siblings. If the other contexts ask for more than the pipelines have,
// they share them equally. A context that waits for a word to change costs nothing until another core takes the line
// for writing. Then the waiter looks at its next turn.
//
// An object in memory from malloc must not end while stores to it are in a buffer; read-modify-writes wait for these
// stores. Stores to the context's own stack complete at once.
//
// The model leaves out:
// - the caches that atomics share with a program's data, which caches.hpp models apart;
// - what the scheduling code does between its accesses, beyond `instructions` cycles;
// - the memory orders: all accesses take effect in one order, delayed stores apart.
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

/// Activities that a context spends its cycles on.
enum class activity : unsigned {
  work,      ///< simulated::work: the loop's body
  claiming,  ///< everything else that the context executes: the scheduling code
  moving,    ///< stalled while a line moves to it, or while its stores leave the buffer
  waiting,   ///< in wait_while
  parked,    ///< asleep in the operating system, or on the way there or back
  away,      ///< descheduled by the operating system
};
inline constexpr unsigned activities = 6;
/// Returns the activity's name: "work", "claiming", ...
const char* to_string(activity a) noexcept;

/// A stretch of one context's time.
struct span {
  unsigned context;  ///< number in the description
  activity what;
  std::uint64_t begin;
  std::uint64_t end;
};

/// A time during which the operating system takes a context away. If the context is away already at `begin`, the
/// absence is skipped.
struct absence {
  unsigned context;  ///< number in the description
  std::uint64_t begin;
  std::uint64_t cycles;
};

inline constexpr std::size_t default_stack_bytes = std::size_t{64} * 1024;

/// The options of a run.
struct options {
  /// Seed of starting times and random absences.
  std::uint64_t seed = 1;
  /// Largest number of cycles of the run.
  std::uint64_t max_cycles = timing_wheel::horizon / 2;
  /// Largest starting time in cycles, chosen at random for each context; 0: all start at once.
  std::uint64_t start_within = 0;
  std::vector<absence> absences;
  /// Mean number of cycles between random absences of a context (0: none), and the length of each.
  std::uint64_t random_absence_every = 0;
  std::uint64_t random_absence_cycles = 0;
  /// Called with each stretch of time, in the order of their ends.
  std::function<void(const span&)> trace;
  std::size_t stack_bytes = default_stack_bytes;
};

/// The cycles of a context by activity, from cycle 0 to its end, and its accesses to lines.
struct account {
  std::array<std::uint64_t, activities> cycles{};
  std::array<std::uint64_t, distances> moves{};  ///< lines that came to it, by distance; same_core: from a sibling
  std::uint64_t accesses = 0;
  std::uint64_t failed_exchanges = 0;

  std::uint64_t operator[](activity a) const noexcept { return cycles[static_cast<unsigned>(a)]; }
  account& operator+=(const account& other) noexcept;
};

/// The result of a run.
struct outcome {
  bool finished = false;     ///< true if every function has returned
  std::uint64_t cycles = 0;  ///< the cycle at which the last function returned or the run was given up
  std::uint64_t events = 0;
  std::uint64_t hash = 0;          ///< hash of every access in order: context, cycle, line
  std::vector<account> contexts;   ///< accounts in the order of spawn()
  std::string stuck;               ///< if no event was left: which contexts wait, and for what
  account total() const noexcept;  ///< sum over the contexts
};

/// One run of one machine. Not thread-safe; at most one runs on an OS thread at a time.
class engine {
 public:
  explicit engine(const description& machine, options how = {});
  ~engine();
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  const description& machine() const noexcept { return machine_; }

  /// Lets `context`, a number below machine().total_contexts(), run `body`. Requires a context without a body; call it
  /// before run().
  void spawn(unsigned context, std::function<void()> body);

  /// Runs until every body has returned, no event is left, or max_cycles is reached; call it once. If a body throws,
  /// the run ends and run() throws the exception. If the run is given up, its contexts' stacks are not unwound.
  outcome run();

  /// Makes an object that lives as long as the engine, at an address with a fixed place in its line. The addresses of
  /// malloc have no fixed place.
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

  // The operations of machine::simulated.

  /// Returns the engine that runs a context on this OS thread; null outside of contexts.
  static engine* running() noexcept { return running_; }

  std::uint64_t now() const noexcept;
  /// Returns the running context's number in the description.
  unsigned self() const noexcept;
  /// Returns the memory that the running context has given back. malloc might return the same memory in one run and not
  /// in the next.
  spare_room& rooms() noexcept;
  /// Executes for `cycles`, accounted to the activity `as`.
  void execute(std::uint64_t cycles, activity as) noexcept;
  /// Returns the cycle, for models of what a context does. It costs nothing, unlike now(), which programs call.
  std::uint64_t time() const noexcept { return wheel_.now(); }
  /// Waits for data for `cycles`, accounted to `moving`; leaves the pipelines to the siblings.
  void stall(std::uint64_t cycles) noexcept;

  struct line;
  /// Begins a load; returns when the value may be read. If the value is still in the context's store buffer, returns
  /// true and the value in `bits`.
  bool begin_load(const void* address, std::uint64_t& bits) noexcept;
  void end_load() noexcept;
  /// Begins a read-modify-write: between begin and end the caller may read and change the value. `failed`: true for a
  /// compare-and-swap that found another value.
  line& begin_update(void* address) noexcept;
  void end_update(line& l, bool failed) noexcept;
  /// Begins a fetch_add or a similar operation as the machine performs it (fetch_add_kind::near and far).
  line& begin_fetch(void* address) noexcept;
  void end_fetch(line& l) noexcept;
  /// Posts a store of `bytes` bytes at `address`, or if `add`, a fetch-and-add without a result.
  void post(void* address, std::uint64_t bits, unsigned bytes, bool add) noexcept;
  /// Returns after at least `cycles`, when all stores that were in any context's buffer at the call have taken effect.
  void fence_all(std::uint64_t cycles) noexcept;
  bool fetches_in_a_loop() const noexcept { return machine_.fetch_add == fetch_add_kind::loop; }

  // A wait: begin_wait(); while the loaded value must change and wait(...) is true: load again; end_wait().
  std::uint64_t begin_wait() noexcept;
  /// Waits after a load of `address` until it is time to load again; false if the patience is used up.
  bool wait(const void* address, bool lasting, std::uint64_t begun) noexcept;
  void end_wait() noexcept;

  /// Begins to park by loading the word. No event happens between begin_park() and end_park(address, sleep).
  void begin_park(const void* address) noexcept;
  void end_park(const void* address, bool sleep) noexcept;
  void unpark(const void* address, unsigned count) noexcept;

 private:
  struct simulated_context;  ///< the state of one context
  struct pipes;              ///< the pipelines of one core
  struct request;
  struct posted;
  struct costs {
    std::uint64_t load, store, update, failed, instructions, far, brief, lasting, brief_limit, lasting_limit, park,
        unpark, wake;
    std::array<std::uint64_t, distances> hop, request, hold;
  };
  struct place {
    std::uint64_t number;  ///< address divided by the length of a line
    line* at;              ///< null: the place is free
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
  std::uint64_t capacity_ = 0;  ///< capacity of a core's pipelines, see set_duty()
  bool may_saturate_ = false;
  unsigned poll_duty_[2] = {0, 0};
  unsigned words_ = 0;  ///< 64-bit words in a set of cores
  unsigned line_bits_ = 0;

  timing_wheel wheel_;
  fiber main_;
  simulated_context* self_ = nullptr;
  std::vector<std::unique_ptr<simulated_context>> contexts_;
  std::vector<std::uint32_t> context_at_;  ///< by the description's number: index in contexts_ + 1, or 0
  std::vector<pipes> cores_;
  unsigned unfinished_ = 0;
  std::exception_ptr thrown_;

  std::vector<place> places_;  ///< hash table of lines, with open addressing
  std::deque<line> lines_;
  std::unordered_map<const void*, std::deque<simulated_context*>> sleepers_;

  std::uint64_t events_ = 0;
  std::uint64_t hash_ = 0;
  std::vector<owned> owned_;
};

}  // namespace callisto::machine::simulation
