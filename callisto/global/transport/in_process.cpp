#include <callisto/global/transport/in_process.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <random>
#include <utility>

namespace callisto::global {

using clock = std::chrono::steady_clock;

namespace {

struct inbox {
  struct item {
    clock::time_point due;
    packet_pointer p;
  };

  std::mutex lock;
  std::condition_variable changed;
  std::deque<item> items;
  std::deque<control_message> controls;
  bool woken = false;
  std::atomic<bool> idle{false};
  std::mt19937_64 random;
};

}  // namespace

struct in_process_cluster::network {
  explicit network(in_process_options o) : options(std::move(o)), inboxes(static_cast<std::size_t>(options.ranks)) {
    for (std::size_t i = 0; i < inboxes.size(); ++i) inboxes[i].random.seed(options.seed * 1'000'003 + i);
  }

  void fail(const std::string& why) {
    {
      const std::lock_guard guard(lock);
      if (failed) return;
      failed = true;
      reason = why;
    }
    for (inbox& i : inboxes) {
      const std::lock_guard guard(i.lock);
      i.changed.notify_all();
    }
    ended.notify_all();
  }
  bool has_failed() {
    const std::lock_guard guard(lock);
    return failed;
  }
  void throw_if_failed() {
    const std::lock_guard guard(lock);
    if (failed) throw job_failed(reason);
  }

  in_process_options options;
  std::vector<inbox> inboxes;
  std::mutex lock;
  std::condition_variable ended;
  bool failed = false;
  std::string reason;
};

namespace {

class in_process_transport final : public transport {
 public:
  in_process_transport(std::shared_ptr<in_process_cluster::network> network, int rank)
      : network_(std::move(network)), rank_(rank) {
    for (const planned_failure& f : network_->options.failures)
      if (f.rank == rank) failure_ = &f;
  }

  int rank() const noexcept override { return rank_; }
  int ranks() const noexcept override { return network_->options.ranks; }
  int node_of(int rank) const noexcept override { return rank / std::max(1, network_->options.ranks_per_node); }
  std::string host_of(int rank) const override { return "node" + std::to_string(node_of(rank)); }

  bool try_send(int to, packet_pointer& p) override {
    network_->throw_if_failed();
    inbox& box = network_->inboxes[static_cast<std::size_t>(to)];
    const std::lock_guard guard(box.lock);
    clock::time_point due{};
    if (const auto most = network_->options.most_delay; most.count() > 0)
      due = clock::now() +
            std::chrono::microseconds(std::uniform_int_distribution<std::int64_t>(0, most.count())(box.random));
    box.items.push_back({due, std::move(p)});
    box.changed.notify_one();
    return true;
  }
  packet_pointer sent() override { return nullptr; }
  bool sending() const noexcept override { return false; }

  packet_pointer receive() override {
    fail_as_planned();
    network_->throw_if_failed();
    inbox& box = my_box();
    const std::lock_guard guard(box.lock);
    if (box.items.empty()) return nullptr;
    auto first = box.items.begin();
    if (network_->options.most_delay.count() > 0) {
      first = std::ranges::min_element(box.items, {}, &inbox::item::due);
      if (first->due > clock::now()) return nullptr;
    }
    packet_pointer p = std::move(first->p);
    box.items.erase(first);
    return p;
  }

  // relaxed, both: a hint
  void say_idle(bool is_idle) noexcept override { my_box().idle.store(is_idle, std::memory_order_relaxed); }
  bool is_idle(int rank) const noexcept override {
    return network_->inboxes[static_cast<std::size_t>(rank)].idle.load(std::memory_order_relaxed);
  }

  void post_control(int to, const control_message& m) override {
    if (stopped_) return;
    inbox& box = network_->inboxes[static_cast<std::size_t>(to)];
    const std::lock_guard guard(box.lock);
    box.controls.push_back(m);
  }
  bool take_control(control_message& m) override {
    if (stopped_) return false;
    inbox& box = my_box();
    const std::lock_guard guard(box.lock);
    if (box.controls.empty()) return false;
    m = box.controls.front();
    box.controls.pop_front();
    return true;
  }

  void wait(std::chrono::microseconds most) override {
    inbox& box = my_box();
    std::unique_lock guard(box.lock);
    auto until = clock::now() + most;
    while (!box.woken && !network_->has_failed()) {
      auto next = until;
      for (const inbox::item& i : box.items) next = std::min(next, i.due);
      if (next <= clock::now()) break;
      box.changed.wait_until(guard, next);
      if (clock::now() >= until) break;
    }
    box.woken = false;
  }
  void wake() noexcept override {
    inbox& box = my_box();
    const std::lock_guard guard(box.lock);
    box.woken = true;
    box.changed.notify_all();
  }

  using transport::abort;
  void abort(const std::string& reason, int) override { network_->fail(reason); }
  void leave() override {}

 private:
  inbox& my_box() noexcept { return network_->inboxes[static_cast<std::size_t>(rank_)]; }

  void fail_as_planned() {
    if (failure_ == nullptr || ++received_ <= failure_->after) return;
    stopped_ = true;
    if (failure_->way == planned_failure::ways::dies) {
      network_->fail(name_of(rank_) + ": died");
    } else {
      std::unique_lock guard(network_->lock);
      network_->ended.wait(guard, [&] { return network_->failed; });
    }
  }

  std::shared_ptr<in_process_cluster::network> network_;
  int rank_;
  const planned_failure* failure_ = nullptr;
  std::uint64_t received_ = 0;
  std::atomic<bool> stopped_{false};
};

}  // namespace

in_process_cluster::in_process_cluster(in_process_options options) {
  if (options.ranks < 1 || options.ranks > 32768)
    throw usage_error("in_process_options: " + std::to_string(options.ranks) + " ranks; expected 1 to 32768");
  network_ = std::make_shared<network>(std::move(options));
}

std::unique_ptr<transport> in_process_cluster::attach(int rank) {
  return std::make_unique<in_process_transport>(network_, rank);
}

}  // namespace callisto::global
