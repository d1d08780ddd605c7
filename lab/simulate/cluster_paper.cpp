#include <lab/simulate/cluster_paper.hpp>

#include <callisto/app/base/table.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace callisto::lab {
namespace {

constexpr unsigned pagerank_steps = 2;
constexpr std::size_t paper_workers = 512;  ///< of a core, where the paper's figure 8 has its peak

program_outcome checked(const paper_setting& how, program_outcome o) {
  if (!o.is_right) throw error("simulate cluster: a program's result is wrong");
  how.advance();
  return o;
}

std::vector<double> numbers_of(const program_outcome& o) {
  return {o.rate,
          o.all.workers,
          o.idle(),
          o.steals_tried(),
          o.steals_made(),
          o.latency,
          o.bytes_a_packet(),
          o.seconds,
          static_cast<double>(o.network.turns)};
}

std::vector<cluster_figure::column> columns_of(const char* key, const char* words, bool has_steals, bool has_latency) {
  return {{key, words, 1e-6},
          {"active_tasks", "active tasks a core", 1, has_steals},
          {"idle", "% idle", 100, true, false},
          {"steals_tried", "steals tried a core and second", 1, has_steals},
          {"steals_made", "steals made a core and second", 1, has_steals},
          {"latency_seconds", "us a blocking read", 1e6, has_latency},
          {"packet_bytes", "bytes a packet", 1, !has_latency},
          {"virtual_seconds", "seconds", 1, false},
          {"rank_turns", "turns", 1, false}};
}

std::string number(double value) {
  return value != 0 && (value < 0.1 || value >= 1e5) ? fmt::format("{:.2g}", value) : fmt::format("{:.4g}", value);
}

}  // namespace

uts_tree paper_setting::shallow() const {
  uts_tree tree = uts_tree::t1();
  tree.depth = std::min(10U, std::max(4U, scale / 2));
  return tree;
}

uts_tree paper_setting::deep() const {
  uts_tree tree = uts_tree::t3();
  tree.root_children = std::max(20.0, std::min(1.0, std::ldexp(1, static_cast<int>(scale) - 20)) * tree.root_children);
  return tree;
}

cluster_figure tree_figure(const paper_setting& how, std::span<const unsigned> nodes) {
  cluster_figure f{.title = "Unbalanced trees by nodes",
                   .network = how.net.name,
                   .varies = "nodes",
                   .values = {nodes.begin(), nodes.end()},
                   .columns = columns_of("vertices_a_second", "M vertices/s", true, true),
                   .all = {}};
  const std::pair<const char*, uts_tree> trees[] = {{"T1", how.shallow()}, {"T3", how.deep()}};
  for (const auto& [name, law] : trees) {
    const tree_in_memory tree(law);
    for (const bool visits : {false, true}) {
      f.all.push_back({std::string(name) + (visits ? ", tasks go to vertices" : ", blocking reads"), {}});
      for (const unsigned n : nodes)
        f.all.back().runs.push_back(
            numbers_of(checked(how, visits ? simulate_tree_visits(how.cluster(n), tree)
                                           : simulate_tree_search(how.cluster(n), tree, paper_workers))));
    }
  }
  return f;
}

cluster_figure worker_figure(const paper_setting& how, unsigned nodes, std::span<const unsigned> workers) {
  cluster_figure f{.title = "An unbalanced tree by workers",
                   .network = how.net.name,
                   .varies = "workers a core",
                   .varies_key = "workers",
                   .values = {workers.begin(), workers.end()},
                   .columns = columns_of("vertices_a_second", "M vertices/s", true, true),
                   .all = {}};
  const tree_in_memory tree(how.shallow());
  f.all.push_back({fmt::format("T1, {} nodes", nodes), {}});
  for (const unsigned w : workers)
    f.all.back().runs.push_back(numbers_of(checked(how, simulate_tree_search(how.cluster(nodes), tree, w))));
  return f;
}

