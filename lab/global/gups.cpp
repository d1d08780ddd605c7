// Random updates of a distributed table by HPCC's rules (RandomAccess), over messages alone: what the network layer
// can.
//
// Each rank makes its part of one sequence of random numbers and sends each to the owner of the word that it selects,
// which exclusive-ors it. A second pass of the same updates must restore the table: all words are compared. One rule is
// not kept: more than 1,024 updates of a rank are under way (--look-ahead keeps it).
#include "hpcc_random.hpp"

#include <callisto/global/messages/messages.hpp>
#include <callisto/global/transport/open.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

namespace {

using namespace callisto::global;
using callisto::lab::next_random;
using callisto::lab::random_at;

// The rank's part of the table; one rank a process.
std::uint64_t* words = nullptr;
std::uint64_t word_mask = 0;

/// The one message of this program: 8 bytes on the wire.
struct update {
  std::uint64_t random;
  std::uint64_t* word() const { return words + (random & word_mask); }
  const void* prefetch() const { return word(); }
  void operator()() const { *word() ^= random; }
};

// Rank 0 adds up what all ranks have done in a pass, and tells them when a pass is complete.
std::uint64_t all_handled = 0;
std::uint64_t arrivals = 0;
std::uint64_t passes_ended = 0;

void make_progress() {
  if (progress()) return;
  flush();
  wait(std::chrono::microseconds(200));
}

/// Returns when all ranks have called it, and `expected` more messages have been handled by all of them together.
void end_pass(std::uint64_t expected) {
  static std::uint64_t all_expected = 0;
  static std::uint64_t reported = 0;
  static std::uint64_t passes = 0;
  static std::uint64_t announced = 0;
  const message_engine& engine = *here().messages;
  all_expected += expected;
  ++passes;
  send_system(0, [] { ++arrivals; });
  while (passes_ended < passes) {
    const std::uint64_t handled = engine.counts().handled;
    if (handled != reported) {
      send_system(0, [more = handled - reported] { all_handled += more; });
      reported = handled;
    }
    if (here().rank == 0 && announced != passes && all_handled == all_expected &&
        arrivals == passes * static_cast<std::uint64_t>(here().ranks)) {
      announced = passes;
      for (int r = 0; r < here().ranks; ++r) send_system(r, [p = passes] { passes_ended = p; });
    }
    make_progress();
  }
}

struct options {
  unsigned log2_words = 25;
  unsigned updates_per_word = 4;
  int repeats = 3;
  bool aggregation = true;
  std::uint64_t look_ahead = 0;
};

[[noreturn]] void refuse(const std::string& line) {
  std::fprintf(stderr, "gups: %s\n", line.c_str());
  std::exit(2);
}

std::uint64_t number(const char* flag, const char* text, std::uint64_t least, std::uint64_t most) {
  char* end = nullptr;
  const unsigned long long n = text == nullptr ? 0 : std::strtoull(text, &end, 10);
  if (text == nullptr || *text == '\0' || *end != '\0' || n < least || n > most)
    refuse(std::string(flag) + ": '" + (text == nullptr ? "" : text) + "'; expected a number from " +
           std::to_string(least) + " to " + std::to_string(most));
  return n;
}

options read(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const auto value = [&](std::uint64_t least, std::uint64_t most) {
      return number(argv[i], i + 1 < argc ? argv[i + 1] : nullptr, least, most);
    };
    if (flag == "--no-aggregation")
      o.aggregation = false;
    else if (flag == "--log2-words")
      o.log2_words = static_cast<unsigned>(value(10, 40)), ++i;
    else if (flag == "--updates-per-word")
      o.updates_per_word = static_cast<unsigned>(value(1, 64)), ++i;
    else if (flag == "--repeats")
      o.repeats = static_cast<int>(value(1, 1000)), ++i;
    else if (flag == "--look-ahead")
      o.look_ahead = value(1, 1u << 30), ++i;
    else
      refuse("'" + flag +
             "'; expected --log2-words N, --updates-per-word N, --repeats N, --look-ahead N or "
             "--no-aggregation");
  }
  return o;
}

int run(const options& o) {
  const auto net = open_transport(handler_table::get().hash());
  rank_context context;
  message_options how = message_options::from_environment();
  if (!o.aggregation) how.most_piece = 0;
  message_engine engine(context, *net, how);
  set_here(&context);

  const auto ranks = static_cast<std::uint64_t>(context.ranks);
  if ((ranks & (ranks - 1)) != 0) refuse("HPCC's table needs a power of two of ranks");
  const std::uint64_t all_words = std::uint64_t{1} << o.log2_words;
  const std::uint64_t my_words = all_words / ranks;
  const std::uint64_t all_updates = all_words * o.updates_per_word;
  const std::uint64_t my_updates = all_updates / ranks;
  callisto::machine::page_array<std::uint64_t> table(my_words);
  words = table.data();
  word_mask = my_words - 1;
  const std::uint64_t first_word = static_cast<std::uint64_t>(context.rank) * my_words;
  for (std::uint64_t i = 0; i < my_words; ++i) words[i] = first_word + i;
  const unsigned owner_shift = static_cast<unsigned>(__builtin_ctzll(my_words));
  const std::uint64_t first_random = random_at(static_cast<std::uint64_t>(context.rank) * my_updates);

  std::vector<double> rates;
  end_pass(0);
  for (int repeat = 0; repeat < 2 * o.repeats; ++repeat) {  // an even number of passes restores the table
    const auto begin = std::chrono::steady_clock::now();
    std::uint64_t r = first_random;
    std::uint64_t next_flush = o.look_ahead;
    for (std::uint64_t i = 0; i < my_updates; ++i) {
      r = next_random(r);
      send(static_cast<int>((r & (all_words - 1)) >> owner_shift), update{r});
      if (o.look_ahead != 0 && i == next_flush) {
        flush();
        next_flush += o.look_ahead;
      }
    }
    end_pass(all_updates);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    rates.push_back(static_cast<double>(all_updates) / seconds.count() * 1e-6);
  }
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < my_words; ++i) wrong += words[i] != first_word + i;
  static std::uint64_t all_wrong = 0;
  send(0, [wrong] { all_wrong += wrong; });
  end_pass(ranks);

  if (context.rank == 0) {
    std::ranges::sort(rates);
    const message_statistics s = engine.statistics();
    std::printf(
        "gups: %d ranks, 2^%u words, %s: median %.2f M updates/s (%.2f to %.2f in %zu passes), %llu words wrong; "
        "rank 0: %.1f bytes a message, %.0f bytes a packet, %llu waits\n",
        context.ranks, o.log2_words, o.aggregation ? "aggregated" : "one packet an update", rates[rates.size() / 2],
        rates.front(), rates.back(), rates.size(), static_cast<unsigned long long>(all_wrong),
        static_cast<double>(s.message_bytes) / static_cast<double>(std::max<std::uint64_t>(1, s.messages)),
        static_cast<double>(s.message_bytes) / static_cast<double>(std::max<std::uint64_t>(1, s.packets)),
        static_cast<unsigned long long>(s.full_waits));
  }
  net->leave();
  set_here(nullptr);
  return all_wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const options o = read(argc, argv);
  try {
    return run(o);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
