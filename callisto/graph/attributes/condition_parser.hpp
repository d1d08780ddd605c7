// The parser of conditions: a text becomes a tree.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace callisto::graph::condition_detail {

/// The owner of a column.
enum class owner { any, vertex, edge };

struct column_name {
  owner of = owner::any;
  std::string name;
};

/// A name or a value. Whole numbers of 64 bits and doubles are exact in the wide form.
using operand = std::variant<column_name, long double, std::string, bool>;

enum class operation {
  all_of,
  any_of,
  negated,
  equal,
  unequal,
  less,
  at_most,
  greater,
  at_least,
  among,
  missing,
  truth
};

/// A condition or a part of one.
struct node {
  operation what;
  std::vector<std::shared_ptr<const node>> parts = {};  ///< of all_of, any_of and negated
  std::vector<operand> operands = {};                   ///< of comparisons: 2; of among: 1 and the values
  std::size_t column = 1;                               ///< where it stands in the text, from 1
};

/// Throws usage_error, which names the column of the text and what was expected there.
std::shared_ptr<const node> parse_condition(std::string_view text);

}  // namespace callisto::graph::condition_detail
