// The forms of the loop over sources: which of them a machine offers, and the trials that find the fastest.
#pragma once

#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/csr/graph.hpp>

#include <vector>

namespace callisto::graph {

class betweenness_searches;

/// A form, and the level of its loop over sources.
struct loop_form {
  betweenness_form form;
  unsigned level;
};

/// Returns the number of threads that take part in the form's loop over sources.
unsigned threads_at(loop_form how);

/// Returns the forms that may be chosen from, outermost parallelism first. Leaves out levels of nesting that have as
/// many threads as the form before, and forms that memory does not do for.
std::vector<loop_form> offered_forms(const any_graph& graph, const betweenness_options& options);

/// Searches from all batches of sources: some of them in each of `forms`, to compare these, and the other batches in
/// the fastest form. Without trials it uses the first form, the fastest on nearly all graphs: if there are few batches,
/// or if other jobs leave the process one context, where trials would tell nothing.
void search_in_fastest_form(betweenness_searches& all, const std::vector<loop_form>& forms, betweenness_result& result);

}  // namespace callisto::graph
