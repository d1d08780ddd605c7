// Messages between ranks: a function object travels, and runs where it arrives.
//
// These functions use the engine of the rank that the calling thread works for (transport/here.hpp).
#pragma once

#include <callisto/global/messages/handlers.hpp>
#include <callisto/global/messages/message_engine.hpp>
#include <callisto/global/messages/portable.hpp>
#include <callisto/global/transport/here.hpp>
#include <callisto/machine/system/error.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace callisto::global {

namespace detail {

template <bool system, bool directly = false, portable F>
void send_to(int rank, const F& f) {
  const handler& h = handler_of<F, system>::entry;
  here().messages->send<directly>(rank, h, on_wire(sizeof(F)), [&](std::byte* at) { std::memcpy(at, &f, sizeof(F)); });
}

template <bool system, bool directly = false, portable_with_payload F>
void send_to(int rank, const F& f, std::span<const std::byte> payload) {
  if (payload.size() > most_payload)
    throw usage_error("callisto::global::send: a payload of " + std::to_string(payload.size()) +
                      " bytes; expected at most " + std::to_string(most_payload));
  const handler& h = payload_handler_of<F, system>::entry;
  here().messages->send<directly>(rank, h, h.record + on_wire(payload.size()), [&](std::byte* at) {
    const std::uint64_t length = payload.size();
    std::memcpy(at, &length, sizeof length);
    std::memcpy(at + length_size, &f, sizeof(F));
    if (length != 0) std::memcpy(at + h.record, payload.data(), length);
  });
}

}  // namespace detail

/// Calls f() at `rank`, 0 to ranks - 1, once, at some time: whenever a thread there makes progress. Handlers of one
/// rank run one at a time, but beside its tasks; they must not block, and may send. Messages may overtake each other.
/// Waits only while too much is under way to `rank`. Any thread of a rank.
template <portable F>
void send(int rank, const F& f) {
  detail::send_to<false>(rank, f);
}
/// Calls f(bytes) at `rank` with a copy of `payload`, which is aligned to 8 bytes and gone after the call. Throws
/// usage_error if it has more than most_payload bytes.
template <portable_with_payload F>
void send(int rank, const F& f, std::span<const std::byte> payload) {
  detail::send_to<false>(rank, f, payload);
}

/// Sends a record to `rank` as send() does. There group(records) is called once for all records that travelled behind
/// each other with an equal group, byte by byte, which travels once: for many small messages of one kind.
template <class F, class R>
  requires portable_group<F, R>
void send_grouped(int rank, const F& group, const R& record) {
  constexpr std::size_t size = on_wire(sizeof(F));
  std::array<std::byte, size> bytes{};
  std::memcpy(bytes.data(), &group, sizeof(F));
  const handler& h = detail::grouped_handler_of<F, R>::entry;
  here().messages->send_grouped<size>(rank, h, bytes.data(), sizeof(R),
                                      [&](std::byte* at) { std::memcpy(at, &record, sizeof(R)); });
}

/// Sends as send() does, without being counted: for what keeps the program running, such as the search for quiescence.
template <portable F>
void send_system(int rank, const F& f) {
  detail::send_to<true>(rank, f);
}
template <portable_with_payload F>
void send_system(int rank, const F& f, std::span<const std::byte> payload) {
  detail::send_to<true>(rank, f, payload);
}

/// Sends as send_system() does, but never by way of another rank of the destination's node, which may have left the
/// job.
template <portable F>
void send_system_directly(int rank, const F& f) {
  detail::send_to<true, true>(rank, f);
}
template <portable_with_payload F>
void send_system_directly(int rank, const F& f, std::span<const std::byte> payload) {
  detail::send_to<true, true>(rank, f, payload);
}

/// Sends what is due, receives, and handles what arrived. True if anything was done.
inline bool progress() { return here().messages->progress(); }
/// Lets the messages that the calling thread has collected leave, without waiting for more.
inline void flush() { here().messages->flush(); }
/// Blocks until a packet may have arrived, another thread of the rank calls wake_waiters(), or the time is over.
inline void wait(std::chrono::microseconds most) { here().messages->wait(most); }
/// Ends the wait() of the threads of this rank. Any thread of the rank.
inline void wake_waiters() { here().messages->wake(); }
/// Returns what this rank has sent and handled.
inline message_counts counts() { return here().messages->counts(); }

}  // namespace callisto::global
