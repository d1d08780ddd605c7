// Texts of options and parsers beyond the texts that CLI11 keeps: for --help, completion and documentation.
#pragma once

#include <callisto/app/cli/parser.hpp>

#include <string>
#include <vector>

namespace callisto::app {

struct option_words {
  /// Kind of the value: one of `choices`, a list of them separated by commas, or one of them or a file.
  enum { one, list, or_file } kind = one;
  std::vector<std::string> choices;  ///< empty: the name of the value says what it is, such as FILE
  std::string more;                  ///< as command_option::more
};

struct parser_words {
  bool only_subcommands = false;
  std::string more;     ///< as command_parser::more
  std::string program;  ///< name of the program behind the options in --help; empty: none
  std::string program_description;
  std::vector<weight_row> weights;
  std::vector<memory_row> memory;
  std::vector<key_row> keys;
  std::string below_keys;
  std::vector<rule_row> rules;
};

// Empty words if nothing was said.
const option_words& words_of(const CLI::Option* option);
const parser_words& words_of(const CLI::App* parser);

}  // namespace callisto::app
