// Reads a policy strictly: a key that is not known is an error, so a misspelled rule is not left out in silence.
// Accounts and CPUs change without the file, so an unknown one is no error: the broker must start at the next boot,
// too.
#include <callisto/app/jobs/broker_policy.hpp>

#include <callisto/app/base/text.hpp>
#include <callisto/app/jobs/account_file.hpp>
#include <callisto/cosched/current_assignment.hpp>
#include <callisto/cosched/timing.hpp>
#include <callisto/machine/host/topology.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace callisto::app {
namespace {

/// Reads the names and numbers of passwd(5) or group(5).
std::map<std::string, std::uint64_t, std::less<>> names_in(const char* path) {
  std::ifstream file(path);
  const auto all = accounts_in(file);
  return {all.begin(), all.end()};
}

class policy_reader {
 public:
  policy_reader(const std::string& path, std::vector<std::string>& warnings) : path_(path), warnings_(warnings) {}

  broker::policy read() {
    std::ifstream file(path_);
    std::ostringstream text;
    if (!file || (file.peek() != std::ifstream::traits_type::eof() && !(text << file.rdbuf()))) {
      throw input_error(path_, 0, "cannot read: " + std::generic_category().message(errno != 0 ? errno : EIO));
    }
    try {
      const toml::table all = toml::parse(text.str(), path_);
      for (const auto& [key, value] : all) {
        if (key == "limits") {
          limits(table_of(key, value));
        } else if (key == "weights") {
          weights(table_of(key, value));
        } else if (key == "contexts") {
          contexts(table_of(key, value));
        } else if (key == "guests") {
          guests(table_of(key, value));
        } else if (key == "visibility") {
          visibility(table_of(key, value));
        } else {
          unknown(key, "limits, weights, contexts, guests or visibility");
        }
      }
    } catch (const toml::parse_error& e) {
      throw input_error(path_, e.source().begin.line, std::string(e.description()));
    }
    for (const auto& [group, weight] : made_.groups) {
      // A process can leave groups.
      if (weight < made_.weight) {
        throw input_error(path_, group_lines_.at(group),
                          fmt::format("a group's weight is below the default, {}", made_.weight));
      }
    }
    for (const auto& [group, weight] : made_.control_groups) {
      if (weight < made_.weight) {
        throw input_error(path_, control_group_lines_.at(group),
                          fmt::format("a control group's weight is below the default, {}", made_.weight));
      }
    }
    if (!made_.guest_groups.empty() && made_.contexts_of_guests().empty()) {
      throw input_error(path_, guests_at_, "guests have no contexts: neither guests.contexts nor contexts.reserved");
    }
    return made_;
  }

 private:
  [[noreturn]] void refuse(const toml::source_region& at, const std::string& what) const {
    throw input_error(path_, at.begin.line, what);
  }
  [[noreturn]] void unknown(const toml::key& key, std::string_view expected) const {
    refuse(key.source(), fmt::format("'{}': expected {}", one_line(std::string(key.str())), expected));
  }
  const toml::table& table_of(const toml::key& key, const toml::node& value) const {
    if (const toml::table* const t = value.as_table()) return *t;
    refuse(key.source(), fmt::format("'{}': expected a table", one_line(std::string(key.str()))));
  }
  unsigned count(const toml::key& key, const toml::node& value, std::int64_t least, std::int64_t most) const {
    const auto* const n = value.as_integer();
    if (n == nullptr || n->get() < least || n->get() > most) {
      refuse(key.source(),
             fmt::format("'{}': expected a whole number from {} to {}", one_line(std::string(key.str())), least, most));
    }
    return static_cast<unsigned>(n->get());
  }

  void limits(const toml::table& of) {
    for (const auto& [key, value] : of) {
      if (key == "jobs_per_user") {
        made_.jobs_of_user = count(key, value, 1, 255);
      } else if (key == "contexts_per_user") {
        made_.contexts_of_user = count(key, value, 0, cosched::max_contexts);
      } else if (key == "messages_per_second") {
        made_.messages_of_user = count(key, value, 0, 100'000'000);
      } else {
        unknown(key, "jobs_per_user, contexts_per_user or messages_per_second");
      }
    }
  }

  void weights(const toml::table& of) {
    for (const auto& [key, value] : of) {
      if (key == "default") {
        made_.weight = count(key, value, 1, cosched::max_weight);
      } else if (key == "users") {
        const auto known = names_in("/etc/passwd");
        for (const auto& [name, weight] : table_of(key, value)) {
          const unsigned its = count(name, weight, 1, cosched::max_weight);
          if (const auto user = number_of(name, known, "user")) made_.users[*user] = its;
        }
      } else if (key == "groups") {
        const auto known = names_in("/etc/group");
        for (const auto& [name, weight] : table_of(key, value)) {
          const unsigned its = count(name, weight, 1, cosched::max_weight);
          const auto group = number_of(name, known, "group");
          if (!group) continue;
          made_.groups[*group] = its;
          group_lines_[*group] = name.source().begin.line;
        }
      } else if (key == "control_groups") {
        for (const auto& [name, weight] : table_of(key, value)) {
          if (!is_control_group(name.str())) {
            refuse(name.source(), fmt::format("'{}': expected a control group, such as \"/user.slice\"",
                                              one_line(std::string(name.str()))));
          }
          const std::string group(name.str());
          made_.control_groups[group] = count(name, weight, 1, cosched::max_weight);
          control_group_lines_[group] = name.source().begin.line;
        }
      } else {
        unknown(key, "default, users, groups or control_groups");
      }
    }
  }
  void warn(const toml::source_region& at, const std::string& what) {
    warnings_.push_back(input_error(path_, at.begin.line, what).what());
  }
  void leave_out(const toml::source_region& at, std::string_view name, std::string_view kind) {
    warn(at, fmt::format("'{}': no {} has this name here; the rule is left out", one_line(std::string(name)), kind));
  }
  /// Returns the number of a user or group; nullopt, with a warning: none has that name.
  std::optional<std::uint64_t> number_of(const toml::key& name,
                                         const std::map<std::string, std::uint64_t, std::less<>>& known,
                                         std::string_view kind) {
    if (const auto its = known.find(name.str()); its != known.end()) return its->second;
    std::uint32_t n = 0;
    const char* const end = name.str().data() + name.str().size();
    if (const auto [at, error] = std::from_chars(name.str().data(), end, n); error == std::errc() && at == end)
      return n;
    if (is_number(name.str())) {
      refuse(name.source(), fmt::format("'{}': no {} has this number", one_line(std::string(name.str())), kind));
    }
    leave_out(name.source(), name.str(), kind);
    return std::nullopt;
  }
  static bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  }

