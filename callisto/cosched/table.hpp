// The table that jobs share: its layout, and how a job gets its slot and loses it (EuroSys 2014, section 2.1, "a table
// in shared memory").
//
// Everything is a 64-bit word that is read once, checked, then used. Words hold numbers, never pointers. The table does
// not say which job has high priority where: that is a function of the slots (context_assignment.hpp) and of the clock
// (time_slices.hpp).
//
//   header     constants, with a checksum; each job has its own copy of what it needs
//   slots      one for each job; only its job writes it, while it holds the slot's lock
//   contexts   one entry for each hardware context, by the operating system's number
//
// A job takes a slot by taking the slot's lock, which the kernel drops with the process (machine/shared_memory.hpp). A
// job that finds a used slot with a free lock takes the lock, reaps the dead job, and drops the lock. If it is killed
// half way, another job does it again; two processes never do it at once.
#pragma once

#include <callisto/cosched/context_assignment.hpp>
#include <callisto/cosched/context_entry.hpp>
#include <callisto/cosched/stepping_aside.hpp>
#include <callisto/machine/host/priority.hpp>
#include <callisto/machine/policy.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

namespace callisto::cosched {

/// The largest process number (PID_MAX_LIMIT).
inline constexpr std::uint64_t max_pid = 1 << 22;

/// A job's facts about itself, for all other jobs.
struct job_record {
  std::uint64_t pid = 0;
  std::uint64_t start = 0;  ///< with pid, names the process for all time (machine::look_at_process)
  std::uint64_t weight = 1;
  std::uint64_t priority = machine::usual_priority;  ///< of its process, with which its weight is multiplied
  /// 1 + the context that its main thread prefers; 0: it has no main thread that needs a context.
  std::uint64_t main = 0;
  context_set contexts{};
  std::array<std::uint64_t, 2> name{};  ///< the program's, as the kernel has it; for people

  friend bool operator==(const job_record&, const job_record&) = default;
};

/// Returns what a slot says if it can be, else the default: any bytes may stand there.
constexpr unsigned valid_weight(std::uint64_t weight) noexcept {
  return weight == 0 || weight > max_weight ? 1u : static_cast<unsigned>(weight);
}
constexpr unsigned valid_priority(std::uint64_t priority) noexcept {
  return priority == 0 || priority > machine::highest_priority ? machine::usual_priority
                                                               : static_cast<unsigned>(priority);
}

/// The layout's version: tables of different versions have different names.
inline constexpr std::uint64_t table_version = 3;

/// `Contexts` is how many the table has room for; below max_contexts only on the checked machine.
template <machine::policy M, unsigned Jobs = max_jobs, unsigned Contexts = max_contexts>
class table {
  using order = machine::order;
  using word = machine::atomic_of<M, std::uint64_t>;

 public:
  static_assert(Jobs <= max_jobs && Contexts <= max_contexts);

  /// The locks: byte 0 for the job that makes or repairs the header, byte 1 + j for slot j.
  static constexpr std::size_t header_lock = 0;
  static constexpr std::size_t lock_of(unsigned job) noexcept { return 1 + job; }

  /// Returns the core of each context, if the header is whole.
  std::optional<std::vector<unsigned>> cores() const {
    header_words h;
    for (unsigned i = 0; i < h.size(); ++i)
      h[i] = header_[i].load(order::acquire);  // acquire: pairs with the release stores in make_header()
    if (h[0] != magic || h[1] != layout || h.back() != checksum(h)) return std::nullopt;
    std::vector<unsigned> core_of(Contexts);
    for (unsigned c = 0; c < Contexts; ++c) {
      const auto core = static_cast<std::uint16_t>(h[first_core + c / 4] >> (c % 4 * 16));
      core_of[c] = core == 0xffff ? no_core : core;
    }
    return core_of;
  }

  /// Writes the header. The caller holds header_lock. release: publishes the words to cores()'s acquire.
  void make_header(const std::vector<unsigned>& core_of) {
    header_words h{magic, layout};
    for (unsigned c = 0; c < Contexts; ++c) {
      const std::uint64_t core = c < core_of.size() && core_of[c] != no_core ? core_of[c] & 0xffff : 0xffff;
      h[first_core + c / 4] |= core << (c % 4 * 16);
    }
    h.back() = checksum(h);
    for (unsigned i = 0; i < h.size(); ++i) header_[i].store(h[i], order::release);
  }

