// The command's texts about its use: --help, usage lines, and mistakes on the command line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class ParseError;  // NOLINT(readability-identifier-naming): CLI11's name
}  // namespace CLI

namespace callisto::app {

/// Returns the columns that --help has: COLUMNS if that is a number, else the columns of the terminal on standard
/// output, else 100; from 40 to 120.
std::size_t help_width() noexcept;

/// Returns `text` broken into lines of at most `width` columns, as command_parser::footer says.
std::string wrapped(std::string_view text, std::size_t width);

/// Returns all ways to call `parser`, without its name and what is before it: "[OPTIONS] FILE", "gap [OPTIONS]
/// [FILE...]".
std::vector<std::string> usages_of(const CLI::App& parser);

/// How help looks.
struct help_form {
  std::size_t width = 100;
  bool brief = false;     ///< without options of several subcommands, explanations, and all but three examples
  bool coloured = false;  ///< headings in bold letters
};

/// Returns the --help of the subcommand that the command line named last.
std::string help_of(const CLI::App& app, const help_form& form);

/// Returns what is wrong with the command line as one line. It blames one word, says which known word is like it, and
/// names the --help to read.
std::string explain(const CLI::App& app, const CLI::ParseError& error);

/// Returns what is wrong with an option's value, as usage_error says it: "FLAG: expected ..., found 'WORD'". If FLAG
/// knows its words and WORD is a misspelling, the text ends with the word that was meant.
std::string with_suggestion(const CLI::App& app, std::string_view message);

/// Returns the one of `known` that `word` is a misspelling of, or an empty text.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace callisto::app
