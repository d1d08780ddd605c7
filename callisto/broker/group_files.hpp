// The files of control groups: cgroups(7), cpuset(7), and Documentation/admin-guide/cgroup-v2.rst of Linux.
#pragma once

#include <callisto/cosched/context_assignment.hpp>

#include <string>
#include <string_view>

namespace callisto::broker {

/// Writes a file of a group, by one call.
bool write_group_file(const std::string& file, std::string_view text);

/// True if the text of a file has this word.
bool file_has_word(const std::string& file, std::string_view word);

/// Has a controller work in the groups inside of a group of version 2; `made` tells whether this call did it.
bool enable_controller(const std::string& group, const std::string& controller, bool& made);

/// Returns the contexts that a file lists; none if it cannot be read.
cosched::context_set contexts_in_file(const std::string& file);

/// Returns the contexts as such files list them.
std::string list_of_contexts(const cosched::context_set& contexts);

}  // namespace callisto::broker
