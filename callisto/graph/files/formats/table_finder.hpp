// The class that finds the layout of a table: the lines of the sample, what is known so far, and an answer for each
// question of table_rules.cpp. Answers that cut the table into rows are in table_layout.cpp, those that give columns
// their roles in table_roles.cpp.
#pragma once

#include <callisto/graph/files/formats/table_guesses.hpp>
#include <callisto/graph/files/formats/table_layout.hpp>
#include <callisto/graph/files/formats/table_sample.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace callisto::graph::formats::tables {

class layout_finder {
 public:
  layout_finder(const input::source& from, const read_options& options, read_report& report)
      : from_(from), options_(options), report_(report) {}

  /// Finds the layout of a list of vertex numbers and, if `weighted`, weights: only comments tell something.
  table_layout find_list(bool weighted);
  table_layout find();

  /// Called in the order of table_rules.cpp. Each sees what those before it found; find_matrix_...() may end the
  /// search.
  void find_separator();
  void take_counts();
  void take_optional_weights();
  void require_columns();
  void find_matrix_with_names();
  void find_matrix_of_two_modes();
  void find_matrix_without_names();
  void find_header();
  void find_ends();
  void find_weight();
  void leave_out_times();
  void find_direction();
  void find_sides();
  void find_ids();
  void find_kept();

 private:
  /// True if the sample is comments as write_graph() makes them of a graph without edges.
  bool has_vertices_only() const;
  /// True if nothing remains to be found: each line is two numbers with a blank between, and the user asks for nothing
  /// else. Saves most files the work of cutting the sample into cells.
  bool is_plain_list() const;
  void state_direction(bool undirected);
  /// Finds NetworkX's edge lists with data. Returns false if the table is none.
  bool find_attributes();
  /// True if the table may be an adjacency matrix.
  bool may_be_matrix() const;
  /// Throws input_error for a table of vertices, such as Gephi's "Id,Label" and Neo4j's "movieId:ID,title", taken for
  /// edges.
  void refuse_vertices() const;
  /// Takes the last comment before the data as the header if it names as many columns as there are, three or more, and
  /// the ends among them: "#node1<TAB>node2<TAB>combined_score", as STRING and BioGRID have it.
  bool has_header_in_comment();
  bool looks_like_header() const;
  /// Returns the column that the user calls `name`.
  std::size_t column_called(const std::string& name, const char* flag) const;
  /// Finds the ends where they are not the first two columns: behind times, and around an arrow.
  void find_ends_without_header();
  /// Returns the column of weights, if the user does not say which.
  std::optional<std::size_t> usual_weight();
  /// Tells that 007 and 7 are one vertex, if an id of the sample begins so.
  void tell_leading_zeros();
  std::string words_for(std::size_t column) const;
  /// Tells which columns were taken as what, if a header or further columns leave a choice.
  void tell_columns();
  void decide_format();

  const input::source& from_;
  const read_options& options_;
  read_report& report_;
  sample taken_;
  std::vector<row> rows_;
  row names_;
  table_layout layout_;
  bool header_ = false;
  bool in_comment_ = false;                 ///< the header is a comment
  bool guessed_weight_ = false;             ///< the header does not say that the column holds weights
  bool weight_by_place_ = false;            ///< nothing but its place says that the column holds weights
  std::optional<std::size_t> type_column_;  ///< Gephi's, if it said whether edges have directions
  bool ragged_ = false;  ///< lines differ in their numbers of cells, at least in empty ones at their ends
  konect_words konect_ = {};
  bool told_time_ = false;
  bool told_columns_ = false;
};

}  // namespace callisto::graph::formats::tables
