// Reads and writes the words for a schedule.
#include <callisto/distributor/schedule.hpp>

#include <callisto/distributor/grammar_reader.hpp>

#include <cstdlib>

namespace callisto {
namespace {

using distributor::level;
using distributor::stage;
using distributor::stage_kind;

}  // namespace

schedule schedule::parse(std::string_view text, std::string_view where) {
  distributor::grammar_reader in(text, where);
  schedule s;
  for (;;) {
    const std::size_t at = in.position();
    const std::string_view name = in.word();
    stage next;
    const bool first = s.size_ == 0;
    const bool room = s.size_ < s.stages_.size() - 1;
    std::size_t level_at = at;
    if (first && name == "auto") {
      if (!in.at_end()) in.fail(in.position(), "nothing after auto");
      return s;
    }
    if (first && name == "ranges") {
      next = {stage_kind::ranges, level::thread, false};
    } else if (name == "counter") {
      next = {stage_kind::counter, level::machine, false};
      if (in.take('(')) {
        level_at = in.position();
        next.at = in.read_level();
        if (!in.take(')')) in.fail(in.position(), "')'");
      }
    } else if (name == "combine" && room) {
      if (!in.take('(')) in.fail(in.position(), "'(' and a level");
      level_at = in.position();
      next = {stage_kind::combine, in.read_level(), false};
      if (in.take(',')) {
        const std::size_t mode_at = in.position();
        if (in.word() != "async") in.fail(mode_at, "async");
        if (!first) in.fail(mode_at, "')': only the first combine can be async");
        next.async = true;
      }
      if (!in.take(')')) in.fail(in.position(), next.async ? "')'" : "',' or ')'");
    } else {
      in.fail(at, first  ? "auto, ranges, counter or combine"
                  : room ? "counter or combine"
                         : "counter (two combines are the most)");
    }
    if (!first) {
      const stage& before = s.stages_[s.size_ - 1u];
      const bool both_combine = next.kind == stage_kind::combine;
      if (next.at < before.at || (both_combine && next.at == before.at)) {
        in.fail(level_at, "a level " + std::string(both_combine ? "wider than " : "no narrower than ") +
                              std::string(name_of(before.at)));
      }
    }
    s.stages_[s.size_++] = next;
    if (next.kind != stage_kind::combine) break;
    if (!in.take('/')) in.fail(in.position(), "'/' and where the combined requests go");
  }
  if (!in.at_end()) in.fail(in.position(), "the end");
  return s;
}

schedule schedule::from_environment() {
  const char* const text = std::getenv("CALLISTO_SCHEDULE");
  return text == nullptr || *text == '\0' ? schedule() : parse(text, "CALLISTO_SCHEDULE");
}

schedule schedule::best(const distributor::layout&, bool together) noexcept {
  schedule s;
  s.stages_[0] =
      together ? stage{stage_kind::counter, level::l3, false} : stage{stage_kind::ranges, level::thread, false};
  s.size_ = 1;
  return s;
}

std::string schedule::to_string() const {
  if (automatic()) return "auto";
  std::string text;
  for (const stage& s : stages()) {
    if (!text.empty()) text += '/';
    if (s.kind == stage_kind::ranges) return text + "ranges";
    text += s.kind == stage_kind::counter ? "counter(" : "combine(";
    text += name_of(s.at);
    text += s.async ? ",async)" : ")";
  }
  return text;
}

}  // namespace callisto
