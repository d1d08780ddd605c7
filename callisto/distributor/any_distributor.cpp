// What a distributor that is chosen when a loop begins passes on to the one that was chosen.
#include <callisto/distributor/any_distributor.hpp>
#include <callisto/machine/native.hpp>

namespace callisto::distributor {
namespace {

template <class D, class C>
auto& cursor_for(const D&, C& c) noexcept {
  return *std::get_if<typename D::cursor>(&c.kind);
}

/// std::visit, but that there is a distributor, always.
template <std::size_t I = 1, class Chosen, class F>
decltype(auto) visit_of(Chosen& chosen, F& f) {
  if constexpr (I + 1 == std::variant_size_v<std::remove_const_t<Chosen>>) {
    return f(*std::get_if<I>(&chosen));
  } else {
    return chosen.index() == I ? f(*std::get_if<I>(&chosen)) : visit_of<I + 1>(chosen, f);
  }
}

}  // namespace

template <class M>
template <class F>
decltype(auto) any_distributor<M>::visit(F f) {
  return visit_of(chosen_, f);
}
template <class M>
template <class F>
decltype(auto) any_distributor<M>::visit(F f) const {
  return visit_of(chosen_, f);
}

template <class M>
any_distributor<M>::any_distributor(std::uint64_t n, const layout& where, std::span<const stage> stages) {
  with_distributor<M>(stages, [&]<class D>() {
    if constexpr (kinds::template has<D>) {
      chosen_.template emplace<D>(n, where, stages);
    }
  });
}
template <class M>
any_distributor<M>::~any_distributor() = default;

template <class M>
typename any_distributor<M>::cursor any_distributor<M>::cursor_of(unsigned thread) {
  return visit([&](auto& d) { return cursor{d.cursor_of(thread), {}}; });
}

template <class M>
range any_distributor<M>::claim(cursor& c, std::uint64_t k) noexcept {
  return visit([&](auto& d) {
    auto& of_kind = cursor_for(d, c);
    const range r = d.claim(of_kind, k);
    c.counts = of_kind.counts;
    return r;
  });
}

template <class M>
std::uint64_t any_distributor<M>::near(const cursor& c) const noexcept {
  return visit([&](const auto& d) { return d.near(cursor_for(d, c)); });
}

template <class M>
void any_distributor<M>::leave(cursor& c) noexcept {
  visit([&](auto& d) { d.leave(cursor_for(d, c)); });
}

template <class M>
bool any_distributor<M>::free(const cursor& c) const noexcept {
  return visit([&](const auto& d) { return d.free(cursor_for(d, c)); });
}

template <class M>
void any_distributor<M>::exhaust() noexcept {
  visit([](auto& d) { d.exhaust(); });
}

template <class M>
bool any_distributor<M>::dropped() const noexcept {
  return visit([](const auto& d) { return d.dropped(); });
}

template class any_distributor<machine::native>;

}  // namespace callisto::distributor
