#include <callisto/global/messages/handlers.hpp>
#include <callisto/global/messages/program_identity.hpp>
#include <callisto/machine/host/launcher.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <string_view>

#include <dlfcn.h>

namespace callisto::global {

namespace {

constinit handler* last_registered = nullptr;
constinit std::size_t registered = 0;

/// Where a handler's code lies, in words that all ranks share.
struct place {
  std::string_view file;
  std::uint64_t offset;
  const handler* h;
};

place place_of(const handler* h) {
  Dl_info info{};
  const auto* address = reinterpret_cast<const void*>(h->run);
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {"", 0, h};
  std::string_view file = info.dli_fname;
  if (const auto slash = file.rfind('/'); slash != std::string_view::npos) file.remove_prefix(slash + 1);
  return {file,
          static_cast<std::uint64_t>(static_cast<const char*>(address) - static_cast<const char*>(info.dli_fbase)), h};
}

/// FNV-1a.
void mix(std::uint64_t& hash, std::string_view bytes) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
}

}  // namespace

handler::handler(run_function run_in, const char* name_in, std::size_t record_in, bool is_system_in) noexcept
    : run(run_in), name(name_in), record(record_in), is_system(is_system_in), next(last_registered) {
  last_registered = this;
  ++registered;
}

handler_table::handler_table() {
  std::vector<place> places;
  for (handler* h = last_registered; h != nullptr; h = h->next) places.push_back(place_of(h));
  // A linker may give functions of equal code one address: then the name tells them apart.
  std::ranges::sort(places, [](const place& a, const place& b) {
    if (a.file != b.file) return a.file < b.file;
    if (a.offset != b.offset) return a.offset < b.offset;
    if (const int order = std::string_view(a.h->name).compare(b.h->name); order != 0) return order < 0;
    return a.h->is_system < b.h->is_system;
  });
  if (places.size() >= handler::none)
    throw usage_error("callisto::global: the program sends " + std::to_string(places.size()) +
                      " types of function objects; expected at most 65534");
  std::vector<const void*> code{reinterpret_cast<const void*>(&machine::launcher_of_process)};
  for (const place& p : places) code.push_back(reinterpret_cast<const void*>(p.h->run));
  hash_ = program_identity(code);
  for (const place& p : places) {
    const_cast<handler*>(p.h)->id = static_cast<handler_id>(handlers_.size());
    handlers_.push_back(p.h);
    mix(hash_, p.h->name);
    mix(hash_, std::to_string(p.offset) + ' ' + std::to_string(p.h->record) + (p.h->is_system ? "s" : "p"));
  }
}

const handler_table& handler_table::get() {
  static const handler_table table;
  if (table.size() != registered)
    throw usage_error(
        "callisto::global: a library that sends messages was loaded after the first session began; "
        "link it, or load it before");
  return table;
}

}  // namespace callisto::global
