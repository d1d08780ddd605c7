// callisto communities: finds groups of vertices with more edges inside than chance would put there.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/notes.hpp>
#include <callisto/app/cli/rank_job.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/drawing.hpp>
#include <callisto/app/graph/groups.hpp>
#include <callisto/app/graph/weight_option.hpp>
#include <callisto/graph/communities/communities.hpp>
#include <callisto/graph/communities/communities_among.hpp>
#include <callisto/graph/components/components.hpp>
#include <callisto/graph/verify/communities.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::app {
namespace {

/// Members that are named of each of the largest communities.
constexpr std::size_t members_in_table = 5;

struct communities_arguments {
  graph_command common;
  graph::communities_options what;
  std::optional<double> resolution;  ///< none: the usual one
  weight_option weights{graph::weight_use::strength, true};
  std::string members;                   ///< the file of --members; empty: none
  mutable std::optional<result> listed;  ///< that file, open while the command runs
  std::string hierarchy;                 ///< the file of --hierarchy; empty: none
  mutable std::optional<result> levels;  ///< that file
  bool method_given = false;
};

/// Writes a line `community<TAB>member` for each vertex: the largest community first, its members in order of labels.
void write_members(result& out, bool csv, const graph::any_graph& graph, const graph::communities_result& groups,
                   const std::vector<std::pair<std::uint64_t, std::uint64_t>>& sizes) {
  const std::uint64_t n = groups.of.size();
  machine::page_array<std::uint64_t> next(n);  // by community: where its next member goes
  std::uint64_t begin = 0;
  for (const auto& [community, size] : sizes) {
    next[community] = begin;
    begin += size;
  }
  machine::page_array<std::uint64_t> members(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t v = by_label(graph, i);
    members[next[groups.of[v]]++] = v;
  }
  if (csv) out.write("community,member\n");
  std::string lines;
  for (std::uint64_t i = 0; i < n; ++i) {
    std::string line;
    append_label(line, graph, groups.of[members[i]]);
    line += '\t';
    append_label(line, graph, members[i]);
    lines += as_row(line, csv ? ',' : '\t') + '\n';
    constexpr std::size_t enough = std::size_t{1} << 20;
    if (lines.size() < enough && i + 1 != n) continue;
    out.write(lines);
    lines.clear();
  }
}

/// Writes a line `label<TAB>community<TAB>community...` for each vertex, a column a level, the smallest communities
/// first.
void write_hierarchy(result& out, bool csv, const graph::any_graph& graph, const graph::communities_result& groups) {
  if (csv) {
    out.write("vertex");
    for (std::size_t i = 0; i < groups.hierarchy.size(); ++i) out.write(fmt::format(",level{}", i + 1));
    out.write("\n");
  }
  const std::uint64_t n = groups.of.size();
  std::string lines;
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t v = by_label(graph, i);
    std::string line;
    append_label(line, graph, v);
    for (const auto& division : groups.hierarchy) {
      line += '\t';
      append_label(line, graph, division.of[v]);
    }
    lines += as_row(line, csv ? ',' : '\t') + '\n';
    constexpr std::size_t enough = std::size_t{1} << 20;
    if (lines.size() < enough && i + 1 != n) continue;
    out.write(lines);
    lines.clear();
  }
}

/// Returns the one of `all` that has the name `text`. Otherwise throws usage_error, which names `flag`.
template <class Value, std::size_t n>
Value parse_name(const char* flag, const std::string& text, const std::array<Value, n>& all) {
  std::string names;
  for (std::size_t i = 0; i < n; ++i) {
    if (text == name_of(all[i])) return all[i];
    names += i == 0 ? "" : i + 1 == n ? " or " : ", ";
    names += name_of(all[i]);
  }
  throw usage_error(fmt::format("{}: expected {}, found '{}'", flag, names, text));
}

constexpr std::array methods{graph::community_method::leiden, graph::community_method::louvain,
                             graph::community_method::labels};
constexpr std::array qualities{graph::community_quality::modularity, graph::community_quality::cpm};

