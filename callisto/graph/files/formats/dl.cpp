// The reader of UCINET's data language (.dl): "DL", phrases about sizes, format and labels, "DATA:", a matrix or a
// list.
//
// The phrases are those of the manual (analytictech.com/ucinet/help/hs5000.htm): blanks, commas, line breaks and equal
// signs separate words, capitals do not count. A matrix may be cut into lines anywhere; lists have an item a line.
#include <callisto/graph/files/formats/collector.hpp>
#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/formats/symmetry.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace callisto::graph::formats {
namespace {

enum class dl_shape { full, lower, upper, nodes, counted_nodes, pairs };

struct dl_kind {
  std::string_view name;
  std::string_view short_name;
  dl_shape shape;
  bool two_modes;
};
constexpr std::array<dl_kind, 8> dl_kinds{{
    {"fullmatrix", "fm", dl_shape::full, false},
    {"lowerhalf", "lh", dl_shape::lower, false},
    {"upperhalf", "uh", dl_shape::upper, false},
    {"nodelist1", "nl1", dl_shape::nodes, false},
    {"nodelist1b", "nl1b", dl_shape::counted_nodes, false},
    {"nodelist2", "nl2", dl_shape::nodes, true},
    {"edgelist1", "el1", dl_shape::pairs, false},
    {"edgelist2", "el2", dl_shape::pairs, true},
}};

constexpr std::string_view dl_blanks = " \t\r\n,";
constexpr std::string_view dl_line_blanks = " \t\r,";
constexpr std::string_view dl_header_blanks = " \t\r\n,=";

/// The words of a text, in order.
class dl_words {
 public:
  dl_words(const input::source& from, std::string_view text) : from_(from), text_(text) {}

  /// Moves to the next word behind any of `skipped`, and takes it without its quotes. Returns false at the end of the
  /// text, or of the line if line breaks are not skipped. With `colons`, a word ends behind a colon, too.
  bool next(std::string_view skipped, bool colons = false) {
    begin_ = std::min(text_.find_first_not_of(skipped, at_), text_.size());
    at_ = begin_;
    word_ = {};
    if (begin_ == text_.size() || text_[begin_] == '\n') return false;
    if (text_[begin_] == '"') {
      const std::size_t close = text_.find_first_of("\"\n", begin_ + 1);
      if (close == text_.npos || text_[close] == '\n') fail("a quote is not closed in its line");
      word_ = text_.substr(begin_ + 1, close - begin_ - 1);
      at_ = close + 1;
      return true;
    }
    while (at_ < text_.size() && text_[at_] != '\n' && skipped.find(text_[at_]) == skipped.npos) {
      if (text_[at_++] == ':' && colons) break;
    }
    word_ = text_.substr(begin_, at_ - begin_);
    return true;
  }

  /// Moves to the next line. Returns false if there is none.
  bool next_line() noexcept {
    at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
    begin_ = at_;
    return at_ < text_.size();
  }

  /// Moves back to before the current word.
  void back() noexcept { at_ = begin_; }
  std::string_view word() const noexcept { return word_; }

  /// Throws input_error with the line of the current word.
  [[noreturn]] void fail(const std::string& message) const {
    const auto until = text_.begin() + static_cast<std::ptrdiff_t>(begin_);
    throw input_error(from_.name(), 1 + static_cast<std::uint64_t>(std::count(text_.begin(), until, '\n')), message);
  }

 private:
  const input::source& from_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
  std::string_view word_;
};

class dl_reader {
 public:
  dl_reader(const input::source& from, const read_options& options, read_report& report, std::string_view text)
      : graph_(from), options_(options), report_(report), words_(from, text), bytes_(text.size()) {}

  any_edge_list run(const run_control& control) {
    read_header();
    if (kind_->shape == dl_shape::full || kind_->shape == dl_shape::lower || kind_->shape == dl_shape::upper) {
      read_matrix();
    } else {
      read_lines();
    }
    return finish(control);
  }

