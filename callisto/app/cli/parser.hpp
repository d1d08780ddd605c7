// The parser of the commands: the part of CLI11 that they need. Few files include CLI11 itself: its headers define
// objects and virtual functions, and compiling them takes seconds in each file that includes them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace callisto::app {

/// A row of the page on weights (docs/reference/weights.md): what a command takes the weights of edges for.
struct weight_row {
  std::string when;             ///< the options or the part of the answer that it holds for; empty: all
  std::string are;              ///< strengths, lengths, ..., or "not used"
  std::string repeats;          ///< what becomes of edges that repeat, if they have weights
  std::string repeats_without;  ///< and if they have none; empty: there is no such case
};

/// A row of the page on formats: a question about a table (docs/reference/formats.md).
struct rule_row {
  std::string question, rule, flag;
};

/// A row of the page on memory (docs/reference/memory.md).
struct memory_row {
  std::string when;   ///< the options that it holds for; empty: all
  std::string bytes;  ///< what the command takes at most beyond the graph
};

/// A row of the page on JSON (docs/reference/cli-json.md).
struct key_row {
  std::string keys;  ///< one or several, each between backticks
  std::string meaning;
};

/// An option or a positional argument of a parser, to say more about it. A handle, valid as long as its parser.
class command_option {
 public:
  explicit command_option(CLI::Option* of) : of_(of) {}

  // Each returns *this.
  const command_option& type_name(const std::string& name) const;  ///< of its value, in --help
  const command_option& group(const std::string& heading) const;   ///< under which --help lists it
  const command_option& required(bool is = true) const;
  const command_option& excludes(const command_option& other) const;
  const command_option& needs(const std::string& other) const;
  const command_option& one_value() const;        ///< of a list of texts: takes one each time that it is given
  const command_option& may_be_repeated() const;  ///< of a parsed one: stores every value instead of the last

  /// Gives the values that completion offers. The option itself checks what it gets, and may take further values.
  const command_option& words(std::vector<std::string> choices) const;
  /// Gives the values of which completion offers a list, separated by commas.
  const command_option& word_list(std::vector<std::string> choices) const;
  /// Gives the values that completion offers besides files.
  const command_option& words_or_file(std::vector<std::string> choices) const;

  /// Gives sentences that follow the description in the manual page and the reference, but not in --help. `code` stands
  /// between backticks.
  const command_option& more(const std::string& text) const;

 private:
  CLI::Option* of_;
};

/// A command's parser: before parsing the options that there are, after it the options that were given. A handle, valid
/// as long as the CLI::App of the whole command line. The variables that options are stored in must live as long.
class command_parser {
 public:
  explicit command_parser(CLI::App& of) : of_(&of) {}

  command_parser add_subcommand(const std::string& name, const std::string& description) const;
  void at_most_one_subcommand() const;
  void only_subcommands() const;  ///< alone the command does nothing: one of its subcommands is required
  void hide() const;              ///< from the outer command's --help, completion and documentation
  void subject(const std::string& heading) const;  ///< under which the outer command's --help lists it

  /// Text below the options in --help. An empty line ends a paragraph; lines of a paragraph are joined and broken anew
  /// to the width of the terminal; a line that begins with two spaces stays as it is.
  void footer(const std::string& text) const;

  /// Paragraphs that the manual page and the reference have besides the footer's, as command_option::more.
  void more(const std::string& text) const;

  // Rows of the pages of the reference about all commands. Each call adds to the earlier ones.
  void weights(weight_row row) const;
  void memory(memory_row row) const;
  void rules(std::vector<rule_row> rows) const;
  /// `below`: a paragraph below the table of keys.
  void keys(const std::vector<key_row>& rows, const std::string& below = "") const;

  /// Behind the options stands another program with its arguments, which this parser does not see.
  void program_follows(const std::string& name, const std::string& description) const;

  command_option add_flag(const std::string& names, bool& given, const std::string& description) const;
  command_option add_flag(const std::string& names, std::function<void()> when_given,
                          const std::string& description) const;
  command_option add_option(const std::string& names, std::string& value, const std::string& description) const;
  command_option add_option(const std::string& names, std::optional<std::string>& value,
                            const std::string& description) const;
  command_option add_option(const std::string& names, std::vector<std::string>& values,
                            const std::string& description) const;

  std::string name() const;
  bool chosen() const;  ///< true if the command line names this command

  /// Throws usage_error if an option of `outer` stands before the name of this subcommand, which has its own options.
  void refuse_options_of(const command_parser& outer) const;

 private:
  friend command_option add_parsed(const command_parser& parser, const std::string& names, const std::string& type,
                                   std::function<void(const std::string&)> store, const std::string& description);
  CLI::App* of_;
};

/// Adds an option to `parser`. `store` parses its text and throws usage_error if it is wrong.
command_option add_parsed(const command_parser& parser, const std::string& names, const std::string& type,
                          std::function<void(const std::string&)> store, const std::string& description);

}  // namespace callisto::app
