// The two pages that a broker and one job share: memory without a name, of fixed size for good.
#pragma once

#include <callisto/broker/pair_words.hpp>
#include <callisto/export.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/system/descriptor.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace callisto::broker {

using machine::native;

/// The head of the broker's page.
struct offers_head {
  alignas(native::line_size) native::atomic<std::uint64_t> generation{0};  ///< changes with what follows and the shares
  native::atomic<std::uint64_t> alone{1};                                  ///< not 0: there is no other job
  native::atomic<std::uint64_t> main{0};    ///< 1 + the context of the job's main thread; 0: none
  native::atomic<std::uint64_t> number{0};  ///< the job's, for people
  native::atomic<std::uint64_t> beat{0};    ///< when the broker last said that it works, of shared_nanoseconds()
};

/// Memory that ends with the object. Move-only.
class mapped_page {
 public:
  mapped_page() = default;
  /// Maps the descriptor's memory. Empty if the system refuses.
  mapped_page(int fd, std::size_t bytes, bool writable) noexcept;
  mapped_page(mapped_page&& other) noexcept;
  mapped_page& operator=(mapped_page&& other) noexcept;
  ~mapped_page();

  std::byte* data() const noexcept { return data_; }
  /// Makes it zeros of this process alone, at the same address.
  void make_private() noexcept;

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// The bytes of pages with lines for this many contexts.
constexpr std::size_t bytes_of_offers(unsigned contexts) noexcept {
  return sizeof(offers_head) + contexts * sizeof(offer_line<native>);
}
constexpr std::size_t bytes_of_replies(unsigned contexts) noexcept { return contexts * sizeof(reply_line<native>); }

/// Both pages of a pair as one side sees them.
struct pair_of_pages {
  mapped_page offers;
  mapped_page replies;

  explicit operator bool() const noexcept { return offers.data() != nullptr && replies.data() != nullptr; }
  // The bytes are words, whichever process wrote them; all bit patterns are valid.
  offers_head& head() const noexcept { return *reinterpret_cast<offers_head*>(offers.data()); }
  offer_line<native>& offer(unsigned context) const noexcept {
    return reinterpret_cast<offer_line<native>*>(offers.data() + sizeof(offers_head))[context];
  }
  reply_line<native>& reply(unsigned context) const noexcept {
    return reinterpret_cast<reply_line<native>*>(replies.data())[context];
  }
};

/// A new pair, for the broker: its mappings, and the descriptors for the job.
struct made_pages {
  pair_of_pages pages;
  machine::descriptor offers;
  machine::descriptor replies;
};

/// Makes the pages of a new job. The size of both is sealed, and the job cannot map the offers for writing. nullopt if
/// the system refuses memory or descriptors.
CALLISTO_API std::optional<made_pages> make_pages(unsigned contexts) noexcept;

/// Maps the pages that a broker has sent, if their seals and sizes are as they must be; else `why` says what is wrong.
/// Without its seals another process could shorten a page, and end this one by SIGBUS.
CALLISTO_API std::optional<pair_of_pages> accept_pages(int offers, int replies, unsigned contexts, std::string& why);

}  // namespace callisto::broker