cluster_figure program_figure(const paper_setting& how, std::span<const unsigned> nodes) {
  cluster_figure f{.title = "Programs by nodes",
                   .network = how.net.name,
                   .varies = "nodes",
                   .values = {nodes.begin(), nodes.end()},
                   .columns = columns_of("operations_a_second", "M edges, keys or arcs/s", false, false),
                   .all = {}};
  f.all = {{"BFS", {}}, {"IntSort", {}}, {"PageRank", {}}};
  const graph_in_memory graph(how.scale);
  for (const unsigned n : nodes) {
    const auto on = how.cluster(n);
    f.all[0].runs.push_back(numbers_of(checked(how, simulate_search(on, graph, movement::messages))));
    f.all[1].runs.push_back(numbers_of(checked(how, simulate_sort(on, how.scale + 3, movement::messages))));
    f.all[2].runs.push_back(numbers_of(checked(how, simulate_pagerank(on, graph, pagerank_steps, movement::messages))));
  }
  return f;
}

paper_runs run_for_tables(const paper_setting& how, unsigned nodes, double microseconds) {
  const auto on = how.cluster(nodes);
  const graph_in_memory graph(how.scale);
  paper_runs r;
  r.nodes = nodes;
  r.gups = simulate_gups(on, true, microseconds);
  if (!r.gups.is_right) throw error("simulate cluster: the words do not hold what the updates make of them");
  how.advance();
  r.gups_by_packets = checked(how, simulate_hpcc_updates(on, microseconds));
  r.bfs = checked(how, simulate_search(on, graph, movement::messages));
  r.bfs_in_bulk = checked(how, simulate_search(on, graph, movement::bulk));
  r.sort = checked(how, simulate_sort(on, how.scale + 3, movement::messages));
  r.sort_in_bulk = checked(how, simulate_sort(on, how.scale + 3, movement::bulk));
  r.tree = checked(how, simulate_tree_search(on, tree_in_memory(how.shallow()), paper_workers));
  r.pagerank = checked(how, simulate_pagerank(on, graph, pagerank_steps, movement::messages));
  r.pagerank_in_bulk = checked(how, simulate_pagerank(on, graph, pagerank_steps, movement::bulk));
  return r;
}

std::string paper_table::words() const {
  std::vector<table::column> columns;
  for (const std::string& h : head) columns.push_back({h, columns.empty() ? table::align::left : table::align::right});
  table all(std::move(columns));
  for (const auto& row : rows) all.add_row(row);
  return title + '\n' + all.render(2) + '\n';
}

json paper_table::objects() const {
  json list = json::array();
  for (const auto& row : rows) {
    json one;
    for (std::size_t i = 0; i != head.size(); ++i) one[head[i]] = row[i];
    list.push_back(std::move(one));
  }
  return list;
}

paper_table table_1(const paper_runs& r) {
  paper_table t{fmt::format("Simulated, {} nodes: specialized programs beside ours (table 1)", r.nodes),
                {"program", "ours, M/s", "specialized, M/s", "ratio", "the paper's"},
                {}};
  const auto row = [&](const char* name, double ours, double other, const char* paper) {
    t.rows.push_back({name, number(ours * 1e-6), number(other * 1e-6), number(other / ours), paper});
  };
  row("GUPS, HPCC's packets", r.gups.operations, r.gups_by_packets.rate, "0.11");
  row("BFS, in bulk", r.bfs.rate, r.bfs_in_bulk.rate, "3.52");
  row("IntSort, in bulk", r.sort.rate, r.sort_in_bulk.rate, "5.36");
  row("PageRank, in bulk", r.pagerank.rate, r.pagerank_in_bulk.rate, "4.87");
  return t;
}

