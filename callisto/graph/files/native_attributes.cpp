// Writes and checks the columns of a native file.
#include <callisto/graph/files/native_attributes.hpp>

#include <callisto/machine/system/encoding.hpp>

#include <fmt/format.h>

#include <cstring>
#include <string_view>
#include <utility>

namespace callisto::graph::native {
namespace {

using machine::page_array;

constexpr std::uint64_t array_alignment = 64;

array_place append(std::vector<std::byte>& arrays, const void* data, std::uint64_t bytes) {
  if (bytes == 0) return {};
  const std::uint64_t position = (arrays.size() + array_alignment - 1) / array_alignment * array_alignment;
  arrays.resize(position + bytes);
  std::memcpy(arrays.data() + position, data, bytes);
  return {position, bytes};
}

/// Reads the columns of a file.
class reader {
 public:
  reader(std::span<const std::byte> arrays, const std::shared_ptr<const void>& owner, bool content,
         const std::function<void(const std::string&)>& fail)
      : arrays_(arrays), owner_(owner), content_(content), fail_(fail) {}

  std::shared_ptr<const column> read(const column_entry& e) const {
    auto made = std::make_shared<column>();
    const page_array<char> name = array<char>(e.name, e.name.bytes, "the name of a column");
    made->name.assign(name.data(), name.size());
    if (!machine::is_utf8(made->name)) wrong("the name of a column is not UTF-8");
    if (e.type < 1 || e.type > 4) wrong(fmt::format("column '{}' has type {}", made->name, e.type));
    made->type = static_cast<column_type>(e.type);
    made->rows = e.rows;
    const std::uint64_t bits = (e.rows + 7) / 8;
    if (e.validity.bytes != 0) made->validity = array<std::uint8_t>(e.validity, bits, made->name);
    if (made->type != column_type::text) {
      made->values = array<std::byte>(e.values, made->type == column_type::truth ? bits : 8 * e.rows, made->name);
      return made;
    }
    made->offsets = array<std::int64_t>(e.offsets, e.rows + 1, made->name);
    made->values = array<std::byte>(e.values, e.values.bytes, made->name);
    const auto& offsets = made->offsets;
    if (offsets[0] != 0 || std::cmp_not_equal(offsets[e.rows], e.values.bytes)) {
      wrong(fmt::format("offsets of column '{}' from {} to {}, expected 0 to {}", made->name, offsets[0],
                        offsets[e.rows], e.values.bytes));
    }
    if (content_) check_text(*made);
    return made;
  }

 private:
  void wrong(const std::string& message) const { fail_("invalid native graph: " + message); }

  template <class T>
  page_array<T> array(const array_place& place, std::uint64_t elements, std::string_view of) const {
    const bool inside = place.position <= arrays_.size() && place.bytes <= arrays_.size() - place.position;
    if (!inside || place.position % array_alignment != 0 || place.bytes % sizeof(T) != 0 ||
        place.bytes / sizeof(T) != elements) {
      wrong(fmt::format("{} bytes of column '{}' at {} of {}", place.bytes, of, place.position, arrays_.size()));
    }
    return page_array<T>::view({reinterpret_cast<const T*>(arrays_.data() + place.position), elements}, owner_);
  }

  void check_text(const column& c) const {
    for (std::uint64_t i = 0; i < c.rows; ++i) {
      if (c.offsets[i] > c.offsets[i + 1] || c.offsets[i + 1] > c.offsets[c.rows]) {
        wrong(fmt::format("offsets of column '{}' do not ascend", c.name));
      }
      if (!machine::is_utf8(c.text(i))) wrong(fmt::format("row {} of column '{}' is not UTF-8", i, c.name));
    }
  }

  std::span<const std::byte> arrays_;
  const std::shared_ptr<const void>& owner_;
  bool content_;
  const std::function<void(const std::string&)>& fail_;
};

}  // namespace

column_sections sections_of(const graph_attributes& columns) {
  column_sections made;
  for (const auto& [list, owner] : {std::pair(&columns.vertices, 0u), std::pair(&columns.edges, 1u)}) {
    for (const auto& c : *list) {
      column_entry& e = made.directory.emplace_back();
      e.owner = owner;
      e.type = static_cast<std::uint32_t>(c->type);
      e.rows = c->rows;
      e.validity = append(made.arrays, c->validity.data(), c->validity.size());
      e.offsets = append(made.arrays, c->offsets.data(), 8 * c->offsets.size());
      e.values = append(made.arrays, c->values.data(), c->values.size());
      e.name = append(made.arrays, c->name.data(), c->name.size());
    }
  }
  return made;
}

std::shared_ptr<const graph_attributes> columns_in(std::span<const std::byte> directory,
                                                   std::span<const std::byte> arrays,
                                                   const std::shared_ptr<const void>& owner, const column_rows& rows,
                                                   bool content, const std::function<void(const std::string&)>& fail) {
  column_list vertices;
  column_list edges;
  const reader from(arrays, owner, content, fail);
  for (std::size_t at = 0; at < directory.size(); at += sizeof(column_entry)) {
    column_entry e;
    std::memcpy(&e, directory.data() + at, sizeof e);
    column_list& list = e.owner == 0 ? vertices : edges;
    const std::uint64_t least = e.owner == 0 ? rows.vertices : rows.least_edges;
    const std::uint64_t most = e.owner == 0 ? rows.vertices : rows.most_edges;
    if (e.owner > 1 || e.rows < least || e.rows > most || (!list.empty() && e.rows != list.front()->rows)) {
      fail(fmt::format("invalid native graph: a column of {} rows, expected {} to {}", e.rows, least, most));
    }
    auto made = from.read(e);
    if (find_column(list, made->name) != nullptr) fail("invalid native graph: two columns '" + made->name + "'");
    list.push_back(std::move(made));
  }
  return attributes_of(std::move(vertices), std::move(edges));
}

}  // namespace callisto::graph::native
