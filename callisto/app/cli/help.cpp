// Help and the wording of mistakes, from the tree of parsers.
#include <callisto/app/cli/help.hpp>

#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/colour.hpp>
#include <callisto/app/cli/parser_words.hpp>

#include <fmt/format.h>
#include <CLI/App.hpp>
// CLI/App.hpp uses these two without including them.
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace callisto::app {
namespace {

constexpr std::size_t narrowest = 40;
constexpr std::size_t widest = 120;

/// The words of `text`, all line feeds and blanks between them removed.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" \n");
    if (begin == std::string_view::npos) return words;
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

/// The words of `text` in lines of at most `width` columns; all but the first begin with `indent` blanks, for which the
/// first has room already.
std::string filled(std::string_view text, std::size_t indent, std::size_t width) {
  std::string lines;
  std::size_t column = indent;
  for (const std::string& word : split(text)) {
    const std::size_t length = columns(word);
    if (column != indent && column + 1 + length > width) {
      lines += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column != indent) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += length;
  }
  return lines + '\n';
}

/// A row of a list: `name` in the left column, `description` right of it, or below where the name is too long.
std::string row(const std::string& name, std::string_view description, std::size_t width) {
  const std::size_t left = width < 72 ? 8 : 24;
  std::string line = "  " + name;
  if (line.size() + 2 > left) {
    line += '\n' + std::string(left, ' ');
  } else {
    line.resize(left, ' ');
  }
  return line + filled(description, left, width);
}

/// The heading that CLI11 gives the options that are a subcommand's own.
constexpr std::string_view own_options = "Options";

/// The first three examples of a footer, a line each.
std::string first_examples(std::string_view footer) {
  constexpr std::string_view begin = "Examples:\n";
  const std::size_t at = footer.find(begin);
  if (at == std::string_view::npos) return {};
  footer.remove_prefix(at + begin.size());
  std::string examples;
  for (int lines = 0; lines < 3 && footer.starts_with("  "); ++lines) {
    const std::size_t end = std::min(footer.find('\n'), footer.size());
    examples += std::string(footer.substr(0, end)) + '\n';
    footer.remove_prefix(std::min(end + 1, footer.size()));
  }
  return examples;
}

const CLI::App* chosen(const CLI::App& app, std::string& path) {
  const CLI::App* parser = &app;
  path = parser->get_name();
  for (auto inner = parser->get_subcommands(); !inner.empty(); inner = parser->get_subcommands()) {
    parser = inner.front();
    path += ' ' + parser->get_name();
  }
  return parser;
}

std::vector<const CLI::App*> shown_subcommands(const CLI::App& parser) {
  return parser.get_subcommands([](const CLI::App* s) { return !s->get_group().empty(); });
}

std::string usage_of(const CLI::Option& positional) {
  std::string name = positional.get_name(true, false);
  if (positional.get_items_expected_max() > 1) name += "...";
  return positional.get_required() ? name : '[' + name + ']';
}

std::string names_of(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += (names.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) names += (names.empty() ? "--" : ", --") + name;
  if (option.get_type_size() != 0) names += ' ' + option.get_type_name();
  return names;
}

/// All names of options of `parser`, with their dashes.
std::vector<std::string> flags_of(const CLI::App& parser) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : parser.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

/// How many letters must be inserted, removed, replaced or exchanged with the next to make `b` of `a`.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

/// The known word that `word`, found behind the name of `parser`, was meant to be; or an empty text.
std::string meant_by(const std::string& word, const CLI::App& parser) {
  // Threads of a program are as many as the contexts that it may use.
  if (parser.get_name() == "run" && word.substr(0, word.find('=')) == "--threads") return "--contexts";
  if (word.starts_with('-')) return nearest(word.substr(0, word.find('=')), flags_of(parser));
  std::vector<std::string> known;
  for (const CLI::App* s : shown_subcommands(parser)) {
    known.push_back(s->get_name());
    for (const CLI::App* inner : shown_subcommands(*s)) {
      if (inner->get_name() == word) return s->get_name() + ' ' + word;
    }
  }
  if (parser.get_parent() == nullptr) known.emplace_back("help");
  return nearest(word, known);
}

}  // namespace

std::size_t help_width() noexcept {
  std::size_t width = 100;
  const char* const said = std::getenv("COLUMNS");
  const std::string_view text = said == nullptr ? "" : said;
  std::size_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  winsize size{};
  if (!text.empty() && failed == std::errc() && end == text.data() + text.size()) {
    width = number;
  } else if ((::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) ||
             (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)) {
    // Of `--help | less`, standard error is the terminal still.
    width = size.ws_col;
  }
  return std::clamp(width, narrowest, widest);
}

namespace {

/// Returns an example that fits: what it does moves below the command, and a long command goes on below.
std::string example(std::string_view line, std::size_t width) {
  constexpr std::string_view below = "\n      ";
  std::string out;
  const std::size_t command = std::min(line.find_first_not_of(' '), line.size());
  if (const std::size_t gap = line.find("   ", command); gap != line.npos && columns(line) > width) {
    const std::size_t words = line.find_first_not_of(' ', gap);
    return example(line.substr(0, gap), width) + std::string(below) + std::string(line.substr(words));
  }
  while (columns(line) + (out.empty() ? 0 : below.size() - 1) > width) {
    // The last option that leaves room for the backslash; an option's value stays beside it.
    const std::size_t room = width - 2 - (out.empty() ? 0 : below.size() - 1);
    const std::size_t at = line.rfind(" --", std::min(room, line.size()));
    if (at == line.npos || at <= command) break;
    out += std::string(line.substr(0, at)) + " \\" + std::string(below);
    line.remove_prefix(at + 1);
  }
  return out + std::string(line);
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width) {
  std::string lines;
  std::string paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) lines += filled(paragraph, 0, width);
    paragraph.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with("  ")) {
      end_paragraph();
      lines += (columns(line) > width ? example(line, width) : std::string(line)) + '\n';
    } else {
      paragraph += std::string(line) + ' ';
    }
  }
  end_paragraph();
  return lines;
}

