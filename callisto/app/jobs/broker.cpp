// callisto broker: divides the machine among users that do not trust each other, until a signal ends it.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/notes.hpp>
#include <callisto/app/cli/result.hpp>
#include <callisto/app/cli/signals.hpp>
#include <callisto/app/jobs/broker_policy.hpp>
#include <callisto/app/jobs/service_manager.hpp>
#include <callisto/broker/client.hpp>
#include <callisto/broker/server.hpp>
#include <callisto/broker/sockets.hpp>
#include <callisto/cosched/current_assignment.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <stop_token>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace callisto::app {
namespace {

struct broker_arguments {
  std::string socket;
  std::string policy;
  std::optional<unsigned> jobs_of_user;
  std::map<std::uint64_t, unsigned> weights;
  bool check = false;
  bool quiet = false;
};

std::string text_of(const char* path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Reads UID=W.
void add_weight(broker_arguments& o, const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string user = text.substr(0, equals);
  if (equals == std::string::npos || user.empty() || user.find_first_not_of("0123456789") != std::string::npos) {
    throw usage_error(fmt::format("--weight: expected UID=W with a user's number, found '{}'; names stand in a policy",
                                  one_line(text)));
  }
  const std::uint64_t account = parse_count("--weight", user, 0, 0xffffffff);
  o.weights[account] = static_cast<unsigned>(parse_count("--weight", text.substr(equals + 1), 1, cosched::max_weight));
}

/// Returns the file with the policy; empty: there is none.
std::string policy_of(const broker_arguments& o, bool root) {
  if (!o.policy.empty()) return o.policy;
  return root && ::access(usual_policy, F_OK) == 0 ? usual_policy : "";
}

/// Returns the rules of the policy, if there is one, and of the options, which come first; and what it leaves out.
broker::policy rules_of(const broker_arguments& o, const std::string& file, std::vector<std::string>& warnings) {
  broker::policy rules = file.empty() ? broker::policy() : read_policy(file, warnings);
  if (o.jobs_of_user) rules.jobs_of_user = *o.jobs_of_user;
  for (const auto& [account, weight] : o.weights) rules.users[account] = weight;
  const std::vector<unsigned> cores = cosched::cores_of_host();
  bool any = false;
  for (unsigned c = 0; c < cores.size(); ++c) any = any || (cores[c] != cosched::no_core && !rules.reserved.has(c));
  if (!any) throw input_error(file, 0, "all contexts of this machine are reserved");
  return rules;
}

/// Reads the rules, and says what they leave out.
broker::policy rules_with_warnings(const broker_arguments& o, const std::string& file) {
  std::vector<std::string> warnings;
  broker::policy rules = rules_of(o, file, warnings);
  for (const std::string& w : warnings) warn(w);
  return rules;
}

/// Runs --check. Any user checks the file that root's broker would read.
void check(const broker_arguments& o) {
  const std::string file = policy_of(o, true);
  std::vector<std::string> warnings;
  static_cast<void>(rules_of(o, file, warnings));
  for (const std::string& w : warnings) warn(w);
  if (o.quiet) return;
  print(file.empty() ? fmt::format("{} is not there: users get equal parts\n", usual_policy)
        : warnings.empty()
            ? fmt::format("{} is in order\n", one_line(file))
            : fmt::format("{} is in order, but for {}\n", one_line(file), counted(warnings.size(), "warning")));
}

/// Throws if there is no folder for the socket.
void need_folder_of(const std::string& socket, bool root) {
  const std::string folder = socket.substr(0, socket.rfind('/'));
  if (socket.find('/') == std::string::npos || folder.empty() || ::access(folder.c_str(), F_OK) == 0) return;
  throw error(fmt::format("{} is not there: give --socket PATH{}", one_line(folder),
                          root ? "" : ", or run as root; a login session makes /run/user/UID"));
}

void run(broker_arguments& o, const std::stop_token& stop) {
  if (o.check) return check(o);
  const bool root = ::geteuid() == 0;
  std::string file = policy_of(o, root);
  const std::vector<std::string> places = broker::broker_places();
  broker::server_settings how;
  how.rules = rules_with_warnings(o, file);
  if (const std::optional<int> made = service_manager::socket_made()) {
    if (!o.socket.empty()) throw usage_error("--socket: the service manager has made a socket already (LISTEN_FDS)");
    how.path = broker::take_listener(*made);
    how.listener = *made;
  } else {
    how.path = !o.socket.empty() ? o.socket : root ? places.front() : places.back();
  }
  how.for_all_users = root;
  how.known = broker::accounts(text_of("/etc/subuid"), text_of("/etc/passwd"));
  if (const std::size_t slash = how.path.rfind('/'); root && slash != 0 && slash != std::string::npos) {
    // /run/callisto, which only root can write.
    if (::mkdir(how.path.substr(0, slash).c_str(), 0755) == 0) ::chmod(how.path.substr(0, slash).c_str(), 0755);
  }
  if (how.listener < 0) need_folder_of(how.path, root);
  if (root || !file.empty()) count_hangups();
  service_manager manager;
  broker::server serves(how);
  if (!o.quiet) {
    print(fmt::format("{}: divides this machine among {}; {}; enforcement: {}\n", one_line(how.path),
                      root ? "all users" : "this user's jobs", file.empty() ? "no policy" : "policy " + one_line(file),
                      broker::name_of(serves.grade())));
  }
  const auto status = [&](const std::string& policy) {
    return fmt::format("STATUS={}; {}; enforcement: {}\n", root ? "all users" : "one user",
                       policy.empty() ? "no policy" : "policy " + one_line(policy), broker::name_of(serves.grade()));
  };
  manager.tell(status(file) + "READY=1");
  serves.run([&, read = 0u]() mutable {
    manager.still_works();
    if (const unsigned now = hangups(); now != read) {
      read = now;
      try {
        const std::string again = policy_of(o, root);
        serves.adopt(rules_with_warnings(o, again));
        manager.tell(status(again));
        // Also with --quiet: an operator's log has what was put in force, and that a policy is gone.
        warn(!again.empty() ? fmt::format("{}: in force", one_line(again))
             : file.empty() ? "no policy: users get equal parts"
                            : fmt::format("{} is gone; no policy any more: users get equal parts", one_line(file)));
        file = again;
      } catch (const error& e) {
        warn(fmt::format("{}; the old policy stays", e.what()));
        manager.tell(fmt::format("STATUS={}; the old policy stays", one_line(e.what())));
      }
    }
    return stop.stop_requested();
  });
  manager.tell("STOPPING=1");
}

}  // namespace

command add_broker(const command_parser& app) {
  const command_parser parser =
      app.add_subcommand("broker", "Divide the machine among users that do not trust each other");
  const auto o = std::make_shared<broker_arguments>();
  parser
      .add_option("--socket", o->socket,
                  "Listen there [/run/callisto/broker; if not root, /run/user/UID/callisto-broker]")
      .type_name("PATH");
  add_parsed(
      parser, "--jobs-per-user", "N",
      [o](const std::string& text) {
        o->jobs_of_user = static_cast<unsigned>(parse_count("--jobs-per-user", text, 1, 255));
      },
      "The most jobs of a user [64]");
  add_parsed(
      parser, "--weight", "UID=W", [o](const std::string& text) { add_weight(*o, text); },
      "The user's share beside other users' [1]")
      .may_be_repeated();
  parser
      .add_option(
          "--policy", o->policy,
          "Follow the rules in FILE; SIGHUP reads it again [root: " + std::string(usual_policy) + ", if it is there]")
      .type_name("FILE");
  parser.add_flag("--check", o->check, "Check the policy, and end");
  parser.add_flag("-q,--quiet", o->quiet, "Do not say where it listens");
  parser.footer(
      "Runs until a signal ends it. As root it serves all users, otherwise this user's jobs. Jobs that start later\n"
      "join it by themselves, and no table; jobs that share a table move to it within a second. Contexts are divided\n"
      "among users by weight, then among each user's jobs. If it ends, jobs keep what they have, then run as if none\n"
      "shared, and look for it each second. At SIGHUP it reads its policy again; a bad file keeps the old policy.\n"
      "As a service of systemd (Type=notify, WatchdogSec) it says when it listens, and that it works; it takes a "
      "socket\n"
      "that systemd has made (callisto-broker.socket).\n\n"
      "Examples:\n"
      "  sudo callisto broker\n"
      "  sudo callisto broker --weight 1001=3 --jobs-per-user 16\n"
      "  callisto broker --policy broker.toml --check\n"
      "  callisto status");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::app
