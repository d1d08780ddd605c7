// The words that people give to columns, and how they say whether edges have directions.
#include <callisto/graph/files/formats/header_words.hpp>

#include <callisto/graph/files/input/text.hpp>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::graph::formats {
namespace {

using namespace std::string_view_literals;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

bool is_word_character(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/// Returns `name` in lower case, with nothing but letters and digits.
std::string plain_word(std::string_view name) {
  std::string word = input::lower_case(name);
  std::erase_if(word, [](char c) { return !is_word_character(c); });
  return word;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool begins_with_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view begin) { return word.starts_with(begin); });
}

/// True if the names are alike but for one word, which tells the two ends of an edge apart, and the other words say
/// what may be a vertex: "start_node" and "end_node", "station_from" and "station_to"; not "valid_from" and "valid_to".
bool differ_by_an_end(std::string_view one, std::string_view other) {
  const auto words_of = [](std::string_view name) {
    std::vector<std::string_view> words;
    for (std::size_t at = 0; (at = name.find_first_not_of(" _-."sv, at)) != name.npos;) {
      const std::size_t end = std::min(name.find_first_of(" _-."sv, at), name.size());
      words.push_back(name.substr(at, end - at));
      at = end;
    }
    return words;
  };
  const std::vector<std::string_view> a = words_of(one);
  const std::vector<std::string_view> b = words_of(other);
  if (a.size() < 2 || a.size() != b.size()) return false;
  unsigned ends = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) {
      if (!is_one_of(a[i], {"node",    "vertex",  "id",      "name",   "station", "stop",    "point",  "place",
                            "city",    "country", "state",   "region", "zone",    "airport", "port",   "location",
                            "address", "account", "wallet",  "user",   "person",  "player",  "author", "team",
                            "page",    "article", "company", "bank",   "host",    "ip",      "entity", "code"})) {
        return false;
      }
      continue;
    }
    const auto tells = [&](const auto& pair) { return a[i] == pair.first && b[i] == pair.second; };
    if (!std::ranges::any_of(
            std::initializer_list<std::pair<std::string_view, std::string_view>>{{"from", "to"},
                                                                                 {"start", "end"},
                                                                                 {"source", "target"},
                                                                                 {"src", "dst"},
                                                                                 {"src", "dest"},
                                                                                 {"origin", "destination"},
                                                                                 {"home", "away"},
                                                                                 {"first", "second"}},
            tells)) {
      return false;
    }
    ++ends;
  }
  return ends == 1;
}

/// True if the names are alike but for what tells the two ends apart: "gene1" and "gene2", "author_a" and "author_b".
bool are_paired(std::string_view one, std::string_view other) {
  for (const auto& [a, b] :
       {std::pair("1"sv, "2"sv), std::pair("0"sv, "1"sv), std::pair("a"sv, "b"sv), std::pair("x"sv, "y"sv),
        std::pair("i"sv, "j"sv), std::pair("u"sv, "v"sv), std::pair("left"sv, "right"sv)}) {
    if (!one.ends_with(a) || !other.ends_with(b)) continue;
    const std::string_view stem = one.substr(0, one.size() - a.size());
    if (stem != other.substr(0, other.size() - b.size())) continue;
    const bool digit = a[0] <= '9';
    const bool letters = std::any_of(stem.begin(), stem.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    // Numbers are vertices; so are words that happen to end in "a" and "b".
    if (digit ? letters : stem.empty() || !is_word_character(stem.back())) return true;
  }
  if (differ_by_an_end(one, other)) return true;
  for (const auto& [a, b] : {std::pair("person"sv, "friend"sv),       std::pair("subject"sv, "object"sv),
                             std::pair("caller"sv, "callee"sv),       std::pair("seller"sv, "buyer"sv),
                             std::pair("lender"sv, "borrower"sv),     std::pair("giver"sv, "receiver"sv),
                             std::pair("predator"sv, "prey"sv),       std::pair("pred"sv, "prey"sv),
                             std::pair("follows"sv, "followed"sv),    std::pair("follower"sv, "followed"sv),
                             std::pair("influencer"sv, "follower"sv), std::pair("user"sv, "friend"sv),
                             std::pair("buyer"sv, "seller"sv),        std::pair("exporter"sv, "importer"sv),
                             std::pair("importer"sv, "exporter"sv),   std::pair("reporter"sv, "partner"sv),
                             std::pair("winner"sv, "loser"sv),        std::pair("boss"sv, "employee"sv),
                             std::pair("employee"sv, "manager"sv),    std::pair("manager"sv, "employee"sv),
                             std::pair("mentor"sv, "mentee"sv),       std::pair("host"sv, "parasite"sv),
                             std::pair("host"sv, "guest"sv)}) {
    if (one == a && other == b) return true;
    if (one.size() == a.size() + 3 && one.starts_with(a) && one.ends_with("_id") && other.size() == b.size() + 3 &&
        other.starts_with(b) && other.ends_with("_id")) {
      return true;
    }
  }
  return false;
}

}  // namespace

