// callisto_graph._core: the module's entry. Each topic has a file of its own.
#include "bindings.hpp"
#include "run.hpp"

#include <callisto/callisto.hpp>

#include <string>

NB_MODULE(_core, m) {
  using namespace callisto::python;
  m.doc() = "Callisto's graphs and kernels, for the package callisto_graph alone.";
  m.attr("__version__") = CALLISTO_VERSION;
  bind_errors(m);
  bind_graph(m);
  bind_construction(m);
  bind_labels(m);
  bind_arrow(m);
  bind_files(m);
  bind_attributes(m);
  bind_samples(m);
  bind_ranks(m);
  bind_paths(m);
  bind_structure(m);
  bind_changing(m);
  bind_networkx(m);
#ifdef CALLISTO_PYTHON_CLUSTER
  bind_cluster(m);
#endif

  m.def("threads", [] {
    const nb::gil_scoped_release released;
    return callisto::threads();
  });
  m.def(
      "set_threads",
      [](unsigned count) {
        const nb::gil_scoped_release released;
        callisto::set_threads(count);
      },
      nb::arg("count"));
  m.def("sharing", [] {
    const std::string words = [] {
      const nb::gil_scoped_release released;
      return callisto::workers::sharing_in_words();
    }();
    return nb::str(words.c_str());
  });
  m.def("stop_all", &stop_all);
}
