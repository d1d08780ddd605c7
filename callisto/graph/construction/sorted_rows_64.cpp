// sorted_rows() of 64-bit vertices, in a separate file because it takes long to compile.
#include <callisto/graph/construction/sorted_rows_impl.hpp>

namespace callisto::graph::construction {

template adjacency<std::uint64_t> sorted_rows(list_source<std::uint64_t>&, weight_form, const row_rules&,
                                              const run_control&, row_tally&, adjacency<std::uint64_t>*);
template adjacency<std::uint64_t> sorted_rows(row_source<std::uint64_t>&, weight_form, const row_rules&,
                                              const run_control&, row_tally&, adjacency<std::uint64_t>*);

}  // namespace callisto::graph::construction
