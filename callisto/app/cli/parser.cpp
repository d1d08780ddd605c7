// The commands' options, by CLI11.
#include <callisto/app/cli/parser.hpp>

#include <callisto/app/cli/parser_words.hpp>
#include <callisto/app/cli/program_name.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>
#include <CLI/App.hpp>
// CLI/App.hpp uses these two without including them.
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <map>
#include <utility>

namespace callisto::app {
namespace {

// CLI11 has no place for these.
std::map<const CLI::Option*, option_words>& words_of_options() {
  static std::map<const CLI::Option*, option_words> all;
  return all;
}

std::map<const CLI::App*, parser_words>& words_of_parsers() {
  static std::map<const CLI::App*, parser_words> all;
  return all;
}

}  // namespace

const option_words& words_of(const CLI::Option* option) { return words_of_options()[option]; }

const parser_words& words_of(const CLI::App* parser) { return words_of_parsers()[parser]; }

const command_option& command_option::type_name(const std::string& name) const {
  of_->type_name(name);
  return *this;
}

const command_option& command_option::group(const std::string& heading) const {
  of_->group(heading);
  return *this;
}

const command_option& command_option::required(bool is) const {
  of_->required(is);
  return *this;
}

const command_option& command_option::excludes(const command_option& other) const {
  of_->excludes(other.of_);
  return *this;
}

const command_option& command_option::needs(const std::string& other) const {
  of_->needs(other);
  return *this;
}

const command_option& command_option::one_value() const {
  of_->allow_extra_args(false);
  return *this;
}

const command_option& command_option::may_be_repeated() const {
  of_->take_all()->trigger_on_parse();
  return *this;
}

const command_option& command_option::words(std::vector<std::string> choices) const {
  option_words& words = words_of_options()[of_];
  words.choices = std::move(choices);
  words.kind = option_words::one;
  return *this;
}

const command_option& command_option::word_list(std::vector<std::string> choices) const {
  words(std::move(choices));
  words_of_options()[of_].kind = option_words::list;
  return *this;
}

const command_option& command_option::words_or_file(std::vector<std::string> choices) const {
  words(std::move(choices));
  words_of_options()[of_].kind = option_words::or_file;
  return *this;
}

const command_option& command_option::more(const std::string& text) const {
  words_of_options()[of_].more = text;
  return *this;
}

command_parser command_parser::add_subcommand(const std::string& name, const std::string& description) const {
  return command_parser(*of_->add_subcommand(name, description));
}

void command_parser::at_most_one_subcommand() const { of_->require_subcommand(0, 1); }

void command_parser::only_subcommands() const {
  of_->require_subcommand(1);
  words_of_parsers()[of_].only_subcommands = true;
}

void command_parser::hide() const { of_->group(""); }

void command_parser::subject(const std::string& heading) const { of_->group(heading); }

void command_parser::footer(const std::string& text) const { of_->footer(text); }

void command_parser::more(const std::string& text) const { words_of_parsers()[of_].more = text; }

void command_parser::weights(weight_row row) const { words_of_parsers()[of_].weights.push_back(std::move(row)); }

void command_parser::memory(memory_row row) const { words_of_parsers()[of_].memory.push_back(std::move(row)); }

void command_parser::keys(const std::vector<key_row>& rows, const std::string& below) const {
  parser_words& words = words_of_parsers()[of_];
  words.keys.insert(words.keys.end(), rows.begin(), rows.end());
  words.below_keys += below;
}

void command_parser::rules(std::vector<rule_row> rows) const { words_of_parsers()[of_].rules = std::move(rows); }

void command_parser::program_follows(const std::string& name, const std::string& description) const {
  words_of_parsers()[of_].program = name;
  words_of_parsers()[of_].program_description = description;
}

command_option command_parser::add_flag(const std::string& names, bool& given, const std::string& description) const {
  return command_option(of_->add_flag(names, given, description));
}

command_option command_parser::add_flag(const std::string& names, std::function<void()> when_given,
                                        const std::string& description) const {
  return command_option(of_->add_flag_callback(names, std::move(when_given), description));
}

command_option command_parser::add_option(const std::string& names, std::string& value,
                                          const std::string& description) const {
  return command_option(of_->add_option(names, value, description));
}

command_option command_parser::add_option(const std::string& names, std::optional<std::string>& value,
                                          const std::string& description) const {
  return command_option(of_->add_option(names, value, description));
}

command_option command_parser::add_option(const std::string& names, std::vector<std::string>& values,
                                          const std::string& description) const {
  return command_option(of_->add_option(names, values, description));
}

std::string command_parser::name() const { return of_->get_name(); }

bool command_parser::chosen() const { return of_->parsed(); }

void command_parser::refuse_options_of(const command_parser& outer) const {
  for (const CLI::Option* option : outer.of_->get_options()) {
    if (option->count() == 0) continue;
    throw usage_error(fmt::format("{0}: expected behind {1}, found before it; see '{3} {2} {1} --help'",
                                  option->get_name(), of_->get_name(), outer.of_->get_name(), program_name()));
  }
}

command_option add_parsed(const command_parser& parser, const std::string& names, const std::string& type,
                          std::function<void(const std::string&)> store, const std::string& description) {
  return command_option(
      parser.of_
          ->add_option_function<std::string>(
              names, [store = std::move(store)](const std::string& text) { store(text); }, description)
          ->type_name(type));
}

}  // namespace callisto::app
