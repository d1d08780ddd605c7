// Mappings of nesting levels: their words, and the thread trees that they make on all kinds of machines.
#include <callisto/distributor/seats.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/host/topology.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/nesting.hpp>
#include <callisto/workers/teams/thread_tree.hpp>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace callisto::workers {
namespace {

using distributor::level;
using machine::native;

TEST(Nesting, ReadsWhatItWrites) {
  EXPECT_EQ(nesting().to_string(), "2:socket,1:core");
  EXPECT_EQ(nesting::parse("auto", "test"), nesting());
  EXPECT_EQ(nesting::parse(" 1:core , 2:socket ", "test"), nesting());
  for (const char* text : {"1:thread", "1:core-pair", "2:machine,1:l2", "3:machine,2:numa,1:l3", "2:core,1:core"}) {
    EXPECT_EQ(nesting::parse(text, "test").to_string(), text);
  }
}

TEST(Nesting, ALevelWithoutAUnitHasThatOfTheNextHigherOne) {
  const nesting n = nesting::parse("4:numa,2:core", "test");
  EXPECT_EQ(n.unit(0), level::thread);
  EXPECT_EQ(n.unit(1), level::core);
  EXPECT_EQ(n.unit(2), level::core);
  EXPECT_EQ(n.unit(3), level::numa);
  EXPECT_EQ(n.unit(4), level::numa);
  EXPECT_EQ(n.unit(5), level::machine);
  EXPECT_EQ(n.to_string(), "4:numa,3:numa,2:core,1:core");
}

TEST(Nesting, SaysWhatWasExpectedWhere) {
  const std::pair<const char*, const char*> wrong[] = {
      {"core", "CALLISTO_LEVELS='core', character 1: expected auto, or a level from 1 to 8, found 'core'"},
      {"0:core", "CALLISTO_LEVELS='0:core', character 1: expected auto, or a level from 1 to 8, found '0'"},
      {"1:core,9:numa", "CALLISTO_LEVELS='1:core,9:numa', character 8: expected a level from 1 to 8, found '9'"},
      {"1", "CALLISTO_LEVELS='1', character 2: expected ':' and a part of the machine, found the end"},
      {"1:cores",
       "CALLISTO_LEVELS='1:cores', character 3: expected thread, core, core-pair, l2, l3, numa, socket or machine, "
       "found 'cores'"},
      {"1:core;2:numa", "CALLISTO_LEVELS='1:core;2:numa', character 7: expected ',' or the end, found ';'"},
      {"1:core,1:numa",
       "CALLISTO_LEVELS='1:core,1:numa', character 8: expected a level that has not been named yet, found '1'"},
      {"2:core,1:numa",
       "CALLISTO_LEVELS='2:core,1:numa', character 3: expected a part no narrower than numa, which level 1 has, found "
       "'core'"},
      {"auto,1:core", "CALLISTO_LEVELS='auto,1:core', character 5: expected nothing after auto, found ','"},
      {"1:core,", "CALLISTO_LEVELS='1:core,', character 8: expected a level from 1 to 8, found the end"},
  };
  for (const auto& [text, message] : wrong) {
    try {
      static_cast<void>(nesting::parse(text, "CALLISTO_LEVELS"));
      ADD_FAILURE() << text << " was accepted";
    } catch (const usage_error& e) {
      EXPECT_STREQ(e.what(), message);
    }
  }
}

/// A machine, and what a process may use of it.
struct usable_machine {
  const char* name;
  const char* synthetic;
  std::vector<unsigned> cpus;  ///< none: all
  std::optional<double> quota;
  unsigned threads;  ///< 0: as the limits say
};

const usable_machine machines[] = {
    {"one context", "pu:1", {}, {}, 0},
    {"a guest without structure", "pu:2", {}, {}, 0},
    {"a desktop", "package:1 l3:1 core:8 pu:2", {}, {}, 0},
    {"the paper's X4-2", "package:2 l3:1 core:8 pu:2", {}, {}, 0},
    {"figure 2", "package:2 core:4 pu:1", {}, {}, 0},
    {"the paper's T5-8", "package:8 core:16 pu:8", {}, {}, 0},
    {"chiplets", "package:2 numa:2 l3:4 l2:4 core:1 pu:2", {}, {}, 0},
    {"shared L2", "package:1 l3:1 l2:4 core:2 pu:1", {}, {}, 0},
    {"asymmetric: a core with two contexts, one with one, a socket with a lone one",
     "package:2 core:2 pu:2",
     {0, 1, 2, 4},
     {},
     0},
    {"offline contexts", "package:2 l3:2 core:4 pu:2", {0, 2, 3, 5, 9, 17, 18, 31}, {}, 0},
    {"a container with a quota", "package:2 l3:2 core:8 pu:2", {8, 9, 10, 11, 40, 41}, 3.5, 0},
    {"an affinity mask of one", "package:4 core:4 pu:2", {13}, {}, 0},
    {"more threads than contexts", "package:2 core:2 pu:1", {}, {}, 32},
    {"an odd number of threads on a large machine", "package:4 l3:2 core:12 pu:2", {}, {}, 77},
};

const char* const mappings[] = {"auto",
                                "1:thread",
                                "1:core",
                                "1:core-pair",
                                "1:l2",
                                "1:l3",
                                "1:numa",
                                "1:socket",
                                "1:machine",
                                "2:socket,1:l3",
                                "2:numa,1:core-pair",
                                "3:socket,2:l3,1:core",
                                "4:machine,3:numa,2:core-pair,1:thread",
                                "8:socket,3:core"};

/// What must hold in a tree node of these threads, by their numbers in the tree, and below.
void expect_valid(const distributor::layout& all, const nesting& levels, tree_node<native>& s,
                  const std::vector<unsigned>& threads) {
  ASSERT_EQ(s.threads(), threads.size());
  const auto& flat = s.at(0);
  EXPECT_FALSE(flat.outer);
  EXPECT_EQ(flat.where.threads(), threads.size());
  for (unsigned l = 1; l <= levels.highest() + 2; ++l) {
    const auto& with = s.at(l);
    std::set<unsigned> groups;
    for (const unsigned t : threads) groups.insert(all.group(levels.unit(l), t));
    EXPECT_EQ(with.where.threads(), groups.size()) << "one thread for each part, level " << l;
    EXPECT_EQ(with.outer, groups.size() > 1 && groups.size() < threads.size()) << "level " << l;
    if (!with.outer) continue;
    EXPECT_EQ(&with.in, &s);
    ASSERT_EQ(with.roles.size(), threads.size());
    ASSERT_EQ(with.parts.size(), groups.size());
    EXPECT_EQ(with.roles[0].part_number, 0u) << "the leader leads the first part";
    EXPECT_EQ(with.roles[0].number, 0u);
    std::vector<std::vector<unsigned>> parts(with.parts.size());
    for (unsigned i = 0; i < threads.size(); ++i) {
      const auto& role = with.roles[i];
      ASSERT_LT(role.part_number, parts.size());
      EXPECT_EQ(role.part, with.parts[role.part_number]);
      EXPECT_EQ(role.number, parts[role.part_number].size()) << "numbered in order";
      parts[role.part_number].push_back(threads[i]);
    }
    for (unsigned p = 0; p < parts.size(); ++p) {
      for (const unsigned t : parts[p]) {
        EXPECT_EQ(all.group(levels.unit(l), t), all.group(levels.unit(l), parts[p][0]));
      }
      expect_valid(all, levels, *with.parts[p], parts[p]);
    }
  }
}

TEST(ThreadTree, EveryMappingFormsAValidTreeOnEveryMachine) {
  for (const usable_machine& m : machines) {
    const machine::topology t = machine::topology::from_synthetic(m.synthetic);
    machine::limits l;
    for (const machine::context& c : t.contexts()) {
      if (m.cpus.empty()) l.cpus.push_back(c.os_index);
    }
    if (!m.cpus.empty()) l.cpus = m.cpus;
    l.quota = m.quota;
    machine::placement_request request;
    if (m.threads != 0) request.threads = m.threads;
    const machine::placement placed = machine::place(t, l, request);
    const std::vector<distributor::seat> seats = distributor::seats_of(placed.contexts);
    for (const char* const mapping : mappings) {
      SCOPED_TRACE(std::string(m.name) + ", " + mapping);
      const nesting levels = nesting::parse(mapping, "test");
      thread_tree<native> tree(seats, levels, {});
      std::vector<unsigned> all;
      for (unsigned i = 0; i < seats.size(); ++i) all.push_back(i);
      expect_valid(distributor::layout(seats), levels, tree.root(), all);
    }
  }
}

TEST(ThreadTree, OnTheMachineOfFigure2) {
  // Threads are spread: 0, 2, 4, 6 in one socket, the others in the other one.
  const machine::topology t = machine::topology::from_synthetic("package:2 core:4 pu:1");
  machine::limits l;
  for (const machine::context& c : t.contexts()) l.cpus.push_back(c.os_index);
  const auto seats = distributor::seats_of(machine::place(t, l, {}).contexts);
  thread_tree<native> tree(seats, nesting::parse("1:socket", "test"), {});
  const auto& outer = tree.root().at(1);
  ASSERT_EQ(outer.parts.size(), 2u);
  EXPECT_EQ(outer.roles[1].part_number, 1u);
  EXPECT_EQ(outer.roles[1].number, 0u) << "the paper's t5";
  EXPECT_EQ(outer.roles[7].number, 3u);
  EXPECT_EQ(outer.parts[1]->at(0).where.threads(), 4u);
  EXPECT_EQ(outer.parts[1]->at(1).where.threads(), 1u) << "its own socket is one part";
  EXPECT_EQ(tree.root().at(2).where.threads(), 1u) << "above all that are named";
}

}  // namespace
}  // namespace callisto::workers