  /// Returns a number that changes when a job comes, goes or changes its slot. The assignment is then computed again.
  std::uint64_t generation() const {
    return generation_.load(order::acquire);
  }  // acquire: pairs with the release in changed(), so the slots are visible
  /// Returns the word of generation(), to sleep on.
  word& generation_word() { return generation_; }

  /// Returns what slot `job` says, as far as it is valid; nullopt if the slot is free, or its job stands aside and so
  /// takes no part in the assignment. Contexts outside `contexts_known` are left out.
  std::optional<job_demand> claim_of(unsigned job, const context_set& contexts_known) const {
    return aside_of(job) == aside::no ? demand_of(job, contexts_known) : std::nullopt;
  }
  /// Returns the same also of a job that stands aside.
  std::optional<job_demand> demand_of(unsigned job, const context_set& contexts_known) const {
    const slot& s = slots_[job];
    // relaxed, all loads: generation() ordered them, and a later change changes the generation again.
    if (s.used.load(order::relaxed) == 0) return std::nullopt;
    const std::uint64_t weight = s.weight.load(order::relaxed);
    const std::uint64_t priority = s.priority.load(order::relaxed);
    const std::uint64_t main = s.main.load(order::relaxed);
    job_demand c{.job = job,
                 .weight = valid_weight(weight) * valid_priority(priority),
                 .contexts = {},
                 .main = main == 0 || main > Contexts ? job_demand::anywhere : static_cast<unsigned>(main - 1),
                 .wants_main = main != 0};
    for (unsigned i = 0; i < mask_words; ++i) {
      c.contexts.word(i) = s.contexts[i].load(order::relaxed) & contexts_known.word(i);
    }
    return c;
  }

  /// Returns all that slot `job` says, valid or not; for its own job, and for people.
  std::optional<job_record> record_of(unsigned job) const {
    const slot& s = slots_[job];
    if (s.used.load(order::relaxed) == 0) return std::nullopt;  // relaxed: as in claim_of()
    job_record r{.pid = s.pid.load(order::relaxed),
                 .start = s.start.load(order::relaxed),
                 .weight = s.weight.load(order::relaxed),
                 .priority = s.priority.load(order::relaxed),
                 .main = s.main.load(order::relaxed),
                 .contexts = {},
                 .name = {s.name[0].load(order::relaxed), s.name[1].load(order::relaxed)}};
    for (unsigned i = 0; i < mask_words; ++i) r.contexts.word(i) = s.contexts[i].load(order::relaxed);
    return r;
  }

  /// Says why `job` stands aside, or that it does not. The caller is that job.
  void tell_aside(unsigned job, aside why) {
    slots_[job].aside.store(static_cast<std::uint64_t>(why), order::relaxed);  // relaxed: as in write()
    changed();
  }
  /// Asks a job for another weight; from any process. The job takes the wish at its next look_after().
  void wish_weight(unsigned job, unsigned weight) {
    slots_[job].wish.store(wish_for(weight), order::relaxed);  // relaxed: a number by itself
  }
  /// Returns the weight that was wished for the calling job, once; 0: none.
  unsigned take_wish(unsigned job) {
    word& w = slots_[job].wish;
    if (w.load(order::relaxed) == 0) return 0;  // relaxed, both: a number by itself
    const std::uint64_t wish = w.exchange(0, order::relaxed);
    const auto weight = static_cast<unsigned>(wish & 0xffffffff);
    // Random bytes are no wish.
    return wish == wish_for(weight) && weight == valid_weight(weight) ? weight : 0;
  }
  aside aside_of(unsigned job) const {
    const std::uint64_t why = slots_[job].aside.load(order::relaxed);  // relaxed: as in claim_of()
    return why <= static_cast<std::uint64_t>(aside::crowded) ? static_cast<aside>(why) : aside::no;
  }

  /// Takes a slot for a job and keeps its lock; nullopt if all slots are taken. `Locks` has try_lock, unlock and
  /// locked_by_another, as machine::shared_file does.
  template <class Locks, class World>
  std::optional<unsigned> join(const Locks& locks, World& world, const job_record& r) {
    for (unsigned j = 0; j < Jobs; ++j) {
      if (!locks.try_lock(lock_of(j))) continue;
      // Clears what an earlier job or random bytes left.
      reap(world, j);
      write(j, r);
      return j;
    }
    return std::nullopt;
  }

