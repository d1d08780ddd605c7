// callisto-lab bench pairs: reads the options and writes the results.
#include <lab/experiments/pairs.hpp>

#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/base/word_list.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/jobs/table_access.hpp>
#include <callisto/machine/system/error.hpp>
#include <lab/experiments/manners.hpp>
#include <lab/experiments/pairs_experiment.hpp>
#include <lab/experiments/pairs_programs.hpp>
#include <lab/experiments/pairs_report.hpp>
#include <lab/experiments/runtime_actors.hpp>
#include <lab/experiments/synthetic_program.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

namespace callisto::lab {
namespace {

struct bench_pairs_arguments : pairs_plan {
  bool quick = false;
  bool markdown = false;
  std::string page = "pairs.html";
  run_options run;
};

void run(bench_pairs_arguments o, const std::stop_token& stop) {
  if (o.markdown && o.run.as_json) throw usage_error("--markdown: excludes --json");
  if (o.quick) {
    o.rounds = std::min(o.rounds, 2u);
    o.length = std::min(o.length, 0.2);
    o.scale = std::min(o.scale, 14u);
  }
  if (o.run.as_json) refuse_beside_json(o.page);
  result page(o.page);
  o.progress = o.run.progress_wanted();
  tell_if_openmp_library_is_out_of_reach();
  const stopwatch time;
  const pairs_results found = run_pairs_experiment(o, stop);
  page.write(to_page(found));
  page.commit();
  if (o.run.as_json) {
    json object = to_json(found);
    object["seconds"] = {{"measure", time.seconds()}};
    object["output"] = o.page;
    print(to_text(object));
  } else if (o.markdown) {
    print(to_markdown(found));
  } else {
    print(to_words(found));
    if (!o.run.quiet) print(fmt::format("\n{}; page: {}\n", human_seconds(time.seconds()), one_line(o.page)));
  }
}

}  // namespace

command add_bench_pairs(const command_parser& bench) {
  const command_parser parser =
      bench.add_subcommand("pairs", "Measure how programs that share the machine slow each other");
  const auto o = std::make_shared<bench_pairs_arguments>();
  parser.add_option("COMMAND", o->commands, "Programs to measure, each a command for the shell [built-in ones]");
  add_parsed(
      parser, "--programs", "LIST",
      [o](const std::string& text) { o->programs = words_of(text, "--programs", known_programs()); },
      "Built-in programs, named below [all if there is no COMMAND]")
      .word_list(known_programs());
  add_parsed(
      parser, "--background", "LIST", [o](const std::string& text) { o->background = words_of(text); },
      "Programs beside a load, or none [dynamic,memory,pagerank, or three commands]")
      .word_list({"dynamic", "memory", "pagerank", "none"})
      .more(
          "The load works for 0 to 100 percent of each 100 ms. With commands, the default is the first "
          "three of them.");
  add_parsed(
      parser, "--rounds", "N",
      [o](const std::string& text) { o->rounds = static_cast<unsigned>(parse_count("--rounds", text, 1, 10000)); },
      "Runs of each program of a pair, at least [5]");
  add_parsed(
      parser, "--length", "SECONDS",
      [o](const std::string& text) { o->length = parse_real("--length", text, {.low = least_length, .high = 3600}); },
      "How long a built-in program runs, alone on half of the machine [0.5]");
  add_parsed(
      parser, "--budget", "SECONDS",
      [o](const std::string& text) { o->budget = parse_real("--budget", text, {.low = 1}); },
      "Shorten runs so that all takes about so long, and begin nothing later [no limit]")
      .more("What was left out is said.");
  add_parsed(
      parser, "--scale", "S",
      [o](const std::string& text) { o->scale = static_cast<unsigned>(parse_count("--scale", text, 1, 30)); },
      "2^S vertices of the graph of the built-in graph programs; pagerank and triangles get\nlarger ones if they end "
      "too soon [16]");
  parser.add_flag("--quick", o->quick, "At most 2 rounds of 0.2 s on a small graph");
  parser.add_flag("--markdown", o->markdown, "Print the tables of docs/results/papers.md instead");
  parser.add_option("-o,--output", o->page, "Write the page of heat maps to FILE [pairs.html]").type_name("FILE");
  parser.add_option("--scratch", o->scratch, "Where graphs go for a while [$TMPDIR or /tmp]").type_name("DIR");
  o->run.add_reporting_to(parser);
  parser.more(
      "Times are compared with those of the program alone on half of the machine. The result is a page "
      "of heat maps and curves, and tables.");
  parser.footer(
      "Runs each program alone, and each pair (a program beside itself included) so that both start again and again\n"
      "until each has ended N times, as EuroSys'14 section 4.2 does: on static halves of the machine, as the plain\n"
      "system has it (OpenMP waits passively unless OMP_WAIT_POLICY says otherwise), and as Callisto's jobs, for "
      "which\n"
      "OpenMP programs get Callisto's library if it is there. Keep the machine idle.\n\n"
      "Built-in programs, which check their results:\n" +
      built_in_programs_help() +
      "\n"
      "Examples:\n"
      "  callisto-lab bench pairs\n"
      "  callisto-lab bench pairs --programs barriers,dynamic,spinlock --budget 120\n"
      "  callisto-lab bench pairs './cg.A.x' './lu.A.x' 'python3 model.py' --rounds 7 --output mine.html\n"
      "  callisto-lab bench pairs --programs dynamic,pagerank './bt.A.x' --json > pairs.json");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

command add_bench_program(const command_parser& bench) {
  const command_parser parser =
      bench.add_subcommand("program", "Be one of the programs of 'bench pairs' and 'bench manners'");
  parser.hide();  // only these two start it
  struct program_options {
    std::string name;
    std::string amount;
    std::string begin = "0";
  };
  const auto o = std::make_shared<program_options>();
  parser.add_option("NAME", o->name, "A built-in program").required();
  parser.add_option("AMOUNT", o->amount, "How much of its work it does").required();
  parser.add_option("BEGIN", o->begin, "When an actor of 'bench manners' begins, in nanoseconds of the steady clock");
  parser.footer(
      "Runs the program and prints a number that depends on all of its work. 'bench pairs' and 'bench manners' start "
      "these.");
  return {parser, [o](const std::stop_token&) {
            if (o->name == "background")
              run_background(static_cast<unsigned>(parse_count("AMOUNT", o->amount, 0, 100)));
            if (const std::string line =
                    run_actor(o->name, parse_count("AMOUNT", o->amount, 1),
                              parse_count("BEGIN", o->begin, 0, std::numeric_limits<std::int64_t>::max()));
                !line.empty()) {
              return print(line + '\n');
            }
            // For programs that start it themselves.
            if (o->name == "python") return print(std::string(python_actor()));
            if (const actor_line line =
                    run_runtime_actor(o->name, parse_count("AMOUNT", o->amount, 1),
                                      parse_count("BEGIN", o->begin, 0, std::numeric_limits<std::int64_t>::max()));
                line.known) {
              if (!line.text.empty()) print(line.text + '\n');
              return;
            }
            print(fmt::format("{}\n", run_synthetic(o->name.c_str(), parse_count("AMOUNT", o->amount, 1))));
          }};
}

}  // namespace callisto::lab
