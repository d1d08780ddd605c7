// Sorts an array of plain elements by loops: one distribution into buckets that fit a core's cache, and each bucket on
// one thread.
//
// 1. A sample says between which keys most stand. That stretch is cut into up to 4096 digits of the same width. Keys
//    before and behind it have a digit each.
// 2. Each block of the input counts its digits. Neighbouring digits make a bucket, up to a size.
// 3. Each block copies its elements to their buckets in a second array. A line of memory is written when it is full
//    (Wassenberg and Sanders, "Engineering a Multi-core Radix Sort", Euro-Par 2011).
// 4. Each bucket is sorted on one thread, back into the input's place. A bucket with too large a share of all is
//    distributed again.
#pragma once

#include <callisto/loop/algorithms/blocks.hpp>
#include <callisto/loop/algorithms/plain_element.hpp>
#include <callisto/loop/algorithms/plain_pieces.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <source_location>
#include <utility>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace callisto::loop {

/// Maps keys to digits: the keys of a stretch to 1 and on, keys before it to 0, keys behind it to the last digit.
template <class Number>
class plain_digits {
 public:
  static constexpr unsigned most_bits = 12;
  static constexpr unsigned most = 1u << most_bits;

  /// `low` and `high`: the ends of the stretch. `bits`: of the number of digits, from 2 to most_bits.
  plain_digits(Number low, Number high, unsigned bits) noexcept : first_(low), behind_((1u << bits) - 2) {
    while (static_cast<wide>(high - low) >> shift_ >= behind_) ++shift_;
  }

  unsigned count() const noexcept { return static_cast<unsigned>(behind_) + 2; }
  unsigned of(Number key) const noexcept {
    const wide at = static_cast<wide>(static_cast<Number>(key - first_)) >> shift_;
    const auto inside = static_cast<unsigned>(std::min(at, behind_)) + 1;
    return key < first_ ? 0 : inside;
  }
  /// True if all keys with this digit are equal.
  bool is_one_key(unsigned digit) const noexcept { return shift_ == 0 && digit != 0 && digit != behind_ + 1; }

 private:
  using wide = std::conditional_t<(sizeof(Number) > 4), std::uint64_t, std::uint32_t>;

  Number first_;
  wide behind_;
  unsigned shift_ = 0;
};

template <class Keys>
class plain_sorter {
 public:
  using element = typename Keys::element;
  using number = typename Keys::number;

  /// From this number of elements on, `sort` distributes.
  static constexpr std::size_t worth_while = std::max<std::size_t>(plain_pieces<Keys>::in_cache / 2, 1 << 14);

  plain_sorter(const Keys& keys, unsigned threads, const std::source_location& where) noexcept
      : keys_(keys), pieces_(keys), threads_(threads), where_(where) {}

  /// Sorts data[0, n). `other` has room for as many elements, and any content afterwards.
  void sort(element* data, element* other, std::size_t n) const {
    char moved = 0;
    distribute<true>(data, other, n, false, 0, moved);
  }

  /// Sorts as sort(), on the calling thread, elements that fit its cache.
  void sort_few(element* data, element* other, std::size_t n) const noexcept {
    if (!keys_.is_number()) std::transform(data, data + n, data, [&](const element& e) { return keys_.begin(e); });
    pieces_.sort(data, other, n, false);
    end(data, n);
  }

 private:
  static constexpr unsigned most_buckets = 1024;
  /// Arrays of this size do not stay in a cache until they are read again: they are written around it.
  static constexpr std::size_t stream_bytes = std::size_t{16} << 20;
  /// Elements that fill whole lines of memory, and the number of these bytes.
  static constexpr std::size_t in_line = std::lcm<std::size_t>(64, sizeof(element)) / sizeof(element);
  static constexpr std::size_t line_bytes = in_line * sizeof(element);

  void end(element* data, std::size_t n) const noexcept {
    if (!keys_.is_number()) std::transform(data, data + n, data, [&](const element& e) { return keys_.end(e); });
  }
  template <bool First>
  static element begun(const Keys& keys, const element& e) noexcept {
    if constexpr (First && Keys::changes) return keys.begin(e);
    return e;
  }
  /// Returns the key without a copy of a record.
  template <bool First>
  static number key_of(const Keys& keys, const element& e) noexcept {
    if constexpr (First && Keys::changes) return keys.key(keys.begin(e));
    return keys.key(e);
  }

