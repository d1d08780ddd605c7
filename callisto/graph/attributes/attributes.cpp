// Makes columns of cells, and columns of the rows of columns.
#include <callisto/graph/attributes/attributes.hpp>

#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/encoding.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <system_error>
#include <utility>

namespace callisto::graph {
namespace {

using machine::page_array;
using machine::page_kind;

/// Rows that a thread fills at a time: threads never share a byte of bits.
constexpr std::uint64_t rows_a_block = std::uint64_t{1} << 14;

void for_each_block(std::uint64_t rows, const run_control& control,
                    const std::function<void(std::uint64_t, std::uint64_t)>& fill) {
  const auto body = [&](std::uint64_t b) { fill(b * rows_a_block, std::min(rows, (b + 1) * rows_a_block)); };
  const loop_options options{.batch = 1, .stop = control.stop};
  if (!parallel_for(std::uint64_t{0}, (rows + rows_a_block - 1) / rows_a_block, body, options)) throw cancelled();
}

/// True for the words by which programs write that a number is missing.
bool is_missing_word(std::string_view text) noexcept {
  constexpr std::array<std::string_view, 8> words{"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"};
  return text.size() <= 4 && std::find(words.begin(), words.end(), text) != words.end();
}

/// True if a number begins with a zero that its usual form has not.
bool has_leading_zero(std::string_view text) noexcept {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

template <class T>
bool parsed(std::string_view text, T& value) noexcept {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && !has_leading_zero(text);
}

std::optional<bool> to_truth(std::string_view text) noexcept {
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

constexpr unsigned may_be_whole = 1;
constexpr unsigned may_be_truth = 2;
constexpr unsigned may_be_real = 4;
constexpr unsigned has_value = 8;

/// Returns the types that all cells fit, and whether there is a cell with a value.
unsigned types_of(const column_cells& cells) noexcept {
  constexpr unsigned any = may_be_whole | may_be_truth | may_be_real;
  unsigned found = any;
  for (std::uint64_t i = 0; i < cells.size() && (found & any) != 0; ++i) {
    const std::string_view cell = cells[i];
    if (!cells.has(i) || is_missing_word(cell)) continue;
    found |= has_value;
    std::int64_t whole = 0;
    if ((found & may_be_whole) != 0 && !(parsed(cell, whole) && cell != "-0")) found &= ~may_be_whole;
    if ((found & may_be_truth) != 0 && !to_truth(cell)) found &= ~may_be_truth;
    double real = 0;
    if ((found & (may_be_whole | may_be_real)) == may_be_real && !parsed(cell, real)) found &= ~may_be_real;
  }
  return found;
}

column_type type_of(std::span<const column_cells> parts, std::optional<column_type> declared,
                    const run_control& control) {
  if (declared == column_type::text) return column_type::text;
  std::vector<unsigned> types(parts.size());
  const auto body = [&](std::size_t p) { types[p] = types_of(parts[p]); };
  if (!parallel_for(std::size_t{0}, parts.size(), body, {.batch = 1, .stop = control.stop})) throw cancelled();
  // A part without values fits all types; real covers the whole numbers of a part.
  unsigned all = may_be_whole | may_be_truth | may_be_real;
  bool any = false;
  for (const unsigned part : types) {
    if ((part & has_value) == 0) continue;
    any = true;
    all &= part;
  }
  if (!any) return declared.value_or(column_type::text);
  if (declared == column_type::whole && (all & may_be_whole) != 0) return column_type::whole;
  if (declared == column_type::truth && (all & may_be_truth) != 0) return column_type::truth;
  if (declared == column_type::real && (all & (may_be_whole | may_be_real)) != 0) return column_type::real;
  if (declared) return column_type::text;
  if ((all & may_be_whole) != 0) return column_type::whole;
  if ((all & may_be_truth) != 0) return column_type::truth;
  return (all & may_be_real) != 0 ? column_type::real : column_type::text;
}

/// Gives a column room for values that are not text.
void make_room(column& c) {
  c.values = page_array<std::byte>(c.type == column_type::truth ? (c.rows + 7) / 8 : 8 * c.rows, page_kind::small);
}

void set_bit(std::uint8_t* bits, std::uint64_t i) noexcept {
  bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | 1u << (i % 8));
}

/// Stores the value that `text` spells. Returns false if it is missing.
bool store(column& c, std::uint64_t row, std::string_view text) noexcept {
  switch (c.type) {
    case column_type::whole: {
      std::int64_t value = 0;
      if (!parsed(text, value)) return false;
      std::memcpy(c.values.data() + 8 * row, &value, sizeof value);
      return true;
    }
    case column_type::real: {
      double value = 0;
      if (!parsed(text, value) || std::isnan(value)) return false;
      std::memcpy(c.values.data() + 8 * row, &value, sizeof value);
      return true;
    }
    case column_type::truth: {
      const auto value = to_truth(text);
      if (value.value_or(false)) set_bit(reinterpret_cast<std::uint8_t*>(c.values.data()), row);
      return value.has_value();
    }
    case column_type::text:
      return true;  // stored already
  }
  __builtin_unreachable();
}

/// Returns the same cells with each that is not UTF-8 taken as Windows-1252.
column_cells as_utf8(const column_cells& cells) {
  column_cells result;
  for (std::uint64_t i = 0; i < cells.size(); ++i) {
    if (cells.has(i)) {
      result.add(machine::as_utf8(cells[i]));
    } else {
      result.add_missing();
    }
  }
  return result;
}

bool are_utf8(const column_cells& cells) noexcept {
  if (!machine::is_utf8(cells.bytes())) return false;
  // Only together may two cells be UTF-8.
  for (std::uint64_t i = 0; i < cells.size(); ++i) {
    const std::string_view cell = cells[i];
    if (!cell.empty() && (static_cast<unsigned char>(cell.front()) & 0xc0u) == 0x80u) return false;
  }
  return true;
}

/// Where each of several sequences begins when they stand in a row; one more for the end of all.
template <class Size>
std::vector<std::uint64_t> begins_of(std::span<const column_cells> parts, const Size& size) {
  std::vector<std::uint64_t> begins{0};
  for (const column_cells& part : parts) begins.push_back(begins.back() + size(part));
  return begins;
}

/// Frees the validity of a column in which no value is missing.
void drop_validity_if_full(column& c) {
  const std::uint64_t whole = c.rows / 8;
  const auto full = [](std::uint8_t bits) { return bits == 0xff; };
  if (!std::all_of(c.validity.begin(), c.validity.begin() + whole, full)) return;
  if (c.rows % 8 != 0 && c.validity[whole] != (1u << (c.rows % 8)) - 1) return;
  c.validity = {};
}

}  // namespace

std::string_view name_of(column_type type) noexcept {
  switch (type) {
    case column_type::whole:
      return "int64";
    case column_type::real:
      return "double";
    case column_type::truth:
      return "bool";
    case column_type::text:
      return "string";
  }
  __builtin_unreachable();
}

void column::append(std::string& to, std::uint64_t i) const {
  if (!has(i)) return;
  std::array<char, 32> digits;
  switch (type) {
    case column_type::whole:
      to.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), whole(i)).ptr);
      break;
    case column_type::real: {
      char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), real(i)).ptr;
      const std::string_view number(digits.data(), static_cast<std::size_t>(end - digits.data()));
      to += number;
      // Else a column of whole values would come back as whole numbers.
      if (number.find_first_not_of("-0123456789") == number.npos) to += ".0";
      break;
    }
    case column_type::truth:
      to += truth(i) ? "true" : "false";
      break;
    case column_type::text:
      to += text(i);
      break;
  }
}