  void contexts(const toml::table& of) {
    for (const auto& [key, value] : of) {
      if (key != "reserved") unknown(key, "reserved");
      made_.reserved = list_of(key, value);
    }
  }
  cosched::context_set list_of(const toml::key& key, const toml::node& value) {
    cosched::context_set made;
    const auto* const text = value.as_string();
    const auto list = text == nullptr ? std::nullopt : machine::parse_cpu_list(text->get());
    if (text != nullptr && text->get().empty()) return made;
    if (!list) refuse(key.source(), fmt::format("'{}': expected a list of CPUs, such as \"0-3,8\"", key.str()));
    for (const unsigned c : *list) {
      if (c >= cosched::max_contexts)
        refuse(key.source(), fmt::format("'{}': no CPU has a number above 1023", key.str()));
      made.add(c);
    }
    const std::vector<unsigned> cores = cosched::cores_of_host();
    std::vector<unsigned> missing;
    for (const unsigned c : *list) {
      if (c >= cores.size() || cores[c] == cosched::no_core) missing.push_back(c);
    }
    if (!missing.empty()) {
      warn(key.source(), fmt::format("'{}': this machine has no CPU {}", one_line(std::string(key.str())),
                                     machine::format_cpu_list(missing)));
    }
    return made;
  }

  void guests(const toml::table& of) {
    const toml::key* groups = nullptr;
    for (const auto& [key, value] : of) {
      if (key == "contexts") {
        made_.guests = list_of(key, value);
      } else if (key == "control_groups") {
        groups = &key;
        const toml::array* const all = value.as_array();
        if (all == nullptr) refuse(key.source(), "'control_groups': expected an array");
        for (const toml::node& one : *all) {
          const auto* const name = one.as_string();
          if (name == nullptr || !is_control_group(name->get()) || name->get() == "/") {
            refuse(one.source(), fmt::format("'{}': expected a control group, such as \"/user.slice\"",
                                             name != nullptr ? one_line(name->get()) : std::string("?")));
          }
          made_.guest_groups.insert(name->get());
        }
      } else {
        unknown(key, "contexts or control_groups");
      }
    }
    if (!made_.guest_groups.empty()) guests_at_ = groups->source().begin.line;
  }
  static bool is_control_group(std::string_view name) {
    return name.starts_with('/') && (name.size() == 1 || !name.ends_with('/')) &&
           name.find("/../") == std::string_view::npos && !name.ends_with("/..");
  }

  void visibility(const toml::table& of) {
    for (const auto& [key, value] : of) {
      if (key == "everyone") {
        const auto* const yes = value.as_boolean();
        if (yes == nullptr) refuse(key.source(), "'everyone': expected true or false");
        made_.all_see_all = yes->get();
      } else if (key == "users") {
        made_.seeing_users = members(key, value, names_in("/etc/passwd"), "user");
      } else if (key == "groups") {
        made_.seeing_groups = members(key, value, names_in("/etc/group"), "group");
      } else {
        unknown(key, "everyone, users or groups");
      }
    }
  }
  /// Reads an array of names and numbers.
  std::set<std::uint64_t> members(const toml::key& key, const toml::node& value,
                                  const std::map<std::string, std::uint64_t, std::less<>>& known,
                                  std::string_view kind) {
    const toml::array* const all = value.as_array();
    if (all == nullptr) refuse(key.source(), fmt::format("'{}': expected an array", key.str()));
    std::set<std::uint64_t> made;
    for (const toml::node& one : *all) {
      const auto* const name = one.as_string();
      const auto* const number = one.as_integer();
      if (number != nullptr && number->get() >= 0 && number->get() <= 0xffffffff) {
        made.insert(static_cast<std::uint64_t>(number->get()));
      } else if (name != nullptr && known.contains(name->get())) {
        made.insert(known.at(name->get()));
      } else if (name != nullptr) {
        leave_out(one.source(), name->get(), kind);
      } else {
        refuse(one.source(), fmt::format("expected names and numbers of {}s", kind));
      }
    }
    return made;
  }

  const std::string& path_;
  std::vector<std::string>& warnings_;
  broker::policy made_;
  std::map<std::uint64_t, std::size_t> group_lines_;
  std::map<std::string, std::size_t> control_group_lines_;
  std::size_t guests_at_ = 0;
};

}  // namespace

broker::policy read_policy(const std::string& path, std::vector<std::string>& warnings) {
  return policy_reader(path, warnings).read();
}

}  // namespace callisto::app
