// What the NetworkX backend needs of the module.
#include "bindings.hpp"

namespace callisto::python {

void bind_networkx(nanobind::module_&) {}

}  // namespace callisto::python
