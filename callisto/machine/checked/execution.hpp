// One execution of a subject at a time: its threads as fibers, its objects, what each thread may read, which thread
// runs next. execution.cpp schedules; memory.cpp and fences.cpp have the rules of memory; trace.cpp words traces.
//
// Memory. An atomic is the list of its stores in modification order, which is the order of their execution. A thread
// may read any store that its view does not put into the past. A release store carries the thread's view, which an
// acquire read joins. A read-modify-write reads the newest store and hands on the view that this store carries (release
// sequence).
//
// This is C++20 without two things. It lacks load buffering, which C++20 allows, but which no compiler or processor at
// hand shows for code of this kind. It lacks modification orders that contradict the order of execution (2+2W); see
// options::allow_racing_stores.
//
// Asymmetric fences are those of P1202 (Goldblatt, "Asymmetric fences"), which is weaker than membarrier on any
// machine. A heavy fence is a sequentially consistent fence of its caller. For each other thread it chooses a moment
// during the call; the moments may differ. At that moment:
// - the other thread's actions before its last light fence come before the heavy fence;
// - its actions after its next light fence come after the heavy fence;
// - its actions between the two stay unordered, because the compiler may have reordered them.
//
// Scheduling points are the operations on contended atomics: several threads use them, and at least one writes. Every
// other operation is independent of all that other threads do. The checker learns the contended atomics from earlier
// executions. If an exhaustive exploration meets a new one, it starts over.
#pragma once

#include <callisto/machine/checked/decisions.hpp>
#include <callisto/machine/checked/explore.hpp>
#include <callisto/machine/checked/objects.hpp>
#include <callisto/machine/checked/sites.hpp>
#include <callisto/machine/checked/view.hpp>
#include <callisto/machine/fibers/fiber.hpp>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace callisto::machine::checking {

/// The atomics known to be contended. An atomic is known by the thread that makes it and its number among that thread's
/// objects.
class contended_set {
 public:
  bool has(unsigned creator, unsigned ordinal) const noexcept {
    return ordinal < known_[creator].size() && known_[creator][ordinal];
  }
  void add(unsigned creator, unsigned ordinal) {
    if (ordinal >= known_[creator].size()) known_[creator].resize(ordinal + 1);
    known_[creator][ordinal] = true;
  }
  /// The entry that makes light fences scheduling points, because the subject has heavy fences.
  static constexpr unsigned fences = max_threads + 1;

  /// Returns the set's part of a replay string, such as "15.3,15.7".
  std::string text() const;
  static contended_set parse(const std::string&);

 private:
  std::array<std::vector<bool>, max_threads + 2> known_;
};

class execution {
 public:
  execution(const program&, const options&);
  ~execution();
  execution(const execution&) = delete;

  /// Runs the subject once as `d` decides. If `tracing`, records every step.
  void run(decisions& d, bool tracing);

  // Results of the last run.
  enum class outcome { completed, cut_short, failed };
  outcome how() const noexcept { return outcome_; }
  kind failed_as() const noexcept { return failed_as_; }
  const std::string& message() const noexcept { return message_; }
  const std::string& trace() const noexcept { return trace_; }
  std::uint64_t steps() const noexcept { return steps_; }
  bool was_made_fair() const noexcept { return fair_; }
  bool was_suspended() const noexcept;
  bool met_new_contention() const noexcept { return !newly_contended_.empty(); }

  // Results of all runs.
  contended_set contended;
  site_table sites;
  std::vector<blocked_thread> blocked;

  void adopt_new_contention();

  // Operations of objects (objects.hpp).
  object_number begin(const void* address, bool is_atomic, std::uint64_t value, const place&);
  void end(object) noexcept;
  std::uint64_t load(object, order, const place&);
  void store(object, std::uint64_t value, order, const place&);
  std::uint64_t modify(object, operation, std::uint64_t operand, std::uint64_t mask, order, const place&);
  bool compare_exchange(object, std::uint64_t& expected, std::uint64_t desired, order, const place&);
  std::uint64_t wait(object, const awaited&, const place&);
  void park(object, std::uint32_t low, const place&);
  void unpark(object, unsigned count, const place&);
  void plain_read(object);
  void plain_write(object, const place*);
  std::uint64_t ticks() noexcept;
  void fence(fence_order);
  void light_fence(const place&);
  void heavy_fence(const place&);

  [[noreturn]] void fail(kind, std::string message);
  bool has_ended(unsigned thread) const noexcept { return threads_[thread].state == life::ended; }

 private:
  static constexpr unsigned outside = max_threads;  ///< the number of the code that makes and finishes the subject

  struct stored {
    std::uint64_t value = 0;
    unsigned writer = 0;
    bool is_plain_store = false;
    bool publishes = false;  ///< `seen` has a view that acquire reads join
    unsigned width = 0;
    view seen;
  };

  struct location {
    const void* address;
    place made_at;
    unsigned number;
    unsigned creator, ordinal;
    bool is_atomic;
    bool alive;
    bool contended;
    bool written;          ///< a thread has written it since it was made
    bool reported;         ///< it is in newly_contended_
    thread_set users;      ///< the threads that used it, without `outside`
    stamp made;            ///< the creator's clock at the construction
    unsigned last_writer;  ///< plain data: the thread that wrote last
    stamp last_write;
    std::array<stamp, view::clocks> touched;  ///< each thread's clock at its last access (plain data: its last read)
    unsigned place_in_views;                  ///< index in views; 0: none, because no thread has stored to it
    stamp unparked;                           ///< newest store that a caller of unpark knew
    std::uint64_t initial;
    std::vector<stored*> stores;  ///< the stores after the initial value

