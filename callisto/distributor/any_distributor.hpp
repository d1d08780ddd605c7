// A distributor that is chosen when a loop begins: any schedule but `ranges`, behind one type.
#pragma once

#include <callisto/distributor/compose.hpp>
#include <callisto/distributor/distributed_counters.hpp>
#include <callisto/distributor/range.hpp>
#include <callisto/export.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

namespace callisto::distributor {

/// One of the distributors that with_distributor knows and that hand out exactly what they are asked for. Loop bodies
/// are compiled with this once instead of once for each of them, and with nothing of what it does: that is compiled in
/// any_distributor.cpp, for the native machine alone. A claim pays for a call and a switch. Members are as
/// work_distributor says.
template <class M>
class CALLISTO_API any_distributor {
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

  any_distributor(std::uint64_t n, const layout& where, std::span<const stage> stages);
  ~any_distributor();

  cursor cursor_of(unsigned thread);
  range claim(cursor& c, std::uint64_t k) noexcept;
  std::uint64_t near(const cursor& c) const noexcept;
  void leave(cursor& c) noexcept;
  bool free(const cursor& c) const noexcept;
  void exhaust() noexcept;
  bool dropped() const noexcept;

 private:
  template <class F>
  decltype(auto) visit(F f);
  template <class F>
  decltype(auto) visit(F f) const;

  typename kinds::distributor chosen_;
};

}  // namespace callisto::distributor