graph::community_directions parse_directions(const std::string& text) {
  if (text == "follow") return graph::community_directions::follow;
  if (text == "ignore") return graph::community_directions::ignore;
  throw usage_error("--directions: expected follow or ignore, found '" + text + "'");
}

std::string method_words(graph::community_method method) {
  switch (method) {
    case graph::community_method::louvain:
      return "the Louvain method";
    case graph::community_method::labels:
      return "label propagation";
    default:
      return "the Leiden method";
  }
}

std::string quality_words(const graph::communities_options& what, double quality) {
  std::string text = fmt::format("{:.6f}", quality);
  if (what.resolution != 1) text += fmt::format(" at resolution {:.6g}", what.resolution);
  return text;
}

analysis analyse(const communities_arguments& o, const graph::any_graph& graph, const graph::run_control& context) {
  const stopwatch time;
  graph::communities_options what = o.what;
  const graph::shared_control control{context, rank_job::among()};
  what.resolution = o.resolution ? *o.resolution : graph::usual_resolution_among(graph, what.quality, control);
  // shared: append_values reads it later
  const auto groups = std::make_shared<graph::communities_result>(graph::communities_among(graph, what, control));
  analysis found;
  found.seconds = time.seconds();
  if (!rank_job::tells()) return found;
  if (o.common.verify) graph::verify_communities(graph, what, *groups);
  std::visit(
      [&](const auto& g) {
        name_by_label(groups->of, g);
        for (auto& division : groups->hierarchy) name_by_label(division.of, g);
      },
      graph);
  const auto sizes = graph::component_sizes(groups->of, context);
  json levels = json::array();
  for (const graph::community_level& level : groups->levels) {
    levels.push_back({{"vertices", level.vertices}, {"rounds", level.rounds}, {"moves", level.moves}});
  }
  const std::string quality{name_of(o.what.quality)};
  const bool directed = size_of(graph).directed;
  const bool follow = directed && o.what.directions == graph::community_directions::follow &&
                      o.what.quality == graph::community_quality::modularity &&
                      o.what.method != graph::community_method::labels;
  found.facts = {{"method", name_of(o.what.method)},
                 {"resolution", what.resolution},
                 {"communities", groups->communities},
                 {"largest_community", sizes.empty() ? 0 : sizes.front().second},
                 {quality, groups->quality},
                 {"converged", groups->converged},
                 {"seed", o.what.seed},
                 {"directions", follow ? "followed" : "ignored"},
                 {"levels", std::move(levels)}};
  found.rows = {{"communities", fmt::format("{} (by {}), each called by its smallest vertex",
                                            with_separators(groups->communities), method_words(o.what.method))},
                {quality, quality_words(what, groups->quality)},
                {"levels", fmt::format("{}{}", groups->levels.size(), groups->converged ? "" : ", not converged")},
                {"time", time_words(found.seconds)}};
  if (!groups->converged) {
    warn(fmt::format("{}: communities have not converged: {}", o.common.input.file,
                     o.what.method == graph::community_method::labels
                         ? "labels would change still"
                         : "joining two of them is better (--iterations)"));
  }
  o.weights.tell(found, graph);
  if (directed) found.rows.emplace_back("directions", follow ? "followed (--directions ignore: not)" : "ignored");
  if (o.common.verify) {
    found.tell_verified(quality + ", that each community is connected, and that " +
                        (o.what.method == graph::community_method::labels ? "each label is the heaviest around it"
                                                                          : "joining no two raises it"));
  }
  found.top = largest_groups(graph, sizes, o.common.top_count(), "community");
  if (!o.common.run.quiet) {
    for (const std::vector<std::uint64_t>& members :
         leading_members(graph, groups->of, sizes, found.top->rows.size(), members_in_table)) {
      found.top->members.emplace_back();
      for (const std::uint64_t v : members) found.top->members.back().push_back(label_of(graph, v));
    }
  }
  if (o.levels) {
    write_hierarchy(*o.levels, is_csv(o.hierarchy), graph, *groups);
    found.facts["hierarchy_file"] = o.hierarchy;
    json divisions = json::array();
    std::vector<std::uint64_t> counts;
    for (const auto& division : groups->hierarchy) {
      divisions.push_back({{"communities", division.communities}, {quality, division.quality}});
      counts.push_back(division.communities);
    }
    found.facts["hierarchy"] = std::move(divisions);
    found.rows.emplace_back("hierarchy",
                            fmt::format("{}: {} communities", one_line(o.hierarchy), fmt::join(counts, ", ")));
  }
  if (o.listed) {
    write_members(*o.listed, is_csv(o.members), graph, *groups, sizes);
    found.facts["members_file"] = o.members;
    found.rows.emplace_back("members", one_line(o.members));
  }
  found.columns = {"community"};
  found.append_values = [groups, &graph](std::string& line, std::uint64_t v) {
    append_label(line, graph, groups->of[v]);
  };
  return found;
}

}  // namespace