    unsigned newest() const noexcept { return static_cast<unsigned>(stores.size()); }
    std::uint64_t value(unsigned at) const noexcept { return at == 0 ? initial : stores[at - 1]->value; }
  };

  enum class life { fresh, at_work, parked, ended };

  /// The operation that a thread is about to execute.
  struct intent {
    operation what = operation::load;
    location* where = nullptr;
    bool writes = false;
    bool on_queue = false;  ///< it reads or changes the queue of parked threads
    const awaited* until = nullptr;
    const site_entry* at = nullptr;
    unsigned of = max_threads;  ///< heavy fence: the thread that it reaches next
  };

  struct checked_thread {
    std::unique_ptr<fiber> context;
    life state = life::fresh;
    intent next;
    bool suspended = false;
    bool woken = false;
    unsigned early = 0, spurious = 0;  ///< early returns and failures without cause so far
    unsigned forced = 0;               ///< returns because no thread could run, since any atomic changed
    unsigned made = 0;                 ///< objects that the thread has made
    std::uint64_t steps = 0;
    std::uint64_t events = 0;  ///< events that are part of the state
    std::uint64_t ticks = 0;
    fingerprint past;
    bool has_pending = false, has_released = false;
    unsigned light_fences = 0;  ///< light fences executed
    unsigned reached =
        0;          ///< number, among all fences, of the heavy fence that reached it since its last light one; else 0
    view seen;      ///< what happened before, and what the thread has read
    view pending;   ///< what relaxed reads found, for a later acquire fence
    view released;  ///< `seen` at the last release fence
    view at_light_fence;  ///< `seen` at the last light fence
    view owed;            ///< what a heavy fence passes on to the next light fence
  };

  checked_thread& me() noexcept { return threads_[current_]; }

  // Scheduling.
  static void live(void* self);
  void live_on();
  void go_to(unsigned thread) noexcept;
  void return_to_scheduler() noexcept;
  [[noreturn]] void leave(outcome) noexcept;
  void pass_on();
  unsigned decide();
  bool can_run(const checked_thread&) const;
  bool can_return_early(const checked_thread&) const;
  bool conflict(const checked_thread&, const checked_thread&) const noexcept;
  void return_early();
  state_name state() const;
  /// Returns the number that stands for `thread` in hashes: one for all symmetric threads.
  unsigned symmetric_id(unsigned thread) const noexcept;
  void reach();
  void count_step();
  [[noreturn]] void stuck();
  std::string standing() const;
  unsigned value_choice(unsigned n);
  void pass_light_fence(site_entry&);
  void join_fences(checked_thread&) noexcept;

  // Memory.
  location& locate(object, const char* operation);
  location& arrive(intent, object, order stated, const place&);
  void touch(location&);
  void contend(location&, bool writes);
  unsigned oldest_readable(const checked_thread&, const location&) const noexcept;
  void read(location&, unsigned at, bool acquires);
  void append(location&, std::uint64_t value, bool is_plain_store, bool releases, const stored* chain);
  void check_after_construction(const location&);
  void check_plain(const location&, bool writes, const place*);
  /// Adds an event of the current thread to the hash of its past.
  void record_event(operation, const location*, unsigned read, unsigned written, unsigned extra = 0);

  // Traces.
  std::string name(const location&) const;
  std::string shown_value(std::uint64_t v) const;
  std::string last_step(unsigned thread) const;
  void log(const std::string& what, const location*, const std::string& values, const std::string& where);
  void log_step(const location&, const std::string& values);
  std::string read_value(const location&, unsigned at) const;

  static constexpr unsigned forced_returns =
      2;  ///< forced returns of one wait before the checker takes it to last for ever

  const program& program_;
  const options& options_;
  const unsigned count_;
  decisions* decisions_ = nullptr;
  fiber scheduler_;
  std::array<checked_thread, max_threads + 1> threads_;
  void* subject_ = nullptr;  ///< memory of the subject
  bool subject_lives_ = false;

  enum class phase { making, starting, running, finishing } phase_ = phase::making;
  unsigned current_ = outside;
  std::deque<location> locations_;  ///< reused by later runs
  unsigned used_locations_ = 0;
  std::deque<stored> messages_;  ///< reused by later runs
  unsigned used_messages_ = 0;
  unsigned width_ = view::clocks;  ///< places of views in use
  view fences_;                    ///< what sequentially consistent fences pass on
  unsigned fences_so_far_ = 0;
  bool heavy_reported_ = false;
  unsigned early_ = 0;   ///< early returns of all threads in this run
  bool forced_ = false;  ///< at the last decision no thread could run

  outcome outcome_ = outcome::completed;
  kind failed_as_ = kind::assertion;
  std::string message_;
  bool tracing_ = false;
  std::string trace_;
  std::uint64_t steps_ = 0;
  bool fair_ = false;
  std::vector<std::pair<unsigned, unsigned>> newly_contended_;
};

}  // namespace callisto::machine::checking
