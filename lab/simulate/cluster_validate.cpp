#include <lab/simulate/cluster_validate.hpp>

#include <callisto/app/process/spawn.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/system/descriptor.hpp>
#include <callisto/machine/system/error.hpp>
#include <lab/simulate/cluster_both.hpp>
#include <lab/simulate/cluster_programs.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace callisto::lab {
namespace {

namespace sim = global::simulation;

constexpr unsigned repeats_of_real = 5;

/// Other programs of this machine wait while ranks are measured, if the system allows it.
class before_others {
 public:
  before_others() noexcept {
    sched_param urgent{.sched_priority = 5};
    was_set_ = ::sched_setscheduler(0, SCHED_RR, &urgent) == 0;
  }
  ~before_others() {
    sched_param plain{.sched_priority = 0};
    if (was_set_) ::sched_setscheduler(0, SCHED_OTHER, &plain);
  }
  before_others(const before_others&) = delete;
  before_others& operator=(const before_others&) = delete;

 private:
  bool was_set_ = false;
};

// tools/two_nodes.sh: runs a command on ranks of two nodes on this machine.
constexpr const char* two_nodes =
#include <lab/simulate/two_nodes.hpp>
    ;

// Starts PROGRAM on RANKS ranks: on one node, or on two. Arguments: PROGRAM PLACE RANKS SCALE TWO_NODES.
constexpr const char* launch = R"script(set -e
program=$1 place=$2 ranks=$3 scale=$4 two_nodes=$5
launcher=$(command -v mpirun.openmpi || command -v mpirun) || { echo "no mpirun of Open MPI" >&2; exit 1; }
what=("$program" simulate cluster real --quiet --scale "$scale")
if [[ $place == shared ]]; then
  run=("$launcher" --oversubscribe --bind-to none)
  ((EUID != 0)) || run+=(--allow-run-as-root)
  exec "${run[@]}" -n "$ranks" "${what[@]}"
fi
exec bash -c "$two_nodes" two_nodes.sh openmpi --bind-to none --map-by slot:PE=1 --npernode "$((ranks / 2))" -n "$ranks" \
  "${what[@]}")script";

/// Runs a program, and returns what it wrote to standard output. Throws error if it failed.
std::string output_of(spawn_request what, const std::string& name) {
  const machine::descriptor out(::memfd_create("callisto-output", MFD_CLOEXEC));
  const machine::descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (out.get() < 0 || nothing.get() < 0) throw error(name + ": cannot open a file");
  what.in = nothing.get();
  what.out = out.get();
  const pid_t pid = spawn(what);
  const group_to_kill group(pid);
  int status = 0;
  while (::waitpid(pid, &status, 0) != pid) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw error(name + ": the run has failed");
  std::string text(4096, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(::pread(out.get(), text.data(), text.size(), 0), 0)));
  return text;
}

both_outcome run_really(const char* place, unsigned ranks, unsigned scale) {
  const std::string said = output_of({.program = "/bin/bash",
                                      .arguments = {"-c", launch, "callisto-lab", this_program(), place,
                                                    std::to_string(ranks), std::to_string(scale), two_nodes},
                                      .environment = {{"CALLISTO_COSCHED", "off"}, {"CALLISTO_GLOBAL_THREADS", "1"}},
                                      .contexts = {}},
                                     fmt::format("simulate cluster: {} ranks, {}", ranks, place));
  both_outcome o;
  std::istringstream numbers(said);
  numbers >> o.half_round >> o.send >> o.block >> o.poll >> o.read;
  for (double& rate : o.rates) numbers >> rate;
  if (!numbers) throw error("simulate cluster: real ranks have printed '" + said.substr(0, 60) + "'");
  return o;
}

/// A simulated job on this machine. Ranks that share a processor take turns.
sim::cluster_options here_as_cluster(const sim::network& net, unsigned nodes, unsigned ranks_a_node) {
  sim::cluster_options on{.net = net, .nodes = nodes, .ranks_per_node = ranks_a_node};
  const unsigned processors = machine::default_threads(machine::limits::current());
  const double slower = std::max(1.0, static_cast<double>(on.ranks()) / processors);
  for (unsigned r = 0; slower > 1 && r != on.ranks(); ++r)
    on.faults.push_back({.kind = sim::cluster_fault::kinds::slow_rank, .place = r, .factor = slower});
  return on;
}

template <class Run>
both_outcome simulated(const sim::cluster_options& on, const Run& run) {
  both_outcome o;
  sim::run_sessions(on, {.threads = 1}, [&](global::session& s) {
    const both_outcome own = run(s);
    if (s.rank() == 0) o = own;
  });
  return o;
}

both_outcome predicted(const sim::network& net, unsigned nodes, unsigned ranks_a_node, unsigned scale,
                       const word_costs& costs) {
  return simulated(here_as_cluster(net, nodes, ranks_a_node),
                   [&](global::session& s) { return run_both(s, scale, 1, costs); });
}

