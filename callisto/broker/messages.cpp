// Checks packets.
#include <callisto/broker/messages.hpp>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace callisto::broker {
namespace {

bool valid(const job_facts& f) noexcept {
  if (f.weight == 0 || f.weight > 1u << 24 || f.main > cosched::max_contexts) return false;
  for (const std::uint64_t w : f.contexts) {
    if (w != 0) return true;
  }
  return false;
}
bool valid(const hello& m) noexcept { return valid(m.facts); }
bool valid(const change& m) noexcept { return valid(m.facts); }
bool valid(const welcome& m) noexcept { return m.contexts != 0 && m.contexts <= cosched::max_contexts && m.zero == 0; }
bool valid(const refusal& m) noexcept {
  return m.reason > refusal_reason::none && m.reason <= refusal_reason::unknown_process;
}
bool valid(const confirm&) noexcept { return true; }
bool valid(const ring& m) noexcept { return m.context < cosched::max_contexts && m.zero == 0; }
bool valid(const ask_report&) noexcept { return true; }
bool valid(const report& m) noexcept { return m.grade >= enforcement::debt && m.grade <= enforcement::group; }
bool valid(usage_of what) noexcept { return what >= usage_of::jobs && what <= usage_of::users; }
bool valid(const ask_usage& m) noexcept { return valid(m.what) && m.zero == 0; }
bool valid(const usage_page& m) noexcept {
  static constexpr usage_line none{};
  return valid(m.what) && m.count <= usage_page::most_lines && m.all_users <= 1 && m.zero == 0 &&
         std::all_of(m.lines.begin() + m.count, m.lines.end(),
                     [](const usage_line& l) { return std::memcmp(&l, &none, sizeof l) == 0; });
}
bool valid(const ask_place&) noexcept { return true; }
bool valid(const place&) noexcept { return true; }

template <class Message>
std::optional<any_message> as(std::span<const std::byte> bytes) noexcept {
  static_assert(std::is_trivially_copyable_v<Message> && sizeof(Message) <= most_bytes_of_all);
  static_assert(std::has_unique_object_representations_v<Message>, "no byte of a message is padding");
  Message m;
  if (bytes.size() != sizeof m) return std::nullopt;
  std::memcpy(&m, bytes.data(), sizeof m);
  if (!valid(m)) return std::nullopt;
  return m;
}

}  // namespace

std::optional<any_message> parse(std::span<const std::byte> bytes) noexcept {
  message_header h;
  if (bytes.size() < sizeof h) return std::nullopt;
  std::memcpy(&h, bytes.data(), sizeof h);
  if (h.magic != message_header{}.magic || h.version != protocol_version) return std::nullopt;
  switch (h.kind) {
    case message_kind::hello:
      return as<hello>(bytes);
    case message_kind::welcome:
      return as<welcome>(bytes);
    case message_kind::refusal:
      return as<refusal>(bytes);
    case message_kind::confirm:
      return as<confirm>(bytes);
    case message_kind::ring:
      return as<ring>(bytes);
    case message_kind::change:
      return as<change>(bytes);
    case message_kind::ask_report:
      return as<ask_report>(bytes);
    case message_kind::report:
      return as<report>(bytes);
    case message_kind::ask_usage:
      return as<ask_usage>(bytes);
    case message_kind::usage_page:
      return as<usage_page>(bytes);
    case message_kind::ask_place:
      return as<ask_place>(bytes);
    case message_kind::place:
      return as<place>(bytes);
  }
  return std::nullopt;
}

std::optional<std::uint16_t> version_of_hello(std::span<const std::byte> bytes) noexcept {
  message_header h;
  if (bytes.size() < sizeof h) return std::nullopt;
  std::memcpy(&h, bytes.data(), sizeof h);
  if (h.magic != message_header{}.magic || h.kind != message_kind::hello) return std::nullopt;
  return h.version;
}

place place_of(const cosched::context_set& contexts) noexcept {
  place made;
  for (unsigned i = 0; i < cosched::context_set::words; ++i) made.contexts[i] = contexts.word(i);
  return made;
}

cosched::context_set contexts_of(const place& where) noexcept {
  cosched::context_set made;
  for (unsigned i = 0; i < cosched::context_set::words; ++i) made.word(i) = where.contexts[i];
  return made;
}

cosched::job_demand demand_of(const job_facts& facts) noexcept {
  cosched::job_demand d{.job = 0, .weight = facts.weight, .contexts = {}};
  d.wants_main = facts.main != 0;
  if (facts.main != 0) d.main = facts.main - 1;
  for (unsigned i = 0; i < cosched::context_set::words; ++i) d.contexts.word(i) = facts.contexts[i];
  return d;
}

}  // namespace callisto::broker