std::vector<std::string> usages_of(const CLI::App& parser) {
  std::vector<std::string> usages;
  const parser_words& words = words_of(&parser);
  if (!words.only_subcommands) {
    std::string own = "[OPTIONS]";
    for (const CLI::Option* option : parser.get_options()) {
      if (option->get_positional() && !option->get_group().empty()) own += ' ' + usage_of(*option);
    }
    if (!words.program.empty()) own += " [--] " + words.program + " [ARGUMENT...]";
    usages.push_back(own);
  }
  for (const CLI::App* s : shown_subcommands(parser)) {
    for (const std::string& usage : usages_of(*s)) usages.push_back(s->get_name() + ' ' + usage);
  }
  return usages;
}

std::string help_of(const CLI::App& app, const help_form& form) {
  const std::size_t width = form.width;
  const auto heading = [&](const std::string& text) { return bold(text, form.coloured); };
  std::string path;
  const CLI::App& parser = *chosen(app, path);
  const parser_words& words = words_of(&parser);
  std::string text = wrapped(parser.get_description(), width) + '\n';

  const bool outermost = parser.get_parent() == nullptr;
  const std::vector<std::string> usages =
      outermost ? std::vector<std::string>{"SUBCOMMAND [OPTIONS] [ARGUMENT...]", "help [SUBCOMMAND]", "--version"}
                : usages_of(parser);
  for (const std::string& usage : usages) {
    text += fmt::format("{} {} {}\n", &usage == &usages.front() ? heading("Usage:") : "      ", path, usage);
  }

  std::string arguments;
  for (const CLI::Option* option : parser.get_options()) {
    if (!option->get_positional() || option->get_group().empty()) continue;
    arguments += row(option->get_name(true, false), option->get_description(), width);
  }
  if (!words.program.empty()) arguments += row(words.program, words.program_description, width);
  if (!arguments.empty()) text += '\n' + heading("Arguments:") + '\n' + arguments;

  std::string left_out;
  for (const std::string& group : parser.get_groups()) {
    if (group.empty()) continue;
    if (form.brief && group != own_options) {
      left_out += (left_out.empty() ? "" : ", ") + group;
      continue;
    }
    std::string rows;
    for (const CLI::Option* option : parser.get_options()) {
      if (!option->nonpositional() || option->get_group() != group) continue;
      rows += row(names_of(*option), option->get_description(), width);
    }
    if (!rows.empty()) text += fmt::format("\n{}\n{}", heading(group + ':'), rows);
  }

  std::vector<std::string> subjects;
  for (const CLI::App* s : shown_subcommands(parser)) {
    if (std::ranges::find(subjects, s->get_group()) == subjects.end()) subjects.push_back(s->get_group());
  }
  for (const std::string& subject : subjects) {
    text += '\n' + heading(subject + ':') + '\n';
    for (const CLI::App* s : shown_subcommands(parser)) {
      if (s->get_group() == subject) text += row(s->get_name(), s->get_description(), width);
    }
  }
  const std::string footer = parser.get_footer();
  if (form.brief) {
    const std::string examples = first_examples(footer);
    if (!examples.empty()) text += '\n' + heading("Examples:") + '\n' + examples;
    const std::string more = left_out.empty() ? std::string("more") : "more, and the options of: " + left_out;
    return text + '\n' + wrapped(fmt::format("'{} --help' says {}.", path, more), width);
  }
  if (footer.empty()) return text;
  std::string below = wrapped(footer, width);
  if (const std::size_t at = below.find("Examples:\n"); at != std::string::npos) {
    below.replace(at, 9, heading("Examples:"));
  }
  return text + '\n' + below;
}