role role_of(std::string_view name) {
  const std::string small = input::lower_case(name);
  // Neo4j: "name:START_ID(Group)", "weight:double".
  const std::string_view plain = std::string_view(small).substr(0, small.find('('));
  if (contains(plain, ":start_id"sv)) return role::from;
  if (contains(plain, ":end_id"sv)) return role::to;
  if (contains(plain, ":type"sv)) return role::type;
  const std::string word = plain_word(plain.substr(0, plain.find(':')));
  if (is_one_of(word, {"from",        "src",      "start",       "startid",  "tail",       "node1",    "nodea",
                       "id1",         "vertex1",  "v1",          "n1",       "user",       "userid",   "sender",
                       "follower",    "citing",   "origin",      "fromnode", "fromnodeid", "fromid",   "fromvertex",
                       "ego",         "parent",   "fromaddress", "nameorig", "payer",      "customer", "customerid",
                       "fromaccount", "fromstop", "fromstopid",  "caller",   "callerid",   "acaller",  "idsource",
                       "anumber",     "aparty",   "pulocationid"}) ||
      begins_with_one_of(word,
                         {"source", "sender", "payer", "calling", "startstation", "userscreenname", "auftraggeber"})) {
    return role::from;
  }
  if (is_one_of(word, {"to",          "dst",         "dest",     "end",        "endid",     "head",      "node2",
                       "nodeb",       "id2",         "vertex2",  "v2",         "n2",        "movie",     "movieid",
                       "item",        "itemid",      "receiver", "recipient",  "followee",  "cited",     "tonode",
                       "tonodeid",    "toid",        "tovertex", "alter",      "child",     "toaddress", "namedest",
                       "payee",       "beneficiary", "merchant", "merchantid", "toaccount", "tostop",    "tostopid",
                       "callee",      "calleeid",    "product",  "productid",  "idtarget",  "bnumber",   "bparty",
                       "dolocationid"}) ||
      begins_with_one_of(word, {"target", "destination", "receiver", "recipient", "payee", "called", "endstation",
                                "inreplyto", "empfaenger", "empfnger", "beguenstigte", "begnstigte"})) {
    return role::to;
  }
  if (is_one_of(word, {"weight", "weights", "w", "wt", "value", "rating", "strength", "count", "capacity", "distance",
                       "dist", "length", "cost", "score", "frequency", "freq", "amount", "similarity"}) ||
      word.ends_with("weight") || word.ends_with("score")) {
    return role::weight;
  }
  if (is_one_of(word, {"date", "datetime", "epoch", "unix", "ts", "year", "day", "createdat"}) ||
      word.starts_with("time") || word.ends_with("time") || word.ends_with("timestamp") || word.ends_with("date")) {
    return role::time;
  }
  if (word == "type") return role::type;
  return role::none;
}

bool is_called_weight(std::string_view name) {
  const std::string word = plain_word(name.substr(0, name.find(':')));
  return word.ends_with("weight") || word == "weights";
}

