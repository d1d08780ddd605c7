// Contexts that a set of workers shares with other jobs (EuroSys 2014, section 2.1): the membership of the process, a
// proxy thread for each context, and a lookout thread that watches for other jobs. Alone, workers pay nothing.
#pragma once

#include <callisto/cosched/job.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/workers/activations/context_owners.hpp>
#include <callisto/workers/activations/context_request.hpp>
#include <callisto/workers/activations/context_source.hpp>
#include <callisto/workers/activations/pinned_contexts.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <pthread.h>

namespace callisto::workers {

class job_contexts final : public context_source<machine::native> {
  using native = machine::native;

 public:
  /// Joins the job table. Worker w's context is the system's number `contexts[w]`. Returns null, and one line in
  /// `refusal`, if the process cannot join; then it runs alone. Throws usage_error for a bad environment
  /// (CALLISTO_COSCHED and what goes with it). If `after_ns` is not 0, and the environment does not ask for a word
  /// about refusals, the lookout thread joins `after_ns` nanoseconds after its start, and until then the process is
  /// alone.
  static std::unique_ptr<job_contexts> join(std::vector<unsigned> contexts, std::string& refusal,
                                            std::uint64_t after_ns = 0);

  /// The set of workers, as the threads of this object use it.
  class user {
   public:
    virtual ~user() = default;
    /// Called every P_high, and when jobs have come or gone (`news`). `others`: there are other jobs.
    virtual void look(bool others, bool news) = 0;
    /// True if a worker that waits for its context could use it, or could have within the last `nanoseconds`.
    virtual bool had_work(std::uint64_t nanoseconds) const = 0;
    /// True if the set has ended.
    virtual bool is_over() const = 0;
  };
  /// Starts the lookout thread. Called once. `by` and `owners` outlive the threads of this object. Throws error if the
  /// system refuses a thread.
  void look_out(user& by, context_owners<native>& owners);
  /// Ends its threads and leaves the table. No thread may have a context.
  ~job_contexts() override;

  /// True if there are other jobs; a hint.
  bool with_others() const noexcept;

  bool acquire(unsigned c, context_watch<native>& watch, bool attached) noexcept override;
  void release(unsigned c) noexcept override;
  unsigned main_context() const noexcept override;
  unsigned here() const noexcept override { return where_.here(); }
  bool is_at_hand(unsigned c) const noexcept override;
  bool may_be_asked(unsigned c) const noexcept override;
  bool comes_too_late(unsigned c) noexcept override;
  unsigned contexts_at_hand(unsigned all) const noexcept override;

  /// Leaves the table because the process ends: other jobs have its contexts from now on, and its threads run on as if
  /// the process were alone. From any thread.
  void leave();

  /// Holds the lookout thread back from joining, so that a fork() finds it with no lock; and lets it go on.
  void before_fork() noexcept;
  void after_fork() noexcept;

 private:
  struct state;
  explicit job_contexts(const std::vector<unsigned>& contexts);
  bool join_late();
  void watch_for_others();
  void start_proxies();
  void serve(unsigned c);
  void find_main_context();

  pinned_contexts where_;
  std::unique_ptr<state> state_;
};

}  // namespace callisto::workers