const column* find_column(const column_list& columns, std::string_view name) noexcept {
  for (const auto& c : columns) {
    if (c->name == name) return c.get();
  }
  return nullptr;
}

std::shared_ptr<const column> column_of(std::string name, std::span<const column_cells> parts,
                                        std::optional<column_type> declared, const run_control& control) {
  auto made = std::make_shared<column>();
  made->name = machine::as_utf8(name);
  made->type = type_of(parts, declared, control);
  std::vector<column_cells> converted;
  const bool text = made->type == column_type::text;
  if (text && !std::all_of(parts.begin(), parts.end(), are_utf8)) {
    for (const column_cells& part : parts) converted.push_back(as_utf8(part));
    parts = converted;
  }
  const auto begins = begins_of(parts, [](const column_cells& part) { return part.size(); });
  made->rows = begins.back();
  made->validity = page_array<std::uint8_t>((made->rows + 7) / 8, page_kind::small);
  std::vector<std::uint64_t> bytes;
  if (text) {
    bytes = begins_of(parts, [](const column_cells& part) { return part.bytes().size(); });
    made->offsets = page_array<std::int64_t>(made->rows + 1, page_kind::small);
    made->offsets[made->rows] = static_cast<std::int64_t>(bytes.back());
    made->values = page_array<std::byte>(bytes.back(), page_kind::small);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (!parts[p].bytes().empty())
        std::memcpy(made->values.data() + bytes[p], parts[p].bytes().data(), parts[p].bytes().size());
    }
  } else {
    make_room(*made);
  }
  for_each_block(made->rows, control, [&](std::uint64_t first, std::uint64_t last) {
    auto p = static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), first) - begins.begin()) - 1;
    for (std::uint64_t row = first; row < last; ++row) {
      while (row == begins[p + 1]) ++p;
      const std::uint64_t i = row - begins[p];
      if (text) made->offsets[row] = static_cast<std::int64_t>(bytes[p] + parts[p].begin_of(i));
      if (parts[p].has(i) && store(*made, row, parts[p][i])) set_bit(made->validity.data(), row);
    }
  });
  drop_validity_if_full(*made);
  return made;
}

