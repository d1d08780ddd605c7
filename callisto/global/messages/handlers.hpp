// The handlers of a program: registered before main, numbered at the start of a session, the same in every rank.
//
// Code lies at other addresses in each process, so no address travels. Each type of function object that the program
// sends registers itself when the program is loaded. A session sorts them by their place in their file, which is the
// same wherever the same files are loaded, and compares a hash of the table, and of the builds of these files
// (program_identity.hpp), with the other ranks.
#pragma once

#include <callisto/global/messages/portable.hpp>
#include <callisto/global/messages/wire.hpp>
#include <callisto/global/transport/here.hpp>
#include <callisto/global/transport/limits.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <typeinfo>
#include <vector>

namespace callisto::global {

/// Handles the records of one run. True unless the bytes are no whole records.
using run_function = bool (*)(const std::byte* records, std::size_t bytes, std::uint64_t& handled);

/// One handler of this program.
struct handler {
  handler(run_function run_in, const char* name_in, std::size_t record_in, bool is_system_in) noexcept;

  run_function run;
  const char* name;    ///< the mangled name of its type
  std::size_t record;  ///< bytes of a record, or of its fixed part
  bool is_system;      ///< not counted for quiescence
  handler_id id = none;
  handler* next;  ///< registered before it

  static constexpr handler_id none = 0xffff;
};

/// All handlers of the program by number, and a hash over them.
class handler_table {
 public:
  /// Returns the table; numbers the handlers at the first call. Throws usage_error if a handler was registered since,
  /// by a library that was loaded late. Any thread.
  static const handler_table& get();

  std::size_t size() const noexcept { return handlers_.size(); }
  const handler& operator[](handler_id id) const noexcept { return *handlers_[id]; }
  /// Returns the same number in all processes that run the same build of the program, and rarely the same for two
  /// builds.
  std::uint64_t hash() const noexcept { return hash_; }

 private:
  handler_table();

  std::vector<const handler*> handlers_;
  std::uint64_t hash_ = 0;
};

namespace detail {

template <class F>
F load_record(const std::byte* at) noexcept {
  alignas(F) std::byte bytes[sizeof(F)];
  std::memcpy(bytes, at, sizeof(F));
  return *std::launder(reinterpret_cast<F*>(bytes));
}

template <portable F>
bool run_records(const std::byte* records, std::size_t bytes, std::uint64_t& handled) {
  constexpr std::size_t step = on_wire(sizeof(F));
  if (bytes % step != 0) return false;
  const std::byte* const end = records + bytes;
  if constexpr (prefetching<F>) {
    const std::byte* ahead = records;
    for (std::size_t i = 0; i < rank_limits::records_ahead && ahead != end; ++i, ahead += step)
      __builtin_prefetch(load_record<F>(ahead).prefetch(), 1);
    for (; ahead != end; ahead += step, records += step) {
      __builtin_prefetch(load_record<F>(ahead).prefetch(), 1);
      load_record<F>(records)();
    }
  }
  for (; records != end; records += step) load_record<F>(records)();
  handled += bytes / step;
  return true;
}

/// The fixed part of a record with payload: the length, then the function object, then the bytes.
inline constexpr std::size_t length_size = on_wire(sizeof(std::uint64_t));

template <portable_with_payload F>
bool run_payload_records(const std::byte* records, std::size_t bytes, std::uint64_t& handled) {
  constexpr std::size_t fixed = length_size + on_wire(sizeof(F));
  while (bytes != 0) {
    if (bytes < fixed) return false;
    std::uint64_t length;
    std::memcpy(&length, records, sizeof length);
    if (length > bytes - fixed || on_wire(length) > bytes - fixed) return false;
    load_record<F>(records + length_size)(std::span<const std::byte>(records + fixed, length));
    const std::size_t step = fixed + on_wire(length);
    records += step;
    bytes -= step;
    ++handled;
  }
  return true;
}

/// A run of a group: the function object, then the records of all its messages.
template <class F, class R>
  requires portable_group<F, R>
bool run_grouped_records(const std::byte* records, std::size_t bytes, std::uint64_t& handled) {
  constexpr std::size_t fixed = on_wire(sizeof(F));
  if (bytes < fixed || (bytes - fixed) % sizeof(R) != 0) return false;
  const std::size_t n = (bytes - fixed) / sizeof(R);
  F group = load_record<F>(records);
  group(std::span<const R>(reinterpret_cast<const R*>(records + fixed), n));
  handled += n;
  return true;
}

template <class F, bool system>
struct handler_of {
  static inline handler entry{&run_records<F>, typeid(F).name(), on_wire(sizeof(F)), system};
};
template <class F, bool system>
struct payload_handler_of {
  static inline handler entry{&run_payload_records<F>, typeid(F).name(), length_size + on_wire(sizeof(F)), system};
};
template <class F, class R>
struct grouped_handler_of {
  static inline handler entry{&run_grouped_records<F, R>, typeid(F).name(), sizeof(R), false};
};

}  // namespace detail

/// True while the calling thread runs a handler, which must not block.
inline bool in_handler() noexcept { return detail::of_thread::in_handler; }

}  // namespace callisto::global
