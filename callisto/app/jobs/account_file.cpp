#include <callisto/app/jobs/account_file.hpp>

#include <charconv>
#include <sstream>
#include <system_error>

namespace callisto::app {

std::vector<std::pair<std::string, std::uint32_t>> accounts_in(std::istream& file) {
  std::vector<std::pair<std::string, std::uint32_t>> all;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string name, secret, number;
    if (!std::getline(fields, name, ':') || !std::getline(fields, secret, ':') || !std::getline(fields, number, ':')) {
      continue;
    }
    std::uint32_t n = 0;
    const char* const end = number.data() + number.size();
    const auto [at, error] = std::from_chars(number.data(), end, n);
    if (error == std::errc() && at == end && !name.empty()) all.emplace_back(std::move(name), n);
  }
  return all;
}

}  // namespace callisto::app
