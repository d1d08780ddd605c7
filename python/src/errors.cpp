// C++ exceptions become those of callisto_graph._errors.
#include "bindings.hpp"

#include <callisto/graph.hpp>

#include <exception>

namespace callisto::python {
namespace {

namespace nb = nanobind;

/// The exception classes; they live as long as the interpreter.
struct exception_classes {
  PyObject* usage;
  PyObject* weight;
  PyObject* centrality;
  PyObject* input;
  PyObject* output;
  PyObject* memory;
  PyObject* cancelled;
  PyObject* other;
};

void translate(const std::exception_ptr& thrown, void* classes) {
  const auto& as = *static_cast<const exception_classes*>(classes);
  try {
    std::rethrow_exception(thrown);
  } catch (const graph::weight_error& e) {
    PyErr_SetString(as.weight, e.what());
  } catch (const graph::no_centrality& e) {
    PyErr_SetString(as.centrality, e.what());
  } catch (const usage_error& e) {
    PyErr_SetString(as.usage, e.what());
  } catch (const input_error& e) {
    PyErr_SetString(as.input, e.what());
  } catch (const output_error& e) {
    PyErr_SetString(as.output, e.what());
  } catch (const graph::memory_error& e) {
    PyErr_SetString(as.memory, e.what());
  } catch (const cancelled& e) {
    PyErr_SetString(as.cancelled, e.what());
  } catch (const error& e) {
    PyErr_SetString(as.other, e.what());
  }
}

}  // namespace

void bind_errors(nb::module_&) {
  const nb::module_ errors = nb::module_::import_("callisto_graph._errors");
  const auto named = [&](const char* name) { return nb::getattr(errors, name).release().ptr(); };
  static const exception_classes classes{named("UsageError"),     named("WeightError"), named("NoCentralityError"),
                                         named("InputError"),     named("OutputError"), named("OutOfMemoryError"),
                                         named("CancelledError"), named("Error")};
  nb::register_exception_translator(translate, const_cast<exception_classes*>(&classes));
}

}  // namespace callisto::python
