// The instances that native_loops.hpp declares.
#include <callisto/loop/native_loops.hpp>

namespace callisto {

template class distributor::ranges<machine::native>;
template class distributor::any_distributor<machine::native>;
template class loop::handed_out<machine::native, distributor::ranges<machine::native>>;
template class loop::handed_out<machine::native, distributor::any_distributor<machine::native>>;

}  // namespace callisto
