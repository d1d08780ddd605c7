// Writes the Chrome trace format ("Trace Event Format", documented with chrome://tracing).
#include <lab/simulate/trace.hpp>

#include <callisto/app/base/json.hpp>

#include <fmt/format.h>

#include <iterator>

namespace callisto::lab {

std::string to_chrome_trace(const machine::simulation::description& m, const workload& loop, const run_setup& setup,
                            const run_outcome& outcome) {
  const auto microseconds = [&m](std::uint64_t cycles) { return static_cast<double>(cycles) * 1e6 / m.clock; };
  std::string text = "{\"displayTimeUnit\":\"ns\",\"otherData\":";
  text += to_line({{"machine", m.name},
                   {"workload", name_of(loop.kind())},
                   {"schedule", setup.how.to_string()},
                   {"batch", setup.batch},
                   {"threads", setup.threads},
                   {"speedup", outcome.speedup}});
  text += ",\"traceEvents\":[\n";
  const auto out = std::back_inserter(text);
  for (unsigned t = 0; t < setup.threads; ++t) {
    const unsigned context = m.spread(t, setup.threads);
    const unsigned socket = m.socket_of(context);
    fmt::format_to(out,
                   R"({{"ph":"M","name":"process_name","pid":{0},"args":{{"name":"socket {0}"}}}},)"
                   "\n",
                   socket);
    fmt::format_to(out,
                   R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"core {}, thread {}"}}}},)"
                   "\n",
                   socket, context, m.core_of(context), t);
  }
  for (const machine::simulation::span& s : outcome.timeline) {
    fmt::format_to(out,
                   R"({{"ph":"X","name":"{}","pid":{},"tid":{},"ts":{:.4f},"dur":{:.4f}}},)"
                   "\n",
                   to_string(s.what), m.socket_of(s.context), s.context, microseconds(s.begin),
                   microseconds(s.end - s.begin));
  }
  text.resize(text.size() - 2);  // removes the last comma and line feed
  return text + "\n]}\n";
}

}  // namespace callisto::lab
