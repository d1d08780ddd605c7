// The tree of parsers as JSON.
#include <callisto/app/cli/describe.hpp>

#include <callisto/app/base/json.hpp>
#include <callisto/app/cli/colour.hpp>
#include <callisto/app/cli/help.hpp>
#include <callisto/app/cli/parser_words.hpp>

#include <CLI/App.hpp>

// CLI/App.hpp uses these two without including them.
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <array>
#include <string>
#include <string_view>

namespace callisto::app {
namespace {

json describe_option(const CLI::Option& option) {
  constexpr std::array kinds{"one", "list", "or_file"};
  const option_words& words = words_of(&option);
  json object = json::object();
  json names = json::array();
  if (option.get_positional()) names.push_back(option.get_name(true, false));
  for (const std::string& name : option.get_snames()) names.push_back('-' + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  object["names"] = names;
  object["value"] = option.get_positional()       ? option.get_name(true, false)
                    : option.get_type_size() == 0 ? std::string()
                                                  : option.get_type_name();
  object["group"] = option.get_group();
  object["required"] = option.get_required();
  // Of a positional argument more than one may be given, an option more than once.
  object["many"] =
      option.get_items_expected_max() > 1 || option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  object["choices"] = words.choices;
  object["kind"] = words.choices.empty() ? "" : kinds.at(words.kind);
  object["description"] = option.get_description();
  object["more"] = words.more;
  return object;
}

json describe_parser(const CLI::App& parser) {
  const parser_words& words = words_of(&parser);
  json object = json::object();
  object["name"] = parser.get_name();
  object["subject"] = parser.get_group();
  object["description"] = parser.get_description();
  object["usages"] = usages_of(parser);
  object["only_subcommands"] = words.only_subcommands;
  object["program"] = words.program;
  object["program_description"] = words.program_description;
  object["footer"] = parser.get_footer();
  object["more"] = words.more;
  object["weights"] = json::array();
  for (const weight_row& row : words.weights) {
    object["weights"].push_back(
        {{"when", row.when}, {"are", row.are}, {"repeats", row.repeats}, {"repeats_without", row.repeats_without}});
  }
  object["memory"] = json::array();
  for (const memory_row& row : words.memory) object["memory"].push_back({{"when", row.when}, {"bytes", row.bytes}});
  object["keys"] = json::array();
  for (const key_row& row : words.keys) object["keys"].push_back({{"keys", row.keys}, {"meaning", row.meaning}});
  object["below_keys"] = words.below_keys;
  object["rules"] = json::array();
  for (const rule_row& row : words.rules)
    object["rules"].push_back({{"question", row.question}, {"rule", row.rule}, {"flag", row.flag}});
  json positionals = json::array();
  json options = json::array();
  for (const CLI::Option* option : parser.get_options()) {
    if (option->get_group().empty()) continue;
    (option->get_positional() ? positionals : options).push_back(describe_option(*option));
  }
  object["positionals"] = positionals;
  object["options"] = options;
  json inner = json::array();
  for (const CLI::App* s : parser.get_subcommands([](const CLI::App* s) { return !s->get_group().empty(); })) {
    inner.push_back(describe_parser(*s));
  }
  object["subcommands"] = inner;
  return object;
}

/// The option of all subcommands, which the program takes before they parse (program.cpp).
json describe_colour() {
  json object = json::object();
  object["names"] = json::array({"--color"});
  object["value"] = "WHEN";
  object["many"] = false;
  object["choices"] = json::array();
  for (const std::string_view word : colour_words) object["choices"].push_back(word);
  object["kind"] = "one";
  object["description"] = "When to write in colours";
  return object;
}

}  // namespace

std::string describe(const CLI::App& app) {
  json all = describe_parser(app);
  all["everywhere"] = json::array({describe_colour()});
  return to_text(all);
}

}  // namespace callisto::app