command add_communities(const command_parser& app) {
  const command_parser parser = app.add_subcommand("communities", "Find groups of vertices with many edges inside");
  const auto o = std::make_shared<communities_arguments>();
  add_parsed(
      parser, "--method", "METHOD",
      [o](const std::string& text) {
        o->what.method = parse_name("--method", text, methods);
        o->method_given = true;
      },
      "leiden or louvain, which maximize a quality, or labels (label propagation), which is\nquicker [leiden]")
      .words({"leiden", "louvain", "labels"})
      .more(
          "`leiden` refines communities, so that they can come apart again, and finds better ones. `labels` promises "
          "less: it maximizes no measure.");
  add_parsed(
      parser, "--quality", "QUALITY",
      [o](const std::string& text) { o->what.quality = parse_name("--quality", text, qualities); },
      "modularity, or cpm: the constant Potts model, which counts members [modularity]")
      .words({"modularity", "cpm"})
      .more(
          "With `cpm` a community's ties are denser than the resolution, and those between communities thinner. It "
          "has a meaning for negative weights, too, with leiden and louvain.");
  add_parsed(
      parser, "--resolution", "R",
      [o](const std::string& text) { o->resolution = parse_real("--resolution", text, {.low = 0}); },
      "Of the quality: higher for smaller communities, lower for larger ones [1; of cpm the\ndensity of the graph]")
      .more(
          "R is 0 or more. The density is the weight of all edges by the number of pairs of vertices, or 0 if "
          "that is negative. With `cpm` and 1, a graph without weights has communities of one vertex or of vertices "
          "that are all joined.");
  add_parsed(
      parser, "--directions", "WHAT", [o](const std::string& text) { o->what.directions = parse_directions(text); },
      "Of a directed graph: follow directions in modularity, or ignore them [follow]")
      .words({"follow", "ignore"})
      .more("`follow` is the modularity of Leicht and Newman (2008). With `ignore` an arc is an edge.");
  add_parsed(
      parser, "--iterations", "N",
      [o](const std::string& text) {
        o->what.iterations = static_cast<unsigned>(parse_count("--iterations", text, 1, 1'000'000));
      },
      "Of leiden and louvain: begin again N times with what was found [1]")
      .more("It ends before if nothing changes. Ten iterations raise modularity by some 0.5 %.");
  add_parsed(
      parser, "--seed", "N", [o](const std::string& text) { o->what.seed = parse_count("--seed", text, 0); },
      "Choose the order in which vertices move by this seed [1]");
  add_parsed(
      parser, "--members", "FILE",
      [o](const std::string& text) {
        if (text.empty()) throw usage_error("--members: expected a file, found '" + text + "'");
        o->members = text;
      },
      "Write the members of all communities to FILE, 'community<TAB>member' a line,\nthe largest community first");
  add_parsed(
      parser, "--hierarchy", "FILE",
      [o](const std::string& text) {
        if (text.empty()) throw usage_error("--hierarchy: expected a file, found '" + text + "'");
        o->hierarchy = text;
      },
      "Find communities of communities by louvain, and write the levels to FILE,\n'label<TAB>community<TAB>...' a "
      "line, "
      "small communities first")
      .more(
          "A level's communities are the vertices of the next level, and none comes apart again. The last level is the "
          "result; without levels, leiden mostly finds a better one.");
  o->weights.add_for_ties(parser, o->common.input);
  o->common.add_top_to(parser, "Show the K largest communities");
  o->common.add_verify_to(
      parser, "by sequential sums; also that communities are connected, and\nthat joining no two betters it");
  o->common.add_to(parser,
                   "Write to FILE ('-': standard output) 'label<TAB>community' a line in order of\n"
                   "labels; with --json the object");
  parser.more(
      "The methods are Leiden (Traag et al. 2019), Louvain (Blondel et al. 2008) and label propagation (Raghavan et "
      "al. "
      "2007). Opposite and repeated arcs add up. Loops count; `--drop-loops` drops them. The result depends on the "
      "graph, the order of its vertices in the file included.\n\nWith `--top` and `--output` only the largest "
      "communities are written: `community<TAB>vertices` a line.");
  parser.weights({"", "strengths", "sum", "counted"});
  parser.memory({"",
                 "251 n + 36 m (347 n + 48 m) and 24 n (32 n) a thread, with labels 41 n (57 n) and 12 n (16 n) a "
                 "thread; of a directed graph besides its undirected form, 24 n + 24 m (32 m with short weights, 56 m "
                 "with others); 1 MiB a thread"});
  parser.keys(
      {
          {"`method`, `seed`", "as given"},
          {"`resolution`", "as given; without, 1, or with `--quality cpm` the density of the graph"},
          {"`communities`", "how many there are"},
          {"`largest_community`", "vertices of the largest"},
          {"`weights`", "`strength` if the graph has weights, else `none`"},
          {"`modularity`",
           "at that resolution: the share of the weight inside of communities, less what chance would put there"},
          {"`cpm`", "with `--quality cpm`, instead: the weight inside, less the resolution for each pair of members"},
          {"`directions`", "`followed` if modularity depends on them, else `ignored`"},
          {"`converged`", "whether no joining of two communities, or no other label, is better"},
          {"`levels`", "the moves on each level, in the order of work: objects with `vertices`, `rounds` and `moves`"},
          {"`verified`", "true with `--verify`"},
          {"`top`",
           "the largest communities, equal ones by label: objects with `community` (the smallest label in it), "
           "`vertices` and, without `--quiet`, `members`: those of most arcs"},
          {"`members_file`", "the file of `--members`, if one is given"},
          {"`hierarchy_file`, `hierarchy`",
           "with `--hierarchy`: the file, and for each level an object with `communities` and the quality"},
      },
      "Opposite and repeated arcs add up. Loops count (`--drop-loops` drops them). The result depends on the graph, "
      "the order of its vertices in the file included, and on no number of threads.");
  parser.footer(
      "A community is named after its smallest vertex, and is connected. Weights count as strengths of\n"
      "ties. The result is the same whatever the number of threads.\n\n"
      "Examples:\n"
      "  callisto communities friends.txt.gz\n"
      "  callisto communities friends.cg --output communities.tsv --verify\n"
      "  callisto communities friends.cg --resolution 2 --json | jq .modularity");
  const auto needs = [o](const graph::any_graph& graph) { return graph::needs::communities(graph, o->what); };
  return {parser, [o, needs](const std::stop_token& stop) {
            if (!o->members.empty() && rank_job::tells()) {
              refuse_same_file(o->common.input.file, o->members);
              refuse_same_file(o->common.output, o->members);
              o->listed.emplace(o->members, "--members");
            }
            if (!o->hierarchy.empty()) {
              if (o->method_given && o->what.method != graph::community_method::louvain) {
                throw usage_error("--hierarchy: levels are those of --method louvain");
              }
              o->what.method = graph::community_method::louvain;
              o->what.hierarchy = true;
              for (const std::string& other : {o->common.input.file, o->common.output, o->members}) {
                refuse_same_file(other, o->hierarchy);
              }
              o->levels.emplace(o->hierarchy, "--hierarchy");
            }
            o->common.execute(stop, needs, [&](const graph::any_graph& any, const graph::run_control& control) {
              return analyse(*o, any, control);
            });
            if (o->listed) o->listed->commit();
            if (o->levels) o->levels->commit();
          }};
}

}  // namespace callisto::app
