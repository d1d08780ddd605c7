// Subjects: requests for a context that a proxy thread serves for the holder.
#include "subject.hpp"

#include <callisto/workers/activations/context_request.hpp>

namespace callisto::check {
namespace {

/// A thread of holders, one after the other: each obtains the context, uses it, is disturbed, and leaves. A second
/// thread is the proxy thread. If the job has no claim to the context, a pressing holder is denied each second time.
template <unsigned Rounds, bool Keeps, bool Claim = true>
class holders {
 public:
  static constexpr unsigned threads = 2;

  void run(unsigned thread) {
    if (thread == 1) return serve();
    for (unsigned r = 0; r < Rounds; ++r) {
      obtain();
      use();
      obtain();  // disturbed
      use();
      context_request_.leave();
      // The proxy thread hears of it, even if no holder follows.
      const auto not_yet = [r](unsigned told) { return told <= r; };
      while (not_yet(machine::checked::wait_while(told_, not_yet, machine::patience::brief))) {
      }
    }
    context_request_.end();
  }

 private:
  struct seat {
    holders& of;
    bool keep() {
      require(of.has_, "only a context that the job has is kept");
      if (!Keeps) of.has_ = false;
      return Keeps;
    }
    bool take(bool pressing) {
      require(!of.has_, "only a context that the job has not is taken");
      of.has_ = Claim || !pressing || of.denied_;
      of.denied_ = !of.has_;
      return of.has_;
    }
    static void sleep(const atomic<std::uint64_t>& word, std::uint32_t low) { machine::checked::park(word, low); }
    void idle() {
      require(of.has_, "only a context that the job has is given up");
      of.has_ = false;
      of.told_.fetch_add(1, order::relaxed);
    }
  };

  void obtain() {
    while (!context_request_.obtain(!Claim)) require(!has_, "a holder is denied a context that the job has not");
  }

  void serve() {
    seat s{*this};
    context_request_.serve(s, [this] { granted_ = granted_ + 1; });
  }

  /// Plain data, which the proxy thread may not touch while the holder has the context.
  void use() {
    require(granted_ > used_, "a grant for each use");
    require(has_, "the job has the context");
    used_ = granted_;
  }

  workers::context_request<machine::checked> context_request_;
  plain<bool> has_{false};
  bool denied_ = false;  ///< for the proxy thread
  plain<unsigned> granted_{0};
  plain<unsigned> used_{0};
  atomic<unsigned> told_{0};
};

constexpr const char* grants = "a holder that was granted has the context; a request is answered";

const registered<holders<1, true>> keep_1("context_request.keep.1", grants, exhaustive({1, 1}), exhaustive({1, 1}));
const registered<holders<1, false>> lose_1("context_request.lose.1", grants, exhaustive({1, 1}), exhaustive({1, 1}));
const registered<holders<1, false, false>> deny_1("context_request.deny.1", grants, exhaustive({1, 1}),
                                                  exhaustive({1, 1}));
const registered<holders<2, false>> lose_2("context_request.lose.2", grants, preemptions(2, {1, 0}),
                                           exhaustive({1, 0}));

}  // namespace
}  // namespace callisto::check