paper_table table_2(const paper_runs& r) {
  paper_table t{fmt::format("Simulated, {} nodes: what the runtime did, ours / the paper's (table 2)", r.nodes),
                {"", "GUPS", "BFS", "IntSort", "UTS", "PageRank"},
                {}};
  const program_outcome* const of[] = {nullptr, &r.bfs, &r.sort, &r.tree, &r.pagerank};
  const auto row = [&](const char* name, double gups, const std::function<double(const program_outcome&)>& value,
                       std::initializer_list<const char*> paper) {
    std::vector<std::string> cells{name};
    const char* const* said = paper.begin();
    for (const program_outcome* o : of)
      cells.push_back(fmt::format("{} / {}", number(o == nullptr ? gups : value(*o)), *said++));
    t.rows.push_back(std::move(cells));
  };
  using o = const program_outcome&;
  row("K messages/s a core", r.gups.messages_a_core * 1e-3, [](o p) { return p.messages_a_core() * 1e-3; },
      {"984", "983", "732", "411", "474"});
  row("bytes a message", r.gups.message_bytes, [](o p) { return p.bytes_a_message(); },
      {"31.8", "33.9", "30.6", "47.3", "45.5"});
  row("MB/s a node", r.gups.packets * r.gups.packet_bytes * 1e-6, [](o p) { return p.bytes_a_node() * 1e-6; },
      {"478", "511", "343", "298", "332"});
  row("KB a packet", r.gups.packet_bytes * 1e-3, [](o p) { return p.bytes_a_packet() * 1e-3; },
      {"23.2", "4.3", "12.8", "4.2", "3.0"});
  row("active tasks, mean", 1, [](o p) { return p.all.workers; }, {"0.9", "58.2", "0.9", "326", "429"});
  row("active tasks, most", 1, [](o p) { return static_cast<double>(p.all.most_workers); },
      {"1", "128", "1", "507", "1024"});
  row("ready queue", 0, [](o p) { return p.all.ready; }, {"2.3", "6.1", "1.3", "186", "300"});
  row("K switches/s a core", 0, [](o p) { return p.switches_a_core() * 1e-3; }, {"34.2", "539", "127", "543", "336"});
  row("steals tried a core and s", 0, [](o p) { return p.steals_tried(); }, {"0", "0", "0", "54.4", "0"});
  row("steals made a core and s", 0, [](o p) { return p.steals_made(); }, {"0", "0", "0", "17.0", "0"});
  return t;
}

