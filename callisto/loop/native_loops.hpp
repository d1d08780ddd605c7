// What loops on the native machine share, compiled once, in native_loops.cpp, rather than in every file that has a
// loop.
#pragma once

#include <callisto/distributor/any_distributor.hpp>
#include <callisto/distributor/ranges.hpp>
#include <callisto/export.hpp>
#include <callisto/loop/loop_item.hpp>
#include <callisto/machine/native.hpp>

namespace callisto {

extern template class CALLISTO_API distributor::ranges<machine::native>;
extern template class CALLISTO_API distributor::any_distributor<machine::native>;
extern template class CALLISTO_API loop::handed_out<machine::native, distributor::ranges<machine::native>>;
extern template class CALLISTO_API loop::handed_out<machine::native, distributor::any_distributor<machine::native>>;

}  // namespace callisto
