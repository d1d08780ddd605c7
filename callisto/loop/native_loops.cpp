// The instances that native_loops.hpp declares, and how a loop runs on the native machine.
#include <callisto/loop/native_loops.hpp>

#include <callisto/distributor/schedule.hpp>
#include <callisto/loop/record/recorder.hpp>
#include <callisto/workers/teams/runtime.hpp>

namespace callisto {

template class distributor::splitting_ranges<machine::native>;
template class distributor::any_distributor<machine::native>;
template class loop::loop_item<machine::native, distributor::splitting_ranges<machine::native>>;
template class loop::loop_item<machine::native, distributor::any_distributor<machine::native>>;

namespace loop {
namespace {

/// Leads a loop with a distributor.
[[gnu::noinline]] bool hand_out(const native_body& body, std::uint64_t n, const loop_options& options, loop_site& site,
                                const std::source_location& where, const workers::loop_team_choice& wanted,
                                const workers::loop_team_choice& with) {
  const distributor::layout& threads = with.where;
  schedule how = options.schedule;
  if (how.automatic()) how = wanted.how;
  if (how.automatic()) how = schedule::best(threads, options.together);
  recorded_loop recorded(site, where, n, threads.threads());
  const auto lead_item = [&]<class Item>(const typename Item::body& of) {
    Item item(of, n, threads, how.stages(), options.batch, options.stop, site.first_batch(threads.threads()),
              recorded.handle(), workers::absent_from(with));
    if (n == 1 || threads.threads() == 1) {
      item.run(0, nullptr, nullptr);
    } else {
      // Again, if threads have left since another job wanted their contexts, and no thread that stayed saw what was
      // left.
      do {
        workers::lead(item, with);
      } while (item.deserted());
    }
    recorded.end();
    return item.result();
  };
  return how.stages().front().kind == distributor::stage_kind::ranges
             ? lead_item.template operator()<native_body::by_ranges>(body.usual)
             : lead_item.template operator()<native_body::by_others>(body.other);
}

}  // namespace

bool lead(unsigned level, const native_body& body, std::uint64_t n, const loop_options& options, loop_site& sites,
          const std::source_location& where) {
  const workers::loop_team_choice& wanted = workers::loop_team_here(level);
  loop_site& site = sites.at(where);
  const bool several = wanted.where.threads() > 1;
  // The loop will end before a follower comes: not worth an announcement.
  const bool brief = several && options.schedule.automatic() && wanted.how.automatic() && site.expects_brief(n);
  const workers::claim claimed(brief ? workers::alone() : wanted, n > 1);
  const bool by_one = claimed.with.where.threads() == 1;
  loop_site::timing timed(several ? &site : nullptr, n, by_one);
  bool all = true;
  // relaxed: as in recorded_loop.
  if (by_one && options.batch == 0 && !options.stop.stop_possible() && recording.load(machine::order::relaxed) == 0) {
    // Nothing to hand out, and no thread to ask or tell: so are most loops inside others.
    body.other({0, n}, {});
  } else {
    all = hand_out(body, n, options, site, where, wanted, claimed.with);
  }
  if (all) timed.ended();
  return all;
}

}  // namespace loop
}  // namespace callisto
