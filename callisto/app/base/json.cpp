// Builds JSON values. The JSON library parses and prints them.
#include <callisto/app/base/json.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>
#include <type_traits>

namespace callisto::app {

struct json::member {
  std::string key;
  json value;
  friend bool operator==(const member&, const member&) = default;
};

namespace {

template <class... Cases>
struct overloaded : Cases... {
  using Cases::operator()...;
};

}  // namespace

struct json::conversion {
  using library_json = nlohmann::ordered_json;

  static library_json to_library(const json& from) {
    return std::visit(overloaded{[](std::monostate) { return library_json(); },
                                 [](std::uint64_t number) {
                                   return number > largest_json_number ? library_json(std::to_string(number))
                                                                       : library_json(number);
                                 },
                                 [](std::int64_t number) {
                                   constexpr auto least = -static_cast<std::int64_t>(largest_json_number);
                                   return number < least ? library_json(std::to_string(number)) : library_json(number);
                                 },
                                 [](const auto& scalar) { return library_json(scalar); },
                                 [](const std::vector<json>& elements) {
                                   library_json made = library_json::array();
                                   for (const json& e : elements) made.push_back(to_library(e));
                                   return made;
                                 },
                                 [](const std::vector<member>& members) {
                                   library_json made = library_json::object();
                                   for (const member& m : members) made[m.key] = to_library(m.value);
                                   return made;
                                 }},
                      from.value_);
  }

  static json from_library(const library_json& from) {
    switch (from.type()) {
      case nlohmann::json::value_t::boolean:
        return from.get<bool>();
      case nlohmann::json::value_t::number_unsigned:
        return from.get<std::uint64_t>();
      case nlohmann::json::value_t::number_integer:
        return from.get<std::int64_t>();
      case nlohmann::json::value_t::number_float:
        return from.get<double>();
      case nlohmann::json::value_t::string:
        return from.get<std::string>();
      case nlohmann::json::value_t::array: {
        json made = array();
        for (const library_json& e : from) made.push_back(from_library(e));
        return made;
      }
      case nlohmann::json::value_t::object: {
        json made = object();
        for (const auto& [key, value] : from.items()) made[key] = from_library(value);
        return made;
      }
      default:
        return {};
    }
  }

  static std::string dump(const json& value, int indent) {
    return to_library(value).dump(indent, ' ', false, library_json::error_handler_t::replace);
  }
};

json::json() noexcept = default;
json::json(const json& other) = default;
json::json(json&& other) noexcept = default;
json& json::operator=(const json& other) = default;
json& json::operator=(json&& other) noexcept = default;
json::~json() = default;

json::json(std::string text) : value_(std::move(text)) {}

json::json(std::initializer_list<json> list) {
  const auto is_member = [](const json& element) {
    const auto* const both = std::get_if<std::vector<json>>(&element.value_);
    return both != nullptr && both->size() == 2 && std::holds_alternative<std::string>(both->front().value_);
  };
  if (!std::all_of(list.begin(), list.end(), is_member)) {
    value_.emplace<std::vector<json>>(list);
    return;
  }
  for (const json& element : list) {
    const auto& both = std::get<std::vector<json>>(element.value_);
    (*this)[std::get<std::string>(both[0].value_)] = both[1];
  }
}

void json::set(bool value) noexcept { value_ = value; }
void json::set(std::uint64_t value) noexcept { value_ = value; }
void json::set(std::int64_t value) noexcept { value_ = value; }
void json::set(double value) noexcept { value_ = value; }

json json::array(std::initializer_list<json> elements) {
  json made;
  made.value_.emplace<std::vector<json>>(elements);
  return made;
}

json json::object() {
  json made;
  made.value_.emplace<std::vector<member>>();
  return made;
}

json json::parse(std::string_view text) {
  try {
    return conversion::from_library(conversion::library_json::parse(text));
  } catch (const nlohmann::json::parse_error& e) {
    throw std::invalid_argument(e.what());
  }
}

bool json::is_null() const noexcept { return std::holds_alternative<std::monostate>(value_); }

double json::number() const {
  if (const auto* const whole = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*whole);
  if (const auto* const negative = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*negative);
  if (const auto* const real = std::get_if<double>(&value_)) return *real;
  throw std::logic_error("json: the number of what is no number");
}

std::size_t json::size() const noexcept {
  if (const auto* const elements = std::get_if<std::vector<json>>(&value_)) return elements->size();
  if (const auto* const members = std::get_if<std::vector<member>>(&value_)) return members->size();
  return 0;
}

const json* json::find(std::string_view key) const noexcept {
  const auto* const members = std::get_if<std::vector<member>>(&value_);
  if (members == nullptr) return nullptr;
  const auto found = std::find_if(members->begin(), members->end(), [&](const member& m) { return m.key == key; });
  return found == members->end() ? nullptr : &found->value;
}

json& json::operator[](std::string_view key) {
  if (is_null()) value_.emplace<std::vector<member>>();
  auto* const members = std::get_if<std::vector<member>>(&value_);
  if (members == nullptr) throw std::logic_error("json: a key of what is no object");
  for (member& m : *members) {
    if (m.key == key) return m.value;
  }
  return members->emplace_back(std::string(key), json()).value;
}

const json& json::operator[](std::string_view key) const {
  const json* const found = find(key);
  if (found == nullptr) throw std::out_of_range("json: no key " + std::string(key));
  return *found;
}

const json& json::operator[](std::size_t index) const {
  const auto* const elements = std::get_if<std::vector<json>>(&value_);
  if (elements == nullptr) throw std::out_of_range("json: an element of what is no array");
  return elements->at(index);
}

json& json::operator[](std::size_t index) { return const_cast<json&>(std::as_const(*this)[index]); }

void json::push_back(json element) {
  if (is_null()) value_.emplace<std::vector<json>>();
  auto* const elements = std::get_if<std::vector<json>>(&value_);
  if (elements == nullptr) throw std::logic_error("json: an element for what is no array");
  elements->push_back(std::move(element));
}

void json::update(const json& object) {
  const auto* const members = std::get_if<std::vector<member>>(&object.value_);
  if (members == nullptr) throw std::logic_error("json: keys of what is no object");
  for (const member& m : *members) (*this)[m.key] = m.value;
}

bool operator==(const json& a, const json& b) { return a.value_ == b.value_; }

std::string to_text(const json& value) { return json::conversion::dump(value, 2) + '\n'; }

std::string to_line(const json& value) { return json::conversion::dump(value, -1); }

}  // namespace callisto::app
