// A figure of a simulated cluster: programs by a number that varies, as tables, JSON and pictures.
#pragma once

#include <callisto/app/base/json.hpp>
#include <lab/names.hpp>

#include <string>
#include <vector>

namespace callisto::lab {

struct cluster_figure {
  /// A number that a run has.
  struct column {
    const char* key;    ///< in JSON
    const char* words;  ///< with the unit
    double scale = 1;   ///< of words to JSON
    bool is_shown = true;
    bool is_logarithmic = true;
  };
  /// A line of the figure: a program, with the numbers of each run by column.
  struct series {
    std::string name;
    std::vector<std::vector<double>> runs;
  };

  std::string title;
  std::string network;
  std::string varies;  ///< in words
  const char* varies_key = "nodes";
  std::vector<unsigned> values;
  std::vector<column> columns;
  std::vector<series> all;

  /// Returns a table a column.
  std::string words() const;
  /// Returns an object a run.
  json runs() const;
  /// Returns a picture, which says that it is simulated; `below` stands under its title.
  std::string drawing(const std::string& below) const;
  /// Returns the number of a column, by its key, of the last run of a series.
  double last(const std::string& of, const std::string& key) const;
  /// Returns that of the run by `value`.
  double at(const std::string& of, const std::string& key, unsigned value) const;
};

}  // namespace callisto::lab
