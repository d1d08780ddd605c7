// Computing the place of a thread from the bindings of the regions around it.
#include <callisto/machine/host/limits.hpp>
#include <callisto/openmp/region/binding.hpp>
#include <callisto/openmp/region/team.hpp>

#include <cstdio>

#include <pthread.h>

namespace callisto::openmp {
namespace {

/// Part `n` of [0, length), divided into `parts` parts with sizes that differ by at most one.
struct part {
  unsigned first;
  unsigned length;
};
part part_of(unsigned length, unsigned parts, unsigned n) {
  const unsigned each = length / parts;
  const unsigned longer = length % parts;
  return {.first = n * each + (n < longer ? n : longer), .length = each + (n < longer ? 1 : 0)};
}

/// Returns the group of thread `n`, where `threads` threads form `places` groups of consecutive threads, with sizes
/// that differ by at most one.
unsigned group_of(unsigned threads, unsigned places, unsigned n) {
  const unsigned each = threads / places;
  const unsigned longer = threads % places;
  const unsigned in_longer = longer * (each + 1);
  return n < in_longer ? n / (each + 1) : longer + (n - in_longer) / each;
}

/// Returns the binding of thread `number` of a team.
binding binding_in(const team& of, unsigned number) {
  if (of.before.in == nullptr || of.level == 0)
    return {.place = 0, .first = 0, .places = static_cast<unsigned>(icvs().places.size())};
  const binding leader = binding_in(*of.before.in, of.before.number);
  if (leader.places == 0) return leader;
  const auto from_leader = [&leader](unsigned steps) {
    return leader.first + (leader.place - leader.first + steps) % leader.places;
  };
  switch (of.bind) {
    case proc_bind::none:
    case proc_bind::primary:
      return leader;
    case proc_bind::yes:
    case proc_bind::close: {
      const unsigned steps = of.threads <= leader.places ? number : group_of(of.threads, leader.places, number);
      return {.place = from_leader(steps), .first = leader.first, .places = leader.places};
    }
    case proc_bind::spread: {
      // The leader's place is in the first part. Parts do not wrap around the end of the partition.
      const part mine = of.threads <= leader.places ? part_of(leader.places, of.threads, number)
                                                    : part{group_of(of.threads, leader.places, number), 1};
      const unsigned first = leader.first + mine.first;
      const unsigned place =
          number == 0 && leader.place >= first && leader.place < first + mine.length ? leader.place : first;
      return {.place = place, .first = first, .places = mine.length};
    }
  }
  return leader;
}

}  // namespace

binding binding_of(const omp_thread& thread) { return binding_in(thread.in(), thread.at.number); }

std::string describe_affinity(const omp_thread& thread, std::string_view format) {
  const process_icvs& process = icvs();
  const team& in = thread.in();
  const binding bound = binding_of(thread);
  return format_affinity(format.empty() ? std::string_view(process.affinity_format) : format,
                         {.team_number = static_cast<int>(in.team_number),
                          .teams = static_cast<int>(in.teams),
                          .level = static_cast<int>(in.level),
                          .number = static_cast<int>(thread.at.number),
                          .threads = static_cast<int>(in.threads),
                          .ancestor = in.before.in != nullptr ? static_cast<int>(in.before.number) : -1,
                          .native_id = pthread_self(),
                          .affinity = bound.places != 0 ? process.places[bound.place] : machine::affinity_at_start()});
}

void show_affinity(const omp_thread& thread, std::string_view format) {
  const std::string text = describe_affinity(thread, format) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace callisto::openmp
