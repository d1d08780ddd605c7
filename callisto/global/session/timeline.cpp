// The samples of ranks, and what they say as counters of a trace.
#include <callisto/global/session/timeline.hpp>

#include <callisto/machine/system/filled.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

namespace callisto::global {
namespace {

/// Counts of one rank at two samples, and what it did in between.
struct interval {
  const rank_statistics& from;
  const rank_statistics& to;

  double seconds() const noexcept { return to.seconds - from.seconds; }
  double rate(std::uint64_t rank_statistics::* total) const noexcept {
    return static_cast<double>(to.*total - from.*total) / seconds();
  }
  /// Returns the mean over the looks of the interval.
  double mean(double rank_statistics::* of) const noexcept {
    const auto looks = static_cast<double>(to.looks - from.looks);
    const double sum = to.*of * static_cast<double>(to.looks) - from.*of * static_cast<double>(from.looks);
    return looks > 0 ? std::max(0.0, sum / looks) : 0;
  }
};

struct counter {
  const char* name;
  double (*value)(const interval&);
};

constexpr std::array counters{
    counter{"messages/s", [](const interval& i) { return i.rate(&rank_statistics::messages); }},
    counter{"MB/s", [](const interval& i) { return i.rate(&rank_statistics::message_bytes) / 1e6; }},
    counter{"bytes a packet",
            [](const interval& i) {
              const std::uint64_t packets = i.to.packets - i.from.packets;
              return packets == 0 ? 0
                                  : static_cast<double>(i.to.message_bytes - i.from.message_bytes) /
                                        static_cast<double>(packets);
            }},
    counter{"active workers", [](const interval& i) { return i.mean(&rank_statistics::workers); }},
    counter{"ready workers", [](const interval& i) { return i.mean(&rank_statistics::ready); }},
    counter{"tasks/s", [](const interval& i) { return i.rate(&rank_statistics::tasks); }},
    counter{"switches/s", [](const interval& i) { return i.rate(&rank_statistics::switches); }},
    counter{"steals tried/s", [](const interval& i) { return i.rate(&rank_statistics::steals_tried); }},
    counter{"steals made/s", [](const interval& i) { return i.rate(&rank_statistics::steals_made); }},
    counter{"idle %",
            [](const interval& i) {
              const double idle = i.to.idle_seconds - i.from.idle_seconds;
              return std::clamp(100 * idle / (i.seconds() * i.to.cores), 0.0, 100.0);
            }},
};

class trace {
 public:
  template <class... A>
  void event(const char* format, A... values) {
    std::array<char, 512> line{};
    const int length = std::snprintf(line.data(), line.size(), format, values...);
    add(std::string(line.data(), std::min(line.size() - 1, static_cast<std::size_t>(std::max(length, 0)))));
  }
  void add(const std::string& event) { text_ += (text_.empty() ? "" : ",\n") + event; }
  std::string take() { return "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n" + text_ + "\n]}\n"; }

 private:
  std::string text_;
};

}  // namespace

void timeline_recorder::add(const rank_statistics& now) {
  if (samples_.size() == most_samples) {
    for (std::size_t i = 0; i < most_samples / 2; ++i) samples_[i] = samples_[2 * i];
    samples_.resize(most_samples / 2);
    period_ *= 2;
  }
  samples_.push_back(now);
  next_ = now.seconds + period_;
}

void timeline_recorder::add(const phase_span& ended) {
  if (phases_.size() == most_phases) {
    ++left_out_;
  } else {
    phases_.push_back(ended);
  }
}

std::string timeline_json(std::span<const rank_timeline> ranks) {
  double origin = std::numeric_limits<double>::infinity();
  for (const rank_timeline& r : ranks) origin = std::min(origin, r.began);
  trace out;
  for (const rank_timeline& r : ranks) {
    const auto microseconds = [&](double seconds) { return (r.began - origin + seconds) * 1e6; };
    out.add(R"({"ph":"M","pid":)" + std::to_string(r.rank) + R"(,"name":"process_name","args":{"name":)" +
            machine::quoted("rank " + std::to_string(r.rank) + " at host " + r.host) + "}}");
    out.event(R"({"ph":"M","pid":%d,"name":"process_sort_index","args":{"sort_index":%d}})", r.rank, r.rank);
    out.event(R"({"ph":"M","pid":%d,"tid":0,"name":"thread_name","args":{"name":"phases"}})", r.rank);
    for (const phase_span& p : r.phases) {
      out.event(R"({"ph":"X","cat":"phase","name":"phase","pid":%d,"tid":0,"ts":%.3f,"dur":%.3f})", r.rank,
                microseconds(p.begin), (p.end - p.begin) * 1e6);
    }
    if (r.phases_left_out != 0 && !r.phases.empty()) {
      out.event(R"({"ph":"i","s":"p","name":"%llu phases left out","pid":%d,"tid":0,"ts":%.3f})",
                static_cast<unsigned long long>(r.phases_left_out), r.rank, microseconds(r.phases.back().end));
    }
    for (std::size_t i = 1; i < r.samples.size(); ++i) {
      const interval between{r.samples[i - 1], r.samples[i]};
      if (between.seconds() <= 0) continue;
      for (const counter& c : counters) {
        out.event(R"({"ph":"C","name":"%s","pid":%d,"ts":%.3f,"args":{"value":%.6g}})", c.name, r.rank,
                  microseconds(between.from.seconds), c.value(between));
      }
    }
  }
  return out.take();
}

}  // namespace callisto::global
