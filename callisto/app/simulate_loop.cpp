// Names of distributors.
#include <callisto/app/simulate_loop.hpp>

#include <callisto/app/text.hpp>
#include <callisto/machine/error.hpp>

#include <fmt/format.h>

namespace callisto::app {

distributor_kind parse_distributor(std::string_view flag, std::string_view text) {
  for (const distributor_kind kind : {distributor_kind::shared, distributor_kind::distributed}) {
    if (text == name_of(kind)) return kind;
  }
  throw usage_error(fmt::format("{}: expected shared or distributed, found '{}'", flag, one_line(text)));
}

const char* name_of(distributor_kind kind) noexcept {
  return kind == distributor_kind::shared ? "shared" : "distributed";
}

}  // namespace callisto::app
