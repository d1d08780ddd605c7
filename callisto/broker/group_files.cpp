// Reads and writes whole files.
#include <callisto/broker/group_files.hpp>

#include <callisto/machine/host/cgroups.hpp>
#include <callisto/machine/host/topology.hpp>
#include <callisto/machine/system/descriptor.hpp>

#include <algorithm>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace callisto::broker {

using machine::contents_of;

bool write_group_file(const std::string& file, std::string_view text) {
  const machine::descriptor to(::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  return to.get() >= 0 && ::write(to.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool file_has_word(const std::string& file, std::string_view word) {
  const std::vector<std::string> words = machine::split_at(contents_of(file).value_or(""), ' ');
  return std::ranges::find(words, word) != words.end();
}

bool enable_controller(const std::string& group, const std::string& controller, bool& made) {
  made = false;
  if (file_has_word(group + "/cgroup.subtree_control", controller)) return true;
  if (!file_has_word(group + "/cgroup.controllers", controller)) return false;
  made = write_group_file(group + "/cgroup.subtree_control", "+" + controller);
  return made;
}

cosched::context_set contexts_in_file(const std::string& file) {
  cosched::context_set made;
  const auto list = machine::parse_cpu_list(contents_of(file).value_or(""));
  for (const unsigned c : list.value_or(std::vector<unsigned>())) {
    if (c < cosched::max_contexts) made.add(c);
  }
  return made;
}

std::string list_of_contexts(const cosched::context_set& contexts) {
  std::vector<unsigned> all;
  for (unsigned c = 0; c < cosched::max_contexts; ++c) {
    if (contexts.has(c)) all.push_back(c);
  }
  return machine::format_cpu_list(all);
}

}  // namespace callisto::broker
