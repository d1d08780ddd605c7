// Whether a tool watches; off until region/tool.cpp has started one.
#include <callisto/openmp/settings/tool.hpp>

namespace callisto::openmp::tool {

constinit machine::native::atomic<bool> watches{false};

}  // namespace callisto::openmp::tool
