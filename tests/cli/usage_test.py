#!/usr/bin/env python3
"""Command lines: what is refused, with which words, and what help says.

Usage: usage_test.py [unittest arguments]. Environment: as command.py says.
"""

import re

from command import SANITIZED, USAGE, CommandTest, documented_commands, main, run


class Usage(CommandTest):
    def test_help_and_version(self):
        for command in [[], *(c.split() for c in documented_commands())]:
            text = self.succeed(*command, "--help")
            self.assertIn("Usage: callisto", text)
            self.assertIn("xample", text, command)
            self.assertTrue(all(len(line) <= 120 for line in text.splitlines()), command)
        self.assertRegex(self.succeed("-V"), r"\Acallisto \d+\.\d+\.\d+\n\Z")
        self.assertRegex(self.succeed("--version"), r"\Acallisto \d+\.\d+\.\d+\n(commit [0-9a-f]+(\+changes)?\n)?"
                         r"compiled by (GCC|clang) \d+[^\n]* for [^\n]+\nwith archives, XML[^\n]*\n\Z")
        self.assertIn("Exit codes", self.succeed("--help"))

    def test_alone_it_prints_help_and_fails(self):
        done = run()
        self.assertEqual((done.returncode, done.stdout), (USAGE, b""))
        self.assertIn(b"Usage: callisto", done.stderr)

    def test_under_a_launcher_of_several_processes(self):
        """What computes or writes is refused once a job; what reads the machine, or becomes another program, runs."""
        graph = self.file("g.txt", "0 1\n1 2\n")
        for size, rank in [("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"), ("PMI_SIZE", "PMI_RANK")]:
            first, second = ({size: "2", rank: r} for r in "01")
            out = self.folder / "scores"
            for words in [["diameter", graph], ["closeness", graph, "--output", out], ["project", graph, out]]:
                done = run(*words, env=first)
                self.assertEqual((done.returncode, done.stdout), (USAGE, b""), words)
                self.assertRegex(done.stderr, rb"\Acallisto: a launcher of MPI started 2 processes[^\n]*\n\Z")
                done = run(*words, env=second)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (USAGE, b"", b""), words)
            self.assertFalse(out.exists())
            self.assertEqual(run("info", graph, env={size: "1", rank: "0"}).returncode, 0)
            for words in [["--version"], ["info", "--help"], ["run", "--", "true"], ["status"]]:
                self.assertEqual(run(*words, env=second).returncode, 0, words)

    def test_given_twice(self):
        self.refuse(USAGE, "run", "--weight", "4", "--weight", "5", "true", says="--weight: expected once, given 2 times")

    def test_wrong_numbers(self):
        graph = self.file("g.txt", "0 1\n1 2\n")
        wrong = {
            ("pagerank", "--threads"): ["0", "-1", "two", "1.5", "", "99999999999999999999", "65537"],
            ("pagerank", "--damping"): ["1.5", "1", "-0.1", "nan", "inf", "x", ""],
            ("pagerank", "--tolerance"): ["-1", "nan", "inf", "x"],
            ("pagerank", "--iterations"): ["0", "-5", "1e3", "x", "4294967296"],
            ("pagerank", "--top"): ["-1", "x", "1.5"],
            ("triangles", "--threads"): ["0", "-1", "x"],
            ("betweenness", "--samples"): ["0", "-1", "x", "1.5"],
            ("betweenness", "--seed"): ["-1", "x"],
            ("betweenness", "--form"): ["fast", "", "flat:1"],
            ("betweenness", "--top"): ["-1", "x"],
            ("info", "--threads"): ["0"],
            ("machine", "--threads"): ["0"],
        }
        for (command, flag), values in wrong.items():
            for value in values:
                with self.subTest(f"{command} {flag} {value}"):
                    files = [] if command == "machine" else [graph]
                    self.refuse(USAGE, command, *files, flag, value, says=[flag, "expected", f"'{value}'"])
                    if not SANITIZED:
                        self.refuse(USAGE, command, *files, f"{flag}={value}", says=[flag])

    def test_wrong_generate_options(self):
        out = self.folder / "out.cg"
        for arguments, says in [
            (["kronecker", out, "--scale", "0"], "--scale"),
            (["kronecker", out, "--scale", "60"], "--scale"),
            (["kronecker", out, "--vertices", "8"], "--vertices"),
            (["kronecker", out, "--scale", "5", "--exponent", "2.5"], "--exponent"),
            (["power-law", out, "--scale", "5", "--exponent", "nan"], "--exponent"),
            (["power-law", out, "--scale", "5", "--exponent", "0.5"], "--exponent"),
            (["uniform", out, "--scale", "5", "--degree", "-1"], "--degree"),
            (["uniform", out, "--scale", "5", "--vertices", "9"], "--vertices"),
            (["uniform", out, "--scale", "5", "--seed", "x"], "--seed"),
            (["uniform", out], "--scale"),
            (["grid", out, "--vertices", "64"], "--vertices"),
            (["grid", out, "--scale", "6", "--degree", "4"], "--degree"),
            (["ring", out, "--scale", "5"], "ring"),
            (["uniform", self.folder / "out.unknown", "--scale", "5"], "out.unknown"),
        ]:
            with self.subTest(arguments):
                self.refuse(USAGE, "generate", *arguments, says=says)

    def test_other_mistakes(self):
        graph = self.file("g.txt", "0 1\n")
        for arguments, says in [
            (["nonsense"], "nonsense"),
            (["pagerank"], "FILE"),
            (["pagerank", graph, "--nonsense"], "--nonsense"),
            (["pagerank", graph, graph], "g.txt"),
            (["pagerank", graph, "--trace", ""], "--trace"),
            (["nonsense", "--help"], "nonsense"),
            (["info", "--nonsense", "--help"], "--nonsense"),
            (["--weight", "3", "run", "true"], "not expected: --weight;"),
            (["run"], "PROGRAM"),
            (["pagerank", graph, "--top"], "--top: expected K, found nothing"),
            (["help", "nonsense"], "nonsense"),
            (["info", graph, "--format", "nonsense"], ["--format", "nonsense"]),
            (["info", graph, "--verify"], "--verify"),
            (["convert", graph], "OUT"),
            (["convert", graph, self.folder / "g.unknown"], "g.unknown"),
            (["convert", graph, self.folder / "o.txt", "--to", "nonsense"], "--to"),
            (["convert", graph, graph], "overwrite"),
            (["convert", graph, self.folder / "." / "g.txt"], "overwrite"),
            (["pagerank", graph, "--output", graph], "overwrite"),
        ]:
            with self.subTest(arguments):
                self.refuse(USAGE, *arguments, says=says)
        self.assertEqual(graph.read_text(), "0 1\n")

    def test_suggestions(self):
        """One word is blamed, not those behind it, and the word that was meant is named."""
        graph = self.file("g.txt", "0 1\n")
        for arguments, wrong, meant in [
            (["pagernk", graph], "pagernk", "pagerank"),
            (["page", graph], "page", "pagerank"),
            (["hlep"], "hlep", "help"),
            (["help", "pagernk"], "no subcommand 'pagernk'", "pagerank"),
            (["pagerank", "--tpo", "3", graph], "--tpo", "--top"),
            (["pagerank", graph, "--dampng=0.5"], "--dampng=0.5", "--damping"),
        ]:
            with self.subTest(arguments):
                message = self.refuse(USAGE, *arguments, says=[wrong, f"did you mean '{meant}'?"])
                self.assertNotIn("g.txt", message)
        message = self.refuse(USAGE, "xyzzy", graph, says="no subcommand 'xyzzy'; see 'callisto --help'")
        self.assertNotIn("did you mean", message)

    def test_help_of(self):
        for words in [[], ["pagerank"], ["run"]]:
            self.assertEqual(self.succeed("help", *words), self.succeed(*words, "--help"))
        self.assertEqual(self.succeed("help", "help"), self.succeed("help"))
        self.assertEqual(self.succeed("version"), self.succeed("--version"))
        self.refuse(USAGE, "version", "--nonsense", says="no subcommand 'version'")
        text = self.succeed("--help")
        for subject in ["Graphs", "Sharing the machine"]:
            self.assertIn(f"\n{subject}:\n", text)
        self.assertIn("Usage: callisto run [OPTIONS] [--] PROGRAM [ARGUMENT...]\n", self.succeed("run", "--help"))
        self.assertNotIn("Excludes", self.succeed("pagerank", "--help"))

    def test_help_fits(self):
        """No line is longer than the terminal, and examples are commands still."""
        for command in [[], *(c.split() for c in documented_commands())]:
            for columns in (60, 80):
                lines = self.succeed(*command, "--help", env={"COLUMNS": str(columns)}).splitlines()
                longest = max((line for line in lines if not line.startswith("Usage")), key=len)
                # A value, such as the name of a file, is not cut.
                self.assertLessEqual(len(longest), columns if columns == 80 else 76, (command, longest))
            examples = "\n".join(lines).replace("\\\n      ", "").split("Examples:\n")
            for line in examples[1:]:
                self.assertNotIn("\\", line)

    def test_short_help(self):
        """-h has the options of the subcommand alone, and three examples; --help says all."""
        for command in [[], *(c.split() for c in documented_commands())]:
            text, all_of_it = self.succeed(*command, "-h"), self.succeed(*command, "--help")
            self.assertIn("Usage: callisto", text)
            self.assertRegex(text, r"\n'callisto[^']* --help'\s+says\s+more")
            self.assertLess(len(text), len(all_of_it), command)
        text = self.succeed("pagerank", "-h")
        self.assertIn("  --damping D ", text)
        self.assertNotIn("--columns", text)
        self.assertIn("Building the graph", text)
        self.assertLess(2 * len(text.splitlines()), len(self.succeed("pagerank", "--help").splitlines()) + 10)

    def test_values_that_were_meant(self):
        graph = self.file("g.txt", "0 1\n")
        for words, meant in [(["info", graph, "--format", "grahpml"], "graphml"),
                             (["convert", graph, self.folder / "o", "--to", "edge-lits"], "edge-list"),
                                                          (["communities", graph, "--method", "leidn"], "leiden")]:
            self.refuse(USAGE, *words, says=f"found '{words[-1]}'; did you mean '{meant}'?")
        self.assertNotIn("did you mean", self.refuse(USAGE, "info", graph, "--format", "nonsense", says="--format"))

    def test_suffixes_name_formats(self):
        graph = self.file("g.txt", "0 1\n")
        for name, first in [("csv", "Source,Target"), ("mtx", "%%MatrixMarket"), ("gr", "p sp")]:
            out = self.folder / "converted"
            self.succeed("convert", graph, out, "--to", name, "--directed")
            self.assertTrue(out.read_text().startswith(first), out.read_text())
            out.unlink()
        table = self.file("g", "from;to\n0;1\n")
        for name in ["csv", "tsv"]:
            self.assertIn("(table)", self.succeed("info", table, "--format", name, "--directed"))
        for name in ["x.csv", "npz", ""]:
            self.refuse(USAGE, "convert", graph, self.folder / "o", "--to", name, says=["npz" if name == "npz" else "o"])

    def test_colours(self):
        graph = self.file("g.txt", "0 1\n")
        bold, red = "\x1b[1mUsage:\x1b[0m", "\x1b[1;31mcallisto:\x1b[0m"
        self.assertNotIn("\x1b", self.succeed("info", "--help"))
        for words in [["info", "--help", "--color", "always"], ["--color=always", "info", "--help"],
                      ["info", "--help", "--colour", "always"], ["info", "--colour=always", "--help"]]:
            self.assertIn(bold, self.succeed(*words), words)
            self.assertIn(bold, self.succeed(*words, env={"NO_COLOR": "1"}), "an option is stronger than the environment")
        self.assertTrue(run("info", "--color=always", graph, "--nonsense").stderr.decode().startswith(red))
        self.assertTrue(run("info", "--color=never", graph, "--nonsense").stderr.decode().startswith("callisto:"))
        self.refuse(USAGE, "info", graph, "--color", "pink", says="--color: expected auto, always or never, found 'pink'")
        self.refuse(USAGE, "info", graph, "--color", says="--color: expected auto, always or never, found ''")
        self.assertEqual(self.succeed("run", "--", "echo", "--color=always"), "--color=always\n", "the program's own word")

    def test_help_is_as_wide_as_the_terminal(self):
        for command in documented_commands():
            text = self.succeed(*command.split(), "--help", env={"COLUMNS": "60"})
            ours = [line for line in text.split("Examples:")[0].splitlines() if not re.match("  +callisto |Usage|   ", line)]
            self.assertLessEqual(max(map(len, ours)), 60 if "programs" not in text else 120, command)
        lengths = [max(map(len, self.succeed("pagerank", "--help", env={"COLUMNS": columns}).splitlines()))
                   for columns in ["80", "120"]]
        self.assertLess(lengths[0], lengths[1])

    def test_environment(self):
        graph = self.file("g.txt", "0 1\n1 2\n")
        self.refuse(USAGE, "info", graph, env={"CALLISTO_THREADS": "x"}, says="CALLISTO_THREADS")
        self.assertEqual(self.json("pagerank", graph, "--threads", "3")["threads"], 3)

    def test_schedules(self):
        """CALLISTO_SCHEDULE: a mistake is one line from every command, whether or not it runs loops."""
        graph = self.file("g.txt", "0 1\n1 2\n")
        commands = [["pagerank", graph], ["triangles", graph], ["info", graph], ["machine"],
                    ["convert", graph, self.folder / "g.cg"], ["simulate", "--list"], ["demo", graph],
                    ["generate", "uniform", self.folder / "u.cg", "--scale", "4"]]
        for command in commands[:1] if SANITIZED else commands:
            for wrong in ["steal", "counter(core", "counter(nonsense)", "combine(core)", "counter(core)/combine(core)"]:
                with self.subTest(f"{command[0]} {wrong}"):
                    self.refuse(USAGE, *command, env={"CALLISTO_SCHEDULE": wrong}, says="CALLISTO_SCHEDULE")
            self.refuse(USAGE, *command, env={"CALLISTO_LEVELS": "1:cores"}, says="CALLISTO_LEVELS='1:cores', character 3")
            self.refuse(USAGE, *command, env={"CALLISTO_COSCHED": "maybe"},
                        says="CALLISTO_COSCHED=maybe: expected on or off")
        for right in ["auto", "ranges", "counter", "counter(core)", "combine(core)/counter(socket)",
                      "combine(core,async)/combine(socket)/counter"]:
            with self.subTest(right):
                self.assertEqual(self.json("triangles", graph, env={"CALLISTO_SCHEDULE": right})["triangles"], 0)
                shown = self.json("machine", env={"CALLISTO_SCHEDULE": right})
                self.assertEqual(shown["schedule_source"], "auto" if right == "auto" else "CALLISTO_SCHEDULE")
        self.assertEqual(self.json("machine", env={"CALLISTO_SCHEDULE": " counter( core ) "})["schedule"],
                         "counter(core)")
        self.assertEqual(self.json("machine")["nesting_source"], "auto")
        nested = self.json("machine", "--threads", "3", env={"CALLISTO_LEVELS": "1:machine"})
        self.assertEqual((nested["nesting"], nested["nesting_source"]), ("1:machine", "CALLISTO_LEVELS"))
        self.assertEqual([(l["level"], l["unit"], l["parts"], l["largest"]) for l in nested["nesting_levels"]],
                         [(0, "thread", 3, 1), (1, "machine", 1, 3)])
        shown = self.json("machine", "--threads", "3")
        self.assertNotEqual(shown["schedule"], "auto")  # says what it means here
        self.assertEqual([(level["level"], level["groups"], level["largest"]) for level in shown["levels"]
                          if level["level"] in ("thread", "machine")], [("thread", 3, 1), ("machine", 1, 3)])
        self.assertRegex(self.succeed("machine", "--threads", "3"), rf"schedule +{re.escape(shown['schedule'])} [(]auto")


if __name__ == "__main__":
    main()
