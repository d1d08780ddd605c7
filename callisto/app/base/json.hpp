// A JSON value that the command builds and prints. Only json.cpp includes the JSON library, which takes long to
// compile.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::app {

/// The largest whole number that every JSON parser keeps, 2^53: most have doubles only. Larger ones are printed as
/// texts of their digits.
inline constexpr std::uint64_t largest_json_number = std::uint64_t{1} << 53;

/// A JSON value: null, a boolean, a number, a string, an array, or an object. An object keeps its keys in the order in
/// which they were added. A list of pairs, each of which begins with a string, makes an object:
///   json{{"threads", 4}, {"seconds", 0.5}}
/// Any other list makes an array. Not thread-safe.
class json {
 public:
  json() noexcept;
  json(std::nullptr_t) noexcept : json() {}
  json(std::initializer_list<json> list);
  json(std::string text);
  json(std::string_view text) : json(std::string(text)) {}
  json(const char* text) : json(std::string(text)) {}
  template <std::integral T>
  json(T number) : json() {
    if constexpr (std::same_as<T, bool>) {
      set(number);
    } else if (std::in_range<std::uint64_t>(number)) {
      set(static_cast<std::uint64_t>(number));
    } else {
      set(static_cast<std::int64_t>(number));
    }
  }
  template <std::floating_point T>
  json(T number) : json() {
    set(static_cast<double>(number));
  }
  template <class T>
  json(const std::vector<T>& values) : json(array()) {
    for (const auto& value : values) push_back(json(value));
  }
  template <class First, class Second>
  json(const std::pair<First, Second>& both) : json(array()) {
    push_back(json(both.first));
    push_back(json(both.second));
  }

  json(const json& other);
  json(json&& other) noexcept;
  json& operator=(const json& other);
  json& operator=(json&& other) noexcept;
  ~json();

  /// Returns an array of `elements`, even if all of them are pairs.
  static json array(std::initializer_list<json> elements = {});
  static json object();
  /// Returns the value that `text` describes. Throws std::invalid_argument if `text` is not JSON.
  static json parse(std::string_view text);

  bool is_null() const noexcept;
  /// Returns a number as a double. Throws std::logic_error if this is no number.
  double number() const;
  /// Returns the number of elements of an array or of keys of an object, else 0.
  std::size_t size() const noexcept;
  /// Returns the value of `key`. Adds a new key with the value null; null becomes an object first. Throws
  /// std::logic_error if this is neither null nor an object.
  json& operator[](std::string_view key);
  /// Returns the value of `key`. Throws std::out_of_range if there is no such key.
  const json& operator[](std::string_view key) const;
  /// Returns an element of an array. Throws std::out_of_range if there is no such element.
  const json& operator[](std::size_t index) const;
  json& operator[](std::size_t index);
  /// Adds `element` to an array; null becomes an array first. Throws std::logic_error if this is anything else.
  void push_back(json element);
  /// Sets every key of `object` in this object, as operator[] and an assignment do. Throws std::logic_error if `object`
  /// is no object.
  void update(const json& object);

  friend bool operator==(const json& a, const json& b);

  /// Returns `value` as indented text with a line feed at its end. Bytes that are not UTF-8 become replacement
  /// characters. A number that JSON cannot express, such as infinity, becomes null; a whole one beyond
  /// largest_json_number becomes a text.
  friend std::string to_text(const json& value);
  /// Returns `value` in one line without a line feed; replaces bytes and numbers as to_text() does.
  friend std::string to_line(const json& value);

 private:
  struct member;
  struct conversion;  // converts from and to the JSON library's type
  using value_type = std::variant<std::monostate, bool, std::uint64_t, std::int64_t, double, std::string,
                                  std::vector<json>, std::vector<member>>;

  void set(bool value) noexcept;
  void set(std::uint64_t value) noexcept;
  void set(std::int64_t value) noexcept;
  void set(double value) noexcept;
  const json* find(std::string_view key) const noexcept;

  value_type value_;
};

std::string to_text(const json& value);
std::string to_line(const json& value);

}  // namespace callisto::app
