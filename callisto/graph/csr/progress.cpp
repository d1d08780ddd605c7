// The progress receiver that ignores everything.
#include <callisto/graph/csr/progress.hpp>

namespace callisto::graph {

void progress::begin(std::string_view, std::uint64_t, std::string_view) {}
void progress::advance(std::uint64_t) {}

}  // namespace callisto::graph
