// IntSort (NAS IS; Grappa, section 6): ranks many small numbers by a bucket sort, ten times, by the benchmark's rules.
//
// Buckets that follow each other go to a rank. `exchange` sorts the keys into buckets at their rank, and moves them in
// bulk, as the MPI program does; `posts` writes each key by itself to its place at the rank of its bucket, as Grappa's
// program does. Then each rank counts the keys of its buckets. Five keys are looked up in each iteration, and the keys
// are sorted and compared in the end. Use: int_sort [S|W|A|B|C] [exchange|posts] [RUNS]
#include "nas_keys.hpp"
#include "program.hpp"

#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace callisto;
using key_type = std::uint32_t;

class sorter {
 public:
  sorter(const lab::nas_class& size, bool posts)
      : size_(size),
        me_(static_cast<std::size_t>(global::here().rank)),
        ranks_(static_cast<std::size_t>(global::here().ranks)),
        first_key_(keys() * me_ / ranks_),
        keys_(keys() * (me_ + 1) / ranks_ - first_key_),
        chunks_((keys_.size() + chunk - 1) / chunk),
        room_(keys() / ranks_ + keys() / 16 + 1024) {
    lab::nas_random random(4 * first_key_);
    const double quarter = static_cast<double>(std::uint64_t{1} << size.log2_values) / 4;
    for (key_type& k : keys_) {
      double x = random();
      x += random();
      x += random();
      x += random();
      k = static_cast<key_type>(quarter * x);
    }
    changed_.assign(keys_.begin(), keys_.begin() + 2 * lab::nas_iterations + 1);
    if (posts) {
      places_ = global::make_array<key_type>(room_ * ranks_);
    } else {
      sorted_ = machine::page_array<key_type>(keys_.size());
    }
  }

  std::uint64_t keys() const noexcept { return std::uint64_t{1} << size_.log2_keys; }

  /// Undoes what iterations have changed, so that the next ones are again the first ones.
  void restore() { std::ranges::copy(changed_, keys_.begin()); }

  /// Ranks the keys. False if one of the five keys of this iteration has another rank than the rules say.
  bool iterate(std::uint64_t iteration) {
    if (me_ == 0) {
      keys_[iteration] = static_cast<key_type>(iteration);
      keys_[iteration + lab::nas_iterations] = static_cast<key_type>((1U << size_.log2_values) - iteration);
    }
    const std::array<key_type, 5> looked_up = keys_looked_up();
    count_buckets();
    deal_buckets();
    if (places_.size() != 0) {
      post_keys();
    } else {
      exchange_keys();
    }
    count_keys();
    return verify(looked_up, iteration);
  }

  /// Sorts the keys by their counts; true if they are the keys of all ranks in order.
  bool is_sorted() {
    std::vector<key_type> sorted;
    for (std::size_t k = 0; k != counts_.size(); ++k) {
      sorted.insert(sorted.end(), counts_[k], static_cast<key_type>(first_value_ + k));
    }
    struct ends {
      key_type first;
      key_type last;
      std::uint64_t size;
    };
    const ends mine{sorted.empty() ? 0 : sorted.front(), sorted.empty() ? 0 : sorted.back(), sorted.size()};
    bool right = std::is_sorted(sorted.begin(), sorted.end()) && sorted.size() == received().size();
    std::uint64_t all = 0;
    key_type before = 0;
    for (const ends& e : global::gather_all(mine)) {
      all += e.size;
      if (e.size == 0) continue;
      right = right && before <= e.first;
      before = e.last;
    }
    return right && all == keys();
  }

 private:
  /// Keys that a thread sorts into buckets at a time.
  static constexpr std::size_t chunk = 1 << 16;
  /// Buckets are as many as those of the benchmark's MPI program.
  static constexpr unsigned log2_buckets = 10;
  static constexpr std::size_t buckets = std::size_t{1} << log2_buckets;

  unsigned shift() const noexcept { return size_.log2_values - log2_buckets; }

