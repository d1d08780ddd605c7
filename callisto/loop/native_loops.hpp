// Code that all loops on the native machine share: compiled once, in native_loops.cpp, and not in every file that has a
// loop.
#pragma once

#include <callisto/distributor/any_distributor.hpp>
#include <callisto/distributor/splitting_ranges.hpp>
#include <callisto/export.hpp>
#include <callisto/loop/loop_item.hpp>
#include <callisto/loop/loop_options.hpp>
#include <callisto/loop/record/site.hpp>
#include <callisto/machine/native.hpp>

#include <cstdint>
#include <source_location>

namespace callisto {

extern template class CALLISTO_API distributor::splitting_ranges<machine::native>;
extern template class CALLISTO_API distributor::any_distributor<machine::native>;
extern template class CALLISTO_API loop::loop_item<machine::native, distributor::splitting_ranges<machine::native>>;
extern template class CALLISTO_API loop::loop_item<machine::native, distributor::any_distributor<machine::native>>;

namespace loop {

/// A body of loops on the native machine, for any schedule. The usual schedule, splitting ranges, is compiled with
/// every body, so that claiming a piece is part of its code. The body calls functions for any other schedule.
class native_body {
  template <class Distributor>
  using item = loop_item<machine::native, Distributor>;

 public:
  using by_ranges = item<distributor::splitting_ranges<machine::native>>;
  using by_others = item<distributor::any_distributor<machine::native>>;

  template <class Body>
  explicit native_body(Body& of) noexcept : usual(of), other(of) {}

  /// Returns the body of what remains when the first `done` iterations have run.
  native_body without(std::uint64_t done) const noexcept {
    native_body rest = *this;
    rest.usual = usual.without(done);
    rest.other = other.without(done);
    return rest;
  }

  by_ranges::body usual;
  by_others::body other;
};

/// Leads a loop over [0, n), n > 0, at nesting level `level`, from the place `where`, one of the places of `sites`.
/// Returns when the loop has ended: false if iterations were dropped. Throws the first exception of a body, and what
/// starting the workers and beginning to record the loop throw (recorder.hpp).
CALLISTO_API bool lead(unsigned level, const native_body& body, std::uint64_t n, const loop_options& options,
                       loop_site& sites, const std::source_location& where);

}  // namespace loop
}  // namespace callisto