std::string with_suggestion(const CLI::App& app, std::string_view message) {
  const std::string plain(message);
  constexpr std::string_view before = "found '";
  const std::size_t begin = message.rfind(before);
  const std::size_t colon = message.find(':');
  if (colon == message.npos || begin == message.npos || !message.ends_with('\'')) return plain;
  const std::string_view word = message.substr(begin + before.size(), message.size() - begin - before.size() - 1);
  std::string path;
  for (const CLI::Option* option : chosen(app, path)->get_options()) {
    if (!option->check_name(std::string(message.substr(0, colon)))) continue;
    const std::string meant = nearest(word, words_of(option).choices);
    return meant.empty() || meant == word ? plain : fmt::format("{}; did you mean '{}'?", message, meant);
  }
  return plain;
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = std::min<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t d = distance(word, candidate);
    if (d < least) {
      least = d;
      best = candidate;
    }
  }
  if (!best.empty()) return best;
  // The only one that begins so.
  for (const std::string& candidate : known) {
    if (word.size() < 3 || !candidate.starts_with(word)) continue;
    if (!best.empty()) return {};
    best = candidate;
  }
  return best;
}

std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  std::string path;
  const CLI::App* parser = chosen(app, path);
  // In the order in which they were given, which CLI11 reverses. Words before the subcommand first.
  std::vector<std::string> unexpected = app.remaining();
  if (!unexpected.empty()) {
    parser = &app;
    path = app.get_name();
  } else {
    unexpected = app.remaining(true);
  }
  std::string message;
  std::string choices;
  if (words_of(parser).only_subcommands) {
    for (const CLI::App* s : shown_subcommands(*parser)) choices += (choices.empty() ? "" : ", ") + s->get_name();
  }
  if (!choices.empty() && (unexpected.empty() || !unexpected.front().starts_with('-'))) {
    message = fmt::format("{}: expected one of {}, found {}", parser->get_name(), choices,
                          unexpected.empty() ? "nothing" : '\'' + unexpected.front() + '\'');
    if (!unexpected.empty()) {
      const std::string meant = meant_by(unexpected.front(), *parser);
      if (!meant.empty()) message += fmt::format("; did you mean '{}'?", meant);
    }
  } else if (!unexpected.empty()) {
    // Behind the name of a subcommand, an unknown option makes a file of its value, and the file is then one too many.
    const auto option = std::ranges::find_if(unexpected, [](const std::string& word) { return word.starts_with('-'); });
    const std::string& wrong = parser != &app && option != unexpected.end() ? *option : unexpected.front();
    const std::string meant = meant_by(wrong, *parser);
    // The first word that is no option chooses a subcommand.
    const bool chooses = parser == &app && !wrong.starts_with('-') && !app.get_subcommands({}).empty();
    message = chooses ? fmt::format("no subcommand '{}'", wrong) : "not expected: " + wrong;
    if (!meant.empty()) message += fmt::format("; did you mean '{}'?", meant);
  } else {
    message = error.what();
    while (!message.empty() && (message.back() == '.' || message.back() == '\n')) message.pop_back();
    constexpr std::string_view once = "At Most 1 required but received ";
    constexpr std::string_view missing = " missing";
    if (const std::size_t at = message.find(once); at != std::string::npos) {
      message = message.substr(0, at) + "expected once, given " + message.substr(at + once.size()) + " times";
    } else if (const std::size_t value = message.find(": 1 required ");
               value != std::string::npos && message.ends_with(missing)) {
      const std::size_t name = value + std::string_view(": 1 required ").size();
      message = fmt::format("{}: expected {}, found nothing", message.substr(0, value),
                            message.substr(name, message.size() - missing.size() - name));
    }
  }
  return fmt::format("{}{} '{} --help'", message, message.ends_with('?') ? " See" : "; see", path);
}

}  // namespace callisto::app
