#!/usr/bin/env python3
"""Tests what callisto-lab says about itself: where the command sends users to it, its help, its pages and completions.
What its subcommands do is tested in bench*_test.py and simulate_test.py. Environment: as command.py says."""

import shutil

from command import (COMMAND, LAB, ROOT, WORDS, USAGE, CommandTest, bash_completes, completed_flags, documented_commands, fish_completes,
                     flags, main, run)


class Laboratory(CommandTest):
    def test_the_command_says_where_its_experiments_are(self):
        for name in ["bench", "simulate"]:
            for words in [[name], [name, "--help"], ["help", name], [name, "schedule", "--quick"], [name, "x4-2"]]:
                self.refuse(USAGE, *words, program=COMMAND,
                            says=f"callisto: {name} is a subcommand of callisto-lab; expected callisto-lab {name} ...")
            self.assertNotRegex(self.succeed("--help", program=COMMAND), rf"(?m)^  {name} ")

    def test_help_lists_the_experiments(self):
        text = self.succeed("--help", program=LAB)
        self.assertIn("Usage: callisto-lab SUBCOMMAND", text)
        for name in ["bench", "limits", "simulate"]:
            self.assertRegex(text, rf"(?m)^  {name} +\w")
        for example in ["bench schedule", "bench gap", "bench pairs", "bench manners", "simulate --list", "simulate fig4"]:
            self.assertIn(f"  callisto-lab {example} ", text)
        done = run(program=LAB)
        self.assertEqual((done.returncode, done.stdout), (USAGE, b""))
        self.assertIn(b"Usage: callisto-lab", done.stderr)
        self.assertEqual(self.succeed("-V", program=LAB).split(), ["callisto-lab", self.succeed("-V", program=COMMAND).split()[1]])
        self.assertIn("compiled by", self.succeed("--version", program=LAB))

    def test_help_of(self):
        for words in [["bench"], ["bench", "gap"], ["limits"], ["simulate"]]:
            self.assertEqual(self.succeed("help", *words, program=LAB), self.succeed(*words, "--help"))
        bench = self.succeed("bench", "--help")
        self.assertIn("Usage: callisto-lab bench schedule [OPTIONS]\n       callisto-lab bench gap [OPTIONS] [FILE...]\n", bench)
        self.assertNotIn("peer", bench)
        self.assertIn("Usage: callisto-lab simulate [OPTIONS] [MACHINE]\n       callisto-lab simulate fig4 [OPTIONS] [MACHINE]\n",
                      self.succeed("simulate", "--help"))
        for command in documented_commands(LAB):
            text = self.succeed(*command.split(), "--help")
            self.assertIn("Usage: callisto-lab", text)
            self.assertIn("xample", text, command)
            self.assertTrue(all(len(line) <= 120 for line in text.splitlines()), command)
            for flag in flags(command, LAB):
                self.assertRegex(text, rf"(?m)^  (-\w, )?{flag}( |$)", command)
            narrow = self.succeed(*command.split(), "--help", env={"COLUMNS": "60"}).split("Examples:")[0]
            ours = [line for line in narrow.splitlines() if not line.startswith(("   ", "Usage")) and "callisto-lab" not in line]
            self.assertLessEqual(max(map(len, ours)), 60 if "programs" not in narrow else 120, command)

    def test_mistakes(self):
        for arguments, says in [
            (["bench"], "expected one of schedule, gap, pairs, manners, found nothing"),
            (["bench", "cake"], "expected one of schedule, gap, pairs, manners, found 'cake'"),
            (["bench", "gap", "--nonsense"], "'callisto-lab bench gap --help'"),
            (["bench", "--rounds", "3", "gap"], "--rounds"),
            (["simulate", "--seed", "2", "fig7"], "see 'callisto-lab simulate fig7 --help'"),
            (["nonsense"], "no subcommand 'nonsense'; see 'callisto-lab --help'"),
            (["fig4"], "did you mean 'simulate fig4'?"),
            (["bench", "schedul"], "did you mean 'schedule'?"),
            (["pagerank", "graph.txt"], "pagerank"),
        ]:
            with self.subTest(arguments):
                self.assertTrue(self.refuse(USAGE, *arguments, program=LAB, says=says).startswith("callisto-lab: "))

    def test_runtimes_beside_each_other(self):
        short = ["--rounds", "1", "--length", "0.2", "--beside", "plain,asleep"]
        result = self.json("bench", "manners", "--runtimes", "loops,domino", *short)
        cells = [(c["runtime"], c["beside"], c["way"], c["measure"]) for c in result["runtimes"]]
        rates, median = ["units a second", "units a second of processor time"], "median unit, ms"
        both = ["loops", "domino"]
        self.assertEqual(sorted(cells), sorted(
            [(a, b, way, rate) for a in both for b in both for way in ["plain", "asleep"] for rate in rates] +
            [(a, b, "asleep", median) for a in both for b in both]))
        for cell in result["runtimes"]:
            self.assertGreater(cell["off"], 0)
            self.assertAlmostEqual(cell["worse"], cell["off"] / cell["sharing"] if cell["measure"] in rates
                                   else cell["sharing"] / cell["off"])
            self.assertEqual(cell["kept"], cell["worse"] <= result["limit"])
        self.assertEqual((result["rounds"], result["absent"]), (1, {}))
        self.assertEqual(result["missed"], sum(not c["kept"] for c in result["runtimes"]))
        text = self.succeed("bench", "manners", "--runtimes", "global", "--rounds", "1", "--length", "0.2")
        self.assertRegex(text, r"(?m)^beside +global\nglobal +\d")
        for arguments, says in [(["--beside", "nice"], "--runtimes"), (["--runtimes", "loops", "--pairs"], "--pairs"),
                                (["--runtimes", "cake"], "cake"), (["--runtimes", "loops", "--beside", "cake"], "cake")]:
            self.refuse(USAGE, "bench", "manners", *arguments, says=says)

    def test_under_a_launcher_of_several_processes(self):
        done = run("simulate", "--list", env={"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"})
        self.assertEqual((done.returncode, done.stdout), (USAGE, b""))
        self.assertIn(b"callisto-lab: a launcher of MPI started 2 processes", done.stderr)
        self.assertIn(b"expected callisto-lab simulate without a launcher", done.stderr)

    def test_programs_on_graphs_need_the_command(self):
        alone = shutil.copy(LAB, self.folder)
        self.refuse(USAGE, "bench", "pairs", "--quick", "--programs", "pagerank", "--output", "-", program=alone,
                    says=["the command callisto beside this program", self.folder / "callisto"])

    def test_manual_page(self):
        text = (WORDS / "man" / "callisto-lab.1").read_text()
        for command in documented_commands(LAB):
            self.assertEqual(text.count(f".Ss callisto-lab {command}\n"), 1, command)

    def test_bash_completes(self):
        if not shutil.which("bash"):
            self.skipTest("bash is not installed")

        def complete(*words):
            return bash_completes(self.folder, "callisto-lab", *words)
        self.file("graph.txt", "")
        self.assertEqual(complete("ben"), ["bench"])
        for command in documented_commands(LAB):
            self.assertEqual(sorted(set(complete(*command.split(), "--")) - {"--help"}), completed_flags(command, LAB), command)
        self.assertEqual(complete("bench", ""), ["schedule", "gap", "pairs", "manners"])
        self.assertIn("sparc-t5-8", complete("simulate", ""))
        self.assertNotIn("graph.txt", complete("simulate", ""))
        self.assertEqual(complete("simulate", "gra"), ["graviton4"])
        self.assertEqual(complete("simulate", "graph"), ["graph.txt"])
        self.assertEqual(complete("bench", "gap", "--kernel", "bfs,t"), ["bfs,tc"])
        self.assertEqual(complete("help", "sim"), ["simulate"])

    def test_fish_completes(self):
        if not shutil.which("fish"):
            self.skipTest("fish is not installed")

        def complete(line):
            return fish_completes(self.folder, "callisto-lab", line)
        self.assertEqual(complete("callisto-lab bench "), ["gap", "manners", "pairs", "schedule"])
        self.file("graph.txt", "")
        self.assertNotIn("graph.txt", complete("callisto-lab simulate "))


if __name__ == "__main__":
    main()