  template <class F>
  void each(std::size_t n, F f) const {
    if (threads_ == 1) {
      for (std::size_t i = 0; i < n; ++i) f(i);
    } else {
      static_cast<void>(parallel_for(std::size_t{0}, n, f, {.batch = 1}, where_));
    }
  }

  template <bool First>
  plain_digits<number> digits_of(const element* data, std::size_t n) const {
    constexpr unsigned samples = 512;
    number low = static_cast<number>(~number{0});
    number high = 0;
    std::uint64_t random = n;
    for (unsigned i = 0; i < samples; ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX generator
      const auto at = static_cast<std::size_t>((static_cast<unsigned __int128>(random) * n) >> 64);
      const number key = key_of<First>(keys_, data[at]);
      low = std::min(low, key);
      high = std::max(high, key);
    }
    const unsigned bits =
        std::clamp(static_cast<unsigned>(std::bit_width(n)) - 8u, 6u, plain_digits<number>::most_bits);
    return {low, high, bits};
  }

  struct bucket {
    std::size_t begin;
    std::size_t end;
    bool one_key;
    std::size_t size() const noexcept { return end - begin; }
  };
  /// Where the elements of each block go.
  struct plan {
    std::vector<bucket> buckets;
    std::vector<std::uint16_t> bucket_of;  ///< of each digit
    std::vector<std::uint64_t> next;       ///< of each block and bucket: where its next element goes
  };

  /// Makes buckets of digits: digits with few elements share one. `counts`: of each block and digit.
  static plan plan_of(const plain_digits<number>& digits, const std::vector<std::uint32_t>& counts, std::size_t blocks,
                      std::size_t n) {
    const unsigned most = digits.count();
    const std::size_t enough = std::max<std::size_t>(plain_pieces<Keys>::in_cache / 4, 2 * n / most_buckets + 1);
    plan made;
    made.bucket_of.resize(most);
    std::size_t place = 0;
    for (unsigned d = 0; d < most; ++d) {
      std::size_t size = 0;
      for (std::size_t b = 0; b < blocks; ++b) size += counts[b * most + d];
      if (made.buckets.empty() || made.buckets.back().size() + size > enough) {
        if (made.buckets.empty() || made.buckets.back().size() != 0) made.buckets.push_back({place, place, false});
      }
      bucket& mine = made.buckets.back();
      if (size != 0) mine.one_key = mine.size() == 0 && digits.is_one_key(d);
      mine.end = place += size;
      made.bucket_of[d] = static_cast<std::uint16_t>(made.buckets.size() - 1);
    }
    made.next.resize(blocks * made.buckets.size());
    for (std::size_t b = 0; b < blocks; ++b) {
      std::uint64_t* const next = made.next.data() + b * made.buckets.size();
      for (unsigned d = 0; d < most; ++d) next[made.bucket_of[d]] += counts[b * most + d];
    }
    for (std::size_t k = 0; k < made.buckets.size(); ++k) {
      std::uint64_t sum = made.buckets[k].begin;
      for (std::size_t b = 0; b < blocks; ++b) sum += std::exchange(made.next[b * made.buckets.size() + k], sum);
    }
    return made;
  }