column_list rows_of(const column_list& columns, std::span<const std::uint64_t> rows, const run_control& control) {
  column_list result;
  for (const auto& from : columns) {
    auto made = std::make_shared<column>();
    made->name = from->name;
    made->type = from->type;
    made->rows = rows.size();
    made->validity = page_array<std::uint8_t>((rows.size() + 7) / 8, page_kind::small);
    const bool text = from->type == column_type::text;
    if (text) {
      made->offsets = page_array<std::int64_t>(rows.size() + 1, page_kind::small);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool there = rows[i] != no_row;
        made->offsets[i + 1] =
            made->offsets[i] + (there ? from->offsets[rows[i] + 1] - from->offsets[rows[i]] : std::int64_t{0});
      }
      made->values = page_array<std::byte>(static_cast<std::size_t>(made->offsets[rows.size()]), page_kind::small);
    } else {
      make_room(*made);
    }
    for_each_block(rows.size(), control, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) {
        const std::uint64_t row = rows[i];
        if (row == no_row || !from->has(row)) continue;
        set_bit(made->validity.data(), i);
        if (text) {
          const std::string_view value = from->text(row);
          if (!value.empty()) std::memcpy(made->values.data() + made->offsets[i], value.data(), value.size());
        } else if (from->type == column_type::truth) {
          if (from->truth(row)) set_bit(reinterpret_cast<std::uint8_t*>(made->values.data()), i);
        } else {
          std::memcpy(made->values.data() + 8 * i, from->values.data() + 8 * row, 8);
        }
      }
    });
    drop_validity_if_full(*made);
    result.push_back(std::move(made));
  }
  return result;
}

std::shared_ptr<const graph_attributes> attributes_of(column_list vertices, column_list edges) {
  if (vertices.empty() && edges.empty()) return nullptr;
  return std::make_shared<const graph_attributes>(graph_attributes{std::move(vertices), std::move(edges)});
}

}  // namespace callisto::graph
