// Keeps the events of a timeline, and writes them in the Chrome trace format ("Trace Event Format", documented with
// chrome://tracing).
#include <callisto/loop/record/trace.hpp>

#include <callisto/loop/record/timeline.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/system/filled.hpp>
#include <callisto/machine/system/output_file.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <pthread.h>
#include <unistd.h>

namespace callisto::loop {
namespace timeline {
namespace {

using machine::native;
using machine::order;

constexpr unsigned chunk_size = 512;

struct chunk {
  std::array<event, chunk_size> events;
  native::atomic<unsigned> used{0};
  native::atomic<chunk*> next{nullptr};
};

/// The events of one thread, which alone writes them. Kept after the thread has ended.
struct track {
  long thread = 0;  ///< the system's number of the thread
  std::string name;
  bool follows = false;
  native::atomic<chunk*> first{nullptr};
  chunk* last = nullptr;
  track* next = nullptr;
};

constinit native::atomic<track*> tracks{nullptr};
constinit native::atomic<unsigned> chunks_left{capacity / chunk_size};
constinit native::atomic<unsigned> chunks_reserved{capacity / chunk_size / 4};  ///< for events that are no batches
constinit native::atomic<std::uint64_t> left_out{0};
thread_local track* own = nullptr;

void introduce(track& t) {
  std::array<char, 16> name{};
  pthread_getname_np(pthread_self(), name.data(), name.size());
  t.thread = gettid();
  t.name = name.data();
  t.follows = t.name.starts_with("callisto-");
}

track* own_track() noexcept {
  if (own != nullptr) return own;
  try {
    auto made = std::make_unique<track>();
    introduce(*made);
    made->next = tracks.load(order::relaxed);
    // release: publishes the whole track to the acquire in the writer.
    while (!tracks.compare_exchange(made->next, made.get(), order::release)) {
    }
    own = made.release();
  } catch (const std::bad_alloc&) {
  }
  return own;
}

/// Adds a chunk to `t` and returns it; null if there is no room.
chunk* extend(track& t, bool detail) noexcept {
  const unsigned reserved = detail ? chunks_reserved.load(order::relaxed) : 0;
  unsigned left = chunks_left.load(order::relaxed);
  do {
    if (left <= reserved) return nullptr;
  } while (!chunks_left.compare_exchange(left, left - 1, order::relaxed));
  chunk* const made = new (std::nothrow) chunk;
  if (made == nullptr) return nullptr;
  // release: publishes the constructed, empty chunk to the writer's acquire.
  (t.last == nullptr ? t.first : t.last->next).store(made, order::release);
  t.last = made;
  return made;
}

}  // namespace

void add(const event& e) noexcept {
  track* const t = own_track();
  chunk* c = t == nullptr ? nullptr : t->last;
  if (t != nullptr && (c == nullptr || c->used.load(order::relaxed) == chunk_size)) {
    c = extend(*t, e.what <= kind::broken_batch);
  }
  if (c == nullptr) {
    left_out.fetch_add(1, order::relaxed);  // relaxed: a count
    return;
  }
  const unsigned at = c->used.load(order::relaxed);
  c->events[at] = e;
  // release: publishes the event to a thread that writes the timeline meanwhile.
  c->used.store(at + 1, order::release);
}

void clear(unsigned room) noexcept {
  for (track* t = tracks.load(order::relaxed); t != nullptr; t = t->next) {
    for (chunk* c = t->first.load(order::relaxed); c != nullptr;) delete std::exchange(c, c->next.load(order::relaxed));
    t->first.store(nullptr, order::relaxed);
    t->last = nullptr;
    if (t == own) t->thread = gettid();
  }
  chunks_left.store(room / chunk_size, order::relaxed);
  chunks_reserved.store(room / chunk_size / 4, order::relaxed);
  left_out.store(0, order::relaxed);
}

}  // namespace timeline

namespace {

using machine::native;
using machine::order;
using timeline::event;
using timeline::kind;

std::vector<event> events_of(const timeline::track& t) {
  std::vector<event> all;
  // acquire, twice: pair with the stores in extend() and add().
  for (const timeline::chunk* c = t.first.load(order::acquire); c != nullptr; c = c->next.load(order::acquire)) {
    all.insert(all.end(), c->events.begin(), c->events.begin() + c->used.load(order::acquire));
  }
  // Longer spans first: spans inside them come after.
  std::sort(all.begin(), all.end(),
            [](const event& a, const event& b) { return a.begin != b.begin ? a.begin < b.begin : a.end > b.end; });
  return all;
}

/// Writes the spans of one track as text.
class span_writer {
 public:
  span_writer(std::string& text, long process, long thread, std::uint64_t origin)
      : text_(text), process_(process), thread_(thread), origin_(origin) {}

