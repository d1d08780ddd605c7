// callisto compare-groups: tells how much two divisions of the same vertices agree.
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/notes.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/app/graph/table_file.hpp>
#include <callisto/graph/communities/compare.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace callisto::app {
namespace {

struct compare_arguments {
  std::string a;
  std::string b;
  run_options run;
};

/// The groups of one file: by vertex, as it is called there, the number of its group.
using groups_by_name = std::unordered_map<std::string, std::uint64_t>;

groups_by_name read_groups(const std::string& path) {
  groups_by_name found;
  std::unordered_map<std::string, std::uint64_t> numbers;
  for_each_line(path, graph::any_graph(), [&](std::uint64_t, const std::vector<std::string_view>& fields) {
    if (fields.size() < 2)
      throw usage_error("expected a vertex and its group, two columns with a tab or a comma between");
    const std::uint64_t group = numbers.emplace(fields[1], numbers.size()).first->second;
    const auto [at, is_new] = found.emplace(fields[0], group);
    if (!is_new && at->second != group) {
      throw usage_error(fmt::format("{} is in a group already; a vertex has one group", one_line(at->first)));
    }
  });
  return found;
}

void run(const compare_arguments& o) {
  const groups_by_name a = read_groups(o.a);
  const groups_by_name b = read_groups(o.b);
  std::vector<std::uint64_t> in_a;
  std::vector<std::uint64_t> in_b;
  for (const auto& [name, group] : a) {
    if (const auto other = b.find(name); other != b.end()) {
      in_a.push_back(group);
      in_b.push_back(other->second);
    }
  }
  if (in_a.empty()) throw input_error(o.b, 0, "has no vertex of " + o.a);
  const std::uint64_t only_a = a.size() - in_a.size();
  const std::uint64_t only_b = b.size() - in_b.size();
  if (only_a + only_b != 0) {
    warn(fmt::format("vertices that the other file lacks are left out: {} of {} and {} of {}", with_separators(only_a),
                     o.a, with_separators(only_b), o.b));
  }
  const graph::groups_comparison found = graph::compare_groups(in_a, in_b);
  if (o.run.as_json) {
    print(o.run.to_text({{"files", {o.a, o.b}},
                         {"vertices", found.items},
                         {"left_out", {only_a, only_b}},
                         {"groups", {found.groups_a, found.groups_b}},
                         {"shared", found.both},
                         {"normalized_mutual_information", found.mutual_information},
                         {"adjusted_rand", found.adjusted_rand},
                         {"rand", found.rand},
                         {"variation_of_information", found.variation_of_information}}));
    return;
  }
  if (o.run.quiet) {
    print(fmt::format("{}\t{}\n", found.mutual_information, found.adjusted_rand));
    return;
  }
  table facts = name_value_table();
  facts.add_row({"vertices", with_separators(found.items)});
  facts.add_row({"groups", fmt::format("{} and {}", with_separators(found.groups_a), with_separators(found.groups_b))});
  facts.add_row(
      {"normalized mutual information", fmt::format("{:.6f} (1: equal, 0: independent)", found.mutual_information)});
  facts.add_row({"adjusted Rand index", fmt::format("{:.6f} (1: equal, 0: as by chance)", found.adjusted_rand)});
  facts.add_row({"Rand index", fmt::format("{:.6f}", found.rand)});
  facts.add_row({"variation of information", fmt::format("{:.6f} nats (0: equal)", found.variation_of_information)});
  print(facts.render());
}

}  // namespace

command add_compare_groups(const command_parser& app) {
  const command_parser parser =
      app.add_subcommand("compare-groups", "Tell how much two divisions of vertices into groups agree");
  const auto o = std::make_shared<compare_arguments>();
  parser.add_option("A", o->a, "A file with a vertex and its group a line, as --output writes them")
      .required()
      .type_name("FILE");
  parser.add_option("B", o->b, "Another such file of the same vertices").required().type_name("FILE");
  o->run.add_reporting_to(parser);
  parser.more(
      "Normalized mutual information is that of Danon et al. (2005), by the mean of both entropies. The adjusted Rand "
      "index is Hubert and Arabie's (1985), the variation of information Meila's (2003). Vertices that one file lacks "
      "are left out, and counted on standard error. Commas separate the fields of a `.csv` file; of other files tabs.");
  parser.keys({
      {"`files`", "the two files"},
      {"`vertices`", "vertices that both have"},
      {"`left_out`", "vertices that only the first has, and only the second"},
      {"`groups`", "groups of each, of vertices that both have"},
      {"`shared`", "pairs of groups, one of each file, that share a vertex"},
      {"`normalized_mutual_information`", "1 if the divisions are equal, 0 if they are independent"},
      {"`adjusted_rand`", "1 if they are equal, 0 as by chance, or below"},
      {"`rand`", "share of pairs of vertices that are together in both, or apart in both"},
      {"`variation_of_information`", "in nats; 0 if they are equal"},
  });
  parser.footer(
      "The files are what communities, components and the like write with --output, or tables of\n"
      "your own. Names of groups mean nothing: only which vertices are together. --quiet prints\n"
      "the normalized mutual information and the adjusted Rand index.\n\n"
      "Examples:\n"
      "  callisto compare-groups leiden.tsv louvain.tsv\n"
      "  callisto compare-groups found.csv known.csv --json | jq .adjusted_rand");
  return {parser, [o](const std::stop_token&) { run(*o); }};
}

}  // namespace callisto::app
