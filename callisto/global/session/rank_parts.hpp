// Parts of a rank that all subjects of a session use: its network, its messages, its cores.
#pragma once

#include <callisto/global/messages/message_engine.hpp>
#include <callisto/global/messages/messages.hpp>
#include <callisto/global/session/wave.hpp>
#include <callisto/global/tasks/core.hpp>
#include <callisto/global/transport/here.hpp>
#include <callisto/global/transport/transport.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace callisto::global {

/// The rank of a session, for its subjects: phase_control, collective_order, rank_stealing, core_sleep and
/// deadlock_search.
struct rank_parts {
  /// The longest text that fits beside the rest of a message, in bytes.
  static constexpr std::size_t most_text = 2000;

  explicit rank_parts(std::unique_ptr<transport> by) : net(std::move(by)), tree{net->rank(), net->ranks()} {}

  /// The rank that the calling thread runs a core of. Throws usage_error.
  static rank_parts& here();

  /// Sends f(), or f(payload), to a rank as a message that belongs to no phase. Directly: the end of the last phase
  /// lets ranks leave, which then pass nothing on.
  template <class F>
  void tell(int rank, const F& f) {
    told.fetch_add(1, std::memory_order_relaxed);  // relaxed, all of told and heard: counts that two rounds compare
    send_system_directly(rank, [f] {
      here().heard.fetch_add(1, std::memory_order_relaxed);
      f();
    });
  }
  template <class F>
  void tell(int rank, const F& f, std::span<const std::byte> payload) {
    told.fetch_add(1, std::memory_order_relaxed);
    send_system_directly(
        rank,
        [f](std::span<const std::byte> bytes) {
          here().heard.fetch_add(1, std::memory_order_relaxed);
          f(bytes);
        },
        payload);
  }

  /// Ends the job with a line.
  [[noreturn]] void end_job(const std::string& line);

  rank_context context;
  std::unique_ptr<transport> net;
  const rank_tree tree;
  std::unique_ptr<message_engine> engine;
  std::vector<core*> cores;              ///< all, while they exist
  std::vector<std::minstd_rand> random;  ///< by core; only the core's thread uses it
  std::atomic<std::uint64_t> told{0};    ///< messages about phases, sent by this rank
  std::atomic<std::uint64_t> heard{0};   ///< messages about phases, handled here
  std::mutex lock;                       ///< of phase_control, collective_order and deadlock_search
};

}  // namespace callisto::global
