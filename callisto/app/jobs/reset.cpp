// callisto reset: clears what ended jobs left in the table, and repairs its header.
#include <callisto/app/base/json.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/result.hpp>
#include <callisto/app/jobs/table_access.hpp>
#include <callisto/cosched/table_reader.hpp>
#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

namespace callisto::app {
namespace {

struct reset_arguments {
  bool as_json = false;
  bool quiet = false;
};

std::string to_words(const cosched::cleared& done) {
  std::string text = one_line(done.path) + ":\n";
  const auto say = [&](const std::string& line) { text += "  " + line + '\n'; };
  if (done.header) say("its header was damaged, and is written anew");
  if (done.reaped != 0) say(counted(done.reaped, "job") + " had ended unnoticed, and left what was cleared away");
  if (done.freed != 0) say(counted(done.freed, "context") + " belonged to jobs that do not exist, and are free");
  if (!done.header && done.reaped == 0 && done.freed == 0) say("nothing was wrong");
  say(done.living == 0 ? "no job is running"
                       : counted(done.living, "job") + (done.living == 1 ? " goes on" : " go on"));
  return text;
}

void run(const reset_arguments& o) {
  std::string refusal;
  const std::optional<cosched::cleared> done = cosched::reset(machine::shared_folders(), refusal);
  if (!done) refuse_unusable_table(refusal);
  if (done && !done->stands.empty()) {
    throw error(fmt::format("{}: the header is damaged, and cannot be mended: {}", done->path, done->stands));
  }
  if (o.as_json) {
    json object;
    object["table"] = done ? json(done->path) : json(nullptr);
    if (done) {
      object["header_mended"] = done->header;
      object["jobs"] = done->living;
      object["reaped"] = done->reaped;
      object["freed"] = done->freed;
    }
    print(to_text(object));
  } else if (!o.quiet) {
    print(done ? to_words(*done)
               : fmt::format("There is no table, so there is nothing to clear ({})\n", table_places()));
  }
}

}  // namespace

command add_reset(const command_parser& app) {
  const command_parser parser = app.add_subcommand("reset", "Clear up what ended jobs left in the table");
  const auto o = std::make_shared<reset_arguments>();
  parser.add_flag("--json", o->as_json, "Print one JSON object instead of text");
  parser.add_flag("-q,--quiet", o->quiet, "Print nothing");
  parser.footer(
      "Safe at any time: jobs that run lose nothing. They clear up by themselves what they notice, so that this is\n"
      "hardly ever needed: after random bytes were written into the table while no job was running, for example.\n\n"
      "Examples:\n"
      "  callisto reset\n"
      "  callisto reset --json | jq .reaped");
  return {parser, [o](const std::stop_token&) { run(*o); }};
}

}  // namespace callisto::app