bool is_called_length(std::string_view name) {
  return is_one_of(plain_word(name.substr(0, name.find(':'))), {"distance", "dist", "length"});
}

bool is_vertex_column(std::string_view name) {
  const std::string word = plain_word(name.substr(0, name.find(':')));
  return input::lower_case(name).find(":id") != std::string::npos || word == "id" || word == "nodeid" ||
         word == "vertexid";
}

bool is_label_column(std::string_view name) {
  return is_one_of(plain_word(name.substr(0, name.find(':'))), {"label", "name", "title", "nodelabel", "fullname"}) ||
         input::lower_case(name).ends_with(":label");
}

std::optional<std::pair<std::size_t, std::size_t>> paired_ends(const std::vector<std::string>& names) {
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (are_paired(input::lower_case(names[i - 1]), input::lower_case(names[i]))) return std::pair(i - 1, i);
  }
  return std::nullopt;
}

bool are_users_and_items(std::string_view one, std::string_view other) {
  const auto is_user = [](const std::string& word) {
    return contains(word, "user"sv) || contains(word, "customer"sv) || contains(word, "reviewer"sv);
  };
  const auto is_item = [](const std::string& word) {
    for (const std::string_view thing :
         {"movie"sv, "item"sv, "product"sv, "song"sv, "track"sv, "artist"sv, "album"sv, "book"sv, "isbn"sv,
          "business"sv, "game"sv, "anime"sv, "venue"sv, "merchant"sv, "article"sv, "recipe"sv, "restaurant"sv}) {
      if (contains(word, thing)) return true;
    }
    return false;
  };
  const std::string a = plain_word(one);
  const std::string b = plain_word(other);
  return (is_user(a) && is_item(b)) || (is_item(a) && is_user(b));
}

stated_direction direction_in(std::string_view comment) {
  comment.remove_prefix(std::min(comment.find_first_not_of(" \t#%/;\""sv), comment.size()));
  const std::string text = input::lower_case(comment);
  stated_direction found;
  std::string before;  // the word before
  for (std::size_t at = 0; at < text.size();) {
    // Blanks cut tokens; a token with a slash is a path or an address.
    const std::size_t token_begin = std::min(text.find_first_not_of(" \t\r"sv, at), text.size());
    const std::size_t token_end = std::min(text.find_first_of(" \t\r"sv, token_begin), text.size());
    const std::string_view token = std::string_view(text).substr(token_begin, token_end - token_begin);
    at = token_end;
    if (contains(token, "/"sv)) {
      before.clear();
      continue;
    }
    for (std::size_t i = 0; i < token.size();) {
      if (!is_word_character(token[i])) {
        ++i;
        continue;
      }
      const std::size_t begin = i;
      while (i < token.size() && is_word_character(token[i])) ++i;
      const std::string_view word = token.substr(begin, i - begin);
      const bool directed = word == "directed" || word == "digraph";
      const bool undirected = word == "undirected" || word == "nondirected";
      if (directed || undirected) {
        // "directed: no", "directed=0", and "directed false" at the end of the line.
        std::string_view behind = std::string_view(text).substr(token_begin + i);
        const std::size_t answer = std::min(behind.find_first_not_of(" \t:=\"'"sv), behind.size());
        const bool asked = behind.substr(0, answer).find_first_of(":="sv) != behind.npos;
        behind.remove_prefix(answer);
        const std::size_t end = static_cast<std::size_t>(
            std::find_if_not(behind.begin(), behind.end(), is_word_character) - behind.begin());
        const bool last = behind.find_first_not_of(" \t\r\"'.,;)"sv, end) == behind.npos;
        const bool denied = (asked || last) && is_one_of(behind.substr(0, end), {"false", "no", "0"});
        const bool negated = is_one_of(before, {"not", "non", "un", "no", "isn", "t"}) != denied;
        (directed != negated ? found.directed : found.undirected) = true;
      }
      before = word;
    }
  }
  found.each_pair = contains(text, "each unordered pair"sv);
  return found;
}

}  // namespace callisto::graph::formats
