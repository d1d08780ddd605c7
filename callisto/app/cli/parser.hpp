// The options of the commands: the part of CLI11 that they need. Only few files include CLI11 itself: its headers
// define objects and virtual functions, which a compiler makes again, for seconds, in each file that includes them.
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

/// An option of a parser, to say more about it. A handle, valid as long as its parser.
class command_option {
 public:
  explicit command_option(CLI::Option* of) : of_(of) {}

  // Each returns *this.
  const command_option& type_name(const std::string& name) const;  ///< of its value, in --help
  const command_option& group(const std::string& heading) const;   ///< under which --help lists it
  const command_option& required(bool is = true) const;
  const command_option& excludes(const command_option& other) const;
  const command_option& needs(const std::string& other) const;
  const command_option& one_value() const;        ///< each time that it is given, where it is a list of texts
  const command_option& may_be_repeated() const;  ///< a parsed one, which else keeps the last

 private:
  CLI::Option* of_;
};

/// A command's parser: what options there are, and after parsing what they were. A handle, valid as long as the
/// CLI::App of the whole command line. What options are stored in must live as long.
class command_parser {
 public:
  explicit command_parser(CLI::App& of) : of_(&of) {}

  command_parser add_subcommand(const std::string& name, const std::string& description) const;
  void at_most_one_subcommand() const;
  void hide() const;  ///< from the outer command's --help
  void footer(const std::string& text) const;

  command_option add_flag(const std::string& names, bool& given, const std::string& description) const;
  command_option add_flag(const std::string& names, std::function<void()> when_given,
                          const std::string& description) const;
  command_option add_option(const std::string& names, std::string& value, const std::string& description) const;
  command_option add_option(const std::string& names, std::optional<std::string>& value,
                            const std::string& description) const;
  command_option add_option(const std::string& names, std::vector<std::string>& values,
                            const std::string& description) const;

  std::string name() const;
  bool chosen() const;  ///< the command line names this command

  /// What stands behind the name of this subcommand of `outer` has options of its own: throws usage_error if one of
  /// `outer` stands before it.
  void refuse_options_of(const command_parser& outer) const;

 private:
  friend command_option add_parsed(const command_parser& parser, const std::string& names, const std::string& type,
                                   std::function<void(const std::string&)> store, const std::string& description);
  CLI::App* of_;
};

/// An option of `parser` whose text `store` parses; `store` throws usage_error.
command_option add_parsed(const command_parser& parser, const std::string& names, const std::string& type,
                          std::function<void(const std::string&)> store, const std::string& description);

}  // namespace callisto::app