 private:
  struct entry {
    std::uint32_t row;
    std::uint32_t column;
    double value;
  };
  /// The vertices of rows, or of columns.
  struct side {
    std::uint64_t size = 0;
    bool given = false;     ///< the header has its labels
    bool embedded = false;  ///< the data have its labels
    std::vector<std::string> labels = {};
    std::unordered_map<std::string, std::uint32_t> places = {};  ///< of labels, if embedded
  };

  bool next_phrase() { return words_.next(dl_header_blanks, true); }
  /// Returns the current word in lower case, without a colon at its end.
  std::string lowered() const {
    std::string word = input::lower_case(words_.word());
    if (word.ends_with(':')) word.pop_back();
    return word;
  }

  std::uint64_t number_of(const std::string& phrase) {
    const auto value = next_phrase() ? input::to_unsigned(words_.word()) : std::nullopt;
    if (!value || *value == 0) words_.fail("expected '" + phrase + " = NUMBER', found " + input::shown(words_.word()));
    // More vertices than the file has bytes are a mistake, as they are in Pajek's networks.
    if (*value > std::max<std::uint64_t>(bytes_, std::uint64_t{1} << 20)) {
      words_.fail("declares " + std::to_string(*value) + " vertices in " + input::counted(bytes_, "byte"));
    }
    return *value;
  }

  void read_header() {
    if (!next_phrase() || lowered() != "dl") words_.fail("expected 'DL', found " + input::shown(words_.word()));
    for (bool data = false; !data;) {
      if (!next_phrase()) words_.fail("expected 'DATA:' behind the phrases of a UCINET DL file; there is none");
      const std::string phrase = lowered();
      if (phrase.empty()) continue;
      if (phrase == "data") {
        data = true;
      } else if (phrase == "n") {
        rows_.size = columns_.size = number_of("N");
      } else if (phrase == "nr") {
        rows_.size = number_of("NR");
      } else if (phrase == "nc") {
        columns_.size = number_of("NC");
      } else if (phrase == "nm") {
        matrices_ = number_of("NM");
      } else if (phrase == "format") {
        read_format();
      } else if (phrase == "diagonal") {
        next_phrase();
        const std::string how = lowered();
        if (how != "absent" && how != "present") {
          words_.fail("expected 'DIAGONAL ABSENT' or 'PRESENT', found " + input::shown(words_.word()));
        }
        diagonal_ = how == "present";
      } else if (phrase == "labels") {
        read_labels(&rows_, &columns_);
      } else if (phrase == "row" || phrase == "col" || phrase == "column" || phrase == "matrix") {
        next_phrase();
        if (lowered() != "labels") words_.fail("expected 'LABELS', found " + input::shown(words_.word()));
        read_labels(phrase == "row" ? &rows_ : phrase == "matrix" ? nullptr : &columns_, nullptr);
      } else if (phrase == "datafile") {
        words_.fail("UCINET DL: data of another file (DATAFILE) are not read; put them behind 'DATA:'");
      } else {
        words_.fail("UCINET DL: expected N, NR, NC, NM, FORMAT, DIAGONAL, LABELS or DATA:, found " +
                    input::shown(words_.word()) + (any_labels_ ? "; labels with blanks need quotes" : ""));
      }
    }
    check_sizes();
  }

  void read_format() {
    next_phrase();
    const std::string name = lowered();
    kind_ = std::find_if(dl_kinds.begin(), dl_kinds.end(),
                         [&](const dl_kind& k) { return k.name == name || k.short_name == name; });
    if (kind_ == dl_kinds.end()) {
      words_.fail("UCINET DL: the format " + input::shown(words_.word()) +
                  " is not read; fullmatrix, lowerhalf, upperhalf, nodelist1, nodelist1b, nodelist2, edgelist1 and "
                  "edgelist2 are");
    }
  }

