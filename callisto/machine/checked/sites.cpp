// Names of operations, orders and files, and the table of source places.
#include <callisto/machine/checked/sites.hpp>

#include <map>
#include <string_view>
#include <tuple>

namespace callisto::machine::checking {
namespace {

std::size_t hash_of(const place& p, operation what) noexcept {
  const auto file = reinterpret_cast<std::uintptr_t>(p.file_name());
  const std::uint64_t x =
      (file ^ (std::uint64_t{p.line()} << 32) ^ (std::uint64_t{p.column()} << 8) ^ static_cast<std::uint64_t>(what)) *
      0x9e3779b97f4a7c15u;
  return static_cast<std::size_t>(x >> 32);
}

bool same(const place& a, const place& b) noexcept {
  return a.file_name() == b.file_name() && a.line() == b.line() && a.column() == b.column();
}

}  // namespace

const char* name_of(operation o) noexcept {
  static constexpr const char* names[] = {"load",      "store",     "exchange",    "compare_exchange", "fetch_add",
                                          "fetch_sub", "fetch_and", "fetch_or",    "wait_while",       "park",
                                          "unpark",    "fence",     "light_fence", "heavy_fence"};
  return names[static_cast<unsigned>(o)];
}

const char* name_of(order o) noexcept {
  static constexpr const char* names[] = {"relaxed", "acquire", "release", "acq_rel"};
  return names[static_cast<unsigned>(o)];
}

std::string shown_file(const char* file) {
  const std::string_view f = file;
  // Accepts every form in which compilers give a file's name: "../callisto/waiting/entry_gate.hpp",
  // "/src/callisto/tests/check/a_test.cpp".
  std::size_t begin = std::string_view::npos;
  for (const std::string_view folder : {"/callisto/", "/tests/"}) {
    const std::size_t at = f.rfind(folder);
    if (at != std::string_view::npos && (begin == std::string_view::npos || at > begin)) begin = at;
  }
  return std::string(begin == std::string_view::npos ? f : f.substr(begin + 1));
}

std::string shown(const place& p) { return shown_file(p.file_name()) + ":" + std::to_string(p.line()); }

site_entry& site_table::find(const place& p, operation what, order stated) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash_of(p, what) & mask; slots_[i] != nullptr; i = (i + 1) & mask) {
    site_entry& e = *slots_[i];
    if (e.what == what && e.stated == stated && same(e.where, p)) return e;
  }
  site_entry& e = entries_.emplace_back(p, what, stated, stated);
  if (weaken_ && weaken_->line == p.line() && weaken_->column == p.column() && weaken_->operation == name_of(what) &&
      weaken_->file == shown_file(p.file_name())) {
    e.used = weaken_->to;
    e.weakened = true;
  }
  if (2 * entries_.size() > slots_.size()) {
    slots_.assign(2 * slots_.size(), nullptr);
    for (site_entry& old : entries_) add_slot(&old);
  } else {
    add_slot(&e);
  }
  return e;
}

void site_table::add_slot(site_entry* e) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash_of(e->where, e->what) & mask;
  while (slots_[i] != nullptr) i = (i + 1) & mask;
  slots_[i] = e;
}

std::vector<site> site_table::all() const {
  // Several translation units may know one file by different addresses of its name.
  std::map<std::tuple<std::string, unsigned, unsigned, std::string, order>, std::uint64_t> counts;
  for (const site_entry& e : entries_) {
    counts[{shown_file(e.where.file_name()), e.where.line(), e.where.column(), name_of(e.what), e.stated}] += e.count;
  }
  std::vector<site> sites;
  for (const auto& [key, count] : counts) {
    const auto& [file, line, column, what, stated] = key;
    sites.push_back({file, line, column, what, stated, count});
  }
  return sites;
}

}  // namespace callisto::machine::checking