  /// Returns the keys with the sequence numbers of the rules, at all ranks.
  std::array<key_type, 5> keys_looked_up() const {
    std::array<key_type, 5> found{};
    for (std::size_t k = 0; k != found.size(); ++k) {
      const std::uint64_t at = size_.checked[k] - first_key_;  // huge if the key is of a rank before
      if (at < keys_.size()) found[k] = keys_[at];
    }
    global::reduce_all(std::span<key_type>(found), std::plus<>());
    return found;
  }

  template <class Function>
  void over_chunks(const Function& f) {
    callisto::parallel_for(std::size_t{0}, chunks_, [&](std::size_t c) {
      f(std::span<const key_type>(keys_.data(), keys_.size())
            .subspan(c * chunk, std::min(chunk, keys_.size() - c * chunk)),
        &at_[c * buckets]);
    });
  }

  void count_buckets() {
    at_.assign(chunks_ * buckets, 0);
    over_chunks([shift = shift()](std::span<const key_type> keys, std::uint32_t* counts) {
      for (const key_type k : keys) ++counts[k >> shift];
    });
    of_ranks_.assign(ranks_ * buckets, 0);
    for (std::size_t i = 0; i != at_.size(); ++i) of_ranks_[me_ * buckets + i % buckets] += at_[i];
    std::vector<std::uint64_t> bounds(ranks_ + 1);
    for (std::size_t r = 0; r <= ranks_; ++r) bounds[r] = r * buckets;
    global::share_parts(std::span(of_ranks_), bounds);
  }

  /// Gives each rank buckets that follow each other, of about as many keys.
  void deal_buckets() {
    first_bucket_.assign(ranks_ + 1, buckets);
    first_bucket_[0] = 0;
    std::uint64_t before = 0;
    for (std::size_t b = 0, r = 0; b != buckets; ++b) {
      for (; r + 1 < ranks_ && before * ranks_ >= (r + 1) * keys(); ++r) first_bucket_[r + 1] = b;
      for (std::size_t from = 0; from != ranks_; ++from) before += of_ranks_[from * buckets + b];
    }
    first_value_ = first_bucket_[me_] << shift();
    counts_.assign((first_bucket_[me_ + 1] - first_bucket_[me_]) << shift(), 0);
  }

  /// Makes at_ the place of the first key of each bucket and chunk, from bases[bucket] on.
  void place_chunks(std::vector<std::uint64_t> bases) {
    for (std::size_t i = 0; i != at_.size(); ++i) {
      const std::uint32_t n = at_[i];
      at_[i] = static_cast<std::uint32_t>(bases[i % buckets]);
      bases[i % buckets] += n;
    }
  }

  void exchange_keys() {
    std::vector<std::uint64_t> bases(buckets);
    std::vector<std::uint64_t> counts(ranks_);
    std::uint64_t next = 0;
    for (std::size_t r = 0; r != ranks_; ++r) {
      for (std::size_t b = first_bucket_[r]; b != first_bucket_[r + 1]; ++b) {
        bases[b] = next;
        next += of_ranks_[me_ * buckets + b];
        counts[r] += of_ranks_[me_ * buckets + b];
      }
    }
    place_chunks(std::move(bases));
    over_chunks([to = sorted_.data(), shift = shift()](std::span<const key_type> keys, std::uint32_t* at) {
      for (const key_type k : keys) to[at[k >> shift]++] = k;
    });
    global::exchange(std::span<const key_type>(sorted_.data(), sorted_.size()), counts, received_);
  }

  void post_keys() {
    std::vector<std::uint64_t> bases(buckets);
    for (std::size_t r = 0; r != ranks_; ++r) {
      std::uint64_t next = r * room_;
      for (std::size_t b = first_bucket_[r]; b != first_bucket_[r + 1]; ++b) {
        for (std::size_t from = 0; from != ranks_; ++from) {
          if (from == me_) bases[b] = next;
          next += of_ranks_[from * buckets + b];
        }
      }
      if (r == me_) posted_ = next - r * room_;
    }
    place_chunks(std::move(bases));
    // Each rank runs its own chunks: ranks may have different numbers of them.
    const auto most = global::reduce_all(chunks_, [](std::size_t a, std::size_t b) { return std::max(a, b); });
    global::parallel_for(std::size_t{0}, most * ranks_, [&](std::size_t i) {
      const std::size_t c = i - most * me_;
      if (c >= chunks_) return;
      std::uint32_t* const at = &at_[c * buckets];
      for (const key_type k : std::span<const key_type>(keys_.data(), keys_.size())
                                  .subspan(c * chunk, std::min(chunk, keys_.size() - c * chunk))) {
        global::post_write(places_[at[k >> shift()]++], k);
      }
    });
  }