  /// Reads labels, or notes that they are in the data. Labels without an owner are those of matrices.
  void read_labels(side* of, side* too) {
    if (!words_.word().ends_with(':')) {
      if (next_phrase() && lowered() == "embedded") {
        if (of == nullptr) words_.fail("UCINET DL: labels of matrices in the data are not read");
        of->embedded = true;
        if (too != nullptr) too->embedded = true;
        return;
      }
      if (words_.word() != ":") words_.back();  // the colon is missing
    }
    const std::uint64_t wanted = of == nullptr ? matrices_ : std::max(of->size, too == nullptr ? 0 : too->size);
    if (wanted == 0) words_.fail("UCINET DL: expected 'N = NUMBER' before labels");
    std::vector<std::string> labels;
    while (labels.size() < wanted) {
      const bool found = words_.next(dl_header_blanks);
      if (!found || input::lower_case(words_.word()) == "data:") {
        words_.fail(input::counted(labels.size(), "label") + " where " + std::to_string(wanted) + " are expected");
      }
      labels.emplace_back(words_.word());
    }
    any_labels_ = true;
    for (side* s : {of, too}) {
      if (s == nullptr) continue;
      s->given = true;
      s->labels = labels;
    }
  }

  void check_sizes() {
    if (rows_.size == 0) rows_.size = columns_.size;
    if (columns_.size == 0) columns_.size = rows_.size;
    const bool lists = kind_->shape == dl_shape::pairs || kind_->shape == dl_shape::nodes;
    if (rows_.size == 0 && !(lists && (rows_.embedded || columns_.embedded))) {
      words_.fail("UCINET DL: expected 'N = NUMBER' before 'DATA:'");
    }
    // A list of one mode has one set of labels; so has a matrix, unless its rows are called otherwise than its columns.
    const bool matrix = kind_->shape == dl_shape::full;
    two_modes_ = kind_->two_modes || rows_.size != columns_.size ||
                 (rows_.given && columns_.given && rows_.labels != columns_.labels);
    if (two_modes_ && !kind_->two_modes && !matrix) {
      words_.fail("UCINET DL: rows and columns of " + std::string(kind_->name) + " are the same vertices, but have " +
                  (rows_.size != columns_.size ? "two sizes" : "two sets of labels"));
    }
    if (!diagonal_ && two_modes_) words_.fail("UCINET DL: a matrix of two modes has no diagonal that is absent");
    if (!two_modes_ && !matrix) rows_.embedded = columns_.embedded = rows_.embedded || columns_.embedded;
    if (kind_->shape == dl_shape::counted_nodes && rows_.embedded) {
      words_.fail("UCINET DL: nodelist1b has numbers, no labels in the data");
    }
    for (side* s : {&rows_, &columns_}) {
      if (!s->embedded) continue;
      s->labels.clear();
      s->given = false;
    }
  }

