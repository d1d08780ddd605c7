// The queues and windows of an engine, by rank. Only the sources of this folder include this header.
#pragma once

#include <callisto/global/messages/message_engine.hpp>
#include <callisto/global/messages/window.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace callisto::global {

/// Packets in the order in which they wait. Takes no memory while it is empty: an engine has two for each rank.
class packet_queue {
 public:
  bool empty() const noexcept { return first_ == all_.size(); }
  packet_pointer& front() noexcept { return all_[first_]; }
  packet_pointer& back() noexcept { return all_.back(); }
  void push_back(packet_pointer p) {
    if (first_ > all_.size() / 2) {
      all_.erase(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    all_.push_back(std::move(p));
  }
  void pop_front() noexcept {
    all_[first_++] = nullptr;
    if (!empty()) return;
    all_.clear();
    first_ = 0;
  }

 private:
  std::vector<packet_pointer> all_;
  std::size_t first_ = 0;
};

/// State of one destination of an engine; its queues and windows are under queue_lock_.
struct message_engine::peer {
  packet_queue queue[2];  ///< by channel
  send_window<machine::native> window[2];
  bool is_active = false;

  // For the thread that makes progress.
  credit_debt debt[2];
  bool is_in_debt = false;
};

}  // namespace callisto::global