  /// Writes what the job says into its slot. The caller holds the slot's lock.
  void write(unsigned job, const job_record& r) {
    slot& s = slots_[job];
    // relaxed: the generation's release comes after them.
    s.pid.store(r.pid, order::relaxed);
    s.start.store(r.start, order::relaxed);
    s.weight.store(r.weight, order::relaxed);
    s.priority.store(r.priority, order::relaxed);
    if (s.used.load(order::relaxed) == 0) {
      s.aside.store(0, order::relaxed);
      s.wish.store(0, order::relaxed);
    }
    s.main.store(r.main, order::relaxed);
    for (unsigned i = 0; i < mask_words; ++i) s.contexts[i].store(r.contexts.word(i), order::relaxed);
    for (unsigned i = 0; i < r.name.size(); ++i) s.name[i].store(r.name[i], order::relaxed);
    s.used.store(1, order::relaxed);
    changed();
  }

  /// Clears the slot of a job that leaves. The caller holds the slot's lock, and no thread of the job uses the table.
  template <class World>
  void leave(World& world, unsigned job) {
    reap(world, job);
  }

  /// True if the job of a slot has ended; its remains are then cleared. Not for the caller's own slot.
  template <class Locks, class World>
  bool gone(const Locks& locks, World& world, unsigned job) {
    if (job >= Jobs) return true;
    const std::size_t lock = lock_of(job);
    // A free slot may have left something, too, if random bytes say so.
    if (locks.locked_by_another(lock) || !locks.try_lock(lock)) return false;
    reap(world, job);
    locks.unlock(lock);
    return true;
  }

  /// Clears every slot of a job that has ended, and all that refers to it; for a job that repairs the table.
  template <class Locks, class World>
  void reap_the_dead(const Locks& locks, World& world, unsigned me) {
    for (unsigned j = 0; j < Jobs; ++j) {
      if (j != me) gone(locks, world, j);
    }
  }

  context_entry<M>& at(unsigned context) { return contexts_[context]; }
  const context_entry<M>& at(unsigned context) const { return contexts_[context]; }

  /// Announces that the slots have changed: every job computes the assignment again, and every holder looks at it.
  void changed() {
    generation_.fetch_add(1, order::release);  // release: publishes the slots to generation()'s acquire
    for (context_entry<M>& e : contexts_) e.notify_holder();
  }

 private:
  static constexpr std::uint64_t magic = 0x6f747369'6c6c6163;  // "callisto", read as little-endian
  static constexpr unsigned mask_words = (Contexts + 63) / 64;
  static constexpr unsigned first_core = 2;
  using header_words = std::array<std::uint64_t, first_core + (Contexts + 3) / 4 + 1>;

  struct slot {
    alignas(M::line_size) word used{0};  ///< 0: free
    word pid{0};
    word start{0};
    word weight{0};
    word priority{0};
    word aside{0};  ///< why the job stands aside
    word main{0};
    word wish{0};  ///< the weight that another process wants the job to have, and its complement; 0: none
    std::array<word, 2> name;
    std::array<word, mask_words> contexts;
  };

  // Sizes: a program that was compiled with other sizes has another table.
  static constexpr std::uint64_t layout = table_version << 48 | std::uint64_t{Jobs} << 40 |
                                          std::uint64_t{Contexts} << 24 | sizeof(slot) << 8 | M::line_size;

  static constexpr std::uint64_t wish_for(unsigned weight) noexcept { return (~std::uint64_t{weight} << 32) | weight; }

  /// Returns FNV-1a over all words but the last, which holds it.
  static std::uint64_t checksum(const header_words& h) noexcept {
    std::uint64_t sum = 0xcbf29ce484222325u;
    for (std::size_t i = 0; i + 1 < h.size(); ++i) sum = (std::rotl(sum, 29) ^ h[i]) * 0x100000001b3u;
    return sum;
  }

  /// Clears the slot and all entries. The caller holds the slot's lock.
  template <class World>
  void reap(World& world, unsigned job) {
    slot& s = slots_[job];
    const bool was_used = s.used.load(order::relaxed) != 0;  // relaxed: under the lock
    for (context_entry<M>& e : contexts_) e.reap(world, job);
    if (!was_used) return;
    s.used.store(0, order::relaxed);
    changed();
  }

  std::array<word, std::tuple_size_v<header_words>> header_;
  alignas(M::line_size) word generation_{0};
  std::array<slot, Jobs> slots_;
  std::array<context_entry<M>, Contexts> contexts_;
};

}  // namespace callisto::cosched
