// Tasks that go to the data: each element of a range is visited by a task of the rank that has it.
#pragma once

#include <callisto/global/arrays/array.hpp>
#include <callisto/global/loops/spawn_loop.hpp>
#include <callisto/global/messages/messages.hpp>
#include <callisto/global/tasks/core.hpp>
#include <callisto/global/transport/here.hpp>
#include <callisto/global/transport/limits.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <type_traits>

namespace callisto::global {

/// True if an F can visit elements of an array of T where they live: it takes an element, or its index and itself, or a
/// span of elements. It travels, so it captures by value what means the same everywhere.
template <class F, class T>
concept visitor_of =
    trivially_copyable_function<F> && small_function<F> &&
    (std::invocable<F&, T&> || std::invocable<F&, std::uint64_t, T&> || std::invocable<F&, std::span<T>>);

namespace detail {

/// Elements of this rank as one task, which gives the upper half to another core while it has more than `batch`.
template <class T, class F>
struct elements_task {
  T* elements;
  std::uint32_t count;
  std::uint32_t batch;
  F body;

  void operator()() { visit(elements, count, batch, body); }

  static void visit(T* elements, std::uint32_t count, std::uint32_t batch, const F& body) {
    while (count > batch) {
      const std::uint32_t half = count / 2;
      spawn_resident(elements_task{elements + half, count - half, batch, body});
      count = half;
    }
    if (phase_cancelled()) return;
    const std::span<T> all(elements, count);
    if constexpr (std::invocable<const F&, std::span<T>> || std::invocable<const F&, T&>) {
      call(body, all);
    } else {
      F own = body;
      call(own, all);
    }
  }

  template <class Body>
  static void call(Body& body, std::span<T> all) {
    if constexpr (std::invocable<Body&, std::span<T>>) {
      body(all);
    } else {
      for (T& element : all) body(element);
    }
  }
};

/// Elements of one rank in a word.
template <class T>
class packed_elements {
 public:
  static constexpr std::uint64_t most = 0xffff;
  packed_elements() noexcept = default;
  packed_elements(T* elements, std::uint64_t count) noexcept
      : bits_((reinterpret_cast<std::uint64_t>(elements) & pointer_mask) | count << pointer_bits) {}
  T* elements() const noexcept {
    // The upper bits of an address of a process are copies of bit 47.
    return reinterpret_cast<T*>(static_cast<std::int64_t>(bits_ << (64 - pointer_bits)) >> (64 - pointer_bits));
  }
  std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(bits_ >> pointer_bits); }

 private:
  static constexpr unsigned pointer_bits = 48;
  static constexpr std::uint64_t pointer_mask = (std::uint64_t{1} << pointer_bits) - 1;
  std::uint64_t bits_ = 0;
};

/// Visits that arrived together, for the workers of one core. The memory that a visit needs is fetched while earlier
/// visits run. If a visit waits, another worker goes on with the next one.
template <class T, class F>
class visit_list {
 public:
  static constexpr std::size_t most = 32;
  visit_list(std::span<const packed_elements<T>> visits, std::uint32_t batch, const F& body) noexcept
      : count_(visits.size()), batch_(batch), body_(body) {
    std::ranges::copy(visits, visits_.begin());
  }

  /// Runs the visits that no worker has begun.
  static void run(const std::shared_ptr<visit_list>& list) {
    visit_list& l = *list;
    if (l.next_ == l.count_) return;
    // This core starts it if a visit below waits; else it finds nothing left.
    if (l.count_ - l.next_ > 1) spawn([list] { run(list); });
    for (std::size_t i = l.next_; i < std::min(l.next_ + rank_limits::visits_ahead, l.count_); ++i) l.fetch(i);
    while (l.next_ != l.count_) {
      const packed_elements<T> visit = l.visits_[l.next_++];
      if (l.next_ + rank_limits::visits_ahead <= l.count_) l.fetch(l.next_ + rank_limits::visits_ahead - 1);
      elements_task<T, F>::visit(visit.elements(), visit.count(), l.batch_, l.body_);
    }
    this_core().look_if_due();
  }

 private:
  void fetch(std::size_t i) const noexcept { __builtin_prefetch(visits_[i].elements(), 1); }

  std::size_t next_ = 0;
  const std::size_t count_;
  const std::uint32_t batch_;
  const F body_;
  std::array<packed_elements<T>, most> visits_;
};

/// Queues the visits that came from another rank, in lists.
template <class T, class F>
struct visits_that_travel {
  F body;
  std::uint64_t batch;

  void operator()(std::span<const packed_elements<T>> all) const {
    using list = visit_list<T, F>;
    const auto at_most = static_cast<std::uint32_t>(batch);
    while (!all.empty()) {
      const auto some = all.first(std::min(all.size(), list::most));
      all = all.subspan(some.size());
      if (some.size() < rank_limits::least_in_list) {
        for (const packed_elements<T> v : some)
          spawn_resident(elements_task<T, F>{v.elements(), v.count(), at_most, body});
      } else {
        spawn_resident([of = std::make_shared<list>(some, at_most, body)] { list::run(of); });
      }
    }
  }
};

/// Visits elements with their indices.
template <class T, class F>
struct indexed_visitor {
  array<T> all;
  F body;
  void operator()(std::span<T> elements) const {
    F own = body;
    auto local = static_cast<std::uint64_t>(elements.data() - all.local().data());
    for (T& element : elements) own(all.index_of(local++), element);
  }
};

}  // namespace detail

/// Queues tasks that visit the elements [first, last) of an array, each at the rank that has it, and returns. A task
/// calls body(element) or body(index, element) for at most `batch` elements, or body(elements) for all of them at once;
/// they are references to memory of its rank. Tasks of one rank run at the same time if it has several cores: two
/// visits of one element use operations of delegates.hpp, or come in two phases. Costs a message for each other rank
/// that has elements. The cores of a rank share its tasks; they end with the phase. In a phase.
template <class T, visitor_of<T> F>
void spawn_where(array<T> a, std::uint64_t first, std::uint64_t last, const F& body, std::uint32_t batch = 64,
                 std::source_location where = std::source_location::current()) {
  if constexpr (!std::invocable<F&, T&> && !std::invocable<F&, std::span<T>>) {
    spawn_where(a, first, last, detail::indexed_visitor<T, F>{a, body}, batch, where);
  } else {
    constexpr std::uint64_t most = detail::packed_elements<T>::most;
    const int me = here().rank;
    detail::require_no_references_if_debugging(body, where);
    if (first < last) detail::require_range(a.number(), a.size(), first, last - first, where);
    const detail::array_record& record = detail::array_of(a.number());
    record.for_each_part(first, last, me, [&](int rank, std::uint64_t local, std::uint64_t n) {
      T* elements = reinterpret_cast<T*>(record.part_of(static_cast<std::uint64_t>(rank))) + local;
      while (n != 0) {
        const auto count = static_cast<std::uint32_t>(std::min(n, most));
        if (rank == me) {
          __builtin_prefetch(elements);
          spawn_resident(detail::elements_task<T, F>{elements, count, batch, body});
        } else {
          send_grouped(rank, detail::visits_that_travel<T, F>{body, batch},
                       detail::packed_elements<T>(elements, count));
        }
        elements += count;
        n -= count;
      }
    });
  }
}

}  // namespace callisto::global
