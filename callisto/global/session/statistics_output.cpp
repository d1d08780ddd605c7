// Statistics of a rank and reports of its waits: gathered, written to files, told to the watch.
#include <callisto/global/session/session_state.hpp>

#include <callisto/machine/system/output_file.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace callisto::global {
namespace {

/// Adds objects that came as the bytes of a message.
template <class T>
void append(std::vector<T>& to, std::span<const std::byte> bytes) {
  const std::size_t before = to.size();
  to.resize(before + bytes.size() / sizeof(T));
  std::memcpy(&to[before], bytes.data(), bytes.size());
}

}  // namespace

rank_statistics session::own_statistics() {
  session_state& s = *state_;
  rank_statistics of;
  of.rank = s.rank.context.rank;
  of.cores = s.how.threads;
  const auto per_second = static_cast<double>(rank_clock::ticks_per_second());
  of.seconds = static_cast<double>(rank_clock::ticks() - s.record.began) / per_second;
  const message_statistics m = s.rank.engine->statistics();
  of.messages = m.messages;
  of.message_bytes = m.message_bytes;
  of.packets = m.packets;
  of.waits_for_window = m.full_waits;
  std::uint64_t looks = 0;
  std::uint64_t workers = 0;
  std::uint64_t ready = 0;
  for (const core* c : s.rank.cores) {
    const core_counts n = c->counts();
    of.tasks += n.tasks_finished;
    of.switches += n.switches;
    of.most_workers = std::max(of.most_workers, n.most_workers);
    of.idle_seconds += static_cast<double>(n.idle_nanoseconds) / 1e9;
    looks += n.looks;
    workers += n.workers_at_looks;
    ready += n.ready_at_looks;
  }
  of.looks = looks;
  if (looks != 0) {
    of.workers = static_cast<double>(workers) / static_cast<double>(looks);
    of.ready = static_cast<double>(ready) / static_cast<double>(looks);
  }
  // relaxed, all: counts
  const steal_counts& steals = s.stealing.counts();
  of.steals_tried = steals.requests.load(std::memory_order_relaxed);
  of.steals_made = of.steals_tried - std::min(of.steals_tried, steals.vain.load(std::memory_order_relaxed));
  of.tasks_stolen = steals.tasks.load(std::memory_order_relaxed);
  of.tasks_moved = steals.within.load(std::memory_order_relaxed);
  return of;
}

std::vector<rank_statistics> session::statistics() {
  session_state& s = *state_;
  run_phase([&] { send(0, [own = own_statistics()] { session_state::here().record.gathered.push_back(own); }); });
  std::ranges::sort(s.record.gathered, {}, &rank_statistics::rank);
  return std::exchange(s.record.gathered, {});
}

void session::write_statistics() {
  const std::vector<rank_statistics> ranks = statistics();
  if (rank() != 0) return;
  const std::string& to = state_->how.statistics;
  if (to == "1") {
    const std::string table = statistics_table(ranks);
    std::fwrite(table.data(), 1, table.size(), stderr);
    return;
  }
  try {
    machine::output_file file(to);
    file.append(statistics_json(ranks));
    file.commit();
  } catch (const error& e) {
    std::fprintf(stderr, "callisto: CALLISTO_GLOBAL_STATISTICS: %s\n", e.what());
  }
}

/// Sends what each rank kept to rank 0, in pieces, and writes the file there.
void session::write_timeline() {
  session_state& s = *state_;
  s.record.recorder->add(own_statistics());
  const timeline_recorder own = std::move(*s.record.recorder);
  s.record.recorder.reset();
  if (rank() == 0) s.record.timelines.resize(static_cast<std::size_t>(ranks()));
  run_phase([&] {});  // rank 0 has room
  run_phase([&] {
    const auto send_all = [](auto take, const auto& all) {
      const std::size_t most = most_payload / sizeof(all[0]);
      for (std::size_t at = 0; at < all.size(); at += most) {
        send(0, take, std::as_bytes(std::span(all).subspan(at, std::min(most, all.size() - at))));
      }
    };
    send(0, [of = rank(), began = s.record.began_by_clock, left_out = own.phases_left_out()] {
      rank_timeline& t = session_state::here().record.timelines[static_cast<std::size_t>(of)];
      t.rank = of;
      t.began = began;
      t.phases_left_out = left_out;
    });
    send_all(
        [of = rank()](std::span<const std::byte> bytes) {
          append(session_state::here().record.timelines[static_cast<std::size_t>(of)].samples, bytes);
        },
        own.samples());
    send_all(
        [of = rank()](std::span<const std::byte> bytes) {
          append(session_state::here().record.timelines[static_cast<std::size_t>(of)].phases, bytes);
        },
        own.phases());
  });
  if (rank() != 0) return;
  for (rank_timeline& t : s.record.timelines) {
    t.host = s.rank.net->host_of(t.rank);
    // Pieces come in any order.
    std::ranges::sort(t.samples, {}, &rank_statistics::seconds);
    std::ranges::sort(t.phases, {}, &phase_span::begin);
  }
  try {
    machine::output_file file(s.how.timeline);
    file.append(timeline_json(s.record.timelines));
    file.commit();
  } catch (const error& e) {
    std::fprintf(stderr, "callisto: CALLISTO_GLOBAL_TIMELINE: %s\n", e.what());
  }
}

/// Also on the watch's thread, which begins after the cores and ends before them.
std::string session_state::report() {
  const std::string me = rank.net->name_of(rank.context.rank) + ": ";
  std::string text;
  {
    const std::scoped_lock guard(rank.lock);
    phase.describe(text, me);
  }
  for (const core* c : rank.cores) {
    const core_counts n = c->counts();
    text += me + "core " + std::to_string(c->number()) + ": " + std::to_string(n.workers) + " workers have a task, " +
            std::to_string(n.ready) + " of them are ready, " + std::to_string(n.queued_tasks) +
            " tasks wait for a worker\n";
  }
  const message_counts m = rank.engine->counts();
  text += me + std::to_string(m.sent) + " messages sent, " + std::to_string(m.handled) + " handled\n";
  return text;
}

std::string session::report() { return state_->report() + state_->rank.engine->report(); }

}  // namespace callisto::global