paper_table sentences(const paper_runs& r, const cluster_figure& gups, const cluster_figure& trees,
                      const cluster_figure& workers, const cluster_figure& programs, const step_costs& costs) {
  paper_table t{"Sections 7.1 to 7.3 of the paper beside the simulation", {"sentence", "the paper's", "ours", ""}, {}};
  const auto add = [&](const char* what, const char* paper, const std::string& ours, bool agrees, const char* why) {
    t.rows.push_back({what, paper, ours, agrees ? "agrees" : why});
  };
  const unsigned middle = trees.values[trees.values.size() / 2];
  const auto growth = [](const cluster_figure& f, const std::string& of, const char* key) {
    return f.last(of, key) / f.at(of, key, f.values.front());
  };
  const double updates = gups.last("with aggregation", "updates_a_second");
  add("7.1: a switch among 100 workers, ns (here, native)", "50", number(costs.change), costs.change <= 50, "slower");
  add("7.1, figure 6: updates/s at the most nodes", "well over 1 G", fmt::format("{} G", number(updates * 1e-9)),
      updates > 1e9, "fewer");
  const double flat = growth(gups, "a packet a message", "updates_a_second");
  add("7.1, figure 6: growth without aggregation", "nearly flat", number(flat), flat < 2,
      "each node adds an adapter: the rate of packets grows with nodes");
  const double shallow = growth(trees, "T1, blocking reads", "vertices_a_second");
  add("7.1, figure 7: growth of T1", "scales well", number(shallow), shallow > trees.values.back() / 4.0,
      "the tree is small for so many cores");
  const double deep = growth(trees, "T3, blocking reads", "vertices_a_second");
  add("7.1, figure 7: growth of T3", "below 1", number(deep), deep < 1, "tasks are enough to gain from some nodes");
  const double active =
      trees.at("T1, blocking reads", "active_tasks", middle) / trees.at("T3, blocking reads", "active_tasks", middle);
  add("7.1: active tasks of T1 by those of T3, 16 nodes", "about 10", number(active), active > 3, "less apart");
  const auto ratio = [&](const char* what, const char* paper, double value, bool agrees, const char* why) {
    add(what, paper, number(value), agrees, why);
  };
  ratio("7.2, table 1: GUPS of MPI by ours", "0.11", r.gups_by_packets.rate / r.gups.operations,
        r.gups_by_packets.rate < 0.3 * r.gups.operations, "packets of this size do better here");
  ratio("7.2, table 1: BFS in bulk by ours", "3.52", r.bfs_in_bulk.rate / r.bfs.rate,
        r.bfs_in_bulk.rate > 1.5 * r.bfs.rate, "bulk parts of a level are small at so many ranks");
  ratio("7.2, table 1: IntSort in bulk by ours", "5.36", r.sort_in_bulk.rate / r.sort.rate,
        r.sort_in_bulk.rate > 1.5 * r.sort.rate, "bulk parts are small at so many ranks");
  ratio("7.2, table 1: PageRank in bulk by ours", "4.87", r.pagerank_in_bulk.rate / r.pagerank.rate,
        r.pagerank_in_bulk.rate > 1.5 * r.pagerank.rate, "a message costs little more than an item in bulk");
  add("7.3, table 2: steals tried a core and second, UTS", "54.4", number(r.tree.steals_tried()),
      r.tree.steals_tried() < 200, "runs are short: steals are most at begin and end");
  add("7.3, table 2: steals made a core and second, UTS", "17.0", number(r.tree.steals_made()),
      r.tree.steals_made() < 100, "as above");
  const std::string line = workers.all[0].name;
  const unsigned peak = workers.values[static_cast<std::size_t>(
      std::ranges::max_element(workers.all[0].runs, {}, [](const auto& run) { return run[0]; }) -
      workers.all[0].runs.begin())];
  const unsigned by_512 =
      *std::ranges::find_if(workers.values, [&](unsigned v) { return v >= 512 || v == workers.values.back(); });
  add("7.3, figure 8: workers at the peak", "512", std::to_string(peak), peak >= 256 && peak <= 1024,
      "latency is shorter here, so fewer workers hide it");
  add("7.3, figure 8: idle at 512 workers, %", "practically 0", number(workers.at(line, "idle", by_512) * 100),
      workers.at(line, "idle", by_512) < 0.05, "the tree's begin and end are a part of a short run");
  add("7.3, figure 8: ms a read at 512 workers", "1.8", number(workers.at(line, "latency_seconds", by_512) * 1e3),
      workers.at(line, "latency_seconds", by_512) > 0.6e-3, "packets leave after 25 us; workers are served sooner");
  const double bfs = growth(programs, "BFS", "operations_a_second");
  const double sort = growth(programs, "IntSort", "operations_a_second");
  const double ranked = growth(programs, "PageRank", "operations_a_second");
  add("7.3, figure 9: growth of BFS, PageRank, IntSort", "in this order",
      fmt::format("{}, {}, {}", number(bfs), number(ranked), number(sort)), bfs > ranked && ranked > sort,
      "levels of BFS are short at this size");
  add("7.3: M messages/s a core, at best by steps", "10", number(1e3 / (costs.message + costs.deserialize)),
      1e3 / (costs.message + costs.deserialize) >= 10, "fewer");
  add("7.3: M messages/s a core, in practice (GUPS)", "1", number(r.gups.messages_a_core * 1e-6),
      r.gups.messages_a_core >= 1e6, "fewer");
  return t;
}

}  // namespace callisto::lab
