// Contexts that a set of workers shares with other jobs (EuroSys 2014, section 2.1): the membership of the process, a
// deputy for each context, and a lookout who sees whether there are others at all. Alone, workers pay nothing.
#pragma once

#include <callisto/cosched/job.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/workers/activations/context_request.hpp>
#include <callisto/workers/activations/pinned_contexts.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <pthread.h>

namespace callisto::workers {

class job_contexts final : public pinned_contexts {
 public:
  /// Worker w's context is the system's number `contexts[w]`. Null, and one line in `refusal`, if the process cannot
  /// join, and then runs alone. Throws usage_error for a bad environment (CALLISTO_COSCHED and what goes with it).
  static std::unique_ptr<job_contexts> join(std::vector<unsigned> contexts, std::string& refusal);

  /// Whose workers they are; called by threads of this.
  class user {
   public:
    virtual ~user() = default;
    /// When jobs have come or gone, which is `news`, and every P_high. `others`: there are some.
    virtual void look(bool others, bool news) = 0;
    /// Whether a worker that waits for its context could use it now, or could have in the last so many nanoseconds.
    virtual bool had_work(std::uint64_t nanoseconds) const = 0;
    /// Whether none will any more.
    virtual bool is_over() const = 0;
  };
  /// Once: begins to look out for other jobs. `by` must outlive this. Throws error if the system refuses a thread.
  void look_out(user& by);
  /// Leaves. Nobody may have a context.
  ~job_contexts() override;

  /// Whether there are other jobs.
  bool with_others() const noexcept;

  bool may_be_asked(unsigned worker) const noexcept override;
  bool comes_too_late(unsigned worker) noexcept override;
  unsigned contexts_at_hand(unsigned all) const noexcept override;

  /// The process ends: its contexts are the other jobs' from now on, and its threads run on as if it were alone.
  void leave();

 private:
  struct state;
  explicit job_contexts(const std::vector<unsigned>& contexts);
  bool occupy(unsigned c, bool attached_thread) noexcept override;
  unsigned main_context() const noexcept override;
  void vacate(unsigned c) noexcept override;
  void watch_for_others();
  void start_deputies();
  void serve(unsigned c);
  void find_main_context();

  std::unique_ptr<state> state_;
};

}  // namespace callisto::workers