/// Sets what a packet costs between two ranks so that the micro-benchmarks take as long as they did.
void fit_link(sim::network& net, word_costs& words, bool is_far, const both_outcome& measured) {
  constexpr int rounds = 6;
  for (int i = 0; i != rounds; ++i) {
    const both_outcome o = simulated(here_as_cluster(net, is_far ? 2 : 1, is_far ? 1 : 2),
                                     [&](global::session& s) { return run_link(s, 1, words); });
    const double send = (measured.send - o.send) * 1e9;
    const double half = (measured.half_round - o.half_round) * 1e9;
    const double byte = (measured.block - o.block) * 1e9 / block_bytes;
    const auto add = [](double& value, double more, double least) { value = std::max(value + more, least); };
    const auto add_to_bandwidth = [byte](double& bandwidth) {
      bandwidth = 1e9 / std::clamp(1e9 / bandwidth + byte, 0.01, 100.0);
    };
    constexpr double least = 10;
    add(net.poll, (measured.poll - o.poll) * 1e9, 1);
    add(words.far_read, (measured.read - o.read) * 1e9, 0);
    if (is_far) {
      add(net.send, send, least);
      // What is not the sender's is the receiver's: there are no wires.
      add(net.receive, half - send, least);
      net.latency = 100;
      add_to_bandwidth(net.copy);
    } else {
      add(net.near_send, send, least);
      add(net.near, half - send, least);
      add_to_bandwidth(net.near_bandwidth);
    }
  }
}

struct place_of_ranks {
  const char* words;
  const char* place;  ///< for the script
  unsigned nodes;
  unsigned ranks_a_node;
};
constexpr place_of_ranks places[] = {{"1 rank", "shared", 1, 1},
                                     {"2 ranks, shared memory", "shared", 1, 2},
                                     {"4 ranks, shared memory", "shared", 1, 4},
                                     {"2 ranks, TCP", "tcp", 2, 1},
                                     {"4 ranks, TCP", "tcp", 2, 2}};

std::string in_millions(double rate) { return fmt::format("{:.3g}", rate * 1e-6); }

}  // namespace

std::string run_real_ranks(unsigned scale, bool bare) {
  const before_others urgent;
  global::session_options one = global::session_options::from_environment();
  one.threads = 1;
  global::session s(0, nullptr, one);
  const both_outcome o = run_both(s, scale, repeats_of_real, {});
  if (s.rank() != 0) return "";
  if (bare)
    return fmt::format("{} {} {} {} {} {}\n", o.half_round, o.send, o.block, o.poll, o.read, fmt::join(o.rates, " "));
  std::string text = fmt::format("{} ranks\n", s.ranks());
  for (std::size_t i = 0; i != both_names.size(); ++i)
    text += fmt::format("  {:<15} {} M/s\n", both_names[i], in_millions(o.rates[i]));
  if (s.ranks() > 1)
    text +=
        fmt::format("  half of a round trip {:.2f} us, a packet's sender {:.2f} us, a look {:.2f} us, {:.1f} GB/s\n",
                    o.half_round * 1e6, o.send * 1e6, o.poll * 1e6, block_bytes / o.block * 1e-9);
  return text;
}

paper_table validate(const paper_setting& how) {
  paper_table t{"This machine: real ranks beside the simulation's prediction, M/s",
                {"ranks", "program", "real", "predicted", "error, %"},
                {}};
  sim::network net = how.net;
  word_costs words;
  {
    const before_others urgent;
    const step_costs steps = measure_steps();
    net.enqueue = net.serialize = steps.message / 2;
    net.deserialize = steps.deserialize;
    net.change = steps.change;
    net.spawn = steps.spawn;
    words = {.updates = measure_word(std::uint64_t{1} << log2_updated_words),
             .tree = measure_word(std::uint64_t{1} << 15),
             .vertices = measure_word(std::uint64_t{1} << 15),
             .keys = measure_word(std::uint64_t{1} << 18),
             .reads = measure_word(std::uint64_t{1} << 16)};
  }
  // The wires of a namespace are this machine's processors: packets cost them, and nothing else.
  constexpr double much = 1e12;
  net.rate = net.bandwidth = net.link = net.eager = much;
  net.switch_latency = 0;
  net.taper = 1;

  both_outcome alone;
  for (const place_of_ranks& p : places) {
    const bool is_far = p.nodes > 1;
    if (is_far && ::geteuid() != 0) continue;
    const both_outcome real = run_really(p.place, p.nodes * p.ranks_a_node, how.scale);
    how.advance();
    if (p.nodes * p.ranks_a_node == 2) fit_link(net, words, is_far, real);
    const both_outcome guess = predicted(net, p.nodes, p.ranks_a_node, how.scale, words);
    how.advance();
    for (std::size_t i = 0; i != both_names.size(); ++i)
      t.rows.push_back({p.words, std::string(both_names[i]), in_millions(real.rates[i]), in_millions(guess.rates[i]),
                        fmt::format("{:+.0f}", (guess.rates[i] / real.rates[i] - 1) * 100)});
    // Later rows know what earlier ones have taught: the program's own work, then what crosses between ranks costs
    // beyond its messages and switches.
    const auto missing = [&](std::size_t i) { return 1e9 / real.rates[i] - 1e9 / guess.rates[i]; };
    if (p.nodes * p.ranks_a_node == 1) {
      double* const costs[] = {&words.updates, &words.tree, &words.vertices, &words.keys, &words.reads};
      for (std::size_t i = 0; i != both_names.size(); ++i) {
        const double times = both_names[i] == "BFS" ? 2 : 1;  // an edge is two arcs
        *costs[i] = std::max(0.0, *costs[i] + missing(i) / times);
      }
    } else if (p.nodes == 1 && p.ranks_a_node == 2) {  // each rank does half, and half of that is far
      words.far_vertex = std::max(0.0, 4 * missing(1));
    }
  }
  return t;
}

}  // namespace callisto::lab
