// The messages between a job and a broker, as packets of a Unix-domain socket (SOCK_SEQPACKET). A packet is one message
// of fixed size. Bytes that are not exactly a message of this version is refused as a whole.
//
//   job -> broker   hello     facts about the job
//   broker -> job   welcome   with two descriptors, the pages; or refusal
//   job -> broker   confirm   the nonce of the welcome, with the sender's credentials
//   job -> broker   ring, change
//   anyone -> broker  ask_report, ask_usage or ask_place, instead of hello; broker -> anyone  report, usage_page, place
//
// A list of jobs or users comes in pages, one a connection. So the broker keeps no state of a reader and waits for
// none: a page that does not fit into the socket is dropped with its connection.
#pragma once

#include <callisto/cosched/context_assignment.hpp>
#include <callisto/cosched/timing.hpp>
#include <callisto/export.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

namespace callisto::broker {

/// Both sides refuse another version.
inline constexpr std::uint16_t protocol_version = 1;

enum class message_kind : std::uint16_t {
  hello = 1,
  welcome,
  refusal,
  confirm,
  ring,
  change,
  ask_report,
  report,
  ask_usage,
  usage_page,
  ask_place,
  place
};

struct message_header {
  std::uint32_t magic = 0x6b726263;  ///< "cbrk"
  std::uint16_t version = protocol_version;
  message_kind kind{};
};

/// A job's facts about itself.
struct job_facts {
  std::uint32_t weight = 1;
  std::uint32_t main = 0;  ///< 1 + the context that its main thread prefers; 0: it has none that needs a context
  std::array<std::uint64_t, cosched::context_set::words> contexts{};
  std::array<char, 16> name{};
};

struct hello {
  message_header head{.kind = message_kind::hello};
  job_facts facts;
};
struct change {
  message_header head{.kind = message_kind::change};
  job_facts facts;
};
struct welcome {
  message_header head{.kind = message_kind::welcome};
  std::uint64_t nonce = 0;
  std::uint32_t contexts = 0;  ///< the number of lines of each page
  std::uint32_t zero = 0;
};
enum class refusal_reason : std::uint32_t { none, version, full, user_full, unknown_process };
struct refusal {
  message_header head{.kind = message_kind::refusal};
  refusal_reason reason{};
  std::uint32_t version = protocol_version;  ///< the broker's
};
struct confirm {
  message_header head{.kind = message_kind::confirm};
  std::uint64_t nonce = 0;
};
struct ring {
  message_header head{.kind = message_kind::ring};
  std::uint32_t context = 0;
  std::uint32_t zero = 0;
};
struct ask_report {
  message_header head{.kind = message_kind::ask_report};
};
/// How a broker makes jobs leave a context.
enum class enforcement : std::uint32_t { debt = 1, thread, group };
struct report {
  message_header head{.kind = message_kind::report};
  enforcement grade = enforcement::debt;
  std::uint32_t jobs = 0;
  std::uint32_t users = 0;
  std::uint32_t own_jobs = 0;      ///< of the asking user
  std::uint32_t own_contexts = 0;  ///< that those have at the moment
  std::uint32_t own_weight = 1;    ///< of the asking user, beside other users
  std::uint64_t own_debt = 0;      ///< of the asking user, in nanoseconds
  std::uint64_t forced = 0;        ///< contexts taken from jobs that did not answer, of all users
};

/// The subject of a page: the context time of each job, or of each user.
enum class usage_of : std::uint32_t { jobs = 1, users };
struct ask_usage {
  message_header head{.kind = message_kind::ask_usage};
  usage_of what = usage_of::jobs;
  std::uint32_t zero = 0;
  std::uint64_t from = 0;  ///< the least number of a job or an account that is listed
};
/// A job, or a user with all its jobs. Times in nanoseconds, since the job or the broker began.
struct usage_line {
  std::uint64_t account = 0;
  std::uint64_t had = 0;  ///< as in `usage`, these four
  std::uint64_t borrowed = 0;
  std::uint64_t lent = 0;
  std::uint64_t forced = 0;
  std::uint64_t debt = 0;       ///< of a user
  std::uint32_t number = 0;     ///< of a job; of a user: how many jobs it has
  std::uint32_t process = 0;    ///< of a job
  std::uint32_t contexts = 0;   ///< that it has at the moment
  std::uint32_t weight = 0;     ///< of a job as in job_facts; of a user beside other users
  std::array<char, 16> name{};  ///< of a job, as it says itself
};
struct usage_page {
  static constexpr std::uint64_t no_more = ~std::uint64_t{0};
  static constexpr std::uint32_t most_lines = 16;
  message_header head{.kind = message_kind::usage_page};
  usage_of what = usage_of::jobs;
  std::uint32_t count = 0;       ///< of lines; the further ones are zeros
  std::uint64_t next = no_more;  ///< what to ask for next
  std::uint32_t all_users = 0;   ///< 1: the policy lets the asking process see all users; 0: its own user alone
  std::uint32_t zero = 0;
  std::array<usage_line, most_lines> lines{};
};

/// Asks where a program that is no job is to run.
struct ask_place {
  message_header head{.kind = message_kind::ask_place};
};
struct place {
  message_header head{.kind = message_kind::place};
  std::array<std::uint64_t, cosched::context_set::words> contexts{};  ///< none: the policy has none for such programs
};

/// The most bytes of a message to a broker, and of any message.
inline constexpr std::size_t most_bytes = sizeof(hello);
inline constexpr std::size_t most_bytes_of_all = sizeof(usage_page);

using any_message = std::variant<hello, welcome, refusal, confirm, ring, change, ask_report, report, ask_usage,
                                 usage_page, ask_place, place>;

/// Returns the message that these bytes are, if each of its members can be; nullopt otherwise. Reads each byte once.
CALLISTO_API std::optional<any_message> parse(std::span<const std::byte> bytes) noexcept;

/// Returns the version that the bytes of a hello name, whatever follows; nullopt if they are none.
CALLISTO_API std::optional<std::uint16_t> version_of_hello(std::span<const std::byte> bytes) noexcept;

template <class Message>
std::span<const std::byte> bytes_of(const Message& m) noexcept {
  return std::as_bytes(std::span(&m, 1));
}

/// Returns these contexts as a message, and back.
CALLISTO_API place place_of(const cosched::context_set& contexts) noexcept;
CALLISTO_API cosched::context_set contexts_of(const place& where) noexcept;

/// Returns what the policy is told of a job.
CALLISTO_API cosched::job_demand demand_of(const job_facts& facts) noexcept;

}  // namespace callisto::broker
