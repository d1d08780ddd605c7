// A distributor that is chosen when a loop begins: any schedule but `ranges`, behind one type.
#pragma once

#include <callisto/distributor/compose.hpp>
#include <callisto/distributor/distributed_counters.hpp>
#include <callisto/distributor/range.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

namespace callisto::distributor {

/// One of the distributors of with_distributor that hand out exactly what is asked for. Loop bodies are compiled once
/// with this type instead of once for each distributor; a claim pays for a switch.
template <machine::policy M>
class any_distributor {
  using counters = distributed_counters<M>;

  template <class... D>
  struct one_of {
    using distributor = std::variant<std::monostate, D...>;
    using cursor = std::variant<typename D::cursor...>;
    template <class T>
    static constexpr bool has = (std::is_same_v<T, D> || ...);
  };
  using kinds = one_of<counters, combiner<M, counters>, combiner<M, combiner<M, counters>>>;

 public:
  static constexpr std::uint64_t most = counters::most;
  struct cursor {
    typename kinds::cursor kind;
    claim_counts counts;
  };

  any_distributor(std::uint64_t n, const layout& where, std::span<const stage> stages) {
    with_distributor<M>(stages, [&]<class D>() {
      if constexpr (kinds::template has<D>) {
        chosen_.template emplace<D>(n, where, stages);
      }
    });
  }

  cursor cursor_of(unsigned thread) {
    return visit([&](auto& d) { return cursor{d.cursor_of(thread), {}}; });
  }
  range claim(cursor& c, std::uint64_t k) noexcept {
    return visit([&](auto& d) {
      auto& of_kind = cursor_for(d, c);
      const range r = d.claim(of_kind, k);
      c.counts = of_kind.counts;
      return r;
    });
  }
  std::uint64_t near(const cursor& c) const noexcept {
    return visit([&](const auto& d) { return d.near(cursor_for(d, c)); });
  }
  void leave(cursor& c) noexcept {
    visit([&](auto& d) { d.leave(cursor_for(d, c)); });
  }
  bool free(const cursor& c) const noexcept {
    return visit([&](const auto& d) { return d.free(cursor_for(d, c)); });
  }
  void exhaust() noexcept {
    visit([](auto& d) { d.exhaust(); });
  }
  bool dropped() const noexcept {
    return visit([](const auto& d) { return d.dropped(); });
  }

 private:
  template <class D, class C>
  static auto& cursor_for(const D&, C& c) noexcept {
    return *std::get_if<typename D::cursor>(&c.kind);
  }
  /// Does std::visit without the valueless case: there is always a distributor.
  template <std::size_t I = 1, class Self, class F>
  static decltype(auto) visit_of(Self& self, F& f) {
    if constexpr (I + 1 == std::variant_size_v<typename kinds::distributor>) {
      return f(*std::get_if<I>(&self.chosen_));
    } else {
      return self.chosen_.index() == I ? f(*std::get_if<I>(&self.chosen_)) : visit_of<I + 1>(self, f);
    }
  }
  template <class F>
  decltype(auto) visit(F f) {
    return visit_of(*this, f);
  }
  template <class F>
  decltype(auto) visit(F f) const {
    return visit_of(*this, f);
  }

  typename kinds::distributor chosen_;
};

}  // namespace callisto::distributor
