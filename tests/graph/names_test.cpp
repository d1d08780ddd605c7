// name_table and name_batch against a map; number_by_name against sorting.
#include <callisto/graph/construction/names.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::graph {
namespace {

/// Returns names of every size up to 60 bytes: with common beginnings and ends, zeros, and repeats.
std::vector<std::string> some_names(std::size_t count) {
  std::mt19937 random(7);
  std::vector<std::string> names;
  while (names.size() < count) {
    std::string name(random() % 61, 'x');
    const std::size_t changes = name.empty() ? 0 : random() % 3;
    for (std::size_t i = 0; i < changes; ++i) name[random() % name.size()] = static_cast<char>(random() % 4);
    names.push_back(std::move(name));
  }
  return names;
}

TEST(Names, AreTheSameIfAllTheirBytesAre) {
  name_table table;
  std::map<std::string, std::uint32_t> numbers;
  for (const std::string& name : some_names(100'000)) {
    const auto [place, is_new] = numbers.emplace(name, table.size());
    ASSERT_EQ(table.number_of(name), place->second);
    ASSERT_EQ(table.size(), numbers.size());
    EXPECT_EQ(table[place->second], name);
  }
}

TEST(Names, HaveTheSameNumbersInABatchAsOneByOne) {
  const std::vector<std::string> names = some_names(10'000);
  name_table table;
  name_table batched;
  name_batch batch(batched);
  std::vector<std::uint32_t> numbers(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    batch.add(names[i], numbers[i]);
    if (i % 1000 == 7) batch.flush();
  }
  batch.flush();
  for (std::size_t i = 0; i < names.size(); ++i) ASSERT_EQ(numbers[i], table.number_of(names[i]));
}

TEST(Names, BecomeVerticesInTheOrderOfTheirBytes) {
  // So many that those with one beginning are sorted by all threads.
  const std::vector<std::string> names = some_names(150'000);
  std::deque<name_table> tables(3);
  std::vector<named_block> blocks(3);
  for (std::size_t t = 0; t < 3; ++t) {
    blocks[t].table = t;
    blocks[t].edges = machine::page_array<edge<std::uint32_t>>(names.size() / 6);
    for (std::size_t i = 0; i < names.size() / 6; ++i) {
      const std::string* const ends = &names[t * names.size() / 3 + 2 * i];
      blocks[t].edges[i] = {tables[t].number_of(ends[0]), tables[t].number_of(ends[1])};
    }
  }
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  const any_edge_list any =
      number_by_name(std::move(blocks), std::move(tables), false, numeric_names::stay_names, run_control{});
  const auto& list = std::get<edge_list<std::uint32_t>>(any);
  ASSERT_EQ(list.vertices, sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) ASSERT_EQ((*list.names)[i], sorted[i]);
  for (std::size_t t = 0; t < 3; ++t) {
    for (std::size_t i = 0; i < names.size() / 6; ++i) {
      const std::string* const ends = &names[t * names.size() / 3 + 2 * i];
      ASSERT_EQ(sorted[list.blocks[t].edges[i].from], ends[0]);
      ASSERT_EQ(sorted[list.blocks[t].edges[i].to], ends[1]);
    }
  }
}

}  // namespace
}  // namespace callisto::graph
