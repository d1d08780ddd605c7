// The words of failures and traces.
#include <callisto/machine/checked/execution.hpp>

namespace callisto::machine::checking {

const char* name_of(kind k) noexcept {
  static constexpr const char* names[] = {"assertion",          "data race", "deadlock",      "livelock",
                                          "use after lifetime", "exception", "racing stores", "misuse"};
  return names[static_cast<unsigned>(k)];
}

std::string execution::name(const location& l) const {
  const std::string short_name = (l.is_atomic ? "atomic " : "plain ") + std::to_string(l.number);
  return l.made_at.line() == 0 ? short_name : short_name + " (" + shown(l.made_at) + ")";
}

std::string execution::shown_value(std::uint64_t v) const {
  if (v < 1'000'000) return std::to_string(v);
  for (unsigned i = 0; i < used_locations_; ++i) {
    if (reinterpret_cast<std::uintptr_t>(locations_[i].address) == v) return "&" + name(locations_[i]);
  }
  // Flags in high bits read better in hexadecimal.
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (; v != 0; v >>= 4) text.insert(text.begin(), digits[v & 15]);
  return "0x" + text;
}

std::string execution::last_step(unsigned thread) const {
  if (thread == outside) return "outside of the threads";
  const site_entry* at = threads_[thread].next.at;
  return "thread " + std::to_string(thread) +
         (at == nullptr ? " has done no operation yet"
                        : " was last at " + std::string(name_of(at->what)) + ", " + shown(at->where));
}

std::string execution::read_value(const location& l, unsigned at) const {
  std::string text = "reads " + shown_value(l.value(at));
  if (const unsigned older = l.newest() - at; older > 0) {
    text += " (stale: the newest of " + std::to_string(older) + " later is " + shown_value(l.value(l.newest())) + ")";
  }
  return text;
}

void execution::log(const std::string& what, const location* l, const std::string& values, const std::string& where) {
  if (!tracing_) return;
  const auto padded = [](std::string text, std::size_t width) {
    if (text.size() < width) text.resize(width, ' ');
    return text + ' ';
  };
  std::string line = padded(current_ == outside ? "outside" : "thread " + std::to_string(current_), 9);
  line += padded(what, 24);
  if (l != nullptr) line += padded(name(*l), 44);
  line += padded(values, 24);
  line += where;
  line.erase(line.find_last_not_of(' ') + 1);
  trace_ += line + '\n';
}

void execution::log_step(const location& l, const std::string& values) {
  const site_entry& at = *me().next.at;
  std::string what = name_of(at.what);
  if (at.what != operation::park && at.what != operation::unpark) {
    what += std::string(" ") + name_of(at.used);
    if (at.used != at.stated) what += std::string(" (weakened)");
  }
  log(what, &l, values, shown(at.where));
}

std::string execution::standing() const {
  std::string text;
  for (unsigned i = 0; i < count_; ++i) {
    const checked_thread& t = threads_[i];
    if (t.state == life::ended) continue;
    if (!text.empty()) text += "; ";
    text += "thread " + std::to_string(i) + (t.state == life::parked ? " is parked on " : " stands before ") +
            (t.state == life::parked ? "" : std::string(name_of(t.next.what)) + " of ") +
            (t.next.where == nullptr
                 ? "nothing"
                 : name(*t.next.where) + " = " + shown_value(t.next.where->value(t.next.where->newest()))) +
            " at " + (t.next.at == nullptr ? "its start" : shown(t.next.at->where));
  }
  return text;
}

}  // namespace callisto::machine::checking
