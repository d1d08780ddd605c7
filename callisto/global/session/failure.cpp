// Exceptions that other ranks can make again from their kind and text.
#include <callisto/global/session/failure.hpp>

#include <callisto/global/transport/transport.hpp>

#include <cxxabi.h>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <tuple>
#include <typeinfo>

namespace callisto::global {
namespace {

// Their order is their number on the way; types before their bases.
using known = std::tuple<std::out_of_range, std::invalid_argument, std::length_error, std::domain_error,
                         std::logic_error, std::range_error, std::overflow_error, std::underflow_error, usage_error,
                         output_error, remote_error, error, std::runtime_error>;
constexpr std::uint32_t out_of_memory = 100;

/// Calls f with the number and a null pointer of each known type until it returns true.
template <class F>
bool any_known(F f) {
  std::uint32_t kind = 0;
  return std::apply(
      [&](const auto&... type) { return (f(++kind, &type) || ...); },
      known{std::out_of_range(""), std::invalid_argument(""), std::length_error(""), std::domain_error(""),
            std::logic_error(""), std::range_error(""), std::overflow_error(""), std::underflow_error(""),
            usage_error(""), output_error(""), remote_error(""), error(""), std::runtime_error("")});
}

std::string name_of(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                    &std::free);
  return status == 0 ? name.get() : type.name();
}

}  // namespace

phase_failure phase_failure::of(int rank, const std::exception_ptr& thrown) {
  phase_failure failure{.rank = rank, .kind = 0, .text = {}, .original = thrown};
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc& e) {
    failure.kind = out_of_memory;
    failure.text = e.what();
  } catch (const std::exception& e) {
    failure.text = e.what();
    const bool found = any_known([&]<class T>(std::uint32_t kind, const T*) {
      if (typeid(e) != typeid(T)) return false;
      failure.kind = kind;
      return true;
    });
    if (!found) failure.text = name_of(typeid(e)) + ": " + failure.text;
  } catch (...) {
    const std::type_info* const type = abi::__cxa_current_exception_type();
    failure.text = type != nullptr ? name_of(*type) : "an exception of another language";
  }
  return failure;
}

void phase_failure::rethrow() const {
  if (original != nullptr) std::rethrow_exception(original);
  if (kind == out_of_memory) throw std::bad_alloc();
  any_known([this]<class T>(std::uint32_t of, const T*) -> bool {
    if (of == kind) throw T(text);
    return false;
  });
  throw remote_error("rank " + std::to_string(rank) + " threw " + text);
}

std::exception_ptr phase_failure::made() const {
  try {
    rethrow();
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace callisto::global