  std::span<const key_type> received() {
    return places_.size() != 0 ? places_.local().first(posted_) : std::span(received_);
  }

  /// Counts the keys of each value; a key's rank is the number of smaller keys.
  void count_keys() {
    for (const key_type k : received()) ++counts_[k - first_value_];
  }

  bool verify(const std::array<key_type, 5>& looked_up, std::uint64_t iteration) {
    std::uint64_t before = 0;
    for (std::size_t i = 0; i != of_ranks_.size(); ++i) {
      if (i % buckets < first_bucket_[me_]) before += of_ranks_[i];
    }
    std::array<std::uint64_t, 5> ranks{};
    for (std::size_t k = 0; k != ranks.size(); ++k) {
      const std::uint64_t value = looked_up[k] - first_value_;  // huge if the value is of a rank before
      if (value >= counts_.size()) continue;
      ranks[k] = std::accumulate(counts_.begin(), counts_.begin() + static_cast<std::ptrdiff_t>(value), before);
    }
    global::reduce_all(std::span<std::uint64_t>(ranks), std::plus<>());
    bool right = true;
    for (std::size_t k = 0; k != ranks.size(); ++k) {
      const bool falls = (size_.falls >> k & 1) != 0;
      const std::uint64_t expected =
          falls ? size_.expected[k] - iteration + size_.falls_by : size_.expected[k] + iteration - size_.rises_by;
      right = right && ranks[k] == expected;
    }
    return right;
  }

  const lab::nas_class& size_;
  const std::size_t me_;
  const std::size_t ranks_;
  const std::uint64_t first_key_;  ///< sequence number of keys_[0]
  machine::page_array<key_type> keys_;
  std::vector<key_type> changed_;  ///< keys_ that iterations change, as they were
  const std::size_t chunks_;
  const std::uint64_t room_;               ///< elements of places_ at a rank
  std::vector<std::uint32_t> at_;          ///< by chunk and bucket: a count, then the next place
  std::vector<std::uint64_t> of_ranks_;    ///< by rank and bucket: its keys
  std::vector<std::size_t> first_bucket_;  ///< of each rank
  std::uint64_t first_value_ = 0;          ///< the smallest value of this rank's buckets
  std::vector<std::uint32_t> counts_;      ///< by value, from first_value_ on
  machine::page_array<key_type> sorted_;   ///< own keys by bucket
  std::vector<key_type> received_;         ///< keys of this rank's buckets
  global::array<key_type> places_;         ///< the same, where keys are posted
  std::uint64_t posted_ = 0;               ///< keys of this rank there
};

}  // namespace

int main(int argc, char** argv) {
  const lab::nas_class* const size = lab::nas_class_of(argc > 1 ? argv[1] : "A");
  const std::string_view how = argc > 2 ? argv[2] : "exchange";
  const int runs = argc > 3 ? std::atoi(argv[3]) : 5;
  if (size == nullptr || (how != "exchange" && how != "posts") || runs < 1 || argc > 4) {
    std::fprintf(stderr, "int_sort: expected S, W, A, B or C, exchange or posts, and a number of runs of at least 1\n");
    return 2;
  }
  global::session s(argc, argv);
  sorter sort(*size, how == "posts");
  bool right = sort.iterate(1);  // not timed, by the rules
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    sort.restore();
    seconds.push_back(lab::timed([&] {
      for (std::uint64_t i = 1; i <= lab::nas_iterations; ++i) right = sort.iterate(i) && right;
    }));
    right = sort.is_sorted() && right;
  }
  return lab::report("int_sort", std::string("class ") + size->name + " by " + std::string(how), "keys",
                     sort.keys() * lab::nas_iterations, seconds, right);
}