  /// Sorts data[0, n) with `other`, and leaves the result in `other` if `over`. `depth`: distributions before this one.
  /// Sets `moved` before elements leave `data`: they end sorted then, also if this throws.
  template <bool First>
  void distribute(element* data, element* other, std::size_t n, bool over, unsigned depth, char& moved) const {
    const plain_digits<number> digits = digits_of<First>(data, n);
    const unsigned most = digits.count();
    const blocks all(n, 1 << 13, std::max<std::size_t>(std::clamp(4 * threads_, 32u, 256u), n >> 31));
    std::vector<std::uint32_t> counts(all.count() * most);
    each(all.count(), [&](std::size_t b) {
      // Local copies, as in write_block().
      const plain_digits<number> to = digits;
      const Keys keys = keys_;
      std::uint32_t* const count = counts.data() + b * most;
      for (std::size_t i = all.begin(b); i < all.end(b); ++i) ++count[to.of(key_of<First>(keys, data[i]))];
    });
    plan made = plan_of(digits, counts, all.count(), n);
    const std::vector<bucket>& buckets = made.buckets;
    std::vector<char> done(buckets.size());
    const bool streams = n * sizeof(element) >= stream_bytes;
    each(all.count(), [&](std::size_t b) {
      write_block<First>(data + all.begin(b), data + all.end(b), other, digits, made,
                         made.next.data() + b * buckets.size(), streams);
    });

    // From here on, elements leave `data`. They end sorted whatever the beginning of a loop throws.
    moved = 1;
    struct sorting {
      const plain_sorter& sorter;
      element* data;
      element* other;
      bool over;
      const std::vector<bucket>& buckets;
      std::vector<char>& done;

      void operator()(std::size_t k) noexcept {
        const std::size_t begin = buckets[k].begin;
        const std::size_t size = buckets[k].size();
        done[k] = 1;
        if (!buckets[k].one_key) {
          sorter.pieces_.sort(other + begin, data + begin, size, !over);
        } else if (!over) {
          copy(other + begin, data + begin, size);
        }
        sorter.end((over ? other : data) + begin, size);
      }
      ~sorting() {
        for (std::size_t k = 0; k < done.size(); ++k) {
          if (done[k] == 0) (*this)(k);
        }
      }
    } sorts{*this, data, other, over, buckets, done};
    constexpr unsigned most_depth = 8;
    const std::size_t large = std::max(8 * plain_pieces<Keys>::in_cache, n / (4 * threads_));
    const auto again = [&](const bucket& k) {
      return !k.one_key && threads_ > 1 && depth < most_depth && k.size() > large;
    };
    each(buckets.size(), [&](std::size_t k) {
      if (!again(buckets[k])) sorts(k);
    });
    for (std::size_t k = 0; k < buckets.size(); ++k) {
      if (done[k] == 0)
        distribute<false>(other + buckets[k].begin, data + buckets[k].begin, buckets[k].size(), !over, depth + 1,
                          done[k]);
    }
  }

  /// Memory for a line of each bucket.
  struct line_room {
    explicit line_room(std::size_t buckets)
        : at(static_cast<element*>(::operator new(buckets* line_bytes, std::align_val_t{64}))) {}
    line_room(const line_room&) = delete;
    line_room& operator=(const line_room&) = delete;
    ~line_room() { ::operator delete(at, std::align_val_t{64}); }
    element* const at;
  };

  /// Copies elements to the buckets of `to`, a line of memory at a time. `next` says where each bucket's elements go.
  template <bool First>
  void write_block(const element* from, const element* end, element* to, plain_digits<number> digits, const plan& made,
                   std::uint64_t* next, bool streams) const {
    const std::size_t buckets = made.buckets.size();
    const line_room room(buckets);
    const std::vector<std::uint64_t> first(next, next + buckets);
    // Local copies: the compiler must take for granted that the write of an element changes any member.
    const Keys keys = keys_;
    const std::uint16_t* const bucket_of = made.bucket_of.data();
    element* const lines = room.at;
    streams = streams && reinterpret_cast<std::uintptr_t>(to) % 64 == 0;
    for (; from != end; ++from) {
      const std::size_t k = bucket_of[digits.of(key_of<First>(keys, *from))];
      const std::uint64_t at = next[k]++;
      element* const line = lines + k * in_line;
      line[at % in_line] = begun<First>(keys, *from);
      if (at % in_line == in_line - 1) write_line(line, to, at + 1 - in_line, first[k], streams);
    }
    for (std::size_t k = 0; k < buckets; ++k) {
      const std::uint64_t begin = std::max(first[k], next[k] - next[k] % in_line);
      copy(lines + k * in_line + begin % in_line, to + begin, next[k] - begin);
    }
#if defined(__SSE2__)
    if (streams) _mm_sfence();  // the loop's end publishes ordinary stores only
#endif
  }

  /// Writes a line to to[begin]; elements before `first` belong to the block before, or to the bucket before.
  static void write_line(const element* line, element* to, std::uint64_t begin, std::uint64_t first,
                         [[maybe_unused]] bool streams) noexcept {
    if (begin < first) return copy(line + (first - begin), to + first, begin + in_line - first);
#if defined(__SSE2__)
    if (streams) {
      const auto* const words = reinterpret_cast<const __m128i*>(line);
      auto* const out = reinterpret_cast<__m128i*>(to + begin);
      for (std::size_t i = 0; i < line_bytes / sizeof(__m128i); ++i)
        _mm_stream_si128(out + i, _mm_load_si128(words + i));
      return;
    }
#endif
    std::memcpy(static_cast<void*>(to + begin), line, line_bytes);
  }

  static void copy(const element* from, element* to, std::size_t n) noexcept {
    if (n != 0) std::memcpy(static_cast<void*>(to), from, n * sizeof(element));
  }

  const Keys& keys_;
  plain_pieces<Keys> pieces_;
  unsigned threads_;
  std::source_location where_;
};

}  // namespace callisto::loop