  void read_matrix() {
    const auto word = [&] { return words_.next(dl_blanks); };
    const auto read_label = [&](side& s, const char* what) {
      if (!word()) words_.fail(std::string("the data end before the label of each ") + what);
      s.labels.emplace_back(words_.word());
    };
    for (std::uint64_t j = 0; columns_.embedded && j < columns_.size; ++j) read_label(columns_, "column");
    for (std::uint64_t i = 0; i < rows_.size; ++i) {
      if (rows_.embedded) read_label(rows_, "row");
      const std::uint64_t begin = kind_->shape == dl_shape::upper ? i : 0;
      const std::uint64_t end = kind_->shape == dl_shape::lower ? i + 1 : columns_.size;
      for (std::uint64_t j = begin; j < end; ++j) {
        if (i == j && !diagonal_) continue;
        if (!word()) {
          words_.fail("the data end in row " + std::to_string(i + 1) + " of " + std::to_string(rows_.size) +
                      " of the matrix");
        }
        const double value = weight_of(words_.word());
        if (value != 0) entries_.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), value});
      }
    }
    if (matrices_ > 1) {
      tell_matrices();
    } else if (word() && words_.word() != "!") {
      words_.fail("expected the end of the matrix of " + std::to_string(rows_.size) + " by " +
                  std::to_string(columns_.size) + ", found " + input::shown(words_.word()));
    }
  }

  void tell_matrices() {
    report_.notes.push_back("holds " + std::to_string(matrices_) + " matrices, of which the first is read");
  }

  double weight_of(std::string_view word) {
    const auto value = to_weight(word, weights::real);
    if (!value) words_.fail(not_a_weight(word, weights::real));
    return *value;
  }

  /// Returns the vertex of a side that a word of a list names.
  std::uint32_t place_of(side& s, std::string_view word) {
    if (!s.embedded) {
      const auto number = input::to_unsigned(word);
      if (!number || *number < 1 || *number > s.size) {
        words_.fail(input::not_a_number_in(word, 1, s.size, "vertex number"));
      }
      return static_cast<std::uint32_t>(*number - 1);
    }
    const auto [found, fresh] = s.places.try_emplace(std::string(word), static_cast<std::uint32_t>(s.labels.size()));
    if (fresh) {
      if (s.size != 0 && s.labels.size() == s.size) {
        words_.fail("has a label more than the " + std::to_string(s.size) +
                    " that are declared: " + input::shown(word));
      }
      s.labels.emplace_back(word);
    }
    return found->second;
  }

  /// Reads a list: a line an item, to the end or to the "!" between matrices.
  void read_lines() {
    side& of_columns = two_modes_ ? columns_ : rows_;
    std::uint64_t row = 0;
    do {
      if (!words_.next(dl_line_blanks)) continue;
      if (words_.word() == "!") break;
      if (kind_->shape == dl_shape::counted_nodes) {
        read_counted(row++);
        continue;
      }
      const std::uint32_t from = place_of(rows_, words_.word());
      if (kind_->shape == dl_shape::nodes) {
        while (words_.next(dl_line_blanks)) entries_.push_back({from, place_of(of_columns, words_.word()), 1});
        continue;
      }
      if (!words_.next(dl_line_blanks)) words_.fail("expected 'FROM TO' or 'FROM TO VALUE', found the end of the line");
      const std::uint32_t to = place_of(of_columns, words_.word());
      const double value = words_.next(dl_line_blanks) ? weight_of(words_.word()) : 1;
      if (words_.next(dl_line_blanks)) {
        words_.fail("expected 'FROM TO' or 'FROM TO VALUE', found a further " + input::shown(words_.word()));
      }
      if (value != 0) entries_.push_back({from, to, value});
    } while (words_.next_line());
    if (matrices_ > 1) tell_matrices();
  }

  /// Reads a line "NUMBER NEIGHBOUR ..." of this row, behind its first word.
  void read_counted(std::uint64_t row) {
    if (row == rows_.size)
      words_.fail("has more lines than the " + std::to_string(row) + " vertices that are declared");
    const auto count = input::to_unsigned(words_.word());
    if (!count) words_.fail("expected the number of neighbours, found " + input::shown(words_.word()));
    std::uint64_t found = 0;
    for (; words_.next(dl_line_blanks); ++found) {
      entries_.push_back({static_cast<std::uint32_t>(row), place_of(rows_, words_.word()), 1});
    }
    if (found != *count) {
      words_.fail(input::counted(found, "neighbour") + " where " + std::to_string(*count) + " are expected");
    }
  }

  /// Makes the vertices of a side. In the file they have numbers, which are their names if there are no labels.
  std::vector<std::uint32_t> declare(const side& s, std::uint64_t before) {
    std::vector<std::uint32_t> vertices;
    const std::uint64_t size = s.embedded ? s.labels.size() : s.size;
    for (std::uint64_t i = 0; i < size; ++i) {
      vertices.push_back(graph_.vertex(std::to_string(before + i + 1)));
      if (i < s.labels.size()) graph_.call(vertices.back(), s.labels[i]);
    }
    if (size < s.size) {
      report_.notes.push_back("declares " + std::to_string(s.size) + " vertices and names " + std::to_string(size) +
                              ": those without a name are left out");
    }
    return vertices;
  }

  any_edge_list finish(const run_control& control) {
    if (kind_->shape == dl_shape::full && rows_.embedded && columns_.embedded && rows_.labels != columns_.labels) {
      two_modes_ = true;
    }
    if (!two_modes_ && !rows_.given && rows_.labels.empty()) rows_.labels = columns_.labels;
    const std::vector<std::uint32_t> rows = declare(rows_, 0);
    const std::vector<std::uint32_t> columns = two_modes_ ? declare(columns_, rows.size()) : rows;
    symmetry_sums sums;
    bool weighted = false;
    for (const entry& e : entries_) {
      weighted = weighted || e.value != 1;
      sums.add(e.row, e.column, e.value);
    }
    const bool half = kind_->shape == dl_shape::lower || kind_->shape == dl_shape::upper;
    const bool symmetric = kind_->shape == dl_shape::full && !two_modes_ && sums.symmetric();
    const bool undirected = (half || two_modes_ || symmetric) && !options_.directed;
    if (symmetric && undirected) {
      report_.notes.push_back("is taken as a matrix of " + input::counted(rows.size(), "row") +
                              ", symmetric, so undirected (--directed)");
    } else if (two_modes_) {
      report_.notes.push_back("is taken as a graph of two modes, " + input::counted(rows.size(), "row") + " and " +
                              input::counted(columns.size(), "column") +
                              (undirected ? ", undirected" : ", of edges from rows to columns"));
    }
    const auto add = [&](std::uint32_t from, std::uint32_t to, double value) {
      graph_.add(from, to, !undirected,
                 weighted && options_.weights_column != "none" ? std::optional(value) : std::nullopt);
    };
    for (const entry& e : entries_) {
      if (symmetric && undirected && e.row > e.column) continue;
      add(rows[e.row], columns[e.column], e.value);
      if (half && !undirected && e.row != e.column) add(columns[e.column], rows[e.row], e.value);
    }
    return graph_.finish(!undirected, options_, control, report_);
  }

  collector graph_;
  const read_options& options_;
  read_report& report_;
  dl_words words_;
  std::uint64_t bytes_;  ///< of the file
  const dl_kind* kind_ = dl_kinds.data();
  side rows_;
  side columns_;
  std::uint64_t matrices_ = 1;
  bool diagonal_ = true;    ///< the data have the diagonal of a matrix
  bool two_modes_ = false;  ///< columns are other vertices than rows
  bool any_labels_ = false;
  std::vector<entry> entries_;
};

}  // namespace

bool is_dl(std::string_view head) {
  head = head.substr(0, std::size_t{1} << 12);
  const auto word = [&] {
    const std::size_t begin = std::min(head.find_first_not_of(dl_header_blanks), head.size());
    const std::size_t end = std::min(head.find_first_of(" \t\r\n,=:", begin), head.size());
    std::string found = input::lower_case(head.substr(begin, end - begin));
    head.remove_prefix(end);
    return found;
  };
  if (word() != "dl") return false;
  const std::string phrase = word();
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  const bool equals = head.starts_with('=');
  if (phrase == "n" || phrase == "nr" || phrase == "nc" || phrase == "nm") {
    return equals || input::to_unsigned(word()).has_value();
  }
  return phrase == "format" && (equals || !word().empty());
}

any_edge_list read_dl(input::source& from, const read_options& options, const run_control& control,
                      read_report& report) {
  const std::string text = read_all_as_utf8(from, report);
  return dl_reader(from, options, report, text).run(control);
}

}  // namespace callisto::graph::formats
