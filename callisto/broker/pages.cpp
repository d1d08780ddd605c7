// memfd_create(2), fcntl(2) F_ADD_SEALS, mmap(2).
#include <callisto/broker/pages.hpp>

#include <cerrno>
#include <new>
#include <utility>

#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

namespace callisto::broker {
namespace {

constexpr int seals_of_both = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

machine::descriptor memory_of(const char* name, std::size_t bytes) noexcept {
  constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  int fd = ::memfd_create(name, flags | MFD_NOEXEC_SEAL);
  if (fd < 0 && errno == EINVAL) fd = ::memfd_create(name, flags);  // before Linux 6.3
  machine::descriptor made(fd);
  if (fd >= 0 && ::ftruncate(fd, static_cast<off_t>(bytes)) != 0) return machine::descriptor();
  return made;
}

/// Returns what is wrong with the memory; empty: nothing.
std::string fault_of(int fd, std::size_t bytes, int seals) {
  struct stat is{};
  if (::fstat(fd, &is) != 0 || !S_ISREG(is.st_mode) || is.st_size != static_cast<off_t>(bytes)) {
    return "a page has a wrong kind or size";
  }
  const int has = ::fcntl(fd, F_GET_SEALS);
  return has < 0 || (has & seals) != seals ? "a page is not sealed" : "";
}

}  // namespace

mapped_page::mapped_page(int fd, std::size_t bytes, bool writable) noexcept : bytes_(bytes) {
  void* const at = ::mmap(nullptr, bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
  if (at != MAP_FAILED) data_ = static_cast<std::byte*>(at);
}
mapped_page::mapped_page(mapped_page&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
mapped_page& mapped_page::operator=(mapped_page&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}
mapped_page::~mapped_page() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}
void mapped_page::make_private() noexcept {
  ::mmap(data_, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

std::optional<made_pages> make_pages(unsigned contexts) noexcept {
  made_pages made{.pages = {},
                  .offers = memory_of("callisto-offers", bytes_of_offers(contexts)),
                  .replies = memory_of("callisto-replies", bytes_of_replies(contexts))};
  if (made.offers.get() < 0 || made.replies.get() < 0) return std::nullopt;
  // Mapped before the seal, which lets no process map it for writing afterwards.
  made.pages.offers = mapped_page(made.offers.get(), bytes_of_offers(contexts), true);
  made.pages.replies = mapped_page(made.replies.get(), bytes_of_replies(contexts), false);
  if (!made.pages || ::fcntl(made.offers.get(), F_ADD_SEALS, seals_of_both | F_SEAL_FUTURE_WRITE) != 0 ||
      ::fcntl(made.replies.get(), F_ADD_SEALS, seals_of_both) != 0) {
    return std::nullopt;
  }
  new (made.pages.offers.data()) offers_head;
  return made;
}

std::optional<pair_of_pages> accept_pages(int offers, int replies, unsigned contexts, std::string& why) {
  why = fault_of(offers, bytes_of_offers(contexts), seals_of_both | F_SEAL_FUTURE_WRITE);
  if (why.empty()) why = fault_of(replies, bytes_of_replies(contexts), seals_of_both);
  if (!why.empty()) return std::nullopt;
  pair_of_pages pages{.offers = mapped_page(offers, bytes_of_offers(contexts), false),
                      .replies = mapped_page(replies, bytes_of_replies(contexts), true)};
  if (!pages) {
    why = "a page cannot be mapped";
    return std::nullopt;
  }
  return pages;
}

}  // namespace callisto::broker
