// mutate SOURCE OUTPUT [NUMBER MUTANT]...: writes OUTPUT, SOURCE with the seeded bugs that the text files MUTANT
// describe, of which `check::mutant` chooses one when the program runs: the one of that NUMBER, none for 0. So a
// program that has dozens of bugs is compiled once.
//
// Before and after are one of:
//   statements                        a + b;           ->  if (chosen) { after } else { before }
//   a declaration with " = ", with    auto x = a;      ->  auto x = chosen ? after : before;
//     statements before or after it
//   what opens or closes a block,     if (a) {         ->  if (chosen ? after : before) {
//     with another condition
//   a function in a line              f() { body }     ->  f() { the same with the statements of body }
//   an expression                     a                ->  (chosen ? after : before)
//   a comment, and "if (false)": leaves out the statement behind it
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct mutant {
  std::string number;
  std::string file;
  std::string after;
};

std::string read(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(file + ": cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Returns what stands after "name: " in the mutant's text, at the beginning of a line.
std::string field(const std::string& text, const std::string& name, const std::string& file) {
  const std::size_t at = ("\n" + text).find("\n" + name + ": ");
  if (at == std::string::npos) throw std::runtime_error(file + ": no line '" + name + ": ...'");
  const std::size_t begin = at + name.size() + 2;
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// Returns the line without the comment at its end.
std::string code_of(const std::string& line) {
  const std::string code = line.substr(0, line.find("//"));
  return code.substr(0, code.find_last_not_of(' ') + 1);
}

/// Returns the condition that a mutant is chosen. Constant evaluation has no bugs: it belongs to no particular run.
std::string is_chosen(const mutant& m) {
  return "!__builtin_is_constant_evaluated() && ::callisto::check::mutant == " + m.number;
}

[[noreturn]] void refuse(const mutant& m, const std::string& why) {
  throw std::runtime_error(m.file + ": " + why + " (what a mutant can be: tests/check/mutate.cpp)");
}

/// Returns what remains of a mutant's line between the text that both versions have on either side.
std::string between(const mutant& m, const std::string& head, const std::string& tail) {
  if (m.after.size() < head.size() + tail.size() || !m.after.starts_with(head) || !m.after.ends_with(tail)) {
    refuse(m, "'after' does not begin with '" + head + "' and end with '" + tail + "'");
  }
  return m.after.substr(head.size(), m.after.size() - head.size() - tail.size());
}

std::string statements(const std::string& before, const std::vector<mutant>& mutants) {
  std::string all;
  for (const mutant& m : mutants) all += "if (" + is_chosen(m) + ") { " + m.after + " } else ";
  return all + "{ " + before + " }";
}

std::string expression(const std::string& before, const std::vector<mutant>& mutants) {
  std::string all = "(";
  for (const mutant& m : mutants) all += is_chosen(m) + " ? (" + m.after + ") : ";
  return all + "(" + before + "))";
}

std::string declaration(const std::string& head, const std::string& before, std::vector<mutant> mutants) {
  std::string first;
  std::string last;
  for (mutant& m : mutants) {
    const std::size_t at = m.after.find(head);
    const std::size_t end = m.after.find(';', at);
    if (at == std::string::npos || end == std::string::npos) refuse(m, "'after' lacks '" + head + "'");
    first += "if (" + is_chosen(m) + ") { " + m.after.substr(0, at) + " } ";
    last += " if (" + is_chosen(m) + ") { " + m.after.substr(end + 1) + " }";
    m.after = m.after.substr(at + head.size(), end - at - head.size());
  }
  return first + head + expression(before, mutants) + ";" + last;
}

/// Returns the line of code with all of its mutants.
std::string combined(const std::string& line, std::vector<mutant> mutants) {
  const std::string before = code_of(line);
  for (mutant& m : mutants) m.after = code_of(m.after);
  const auto inside = [&](std::size_t begin, std::size_t end) {
    for (mutant& m : mutants) m.after = between(m, before.substr(0, begin), before.substr(end));
    return before.substr(begin, end - begin);
  };
  const auto around = [&](std::size_t begin, std::size_t end, const std::string& changed) {
    return before.substr(0, begin) + changed + before.substr(end);
  };
  const std::size_t brace = before.find('{');
  if (before.empty()) {
    std::string none;
    for (const mutant& m : mutants) {
      if (m.after != "if (false)") refuse(m, "'before' is a comment, and 'after' is not 'if (false)'");
      none += (none.empty() ? "" : " || ") + is_chosen(m);
    }
    return "if (!(" + none + "))";
  }
  if (before.ends_with('{') || before.starts_with('}')) {
    const std::size_t begin = before.find('(') + 1;
    const std::size_t end = before.rfind(')');
    const std::string condition = inside(begin, end);
    for (mutant& m : mutants) m.after = "static_cast<bool>((" + m.after + "))";
    return around(begin, end, expression("static_cast<bool>(" + condition + ")", mutants));
  }
  if (before.ends_with('}') && brace != std::string::npos) {
    const std::size_t begin = brace + 1;
    const std::size_t end = before.size() - 1;
    const std::string body = inside(begin, end);
    return around(begin, end, " " + statements(body, mutants) + " ");
  }
  if (!before.ends_with(';')) return expression(before, mutants);
  const std::size_t sign = before.find(" = ");
  const std::string name = before.substr(0, sign == std::string::npos ? 0 : sign + 3);
  // Type and name; an assignment has the name alone.
  if (std::count(name.begin(), name.end(), ' ') > 2 && name.find('(') == std::string::npos) {
    return declaration(name, before.substr(name.size(), before.size() - name.size() - 1), mutants);
  }
  return statements(before, mutants);
}

void run(const std::vector<std::string>& arguments) {
  const std::string& source = arguments.at(0);
  std::string code = read(source);
  std::map<std::string, std::vector<mutant>> lines;
  for (std::size_t i = 2; i + 1 < arguments.size(); i += 2) {
    const std::string& file = arguments[i + 1];
    const std::string text = read(file);
    lines[field(text, "before", file)].push_back({arguments[i], file, field(text, "after", file)});
  }
  std::map<std::size_t, const std::string*> places;
  for (const auto& [line, mutants] : lines) {
    const std::size_t at = code.find(line);
    const std::string& file = mutants.front().file;
    if (at == std::string::npos) throw std::runtime_error(file + ": " + source + " has no line: " + line);
    if (code.rfind(line) != at) throw std::runtime_error(file + ": " + source + " has more than one line: " + line);
    places[at] = &line;
  }
  // From the end, so that earlier places stay what they are.
  std::size_t changed = code.size();
  for (auto p = places.rbegin(); p != places.rend(); ++p) {
    const auto& [at, line] = *p;
    const std::vector<mutant>& mutants = lines[*line];
    if (at + line->size() > changed) throw std::runtime_error(mutants.front().file + ": overlaps with another mutant");
    code.replace(at, line->size(), combined(*line, mutants));
    changed = at;
  }
  // In the first line, so that lines keep their numbers.
  std::ofstream out(arguments.at(1), std::ios::binary);
  out << "namespace callisto::check { extern unsigned mutant; } " << code;
  if (!out.flush()) throw std::runtime_error(arguments[1] + ": cannot be written");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run({argv + 1, argv + argc});
  } catch (const std::exception& e) {
    std::cerr << "mutate: " << e.what() << '\n';
    return 1;
  }
}
