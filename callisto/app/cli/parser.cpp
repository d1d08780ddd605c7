// The commands' options, by CLI11.
#include <callisto/app/cli/parser.hpp>

#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>
#include <CLI/App.hpp>
// CLI/App.hpp uses these two without including them.
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <utility>

namespace callisto::app {

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

command_parser command_parser::add_subcommand(const std::string& name, const std::string& description) const {
  return command_parser(*of_->add_subcommand(name, description));
}

void command_parser::at_most_one_subcommand() const { of_->require_subcommand(0, 1); }

void command_parser::hide() const { of_->group(""); }

void command_parser::footer(const std::string& text) const { of_->footer(text); }

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
    throw usage_error(fmt::format("{0}: expected behind {1}, found before it; see 'callisto {2} {1} --help'",
                                  option->get_name(), of_->get_name(), outer.of_->get_name()));
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
