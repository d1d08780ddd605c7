// Describes the thread tree in words and lines. workers/teams/thread_tree.hpp builds that tree.
#include <callisto/app/machine/draw_levels.hpp>

#include <callisto/app/base/text.hpp>
#include <callisto/workers/teams/parts.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace callisto::app {
namespace {

using workers::parts_of;

std::vector<unsigned> all_of(const distributor::layout& all) {
  std::vector<unsigned> threads;
  for (unsigned t = 0; t < all.threads(); ++t) threads.push_back(t);
  return threads;
}

void draw_below(std::string& text, const distributor::layout& all, const nesting& levels,
                const std::vector<unsigned>& threads, unsigned level, unsigned depth) {
  if (level == 0) return;
  const distributor::level unit = levels.unit(level);
  const auto parts = parts_of(all, threads, unit);
  if (parts.size() == 1 || parts.size() == threads.size()) {
    return draw_below(text, all, levels, threads, level - 1, depth);
  }
  for (const auto& part : parts) {
    std::string members;
    for (const unsigned t : part) members += fmt::format(" w{}", t);
    text += fmt::format("{:{}}{} (level {}):{}\n", "", 2 * depth, name_of(unit), level, members);
    draw_below(text, all, levels, part, level - 1, depth + 1);
  }
}

}  // namespace

level_use use_of(const distributor::layout& threads, const nesting& levels, unsigned level) {
  const distributor::level unit = levels.unit(level);
  const auto parts = parts_of(threads, all_of(threads), unit);
  level_use use{static_cast<unsigned>(parts.size()), 0, {}};
  for (const auto& part : parts) use.largest = std::max(use.largest, static_cast<unsigned>(part.size()));
  if (parts.size() == threads.threads()) {
    use.meaning =
        level == 0 ? "all threads" : fmt::format("folds: a thread for each {}, so all threads", name_of(unit));
  } else if (parts.size() == 1) {
    use.meaning = fmt::format("folds: one {}, so the leader, and loops inside on all threads", name_of(unit));
  } else {
    use.meaning =
        fmt::format("a thread for each {}, loops inside on up to {}", name_of(unit), counted(use.largest, "thread"));
  }
  return use;
}

std::string draw_levels(const distributor::layout& threads, const nesting& levels) {
  std::string text = "machine:";
  for (const unsigned t : all_of(threads)) text += fmt::format(" w{}", t);
  text += '\n';
  draw_below(text, threads, levels, all_of(threads), levels.highest(), 1);
  return text;
}

}  // namespace callisto::app