  /// `arguments`: JSON members, or nothing.
  void span(std::string_view category, std::string_view name, std::uint64_t begin, std::uint64_t end,
            const std::string& arguments = {}) {
    if (end <= begin) return;
    text_ += machine::filled(R"({{"ph":"X","cat":"{}","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}},)"
                             "\n",
                             category, machine::quoted(name), process_, thread_,
                             machine::fixed(microseconds(begin - std::min(begin, origin_)), 4),
                             machine::fixed(microseconds(end - begin), 4), arguments);
  }

  void name(const std::string& text) {
    text_ += machine::filled(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}},)"
                             "\n",
                             process_, thread_, machine::quoted(text));
  }

 private:
  static double microseconds(std::uint64_t ticks) {
    return static_cast<double>(ticks) * 1e6 / static_cast<double>(native::ticks_per_second());
  }

  std::string& text_;
  const long process_;
  const long thread_;
  const std::uint64_t origin_;
};

void write_spans(const timeline::track& t, const std::vector<event>& events, std::uint64_t now, span_writer& out) {
  std::uint64_t free_since = 0;  // a follower's: when it left its last loop
  for (const event& e : events) {
    const std::string iterations = machine::filled(R"("iterations":{})", e.count);
    const std::string batch = machine::filled(R"("first":{},"iterations":{})", e.first, e.count);
    switch (e.what) {
      case kind::batch:
      case kind::fetched_batch:
      case kind::broken_batch:
        out.span("claim", e.what == kind::fetched_batch ? "claim elsewhere" : "claim", e.begin, e.middle);
        out.span("work", e.what == kind::broken_batch ? "batch that threw" : "batch", e.middle, e.end, batch);
        break;
      case kind::visit:
        if (free_since != 0) out.span("idle", "idle", free_since, e.begin);
        free_since = e.end;
        out.span("loop", e.site->label, e.begin, e.end);
        out.span("claim", "claim in vain", e.middle, e.end);
        break;
      case kind::leading:
        out.span("claim", "claim in vain", e.middle, e.end);
        break;
      case kind::loop:
        out.span("loop", e.site->label, e.begin, e.end, iterations);
        out.span("idle", "wait for others", e.middle, e.end);
        break;
    }
  }
  if (t.follows && free_since != 0) out.span("idle", "idle", free_since, now);
}

}  // namespace

}  // namespace callisto::loop

namespace callisto {

void trace_loops(bool on) {
  loop::settle_recording();
  loop::set_recording(loop::records_timeline, on);
}

void write_loop_trace(const std::string& path) {
  using namespace loop;
  machine::output_file file(path);
  const std::uint64_t now = native::ticks();
  // acquire: pairs with the exchange in own_track().
  const timeline::track* const first = timeline::tracks.load(order::acquire);
  std::vector<std::pair<const timeline::track*, std::vector<event>>> all;
  std::uint64_t origin = now;
  for (const timeline::track* t = first; t != nullptr; t = t->next) {
    all.emplace_back(t, events_of(*t));
    if (!all.back().second.empty()) origin = std::min(origin, all.back().second.front().begin);
  }
  const long process = getpid();
  const char* const program = program_invocation_short_name;
  std::string text =
      machine::filled(R"({{"displayTimeUnit":"ns","otherData":{{"program":{},"left_out":{}}},"traceEvents":[)"
                      "\n",
                      machine::quoted(program), timeline::left_out.load(order::relaxed));
  for (const auto& [t, events] : all) {
    if (events.empty()) continue;
    span_writer out(text, process, t->thread, origin);
    out.name(t->name);
    write_spans(*t, events, now, out);
    file.append(text);
    text.clear();
  }
  // The list has no comma at its end: this is its last entry.
  file.append(text + machine::filled(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})"
                                     "\n]}}\n",
                                     process, machine::quoted(program)));
  file.commit();
}

}  // namespace callisto
