// Texts as labels: numbers for the texts of columns, and texts in the order of files.
#include "arrays.hpp"
#include "bindings.hpp"

#include <callisto/algorithms.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::python {
namespace {

/// Numbers texts as they first occur. Holds pointers without references: the lists that are read keep the texts.
class text_numbers {
 public:
  text_numbers() : slots_(1024) {}

  /// Numbers `count` texts, at most a block. Returns false if one of them is no `str` of Python itself. Equal texts
  /// have one number.
  bool number(PyObject* const* texts, std::size_t count, std::int64_t* numbers) {
    while (2 * (texts_.size() + count) > slots_.size()) grow();
    std::array<Py_hash_t, block> hashes;
    // Two passes: what the first one asks memory for has come when the second one needs it.
    for (std::size_t i = 0; i < count; ++i) {
      if (recent(texts[i]).text == texts[i]) continue;
      if (!PyUnicode_CheckExact(texts[i])) return false;
      hashes[i] = PyObject_Hash(texts[i]);
      __builtin_prefetch(&slots_[slot_of(hashes[i])]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      seen& kept = recent(texts[i]);
      // A text that was recent in the first pass may not be so any more.
      if (kept.text != texts[i]) kept = {texts[i], find(texts[i], PyObject_Hash(texts[i]))};
      numbers[i] = kept.number;
    }
    return true;
  }

  [[nodiscard]] nb::list texts() const {
    nb::list made;
    for (PyObject* text : texts_) made.append(nb::handle(text));
    return made;
  }

  static constexpr std::size_t block = 32;

 private:
  struct seen {
    PyObject* text = nullptr;
    std::int64_t number = 0;
  };
  struct slot {
    Py_hash_t hash = 0;
    std::int64_t number = -1;
  };

  seen& recent(PyObject* text) noexcept {
    return recent_[(reinterpret_cast<std::uintptr_t>(text) >> 4) % recent_.size()];
  }
  [[nodiscard]] std::size_t slot_of(Py_hash_t hash) const noexcept {
    return static_cast<std::size_t>(hash) & (slots_.size() - 1);
  }

  std::int64_t find(PyObject* text, Py_hash_t hash) {
    std::size_t at = slot_of(hash);
    for (; slots_[at].number >= 0; at = (at + 1) & (slots_.size() - 1)) {
      const auto number = static_cast<std::size_t>(slots_[at].number);
      if (slots_[at].hash == hash && PyUnicode_Compare(texts_[number], text) == 0) return slots_[at].number;
    }
    slots_[at] = {hash, static_cast<std::int64_t>(texts_.size())};
    texts_.push_back(text);
    return slots_[at].number;
  }

  void grow() {
    std::vector<slot> before(4 * slots_.size());
    before.swap(slots_);
    for (const slot& s : before) {
      if (s.number < 0) continue;
      std::size_t at = slot_of(s.hash);
      while (slots_[at].number >= 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = s;
    }
  }

  std::vector<slot> slots_;
  std::vector<PyObject*> texts_;
  /// Most columns repeat a few objects: these need no look at their texts.
  std::array<seen, 1 << 14> recent_{};
};

/// Numbers the texts of a list; false if one of its members is none.
bool number(const nb::list& column, text_numbers& numbers, std::vector<std::int64_t>& made) {
  constexpr std::size_t rows_between_signals = 1 << 16;
  const std::size_t rows = column.size();
  made.resize(rows);
  std::array<PyObject*, text_numbers::block> texts;
  for (std::size_t row = 0; row < rows; row += texts.size()) {
    if (row % rows_between_signals == 0 && PyErr_CheckSignals() != 0) throw nb::python_error();
    const std::size_t count = std::min(texts.size(), rows - row);
    for (std::size_t i = 0; i < count; ++i) texts[i] = PyList_GetItem(column.ptr(), static_cast<Py_ssize_t>(row + i));
    if (!numbers.number(texts.data(), count, made.data() + row)) return false;
  }
  return true;
}

/// Returns (numbers of the first list, numbers of the second, texts by number), None if not all members are texts.
nb::object number_texts(const nb::list& source, const nb::list& target) {
  const auto numbers = std::make_unique<text_numbers>();
  std::vector<std::int64_t> u;
  std::vector<std::int64_t> v;
  if (!number(source, *numbers, u) || !number(target, *numbers, v)) return nb::none();
  return nb::make_tuple(to_numpy(std::move(u)), to_numpy(std::move(v)), numbers->texts());
}

/// Returns (places in ascending order of UTF-8, the texts' bytes in that order, where each begins), None for labels
/// that are no texts, or texts that UTF-8 cannot express.
nb::object order_texts(const nb::list& texts) {
  std::vector<std::string_view> all(texts.size());
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Py_ssize_t length = 0;
    PyObject* const object = PyList_GetItem(texts.ptr(), static_cast<Py_ssize_t>(i));
    if (!PyUnicode_CheckExact(object)) return nb::none();
    const char* const text = PyUnicode_AsUTF8AndSize(object, &length);
    if (text == nullptr) {
      PyErr_Clear();
      return nb::none();
    }
    all[i] = {text, static_cast<std::size_t>(length)};
    bytes += all[i].size();
  }
  std::vector<std::int64_t> places(all.size());
  std::iota(places.begin(), places.end(), std::int64_t{0});
  callisto::sort(places, {}, [&](std::int64_t place) { return all[static_cast<std::size_t>(place)]; });
  std::vector<std::uint64_t> offsets(all.size() + 1, 0);
  std::vector<char> joined;
  joined.reserve(bytes);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::string_view text = all[static_cast<std::size_t>(places[i])];
    joined.insert(joined.end(), text.begin(), text.end());
    offsets[i + 1] = joined.size();
  }
  return nb::make_tuple(to_numpy(std::move(places)), nb::bytes(joined.data(), joined.size()),
                        to_numpy(std::move(offsets)));
}

}  // namespace

void bind_labels(nb::module_& m) {
  m.def("number_texts", &number_texts, nb::arg("source"), nb::arg("target"));
  m.def("order_texts", &order_texts, nb::arg("texts"));
}

}  // namespace callisto::python
