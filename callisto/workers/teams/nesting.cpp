// Reads and writes the words for a mapping of nesting levels.
#include <callisto/workers/teams/nesting.hpp>

#include <callisto/distributor/grammar_reader.hpp>

#include <cstdlib>
#include <optional>

namespace callisto {

using distributor::level;

// One of the paper's mappings: parallel inside a core if cores have several threads, else the same as flat.
nesting::nesting() noexcept : highest_(2) {
  units_[1] = level::core;
  units_[2] = level::socket;
}

nesting nesting::parse(std::string_view text, std::string_view where) {
  struct named {
    level unit;
    std::size_t at;  ///< its position in the text
  };
  std::array<std::optional<named>, max_level + 1> found;
  distributor::grammar_reader in(text, where);
  for (bool first = true;; first = false) {
    const std::size_t level_at = in.position();
    const std::string_view word = in.word();
    if (first && word == "auto") {
      if (!in.at_end()) in.fail(in.position(), "nothing after auto");
      return {};
    }
    if (word.size() != 1 || word[0] < '1' || word[0] > '0' + static_cast<char>(max_level)) {
      in.fail(level_at, std::string(first ? "auto, or " : "") + "a level from 1 to " + std::to_string(max_level));
    }
    auto& place = found[static_cast<unsigned>(word[0] - '0')];
    if (place) in.fail(level_at, "a level that has not been named yet");
    if (!in.take(':')) in.fail(in.position(), "':' and a part of the machine");
    const std::size_t unit_at = in.position();
    place = named{in.read_level(), unit_at};
    if (in.at_end()) break;
    if (!in.take(',')) in.fail(in.position(), "',' or the end");
  }
  nesting n;
  n.units_ = {};
  n.highest_ = 0;
  level narrowest = level::thread;
  for (unsigned l = 1; l <= max_level; ++l) {
    if (!found[l]) continue;
    if (found[l]->unit < narrowest) {
      in.fail(found[l]->at, "a part no narrower than " + std::string(name_of(narrowest)) + ", which level " +
                                std::to_string(n.highest_) + " has");
    }
    narrowest = found[l]->unit;
    for (unsigned below = n.highest_ + 1u; below <= l; ++below) n.units_[below] = narrowest;
    n.highest_ = static_cast<std::uint8_t>(l);
  }
  return n;
}

nesting nesting::from_environment() {
  const char* const text = std::getenv("CALLISTO_LEVELS");
  return text == nullptr || *text == '\0' ? nesting() : parse(text, "CALLISTO_LEVELS");
}

std::string nesting::to_string() const {
  std::string text;
  for (unsigned l = highest_; l > 0; --l) {
    if (!text.empty()) text += ',';
    text += std::to_string(l) + ':';
    text += name_of(unit(l));
  }
  return text;
}

}  // namespace callisto
