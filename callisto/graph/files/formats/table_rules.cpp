// The questions that a table asks, and what answers them.
#include <callisto/graph/files/formats/table_rules.hpp>

#include <callisto/graph/files/formats/table_finder.hpp>

#include <array>

namespace callisto::graph::formats {
namespace tables {
namespace {

using finder = layout_finder;

/// Without an answer: comments and lines are read so (table_comments.cpp, table_columns.cpp).
constexpr std::array all = {
    question{{"direction",
              "`directed` or `undirected` as a word of the comments before the edges (`not`, `non` or `un` before it "
              "and `: no`, `=0`, `: false` behind it turn it round; paths and addresses do not count), else a "
              "dialect (below), else directed, which is said. Both words, SNAP's \"each unordered pair\" in a "
              "directed header, and that every edge is listed in both directions are said",
              "`--undirected`, `--directed`"},
             nullptr},
    question{{"separator",
              "of a line `sep=;` before all others; else the first of tab, `;`, `|`, `,`, `::`, blanks that cuts "
              "all lines into the same number of columns, two or more, empty ones at the ends of lines apart. "
              "Parentheses or brackets around all lines are skipped; a tuple `(0, 1)` is one column",
              "`--separator`"},
             &finder::find_separator},
    question{{"quotes",
              "as RFC 4180: `\"a \"\"b\"\"\"`. A cell in quotes may hold line breaks; the first must be in the first "
              "64 KiB or in a column that is read",
              ""},
             nullptr},
    question{{"counts",
              "a first line of two numbers, N and M, above M lines of two vertices from 1 to N and a number (rudy, "
              "sets for maximum cuts) is no edge: there are N vertices, and edges are undirected, which is said",
              "`--header no`"},
             &finder::take_counts},
    question{{"weights missing",
              "where lines, cut by blanks or tabs, have two or three columns, and the third holds numbers, edges "
              "without one weigh 1, which is said",
              ""},
             &finder::take_optional_weights},
    question{{"lines that are no edges", "are an error",
              "`--skip-bad-lines` leaves them out, counts them and names the first"},
             &finder::require_columns},
    question{{"matrix",
              "a table with the same names in its first line and first column is an adjacency matrix, which is said; "
              "undirected if symmetric",
              "`--columns 1,2`"},
             &finder::find_matrix_with_names},
    question{{"two modes",
              "names above columns and before lines, none twice, and cells of 0, 1 and nothing, or of any numbers "
              "below an empty corner, of which some are 0 or nothing, are a matrix of two modes: undirected; equal "
              "names of both sides are one vertex and make edges directed, from lines to columns. Any numbers do "
              "with `--bipartite`, four columns or a 0 provided. It is said",
              "`--columns FROM,TO`"},
             &finder::find_matrix_of_two_modes},
    question{
        {"matrix without names",
         "four or more rows of as many numbers with nothing on the diagonal, symmetric or of 0 and 1, are one, too",
         "`--columns 1,2`"},
        &finder::find_matrix_without_names},
    question{{"header",
              "the first line is one if it names both ends (below) or a column of `--columns`, or if both ids or "
              "another column are numbers below it and text in it; so is the last comment before the edges, if it "
              "has their columns, three or more, and names both ends. Where no line below names its ends again, and "
              "all are names, a line says that it is taken as an edge; so it is if it may state the numbers of "
              "vertices and edges (`5 4`, 4 lines behind it, ids to 5)",
              "`--header yes`, `no`"},
             &finder::find_header},
    question{{"ends",
              "the columns that the header names; without a header, or with one of two or three columns, else the "
              "first two. A header of more columns that names no ends is refused. Without a header the first and "
              "third if the second is the same sign in all lines (`a -> b`; `--` and `<->` are undirected); the "
              "second and third behind a first column of dates that never fall, if a fifth of their values is in "
              "both; else such a column is an end, which is said. Without a header, two columns of names that have "
              "values in common, if the first two columns have none and are no names both (airports of a route); of "
              "three columns the first and third, if the second has fewer values (triples)",
              "`--columns FROM,TO`"},
             &finder::find_ends},
    question{{"weight",
              "the column that the header names; one called weight that begins with no number is refused. Else the "
              "third, if it begins with a number and is the last of a table with a header, which is said to be a "
              "guess",
              "`--columns F,T,W`, `--weights-column`"},
             &finder::find_weight},
    question{{"time stamps",
              "a third column is no weight if its numbers are dates of 1980 to 2100 (in s, ms, us or ns since 1970, "
              "or as 20240131), or if 1,000 or more never fall and rise by 1 a line; whole numbers of 1900 to 2100 "
              "are weights, which is said",
              "`--weights-column 3`"},
             &finder::leave_out_times},
    question{{"types",
              "a column `Type` of Gephi, if all its words are directed or undirected, says so; if both occur, all "
              "edges are directed, which is said",
              "`--undirected`, `--directed`"},
             &finder::find_direction},
    question{{"two sides",
              "equal ids of both columns are one vertex. Users and what they rate, by the header or by `::` between "
              "three or more columns, are different vertices, called `left-ID` and `right-ID`, and edges undirected, "
              "which is said",
              "`--bipartite`; `--columns 1,2`"},
             &finder::find_sides},
    question{{"vertices",
              "whole numbers from 0 to 2^64 - 1 (`17` or `17.0`), if all ids are; else names of any bytes and "
              "length. That `007` is 7 is said",
              "`--ids numbers`, `names`"},
             &finder::find_ids},
    question{
        {"further columns", "are left out, which is said, unless they are [attributes](#attributes)", "`--attributes`"},
        &finder::find_kept},
};

}  // namespace

std::span<const question> questions() noexcept { return all; }

}  // namespace tables

std::vector<table_rule> table_rules() {
  std::vector<table_rule> said;
  for (const tables::question& q : tables::questions()) said.push_back(q.said);
  return said;
}

}  // namespace callisto::graph::formats
