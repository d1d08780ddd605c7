#!/usr/bin/env python3
"""End-to-end tests of the command `callisto`, from outside: what it prints, how it exits, what it leaves behind.

Usage: cli_test.py [unittest arguments]. Environment: CALLISTO_COMMAND, the binary (required); CALLISTO_DATA, the folder
of real graphs (default: shared/data beside the repository; tests that need it are skipped without); CALLISTO_JOB, the
program tests/cosched/job_program (tests that need it are skipped without); CALLISTO_SANITIZE, non-empty if the binary was
built with sanitizers.
"""

import contextlib
import fcntl
import functools
import gzip
import json
import math
import os
import pathlib
import pty
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
import xml.dom.minidom

import verify_all

COMMAND = os.environ.get("CALLISTO_COMMAND", "")
ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("CALLISTO_DATA") or ROOT.parent / "shared" / "data")
JOB = os.environ.get("CALLISTO_JOB", "")
SANITIZED = os.environ.get("CALLISTO_SANITIZE", "") != ""
USAGE, INPUT, OUTPUT, MEMORY, INTERRUPTED = 2, 3, 4, 5, 130

# Small enough to be read by every build, sanitized ones included.
GRAPHS = [
    "karate.txt.gz", "rome99.gr.gz", "ca-GrQc.txt.gz", "ca-HepTh.txt.gz", "wiki-Vote.txt.gz",
    "facebook_combined.txt.gz", "as-caida20071105.txt.gz", "p2p-Gnutella31.txt.gz", "luxembourg_osm.mtx.gz", "usa-roads.txt.gz",
    "ca-CondMat.txt.gz", "musae-facebook.txt.gz", "cit-HepTh.txt.gz",
]
# What runs every kernel: a graph of each format, directed and not, with long paths and with none.
FEW_GRAPHS = ["karate.txt.gz", "rome99.gr.gz", "ca-GrQc.txt.gz", "wiki-Vote.txt.gz", "luxembourg_osm.mtx.gz",
              "cit-HepTh.txt.gz"]
# Long enough that it is interrupted, never finished: an excess of rank runs around a circle and hardly fades.
CIRCLE = "# Directed graph\n" + "".join(f"{i} {(i + 1) % 10007}\n" for i in range(10007)) + "10007 0\n"
ENDLESS = ["--tolerance", "0", "--iterations", "4000000000", "--damping", "0.9999999999"]

# Scores of PersonalisedPageRank's vertices, by label.
NETWORKX = [0.202192243621729, 0.0859317035392348, 0.23787322779027, 0.185646061747495, 0.137216654335105,
            0.151140108966167, 0]


# What a reader of graphs assumed, in a line each; graph_files_test.py tests them.
NOTES = re.compile(rb"(?m)^callisto: [^\n]*(?:taken as directed|edges? repeats? (?:another|others)|(?:is|are) lost|"
                   rb"says that edges are undirected|becomes two arcs)[^\n]*\n")


def run(*arguments, stdin=b"", env=None, notes=False, **kwargs):
    """Runs the command to its end; standard output and error are captured unless given. Without `notes`, standard error
    is without the notes of readers."""
    kwargs.setdefault("stdout", subprocess.PIPE)
    kwargs.setdefault("stderr", subprocess.PIPE)
    done = subprocess.run([COMMAND, *map(str, arguments)], input=stdin, env={**os.environ, **(env or {})}, timeout=300,
                          **kwargs)
    if done.stderr is not None and not notes:
        done.stderr = NOTES.sub(b"", done.stderr)
    return done


def open_terminal():
    """Returns the two ends of a new terminal; skips the test where there is none, as in a chroot without /dev/pts."""
    try:
        return pty.openpty()
    except OSError as error:
        raise unittest.SkipTest(f"no terminal to be had: {error}") from None


def watches(process, number):
    """Waits until the process takes this signal itself: sent before, it would end the way of any program."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with contextlib.suppress(FileNotFoundError):
            blocked = re.search(r"(?m)^SigBlk:\s*(\w+)$", pathlib.Path(f"/proc/{process.pid}/status").read_text())
            if blocked and int(blocked[1], 16) >> (number - 1) & 1:
                return
        time.sleep(0.01)
    raise AssertionError(f"it never comes to watch signal {number}")


def interrupt_twice(process):
    """SIGTERM and SIGINT before it can have done anything about the first."""
    for number in [signal.SIGSTOP, signal.SIGTERM, signal.SIGINT, signal.SIGCONT]:
        process.send_signal(number)


def needs_data(test):
    return unittest.skipUnless(DATA.is_dir(), f"no graphs in {DATA}")(test)


@functools.lru_cache
def published():
    """Returns the table of the data folder's README: file name -> (vertices, lines, loops, repeats, edges, triangles)."""
    rows = {}
    for line in (DATA / "README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 10 and cells[0].endswith(".gz") and cells[1] in ("yes", "no"):
            rows[cells[0]] = tuple(int(cell.replace(",", "")) for cell in cells[2:8])
    return rows


class CommandTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="callisto-cli-"))
        self.folder.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def succeed(self, *arguments, **kwargs):
        done = run(*arguments, **kwargs)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode() if done.stdout is not None else ""

    def json(self, *arguments, **kwargs):
        return json.loads(self.succeed(*arguments, "--json", **kwargs))

    def refuse(self, code, *arguments, says=(), **kwargs):
        """Expects failure: the code, one line on standard error that contains `says`, nothing else anywhere."""
        before = sorted(p.name for p in self.folder.iterdir())
        done = run(*arguments, **kwargs)
        message = done.stderr.decode()
        self.assertEqual(done.returncode, code, message)
        self.assertRegex(message, r"\Acallisto: [^\n]+\n\Z")
        if done.stdout is not None:
            self.assertEqual(done.stdout, b"")
        for part in [says] if isinstance(says, (str, pathlib.Path)) else says:
            self.assertIn(str(part), message)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), before, "files were left behind")
        return message


class Usage(CommandTest):
    def test_help_and_version(self):
        for command in [[], *(c.split() for c in documented_commands())]:
            text = self.succeed(*command, "--help")
            self.assertIn("Usage: callisto", text)
            self.assertIn("xample", text, command)
            self.assertTrue(all(len(line) <= 120 for line in text.splitlines()), command)
        self.assertRegex(self.succeed("--version"), r"\Acallisto \d+\.\d+\.\d+\n\Z")
        self.assertIn("Exit codes", self.succeed("--help"))

    def test_alone_it_prints_help_and_fails(self):
        done = run()
        self.assertEqual((done.returncode, done.stdout), (USAGE, b""))
        self.assertIn(b"Usage: callisto", done.stderr)

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
            (["bench"], "expected one of schedule, gap, pairs, manners, found nothing"),
            (["bench", "cake"], "expected one of schedule, gap, pairs, manners, found 'cake'"),
            (["run"], "PROGRAM"),
            (["pagerank", graph, "--top"], "--top: expected K, found nothing"),
            (["help", "nonsense"], "nonsense"),
            (["bench", "gap", "--nonsense"], "'callisto bench gap --help'"),
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
            (["fig4"], "fig4", "simulate fig4"),
            (["pagerank", "--tpo", "3", graph], "--tpo", "--top"),
            (["pagerank", graph, "--dampng=0.5"], "--dampng=0.5", "--damping"),
            (["bench", "schedul"], "'schedul'", "schedule"),
        ]:
            with self.subTest(arguments):
                message = self.refuse(USAGE, *arguments, says=[wrong, f"did you mean '{meant}'?"])
                self.assertNotIn("g.txt", message)
        message = self.refuse(USAGE, "xyzzy", graph, says="not expected: xyzzy; see 'callisto --help'")
        self.assertNotIn("did you mean", message)

    def test_help_of(self):
        for words in [[], ["pagerank"], ["bench"], ["bench", "gap"], ["run"]]:
            self.assertEqual(self.succeed("help", *words), self.succeed(*words, "--help"))
        text = self.succeed("--help")
        for subject in ["Graphs", "Sharing the machine", "Measuring and simulating"]:
            self.assertIn(f"\n{subject}:\n", text)
        self.assertIn("Usage: callisto run [OPTIONS] [--] PROGRAM [ARGUMENT...]\n", self.succeed("run", "--help"))
        bench = self.succeed("bench", "--help")
        self.assertIn("Usage: callisto bench schedule [OPTIONS]\n       callisto bench gap [OPTIONS] [FILE...]\n", bench)
        self.assertNotIn("peer", bench)
        self.assertIn("Usage: callisto simulate [OPTIONS] [MACHINE]\n       callisto simulate fig4 [OPTIONS] [MACHINE]\n",
                      self.succeed("simulate", "--help"))
        self.assertNotIn("Excludes", self.succeed("pagerank", "--help"))

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


class MalformedInput(CommandTest):
    def check(self, name, content, says, *options):
        path = self.file(name, content)
        commands = [["info", path], ["pagerank", path, "--output", self.folder / "out"], ["triangles", path],
                    ["convert", path, self.folder / "out.cg"]]
        for command in commands[:1] if SANITIZED else commands:  # the same code reads for all
            with self.subTest(command[0]):
                self.refuse(INPUT, *command, *options, says=says)

    def test_truncated_gzip(self):
        edges = "".join(f"{i}\t{i * 7919 % 10007}\n" for i in range(10007))
        whole = gzip.compress(edges.encode())
        for length in [len(whole) // 2, len(whole) - 5, 15]:
            self.check("t.txt.gz", whole[:length], "t.txt.gz")
        broken = bytearray(whole)
        broken[len(whole) // 2] ^= 0xff
        self.check("t.txt.gz", bytes(broken), "t.txt.gz")
        self.check("t.txt.gz", whole + b"trailing garbage", "t.txt.gz")

    def test_text_where_numbers_belong(self):
        self.check("t.txt", "0 1\n1 two\n", "t.txt:2", "--ids", "numbers")
        self.check("t.txt", "# comment\n\n0 1\nfoo 2\n", "t.txt:4", "--ids", "numbers")
        self.check("t.txt", "a b\n", "t.txt:1", "--ids", "numbers")
        self.check("t.txt", "0 1\n1\n", "t.txt:2")
        self.check("t.txt", "0 1\n1 2\x00\n", "t.txt:2")
        self.check("t.txt", "0 1\n1.5 2\n", "t.txt:2", "--ids", "numbers")

    def test_far_down_a_file(self):
        lines = [f"{i} {i + 1}" for i in range(400000)]
        lines[333332] = "333332 oops"
        self.check("t.txt", "\n".join(lines) + "\n", "t.txt:333333")

    def test_ids_out_of_range(self):
        self.check("t.txt", "0 1\n-1 2\n", "t.txt:2", "--ids", "numbers")
        self.check("t.txt", "0 1\n1 18446744073709551616\n", "t.txt:2", "--ids", "numbers")
        self.check("t.txt", "0 1\n1 99999999999999999999999\n", "t.txt:2", "--ids", "numbers")

    def test_matrix_market_that_lies(self):
        head = "%%MatrixMarket matrix coordinate pattern general\n"
        self.check("t.mtx", head + "3 3 3\n1 2\n2 3\n", "t.mtx")
        self.check("t.mtx", head + "3 3 1\n1 2\n2 3\n", "t.mtx:2")
        self.check("t.mtx", head + "3 3 2\n1 2\n2 4\n", "t.mtx:4")
        self.check("t.mtx", head + "3 3 2\n1 2\n0 3\n", "t.mtx:4")
        self.check("t.mtx", head + "3 4 2\n1 2\n2 3\n", "t.mtx:2")
        self.check("t.mtx", head + "3 3 99999999999999999\n1 2\n", "t.mtx")
        self.check("t.mtx", head, "t.mtx")
        self.check("t.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", "t.mtx:1")

    def test_columns(self):
        self.check("t.txt", "0 1\n1 2 3\n", "t.txt:2")
        self.check("t.txt", "0 1 5\n1 2\n", "t.txt:2")
        self.check("t.txt", "0 1 2 3\n", "t.txt:1", "--format", "weighted-edge-list")

    def test_weights(self):
        self.check("t.txt", "0 1 1.5\n1 2 heavy\n", "t.txt:2")
        self.check("t.txt", "0 1 1.5\n1 2 nan\n", "t.txt:2")

    def test_other_formats(self):
        self.check("t.gr", "p sp 3 2\na 1 2 5\na 1 4 5\n", "t.gr:3")
        self.check("t.gr", "p sp 3 2\na 1 2 5\n", "t.gr")
        self.check("t.graph", "3 2\n2\n1 3\n5\n", "t.graph:4", "--format", "metis")

    def test_nothing_in_it(self):
        self.check("empty.txt", "", "empty.txt")
        self.check("empty.txt.gz", gzip.compress(b""), "empty.txt.gz")
        self.check("comments.txt", "# nothing\n\n", "comments.txt")
        self.refuse(INPUT, "info", "-", stdin=b"", says="standard input")

    def test_no_file(self):
        for command in ["info", "pagerank", "triangles"]:
            self.refuse(INPUT, command, self.folder, says=[self.folder, "directory"])
            self.refuse(INPUT, command, self.folder / "missing.txt", says="missing.txt")
            self.refuse(INPUT, command, self.folder / "two\nlines.txt", says="two lines.txt")
            self.refuse(INPUT, command, "", says="")
        self.refuse(INPUT, "info", "/dev/null", says="/dev/null")

    def test_unreadable(self):
        path = self.file("secret.txt", "0 1\n")
        path.chmod(0)
        command = [COMMAND, "info", str(path)]
        if os.geteuid() == 0:
            if not shutil.which("setpriv"):
                self.skipTest("root can read everything, and setpriv is not installed")
            # The binary may lie in a folder that others cannot enter.
            copy = self.folder / "callisto"
            shutil.copy(COMMAND, copy)
            command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", str(copy), *command[1:]]
        done = subprocess.run(command, capture_output=True, timeout=60, cwd="/")
        self.assertEqual(done.returncode, INPUT, done.stderr)
        self.assertRegex(done.stderr.decode(), r"\Acallisto: [^\n]*secret\.txt[^\n]*ermission[^\n]*\n\Z")

    def test_damaged_native_files(self):
        graph = self.file("g.txt", "".join(f"{i} {i * 7919 % 1009}\n" for i in range(1009)))
        native = self.folder / "g.cg"
        self.succeed("convert", graph, native)
        whole = native.read_bytes()
        for length in [len(whole) - 1, len(whole) // 2, 64, 9]:
            self.check("t.cg", whole[:length], "t.cg")
        for at in [8, 40]:  # behind the magic number: the header is checked whenever a file is opened
            broken = bytearray(whole)
            broken[at] ^= 0x10
            self.check("t.cg", bytes(broken), "t.cg")
        broken = bytearray(whole)
        broken[-5] ^= 0x10  # in the rows: found when asked for
        path = self.file("t.cg", bytes(broken))
        self.refuse(INPUT, "info", path, "--verify", says="t.cg")
        self.succeed("info", native, "--verify")


class Output(CommandTest):
    def setUp(self):
        super().setUp()
        self.graph = self.file("g.txt", "".join(f"{i} {i * 7919 % 10007}\n" for i in range(10007)))

    def test_scores_as_text(self):
        out = self.folder / "scores"
        self.assertEqual(self.succeed("pagerank", self.graph, "--output", out, "--quiet"), "")
        rows = [line.split("\t") for line in out.read_text().splitlines()]
        self.assertEqual([int(label) for label, _ in rows], list(range(10007)))
        self.assertAlmostEqual(sum(float(score) for _, score in rows), 1, 9)
        self.assertEqual(self.succeed("pagerank", self.graph, "--output", "-"), out.read_text())
        self.succeed("pagerank", self.graph, "--output", out, "--top", "3")
        self.assertEqual(len(out.read_text().splitlines()), 3)

    def test_top_is_sorted(self):
        top = self.json("pagerank", self.graph, "--top", "50")["top"]
        self.assertEqual(len(top), 50)
        self.assertEqual(top, sorted(top, key=lambda row: (-row["score"], row["vertex"])))
        self.assertEqual(len(self.json("pagerank", self.graph, "--top", "99999")["top"]), 10007)
        self.assertEqual(self.json("pagerank", self.graph, "--top", "0")["top"], [])

    def test_weights_of_pagerank(self):
        path = self.file("tied.txt", "0 1 10\n0 2 1\n1 0 1\n2 0 1\n")
        shown = self.json("pagerank", path, "--verify")
        self.assertEqual(shown["weights"], "strength")
        self.assertEqual([round(row["score"], 4) for row in shown["top"]], [.4865, .4259, .0876])
        shown = self.json("pagerank", path, "--weights", "none")
        self.assertEqual(shown["weights"], "none")
        self.assertEqual([round(row["score"], 4) for row in shown["top"]], [.4865, .2568, .2568])
        self.assertIn("used as strengths", self.succeed("pagerank", path))
        self.refuse(USAGE, "pagerank", path, "--weights", "length", says=["--weights", "strength or none", "length"])
        self.refuse(USAGE, "pagerank", path, "--weights", "x", says=["--weights", "strength or none", "'x'"])
        plain = self.file("plain.txt", "0 1\n1 2\n")
        self.refuse(USAGE, "pagerank", plain, "--weights", "strength", says=["--weights strength", "no weights"])

    def test_eigenvectors(self):
        path = self.file("ties.txt", "1 2 2\n2 3 1\n3 1 1\n3 4 1\n")
        shown = self.json("eigenvector", path, "--undirected", "--verify")
        self.assertEqual((shown["top"][0]["vertex"], shown["weights"], shown["converged"]), (3, "none", True))
        self.assertAlmostEqual(shown["eigenvalue"], 2.1700864866, places=8)
        shown = self.json("katz", path, "--verify")
        self.assertEqual(shown["alpha"], 0.1)
        shown = self.json("hits", path, "--verify")
        self.assertEqual((shown["weights"], shown["ranked_by"]), ("strength", "authority"))
        self.assertEqual(shown["top"][0]["vertex"], 2)
        self.assertEqual(self.json("hits", path, "--hubs")["top"][0]["vertex"], 1)
        chain = self.file("chain.txt", "1 2\n2 3\n")
        self.refuse(USAGE, "eigenvector", chain, says=["no cycle"])
        self.refuse(USAGE, "katz", path, "--undirected", "--alpha", "0.5", says=["alpha is 0.5", "less than"])
        self.refuse(USAGE, "hits", path, "--weights", "length", says=["--weights", "strength or none"])
        self.refuse(USAGE, "eigenvector", path, "--tolerance", "0", says=["--tolerance", "0"])

    def test_closeness(self):
        path = self.file("near.txt", "1 2 2\n2 3 1\n")
        shown = self.json("closeness", path, "--undirected", "--verify")
        self.assertEqual(shown["top"][0], {"vertex": 2, "score": 1.0})
        self.assertTrue(shown["exact"])
        self.assertEqual(self.succeed("closeness", path, "--undirected", "--weights", "length", "--output", "-"),
                         "1\t0.4\n2\t0.6666666666666666\n3\t0.5\n")
        self.assertEqual(self.succeed("closeness", path, "--harmonic", "--outgoing", "--output", "-"),
                         "1\t1.5\n2\t1\n3\t0\n")
        self.assertIn("not used; --weights length uses them", self.succeed("closeness", path))
        shown = self.json("closeness", self.graph, "--samples", "50", "--seed", "3", "--verify")
        self.assertFalse(shown["exact"])
        self.assertGreater(shown["top"][0]["standard_error"], 0)
        text = self.succeed("closeness", self.graph, "--samples", "50")
        self.assertRegex(text, r" (\d\.\d*e-\d\d \+- \de-\d\d|0\.\d+ \+- 0\.0\d*)\n")
        self.assertIn("cannot be told apart", text)
        self.refuse(USAGE, "closeness", path, "--samples", "4", says=["--samples", "3 vertices", "4"])
        self.refuse(USAGE, "closeness", path, "--samples", "2", "--error", "0.1", says=["--error", "--samples"])
        for value in ["0", "1", "x"]:
            self.refuse(USAGE, "closeness", path, "--error", value, says=["--error", value])

    def test_betweenness_by_length_and_of_edges(self):
        path = self.file("lengths.txt", "1 2 1\n2 3 1\n1 3 5\n3 4 2.5\n")
        shown = self.json("betweenness", path, "--undirected", "--weights", "length", "--verify")
        self.assertEqual(shown["weights"], "length")
        self.assertEqual(shown["top"][:2], [{"vertex": 2, "score": 2.0}, {"vertex": 3, "score": 2.0}])
        self.assertIn("not used; --weights length uses them", self.succeed("betweenness", path))
        self.assertEqual(self.succeed("betweenness", path, "--undirected", "--edges", "--weights", "length", "--output",
                                      "-", "--verify"), "2\t3\t4\n1\t2\t3\n3\t4\t3\n1\t3\t0\n")
        self.assertEqual(self.json("betweenness", path, "--edges", "--top", "1")["top"][0]["from"], 3)
        shown = self.json("betweenness", self.graph, "--samples", "50", "--seed", "2", "--verify")
        self.assertGreater(shown["top"][0]["standard_error"], 0)
        shown = self.json("betweenness", self.graph, "--error", "0.2", "--confidence", "0.8")
        self.assertEqual((shown["error"], shown["confidence"]), (.2, .8))
        self.refuse(USAGE, "betweenness", path, "--weights", "strength", says=["--weights", "length or none"])
        self.refuse(USAGE, "betweenness", path, "--error", "0.1", "--samples", "2", says=["--error", "--samples"])
        self.assertGreater(self.json("betweenness", self.graph, "--edges", "--samples", "50")["top"][0]["standard_error"], 0)
        self.assertIn("top", self.json("betweenness", path, "--error", "0.1", "--edges"))
        zero = self.file("zero.txt", "1 2 0\n2 3 1\n")
        self.refuse(3, "betweenness", zero, "--weights", "length", says=["zero.txt", "from 1 to 2", "weights above 0"])

    def test_betweenness(self):
        path = self.file("path.txt", "10 20\n20 30\n30 40\n40 50\n")
        for form in ["auto", "flat", "inner", "nested", "nested:2"]:
            shown = self.json("betweenness", path, "--undirected", "--form", form, "--top", "3")
            self.assertEqual([(row["vertex"], row["score"]) for row in shown["top"]], [(30, 4), (20, 3), (40, 3)])
            self.assertEqual((shown["sources"], shown["exact"]), (5, True))
        self.assertEqual(self.succeed("betweenness", path, "--normalized", "--output", "-"),
                         f"10\t0\n20\t{3 / 12}\n30\t{4 / 12}\n40\t{3 / 12}\n50\t0\n")
        shown = self.json("betweenness", self.graph, "--samples", "600", "--seed", "9", "--threads", "2")
        self.assertEqual((shown["sources"], shown["exact"], shown["seed"]), (600, False, 9))
        self.assertIn(shown["form"], ["flat", "nested", "inner"])
        self.assertIn(shown["form"], [trial["form"] for trial in shown["trials"]] or ["flat", "nested", "inner"])
        self.assertRegex(self.succeed("betweenness", path), "betweenness  exact in .*\nsearches")
        # The processor's counts, or why there are none.
        counters = self.json("betweenness", self.graph, "--samples", "600", "--stats")["counters"]
        words = self.succeed("betweenness", self.graph, "--samples", "600", "--stats")
        if "missing" in counters:
            self.assertEqual(list(counters), ["missing"])
            self.assertIn(f"not available: {counters['missing']}\n", words)
        else:
            self.assertGreater(counters["instructions"], 10000)
            self.assertLessEqual(counters["cache_misses"], counters["cache_references"])
            self.assertIn("cache references missed", words)
        self.assertNotIn("counters", self.json("betweenness", path))
        self.refuse(USAGE, "betweenness", path, "--samples", "6",
                    says=["--samples: expected at most the graph's 5 vertices, not 6"])
        for level in ["0", "9", "x", ""]:
            self.refuse(USAGE, "betweenness", path, "--form", f"nested:{level}", says=["--form", "expected", f"'{level}'"])

    def test_json_into_a_file(self):
        out = self.folder / "out.json"
        for command in ["pagerank", "triangles", "info"]:
            self.assertEqual(self.succeed(command, self.graph, "--json", "--output", out), "")
            self.assertEqual(json.loads(out.read_text())["vertices"], 10007)

    def test_stable_keys(self):
        documented = (ROOT / "docs/reference/cli-json.md").read_text()
        outputs = {
            "pagerank": self.json("pagerank", self.graph, "--seeds", "7", "--verify"),
            "triangles": self.json("triangles", self.graph, "--verify"),
            "betweenness": self.json("betweenness", self.graph, "--samples", "600", "--threads", "2", "--verify"),
            "bfs": self.json("bfs", self.graph, "--sources", "2", "--verify"),
            "sssp": self.json("sssp", self.graph, "--sources", "2", "--random-weights", "1", "--verify"),
            "components": self.json("components", self.graph, "--verify"),
            "scc": self.json("scc", self.graph, "--verify"),
            "kcore": self.json("kcore", self.graph, "--verify"),
            "communities": self.json("communities", self.graph, "--verify"),
            "clustering": self.json("clustering", self.graph, "--verify"),
            "diameter": self.json("diameter", self.graph, "--searches", "9", "--verify"),
            "eccentricity": self.json("eccentricity", self.graph, "--verify"),
            "forest": self.json("forest", self.graph, "--verify"),
            "truss": self.json("truss", self.graph, "--verify"),
            "similarity": self.json("similarity", self.graph, "--best", "1", "--verify"),
            "matching": self.json("matching", self.graph, "--verify"),
            "colouring": self.json("colouring", self.graph, "--verify"),
            "independent-set": self.json("independent-set", self.graph, "--verify"),
            "walks": self.json("walks", self.graph, "--each", "1", "--verify"),
            "info": self.json("info", self.graph),
            "analyze": self.json("analyze", self.graph),
            "draw": self.json("draw", self.graph, "--output", self.folder / "g.svg"),
            "bench gap": self.json("bench", "gap", self.graph, "--trials", "1"),
            "convert": self.json("convert", self.graph, self.folder / "g.cg"),
            "generate": self.json("generate", "uniform", self.folder / "u.cg", "--scale", "4"),
            "machine": self.json("machine"),
            "demo": self.json("demo", self.graph, "--svg", self.folder / "demo.svg"),
            "simulate": self.json("simulate", "x4-2", *Simulate.SMALL),
            "simulate fig4": self.json("simulate", "fig4", "x4-2", *Simulate.SMALL),
            "simulate fig7": self.json("simulate", "fig7", "--scale", "6", "--threads", "8"),
            "simulate --list": self.json("simulate", "--list"),
            "simulate --calibrate": self.json("simulate", "--calibrate"),
            "simulate --trace": self.json("simulate", "x4-2", *Simulate.ONE, "--trace", self.folder / "trace.json"),
        }

        def keys(value):
            if isinstance(value, dict):
                return set(value) | set().union(*map(keys, value.values()), set())
            return set().union(*map(keys, value), set()) if isinstance(value, list) else set()

        for command, output in outputs.items():
            for key in keys(output):
                self.assertIn(f"`{key}`", documented, f"{command}: docs/reference/cli-json.md does not mention the key")
        for key in ["vertices", "edges", "top", "damping", "tolerance", "iterations", "converged", "change", "threads"]:
            self.assertIn(key, outputs["pagerank"])
        for key in ["vertices", "edges", "triangles", "undirected_edges"]:
            self.assertIn(key, outputs["triangles"])

    def test_large_labels(self):
        big = 2**64 - 1
        graph = self.file("big.txt", f"7 {big}\n{2**63} {big}\n")
        self.assertEqual(self.json("pagerank", graph)["top"][0]["vertex"], big)
        self.assertIn(f"\n{big}\t", self.succeed("pagerank", graph, "--output", "-"))

    def test_standard_input(self):
        self.assertEqual(self.json("triangles", "-", stdin=b"0 1\n1 2\n2 0\n")["triangles"], 1)
        self.assertEqual(self.json("triangles", "-", stdin=gzip.compress(b"0 1\n1 2\n2 0\n"))["triangles"], 1)

    def test_nowhere_to_write(self):
        for place, says in [(self.folder / "missing" / "out.cg", "out.cg"), (self.folder, "directory"),
                            ("/proc/out.cg", "/proc/out.cg")]:
            with self.subTest(place):
                self.refuse(OUTPUT, "pagerank", self.graph, "--output", place, says=says)
                self.refuse(OUTPUT, "convert", self.graph, place, "--to", "native", says=says)

    def test_full_device(self):
        self.refuse(OUTPUT, "pagerank", self.graph, "--output", "/dev/full", says="/dev/full")
        self.refuse(OUTPUT, "convert", self.graph, "/dev/full", "--to", "edge-list", says="/dev/full")
        with open("/dev/full", "wb") as full:
            for command in [["pagerank", self.graph], ["info", self.graph, "--json"], ["--help"], ["machine"],
                            ["pagerank", self.graph, "--output", "-"]]:
                self.refuse(OUTPUT, *command, stdout=full, says="standard output")

    def test_closed_output(self):
        out = self.folder / "out.txt"
        for command in [["pagerank", self.graph, "--directed"], ["pagerank", self.graph, "--directed", "--output", out],
                        ["info", self.graph, "--directed"], ["--help"]]:
            with self.subTest(command):
                # Nothing that the command opens may take the place of its standard output, such as the jobs' table.
                done = subprocess.run([COMMAND, *map(str, command)], stderr=subprocess.PIPE, text=True,
                                      env={**os.environ, "CALLISTO_COSCHED": "on",
                                           "CALLISTO_COSCHED_DIR": str(self.folder)},
                                      preexec_fn=lambda: os.close(1))
                self.assertEqual((done.returncode, done.stderr),
                                 (OUTPUT, "callisto: standard output: cannot write: Bad file descriptor\n"))
        self.assertEqual(out.read_text(), self.succeed("pagerank", self.graph, "--output", "-"))

    def test_full_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        options = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(disk)]
        if os.geteuid() != 0 or subprocess.run(options, capture_output=True).returncode != 0:
            self.skipTest("mounting a small file system is not permitted")
        try:
            old = disk / "out"
            old.write_text("old")
            for command in [["pagerank", self.graph, "--output", old], ["convert", self.graph, old, "--to", "native"],
                            ["convert", self.graph, old, "--to", "edge-list"]]:
                self.refuse(OUTPUT, *command, says="out")
                self.assertEqual((os.listdir(disk), old.read_text()), (["out"], "old"))
        finally:
            subprocess.run(["umount", str(disk)], check=True)

    def test_file_size_limit(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        self.refuse(OUTPUT, "pagerank", self.graph, "--output", self.folder / "out", says="out", preexec_fn=limit)

    def test_vanished_reader(self):
        done = subprocess.run(f'"{COMMAND}" pagerank "{self.graph}" --directed --output - | head -n 1', shell=True,
                              capture_output=True, timeout=60)
        self.assertEqual((len(done.stdout.splitlines()), done.stderr), (1, b""))

    def test_out_of_memory(self):
        if SANITIZED:
            self.skipTest("sanitizers need unlimited address space")

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        self.refuse(MEMORY, "generate", "kronecker", self.folder / "out.cg", "--scale", "26",
                    says=["1073741824 edges", "may need 8193 MiB", "address space"],
                    preexec_fn=limit)


class Memory(CommandTest):
    """What would not fit is refused before it starts, with the numbers; and the numbers are bounds.

    docs/reference/memory.md has them.
    """

    KERNELS = [["bfs", "--source", 1], ["sssp", "--source", 1, "--random-weights", 1], ["pagerank"],
               ["pagerank", "--seeds", 1], ["components"], ["scc"], ["kcore"], ["communities"],
               ["communities", "--method", "labels"], ["clustering"], ["triangles"], ["diameter", "--searches", 20],
               ["forest", "--random-weights", 1], ["truss"], ["matching"], ["colouring"], ["betweenness", "--samples", 16],
               ["closeness", "--samples", 64], ["eigenvector"], ["katz"], ["hits"]]

    def setUp(self):
        super().setUp()
        if SANITIZED:
            self.skipTest("sanitizers take memory of their own, and unlimited address space")

    def test_what_does_not_fit_is_refused(self):
        text = self.file("sparse.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3000000 3000000 1\n2 1\n")
        graph = self.folder / "sparse.cg"
        self.succeed("convert", text, graph)
        for arguments in [*self.KERNELS, ["convert", self.folder / "out.cg", "--order", "hubs"]]:
            with self.subTest(arguments):
                name, *options = arguments
                says = "--order hubs" if name == "convert" else "betweenness of this graph" if name == "betweenness" else name
                refusals = []
                for mebibytes in range(96, 2048, 24):
                    size = mebibytes << 20
                    done = run(name, graph, *options, "--threads", 2, "--json",
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)))
                    if done.returncode == 0:
                        break
                    self.assertEqual(done.returncode, MEMORY, done.stderr)
                    self.assertEqual(len(done.stderr.splitlines()), 1)
                    refusals.append(done.stderr.decode())
                self.assertEqual(done.returncode, 0)
                own = [line for line in refusals if re.search(
                    rf"callisto: {says}.* may need \d+ MiB of memory, \d+ MiB are available \(the limit of its address space\)",
                    line)]
                self.assertTrue(own, refusals)

    def test_the_bounds_hold(self):
        graph = self.folder / "k.cg"
        self.succeed("generate", "kronecker", graph, "--scale", 17, "--quiet")
        directed = self.folder / "d.cg"
        self.succeed("generate", "uniform", directed, "--scale", 16, "--directed", "--quiet")

        def peak(*arguments):
            with open(self.folder / "out.json", "wb") as out:
                child = subprocess.Popen([COMMAND, *map(str, arguments), "--json", "--threads", "2"], stdout=out)
                _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(child.returncode, 0)
            return usage.ru_maxrss * 1024, json.loads((self.folder / "out.json").read_text())
        for file in (graph, directed):
            without, _ = peak("info", file)
            for name, *options in self.KERNELS:
                with self.subTest(name, file=file.name):
                    whole, found = peak(name, file, *options)
                    weights = 4 * found["graph"]["arcs"] if name in ("sssp", "forest") else 0
                    self.assertLess(whole - without - weights, found["memory_needed"] + (8 << 20))


class Loops(CommandTest):
    """What loops did: --stats, --trace and the variables of the same meaning."""

    def setUp(self):
        super().setUp()
        self.graph = self.file("g.txt", "".join(f"{i} {i * 7919 % 10007}\n" for i in range(10007)))

    def check_site(self, site, threads):
        self.assertTrue(site["file"].endswith((".cpp", ".hpp")), site)
        self.assertGreater(site["line"], 0)
        self.assertGreaterEqual(site["imbalance"], 1)
        self.assertLessEqual(site["imbalance"], threads + 1e-9)
        for key in ["visits", "iterations", "batches", "steals", "given_back", "taken_back", "combined"]:
            self.assertEqual(site[key], sum(thread[key] for thread in site["threads"]), key)
        leader, *followers = [thread["work"] + thread["claiming"] + thread["idle"] for thread in site["threads"]]
        self.assertAlmostEqual(leader, site["seconds"], 5)
        for follower in followers:  # not asked where the leader expected a loop to be over at once
            self.assertLess(follower, site["seconds"] + 5e-6)

    def test_stats(self):
        plain = self.json("pagerank", self.graph)
        self.assertNotIn("loops", plain)
        circle = self.file("circle.txt", CIRCLE)
        found = self.json("pagerank", circle, "--threads", "2", "--stats", "--tolerance", "0", "--iterations", "2")
        self.assertEqual(found["iterations"], 2)
        self.assertEqual(set(found) - set(plain), {"loops"})
        for site in found["loops"]:
            self.check_site(site, 2)
        sweeps = [s for s in found["loops"] if "graph/pagerank/" in s["file"] and s["loops"] == 2 * 4]  # colours
        self.assertEqual([s["iterations"] for s in sweeps], [2 * -(-10008 // 128)])  # blocks
        done = run("pagerank", self.graph, "--quiet", "--top", "1", "--stats")
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 1))
        lines = done.stderr.decode().splitlines()
        self.assertEqual(lines[0], "callisto: loops")
        self.assertRegex(lines[1], "^loop .* imbalance$")
        self.assertTrue(any(line.startswith("sweep (iterations.hpp:") for line in lines[2:]), lines)

    def test_stats_by_environment(self):
        done = run("triangles", self.graph, "--quiet", env={"CALLISTO_STATS": "1"})
        self.assertIn(b"count_triangles_of (triangles.cpp:", done.stderr)
        for off in ["", "0"]:
            self.assertEqual(run("triangles", self.graph, env={"CALLISTO_STATS": off}).stderr, b"")
        out = self.folder / "stats.json"
        self.assertEqual(run("triangles", self.graph, env={"CALLISTO_STATS": str(out)}).stderr, b"")
        written = json.loads(out.read_text())
        self.assertGreater(written["ticks_per_second"], 0)
        self.assertGreater(len(written["loops"]), 3)

    def test_trace(self):
        out = self.folder / "trace.json"
        for arguments, env in [(["--trace", out], {}), ([], {"CALLISTO_TRACE": str(out)})]:
            found = self.json("pagerank", self.graph, "--threads", "2", "--stats", *arguments, env=env)
            trace = json.loads(out.read_text())
            out.unlink()
            self.assertEqual(trace["otherData"]["left_out"], 0)
            spans = [e for e in trace["traceEvents"] if e["ph"] == "X"]
            self.assertEqual(sum(e["args"]["iterations"] for e in spans if e["name"] == "batch"),
                             sum(site["iterations"] for site in found["loops"]))
            self.assertEqual(len([e for e in spans if e["cat"] == "loop" and e["args"]]),
                             sum(site["loops"] for site in found["loops"]))
            # On each track spans lie in each other or apart.
            for track in {e["tid"] for e in spans}:
                open_until = []
                for e in sorted((e for e in spans if e["tid"] == track), key=lambda e: (e["ts"], -e["dur"])):
                    while open_until and open_until[-1] <= e["ts"] + 1e-3:
                        open_until.pop()
                    if open_until:
                        self.assertLessEqual(e["ts"] + e["dur"], open_until[-1] + 1e-3, e)
                    open_until.append(e["ts"] + e["dur"])

    def test_nowhere_to_write(self):
        missing = self.folder / "missing" / "out.json"
        self.refuse(OUTPUT, "triangles", self.graph, "--trace", missing, says=["--trace", missing])
        self.refuse(OUTPUT, "triangles", self.graph, env={"CALLISTO_TRACE": str(missing)},
                    says=["CALLISTO_TRACE", missing])
        self.refuse(OUTPUT, "triangles", self.graph, env={"CALLISTO_STATS": str(missing)},
                    says=["CALLISTO_STATS", missing])
        self.refuse(USAGE, "triangles", self.graph, "--trace", self.graph, says="--trace")
        out = self.folder / "out"
        self.refuse(USAGE, "triangles", self.graph, "--output", out, "--trace", out, says="--trace")

    def test_failures_stay_one_line(self):
        out = self.folder / "trace.json"
        self.refuse(INPUT, "info", self.file("bad.txt", "0 x\n"), "--ids", "numbers", "--stats", "--trace", out,
                    env={"CALLISTO_STATS": "1"})


class Interruption(CommandTest):
    def setUp(self):
        super().setUp()
        self.graph = self.file("g.txt", CIRCLE)

    def start(self, *arguments, **kwargs):
        process = subprocess.Popen([COMMAND, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   **kwargs)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)  # runs first
        return process

    def test_every_signal_ends_it_cleanly(self):
        for number, code in [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]:
            out = self.folder / "out"
            process = self.start("pagerank", self.graph, *ENDLESS, "--output", out)
            watches(process, number)
            time.sleep(0.5)
            process.send_signal(number)
            stdout, stderr = process.communicate(timeout=30)
            self.assertEqual((process.returncode, stdout, stderr), (code, b"", b"callisto: interrupted\n"))
            self.assertEqual(os.listdir(self.folder), ["g.txt"])

    def test_the_second_signal_ends_it_at_once(self):
        for _ in range(5):
            out = self.folder / "out"
            process = self.start("pagerank", self.graph, *ENDLESS, "--output", out)
            watches(process, signal.SIGTERM)
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=30)
            self.assertIn(process.returncode, [130, 143])
            self.assertEqual((stdout, stderr), (b"", b"callisto: interrupted\n"))
            self.assertEqual(os.listdir(self.folder), ["g.txt"])

    def test_waiting_for_input(self):
        process = self.start("info", "-", stdin=subprocess.PIPE)
        watches(process, signal.SIGINT)
        time.sleep(0.3)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), INTERRUPTED)
        self.assertLess(time.monotonic() - begin, 10)
        process.communicate()

    def test_watch_tells_how_things_stand(self):
        graph = self.file("w.txt", "1 2\n2 3\n")
        for _ in range(5):  # the machine may not let it end within its second
            process = self.start("watch", graph, "--undirected", "--stream", "-", "--components", stdin=subprocess.PIPE)
            process.stdin.write(b"- 1 2\n+ 1 ")
            process.stdin.flush()
            self.assertIn(b"components 1 -> 2", process.stdout.readline())
            process.send_signal(signal.SIGINT)
            process.wait(timeout=30)
            rest = process.stdout.read().decode()
            self.assertEqual(process.returncode, INTERRUPTED)
            if rest:
                break
        self.assertRegex(rest, r"^1 edit in 1 update: .*; 3 vertices, 1 edge; 2 components\n$")

    def test_ignored_signals_stay_ignored(self):
        process = self.start("pagerank", self.graph, *ENDLESS,
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        watches(process, signal.SIGTERM)
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 143)


@unittest.skipUnless(os.geteuid() == 0, "only root can become a user who may have one thread")
@unittest.skipIf(SANITIZED, "sanitizers start threads")
class OneThread(CommandTest):
    """Checks a process that may not start threads."""

    def test_it_does_with_one(self):
        command = shutil.copy(COMMAND, self.folder)  # where every user may read it
        graph = self.file("g.txt", "0 1\n1 2\n")
        one = lambda: resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        for arguments in (["pagerank", graph, "--top", "1", "--quiet"], ["run", "--", "/bin/echo", "2\t0.474"]):
            done = subprocess.run([command, *arguments], user=64300, group=64300, extra_groups=[], preexec_fn=one,
                                  capture_output=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
            self.assertTrue(done.stdout.startswith(b"2\t0.474"), done.stdout)


class Terminal(CommandTest):
    def on_terminal(self, *arguments, seconds=1.5, env=None):
        """Runs with standard error on a terminal, ends it with SIGINT after a while; returns what the terminal got."""
        graph = self.file("g.txt", CIRCLE)
        ours, theirs = open_terminal()
        process = subprocess.Popen([COMMAND, "pagerank", str(graph), *ENDLESS, *arguments], stdout=subprocess.DEVNULL,
                                   stderr=theirs, env={**os.environ, "TERM": "xterm", **(env or {})})
        os.close(theirs)
        watches(process, signal.SIGINT)
        shown = b""
        deadline = time.monotonic() + seconds
        signalled = False
        while True:
            if not signalled and time.monotonic() > deadline:
                process.send_signal(signal.SIGINT)
                signalled = True
            if select.select([ours], [], [], 0.1)[0]:
                try:
                    part = os.read(ours, 65536)
                except OSError:
                    break
                if not part:
                    break
                shown += part
        os.close(ours)
        self.assertEqual(process.wait(timeout=30), INTERRUPTED)
        return shown.decode()

    def test_progress_is_shown_and_erased(self):
        shown = self.on_terminal(seconds=3 if SANITIZED else 1.5)
        self.assertIn("iterations/s", shown)
        self.assertTrue(shown.endswith("\r\x1b[Kcallisto: interrupted\r\n"), repr(shown[-80:]))
        self.assertNotIn("\n", shown[:-len("\r\n")].replace("\r\n", "?"))

    def test_progress_can_be_refused(self):
        for arguments, env in [(["--no-progress"], {}), (["--quiet"], {}), ([], {"TERM": "dumb"})]:
            self.assertEqual(self.on_terminal("--directed", *arguments, env=env), "callisto: interrupted\r\n")

    def test_short_work_shows_none(self):
        ours, theirs = open_terminal()
        graph = self.file("s.txt", "0 1\n")
        done = subprocess.run([COMMAND, "info", "--directed", str(graph)], stdout=subprocess.DEVNULL, stderr=theirs, timeout=60,
                              env={**os.environ, "TERM": "xterm"})
        os.close(theirs)
        self.assertEqual(done.returncode, 0)
        if not SANITIZED:
            with self.assertRaises(OSError):  # the terminal closed without a byte
                os.read(ours, 100)
        os.close(ours)


class Graphs(CommandTest):
    @needs_data
    def test_counts_match_the_published_ones(self):
        for name in GRAPHS:
            vertices, lines, loops, repeats, edges, triangles = published()[name]
            with self.subTest(name):
                # Headers tell the direction; the table counts lines.
                info = self.json("info", DATA / name, "--directed" if name.endswith(".txt.gz") else "--keep-repeats")
                self.assertEqual((info["vertices"], info["edges"], info["self_loops"], info["undirected_edges"]),
                                 (vertices, lines, loops, edges))
                self.assertEqual(info["repeated_edges"], repeats)
                counted = self.json("triangles", DATA / name)
                self.assertEqual((counted["triangles"], counted["undirected_edges"], counted["vertices"],
                                  counted["edges"]), (triangles, edges, vertices, lines))

    @needs_data
    def test_triangles_survive_conversion(self):
        _, _, _, _, edges, triangles = published()["ca-GrQc.txt.gz"]
        for name in ["g.cg", "g.txt", "g.mtx", "g.mtx.gz", "g.el", "g.sg", "g.txt.zst"]:
            out = self.folder / name
            with self.subTest(name):
                self.succeed("convert", DATA / "ca-GrQc.txt.gz", out)
                counted = self.json("triangles", out)
                self.assertEqual((counted["triangles"], counted["undirected_edges"]), (triangles, edges))
                back = self.folder / "back.cg"
                self.succeed("convert", out, back)
                self.assertEqual(self.json("triangles", back)["triangles"], triangles)

    @needs_data
    def test_labels_survive_conversion(self):
        source = DATA / "ca-GrQc.txt.gz"
        expected = self.succeed("pagerank", source, "--output", "-", "--tolerance", "1e-12", "--threads", "1")
        for name in ["g.cg", "g.txt"]:
            out = self.folder / name
            self.succeed("convert", source, out)
            got = self.succeed("pagerank", out, "--output", "-", "--tolerance", "1e-12", "--threads", "1")
            rows = lambda text: [(int(a), float(b)) for a, b in (line.split() for line in text.splitlines())]
            for (a, x), (b, y) in zip(rows(expected), rows(got), strict=True):
                self.assertEqual(a, b)
                self.assertAlmostEqual(x, y, 12)

    def test_the_format_found_is_named(self):
        texts = {"edge-list": "0 1\n1 2\n", "weighted-edge-list": "0 1 0.5\n1 2 2\n", "metis": "% a path\n3 2\n2\n1 3\n2\n",
                 "matrix-market": "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2\n",
                 "dimacs": "p sp 3 1\na 1 2 7\n"}
        for name, text in texts.items():
            graph = self.file("graph." + {"metis": "graph"}.get(name, name), text)
            self.assertEqual(self.json("info", graph)["graph"]["format"], name)
        self.assertIn("(dimacs)", self.succeed("info", graph))
        self.succeed("convert", graph, self.folder / "g.cg")
        self.assertEqual(self.json("info", self.folder / "g.cg")["graph"]["format"], "native")

    def test_loading_options(self):
        graph = self.file("g.txt", "0 1\n0 1\n1 0\n2 2\n1 2\n")
        arcs = lambda *options: self.json("info", graph, *options)["graph"]["arcs"]
        self.assertEqual(arcs(), 4)
        self.assertEqual(arcs("--keep-repeats"), 5)
        self.assertEqual(arcs("--drop-loops"), 3)
        self.assertEqual(arcs("--undirected"), 5)
        self.assertEqual(arcs("--undirected", "--drop-loops"), 4)
        info = self.json("info", graph)
        self.assertEqual((info["edges"], info["self_loops"], info["repeated_edges"], info["undirected_edges"]),
                         (5, 1, 1, 2))

    def test_generated_graphs_depend_on_their_seed_alone(self):
        for model in ["kronecker", "uniform", "power-law"]:
            with self.subTest(model):
                def make(name, *options):
                    path = self.folder / name
                    self.succeed("generate", model, path, "--scale", "10", *options)
                    return path.read_bytes()
                first = make("a.cg", "--seed", "1", "--threads", "1")
                self.assertEqual(first, make("b.cg", "--seed", "1", "--threads", "3"))
                self.assertNotEqual(first, make("c.cg", "--seed", "2"))
                self.assertEqual(self.json("info", self.folder / "a.cg")["vertices"], 1024)


class PageRank(CommandTest):
    """Against implementations that share nothing with ours, on three real graphs."""

    GRAPHS = ["wiki-Vote.txt.gz", "ca-GrQc.txt.gz", "p2p-Gnutella31.txt.gz"]

    def compare(self, implementation):
        for name in self.GRAPHS:
            with self.subTest(name):
                with gzip.open(DATA / name, "rt") as lines:
                    edges = sorted({tuple(map(int, line.split())) for line in lines if not line.startswith("#")})
                labels = sorted({v for edge in edges for v in edge})
                number = {label: i for i, label in enumerate(labels)}
                expected = implementation(len(labels), [(number[u], number[v]) for u, v in edges])
                rows = self.succeed("pagerank", DATA / name, "--output", "-", "--damping", "0.85", "--tolerance",
                                    "1e-13", "--iterations", "1000").splitlines()
                self.assertEqual([int(row.split("\t")[0]) for row in rows], labels)
                difference = max(abs(float(row.split("\t")[1]) - x) for row, x in zip(rows, expected, strict=True))
                self.assertLess(difference, 1e-9)

    @needs_data
    def test_against_plain_python(self):
        if SANITIZED:
            self.skipTest("slow; the unsanitized build does it")

        def power_iteration(n, edges):
            out = [[] for _ in range(n)]
            for u, v in edges:
                out[u].append(v)
            x = [1 / n] * n
            while True:
                lost = math.fsum(x[u] for u in range(n) if not out[u])
                y = [(0.15 + 0.85 * lost) / n] * n
                for u, targets in enumerate(out):
                    if targets:
                        share = 0.85 * x[u] / len(targets)
                        for v in targets:
                            y[v] += share
                if sum(abs(a - b) for a, b in zip(x, y)) < 1e-12:
                    return y
                x = y
        self.compare(power_iteration)

    @needs_data
    def test_against_scipy(self):
        try:
            import numpy
            import scipy.sparse
            import scipy.sparse.linalg
        except ImportError as missing:
            self.skipTest(f"{missing}; the comparison with plain Python stands in for it")

        def linear_system(n, edges):
            # x = 0.85 (P^T x + dangling x / n) + 0.15 / n, solved as the system (I - 0.85 P^T) y = 1, scaled to sum 1:
            # the rank of dangling vertices returns evenly, so it only scales the solution.
            rows, columns = numpy.array(edges).T
            degree = numpy.bincount(rows, minlength=n)
            matrix = scipy.sparse.csr_matrix((1.0 / degree[rows], (columns, rows)), shape=(n, n))
            y = numpy.ones(n)
            while True:
                z = 1.0 + 0.85 * (matrix @ y)
                if numpy.abs(z - y).sum() < 1e-13 * z.sum():
                    return z / z.sum()
                y = z
        self.compare(linear_system)


class PersonalisedPageRank(CommandTest):
    def test_seeds(self):
        """Against NetworkX 3.6.1: pagerank(personalization={30: 2, 50: 1}, tol=1e-16)."""
        graph = self.file("g.txt", "0 10\n0 20\n10 20\n20 0\n30 20\n30 40\n40 40\n40 50\n60 0\n60 30\n60 50\n")
        exactly = ["--tolerance", "1e-15", "--iterations", 1000, "--output", "-", "--quiet", "--verify"]
        rows = self.succeed("pagerank", graph, "--seeds", "30:2,50", *exactly)
        listed = self.file("seeds.txt", "# two of them\n50\n\n30\t2\n")
        self.assertEqual(rows.splitlines()[-1], "60\t0")
        from_file = self.succeed("pagerank", graph, "--seeds-file", listed, *exactly)
        for mine, same, expected in zip(rows.splitlines(), from_file.splitlines(), NETWORKX, strict=True):
            self.assertAlmostEqual(float(mine.split("\t")[1]), expected, delta=1e-9)
            self.assertAlmostEqual(float(same.split("\t")[1]), expected, delta=1e-9)
        found = self.json("pagerank", graph, "--seeds", 60)
        self.assertEqual((found["seeds"], found["top"][0]["vertex"]), (1, 0))
        self.assertNotIn("seeds", self.json("pagerank", graph))
        for arguments, says in [
            (["--seeds", "70"], ["--seeds", "'70'", "from 0 to 60"]), (["--seeds", "5,10"], "'5'"),
            (["--seeds", ""], "--seeds"), (["--seeds", "10,,20"], "--seeds"), (["--seeds", "10:0"], "--seeds"),
            (["--seeds", "10,20,10"], "10 is named twice"), (["--seeds", "10:x"], "'x'"), (["--seeds", "-1"], "'-1'"),
            (["--seeds", "10", "--seeds-file", listed], "--seeds"),
            (["--seeds-file", self.file("far.txt", "10\n11\n")], ["--seeds-file", "'11'"]),
        ]:
            with self.subTest(arguments):
                self.refuse(USAGE, "pagerank", graph, *arguments, says=says)
        for content, says in [("10\n20 x\n", ":2: "), ("ten\n", ":1: "), ("10 1 1\n", ":1: "), ("#\n", "expected a seed")]:
            with self.subTest(content):
                bad = self.file("bad.txt", content)
                self.refuse(INPUT, "pagerank", graph, "--seeds-file", bad, says=["bad.txt", says])
        self.refuse(INPUT, "pagerank", graph, "--seeds-file", self.folder / "none", says="none")


class Kernels(CommandTest):
    """bfs, sssp, components and the like: values of vertices, ranks, refusals; --verify answers for the kernels themselves."""

    def setUp(self):
        super().setUp()
        self.graph = self.file("g.txt", "10 20\n20 30\n30 40\n20 40\n70 80\n")

    def test_bfs_values(self):
        out = self.folder / "out.tsv"
        self.succeed("bfs", self.graph, "--source", 10, "--output", out, "--quiet")
        lines = [line.split("\t") for line in out.read_text().splitlines()]
        self.assertEqual([line[:2] for line in lines],
                         [["10", "0"], ["20", "1"], ["30", "2"], ["40", "2"], ["70", "-"], ["80", "-"]])
        self.assertEqual([line[2] for line in lines], ["10", "10", "20", "20", "-", "-"])
        near = self.json("bfs", self.graph, "--source", 30, "--undirected", "--depth", 1, "--verify")
        self.assertEqual((near["reached"], near["largest_distance"], near["verified"]), (3, 1, True))
        self.assertEqual(near["top"], [{"distance": 0, "vertices": 1}, {"distance": 1, "vertices": 2}])

    def test_watch(self):
        edits = self.file("edits.txt", "# closures\n- 20 30\n\n+ 40 90 0.5\n+ 80 10 2 # joins\n- 20 30\n")
        graph = self.file("w.txt", "10 20\n20 30\n30 40\n20 40\n70 80\n")
        rows = self.succeed("watch", graph, "--undirected", "--stream", edits, "--levels", 10, "--distances", 10,
                            "--components").splitlines()
        self.assertEqual(len(rows), 5)
        self.assertRegex(rows[0], r"^- 20 30; levels of 1: 30=3; distances of 1: 30=3; ")
        self.assertRegex(rows[1], r"^\+ 40 90 0.5; levels of 1: 90=3; distances of 1: 90=2.5; ")
        self.assertRegex(rows[2], r"levels of 2: 70=2 80=1; distances of 2: 70=3 80=2; components 2 -> 1; ")
        self.assertRegex(rows[3], r"^- 20 30; [^;]*$")
        self.assertRegex(rows[4], r"^4 edits in 4 updates: .*; 7 vertices, 6 edges; levels reach 7; distances reach 7; "
                                  r"1 component$")
        rows = self.succeed("watch", graph, "--undirected", "--stream", edits, "--batch", 3, "--levels", 10).splitlines()
        self.assertRegex(rows[1], r"^- 20 30; ")  # a last batch of one edit says which
        lines = self.succeed("watch", graph, "--undirected", "--stream", "-", "--batch", 3, "--json", "--top", 1,
                             stdin=edits.read_bytes()).splitlines()
        found = [json.loads(line) for line in lines]
        self.assertEqual([f["edits"] for f in found], [3, 1, 4])
        self.assertEqual(found[0]["components"], 1)
        self.assertEqual(len(found[0]["pagerank"]["first"]), 1)
        self.assertEqual((found[2]["edges"], found[2]["components"], found[2]["interrupted"]), (6, 1, False))
        self.assertEqual([row["vertex"] for row in found[2]["pagerank"]["top"]], [40])
        people = self.file("people.txt", "ann bob\nbob eve\neve ann\ndan dan2\n")
        lines = self.file("people-edits.txt", "- ann bob\n+\tdan2\tjohn q. smith\n+ ann x#1 # not a comment within a word\n")
        rows = self.succeed("watch", people, "--undirected", "--stream", lines, "--levels", "ann",
                            "--components").splitlines()
        self.assertRegex(rows[0], r"^- ann bob; levels of 1: bob=2; ")
        self.assertRegex(rows[1], r"^\+ dan2 john q. smith; ")
        self.assertRegex(rows[2], r"; levels of 1: x#1=1; ")
        found = [json.loads(line) for line in self.succeed("watch", people, "--undirected", "--stream", lines, "--levels",
                                                           "ann", "--components", "--json").splitlines()]
        self.assertEqual(found[1]["component_of"]["first"], [{"vertex": "john q. smith", "value": "dan"}])
        self.refuse(USAGE, "watch", people, "--stream", lines, "--levels", "zoe", says=["--levels", "zoe"])
        self.refuse(INPUT, "watch", people, "--stream", self.file("short.txt", "+ ann\n"), says=["short.txt", "names"])
        for content, says in [("+ 1\n", ":1: "), ("+ 1 2\nx 1 2\n", ":2: "), ("+ 1 2 -1\n", "at least 0"),
                              ("- 1 2 3\n", "'- U V'"), ("+ 1 2 nan\n", "at least 0"), ("+ 1 -2\n", "whole number"),
                              ("+ 1 2 1e999\n", "finite"), (f"+ 1 {2 ** 64}\n", "2^64"), ("+ 1 2\n+ 3 ", ":2: "),
                              ("+ 1 \x1b[31mX\n", "\\x1b"), ("\x1f\x8b\x08\0\0", ":1: "), ("+1 2\n", "'+ U V'"),
                              ("+" * ((1 << 20) + 2), "1048576 bytes")]:
            with self.subTest(content):
                bad = self.file("bad.txt", content)
                self.refuse(INPUT, "watch", graph, "--stream", bad, "--batch", 9, says=["bad.txt", says])
        self.refuse(INPUT, "watch", graph, "--stream", self.folder / "none", says="none")
        self.refuse(INPUT, "watch", graph, "--stream", self.folder, says="directory")
        self.refuse(INPUT, "watch", graph, "--stream", self.file("edits.txt.gz", b""), says="compressed")
        self.refuse(USAGE, "watch", graph, says="--stream")
        self.refuse(USAGE, "watch", "-", "--stream", "-", says="standard input")
        self.refuse(USAGE, "watch", graph, "--stream", edits, "--levels", 11, says="11")
        self.refuse(USAGE, "watch", graph, "--stream", edits, "--batch", 0, says="--batch")

    def test_watch_odd_streams(self):
        graph = self.file("w.txt", "1 2\n2 3\n3 1\n")
        for stream, updates, vertices, edges in [
                (b"", 0, 3, 3), (b"\n \n# nothing\n\t# more", 0, 3, 3),
                (b"\xef\xbb\xbf+ 1 4\r\n\r\n- 1 4\r\n", 2, 4, 3),  # as editors on Windows write it
                (b"+ 1 4", 1, 4, 4),  # no line break at the end
                (b"- 1 2\n- 2 1\n- 1 2\n", 3, 3, 2), (b"- 1 9\n- 8 9\n", 2, 3, 3),
                (b"+ 5 5\n+ 5 5\n+ 1 1 0\n- 5 5\n", 4, 4, 4), (b"+ 1 2 7\n+ 2 1 0\n+ 1 2 -0\n", 3, 3, 3),
                (b"+ 18446744073709551615 0\n", 1, 5, 4)]:
            for batch in [1, 3]:
                with self.subTest(stream=stream, batch=batch):
                    lines = self.succeed("watch", graph, "--undirected", "--stream", "-", "--json", "--batch", batch,
                                         "--components", "--pagerank", "--levels", 1, "--distances", 1,
                                         stdin=stream).splitlines()
                    last = json.loads(lines[-1])
                    self.assertEqual((last["edits"], last["vertices"], last["edges"]), (updates, vertices, edges))
        self.assertRegex(self.succeed("watch", graph, "--undirected", "--stream", "-"), r"^no edits; 3 vertices, 3 edges; ")
        people = self.file("people.txt", "ann bob\nbob eve\n")
        rows = self.succeed("watch", people, "--undirected", "--stream", "-", "--components",
                            stdin=b"+ ann ann\n+ \x1b[31m bob\n+ 17 bob\n- zoe 17\n- 17 bob\n").splitlines()
        self.assertNotIn("\x1b", "".join(rows))
        self.assertRegex(rows[-1], r"; 5 vertices, 4 edges; 2 components$")
        with subprocess.Popen([COMMAND, "watch", graph, "--stream", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as process:
            process.stdout.close()  # the reader goes
            process.communicate(b"+ 1 4\n")
        self.assertEqual(process.returncode, -signal.SIGPIPE)

    def test_bfs_trials(self):
        found = self.json("bfs", self.graph, "--sources", 5, "--seed", 3, "--verify")
        self.assertEqual(len(found["top"]), 5)
        self.assertTrue(all(row["source"] in (10, 20, 30, 70) for row in found["top"]))  # those with out-arcs
        self.assertEqual([row["source"] for row in found["top"]],
                         [row["source"] for row in self.json("bfs", self.graph, "--sources", 5, "--seed", 3)["top"]])
        rows = self.succeed("bfs", self.graph, "--sources", 5, "--quiet").splitlines()
        self.assertEqual([len(row.split("\t")) for row in rows], [5] * 5)

    def test_sources_are_refused(self):
        for arguments, says in [
            ([], "--source"), (["--source", 10, "--sources", 2], "--sources"), (["--source", 11], ["--source", "'11'"]),
            (["--source", "x"], "--source"), (["--sources", 0], "--sources"), (["--source", 10, "--depth", "x"], "--depth"),
        ]:
            with self.subTest(arguments):
                self.refuse(USAGE, "bfs", self.graph, *arguments, says=says)
        lonely = self.file("lonely.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 0\n")
        self.refuse(USAGE, "bfs", lonely, "--sources", 1, says="--sources")
        self.assertEqual(self.json("bfs", lonely, "--source", 2)["reached"], 1)

    def test_components(self):
        out = self.folder / "out.tsv"
        found = self.json("components", self.graph, "--verify")
        self.assertEqual((found["components"], found["largest_component"], found["single_vertices"]), (2, 4, 0))
        self.assertEqual(found["top"], [{"component": 10, "vertices": 4}, {"component": 70, "vertices": 2}])
        self.assertIn("4", self.succeed("components", self.graph, "--output", out))
        self.assertEqual(out.read_text(), "10\t10\n20\t10\n30\t10\n40\t10\n70\t70\n80\t70\n")
        self.assertEqual(self.succeed("components", self.graph, "--top", 1, "--quiet"), "10\t4\n")

    def test_sssp_values(self):
        graph = self.file("g.wel", "10 20 1.5\n20 30 2\n10 30 9\n40 10 0\n")
        out = self.folder / "out.tsv"
        self.succeed("sssp", graph, "--source", 10, "--output", out, "--quiet", "--verify")
        self.assertEqual(out.read_text(), "10\t0\t10\n20\t1.5\t10\n30\t3.5\t20\n40\t-\t-\n")
        found = self.json("sssp", graph, "--source", 40, "--top", 2, "--verify", "--delta", 1)
        self.assertEqual((found["reached"], found["largest_distance"], found["delta"]), (4, 3.5, 1))
        self.assertEqual(found["top"], [{"vertex": 30, "distance": 3.5}, {"vertex": 20, "distance": 1.5}])
        for arguments, says in [(["--delta", "0"], "--delta"), (["--delta", "nan"], "--delta"), (["--source", 9], "'9'")]:
            with self.subTest(arguments):
                self.refuse(USAGE, "sssp", graph, *(["--source", 10] if "--source" not in arguments else []), *arguments,
                            says=says)

    def test_sssp_paths_to_targets(self):
        graph = self.file("g.wel", "1 2 3\n2 3 4\n1 3 9\n3 4 1\n5 1 1\n")
        found = self.json("sssp", graph, "--source", 1, "--target", 4, "--target", 5, "--verify")
        self.assertEqual(found["paths"], [{"target": 4, "distance": 8, "vertices": [1, 2, 3, 4]},
                                          {"target": 5, "distance": None, "vertices": []}])
        self.assertEqual(self.succeed("sssp", graph, "--source", 1, "--target", 4, "--quiet"),
                         "4\t1\t0\n4\t2\t3\n4\t3\t7\n4\t4\t8\n")
        words = self.succeed("sssp", graph, "--source", 1, "--target", 4, "--target", 5)
        self.assertIn("8 long: 1 -> 2 -> 3 -> 4", words)
        self.assertRegex(words, "path to 5 +none")
        self.refuse(USAGE, "sssp", graph, "--source", 1, "--target", 9, says=["--target", "'9'"])
        self.refuse(USAGE, "sssp", graph, "--sources", 1, "--target", 4, says=["--target", "--source"])

    def test_sssp_over_negative_weights(self):
        graph = self.file("g.wel", "1 2 3\n2 3 -4\n1 3 9\n3 4 1\n5 1 1\n")
        self.assertEqual(self.succeed("sssp", graph, "--source", 1, "--output", "-", "--quiet", "--verify"),
                         "1\t0\t1\n2\t3\t1\n3\t-1\t2\n4\t0\t3\n5\t-\t-\n")
        self.assertIn("Bellman and Ford", self.succeed("sssp", graph, "--source", 1))
        found = self.json("sssp", graph, "--source", 1, "--target", 4, "--verify")
        self.assertEqual((found["method"], found["paths"][0]["vertices"]), ("bellman-ford", [1, 2, 3, 4]))
        self.refuse(INPUT, "sssp", graph, "--source", 1, "--undirected", says=["g.wel", "2 -> 3 -> 2", "both ways"])
        cycle = self.file("c.wel", "1 2 3\n2 3 -4\n3 2 1\n3 1 0\n")
        self.refuse(INPUT, "sssp", cycle, "--source", 1, says=["c.wel", "negative", "2 -> 3 -> 2"])

    def test_sssp_weights_are_refused(self):
        self.refuse(USAGE, "sssp", self.graph, "--source", 10, says="--random-weights")
        self.refuse(USAGE, "sssp", self.file("h.wel", "1 2 1.7e308\n2 3 1.7e308\n"), "--source", 1, says="1.8e308")
        drawn = self.json("sssp", self.graph, "--random-weights", 5, "--source", 10, "--verify")
        self.assertTrue(2 <= drawn["largest_distance"] <= 510)

    def test_random_weights_are_written(self):
        files = [self.folder / name for name in ("a.wel", "b.wel", "c.wel")]
        for file, seed in zip(files, (1, 1, 2)):
            self.succeed("convert", self.graph, file, "--random-weights", seed)
        self.assertEqual(files[0].read_text(), files[1].read_text())
        self.assertNotEqual(files[0].read_text(), files[2].read_text())
        self.assertTrue(all(1 <= int(line.split()[2]) <= 255 for line in files[0].read_text().splitlines()))

    def test_scc_kcore_clustering_diameter(self):
        graph = self.file("t.txt", "10 20\n20 30\n30 10\n30 40\n50 60\n")
        out = self.folder / "out.tsv"
        self.succeed("scc", graph, "--output", out, "--verify")
        self.assertEqual(out.read_text(), "10\t10\n20\t10\n30\t10\n40\t40\n50\t50\n60\t60\n")
        self.assertEqual(self.json("scc", graph)["top"][0], {"component": 10, "vertices": 3})
        self.succeed("kcore", graph, "--output", out, "--verify")
        self.assertEqual(out.read_text(), "10\t2\n20\t2\n30\t2\n40\t1\n50\t1\n60\t1\n")
        self.assertEqual(self.succeed("kcore", graph, "--top", 1, "--quiet"), "10\t2\n")
        self.succeed("clustering", graph, "--output", out, "--verify")
        self.assertEqual(out.read_text().splitlines()[2:4], ["30\t0.3333333333333333\t1", "40\t0\t0"])
        found = self.json("diameter", graph, "--verify")
        self.assertEqual((found["diameter"], found["component"], found["exact"]), (2, 4, True))
        self.assertEqual(self.succeed("diameter", graph, "--quiet"), "2\n")
        self.refuse(USAGE, "diameter", graph, "--searches", 0, says="--searches")

    def test_communities(self):
        edges = [(u, v) for first, last in ((10, 15), (30, 34)) for u in range(first, last) for v in range(first, u)]
        graph = self.file("c.txt", "".join(f"{u} {v}\n" for u, v in edges) + "14 33\n50 50\n")
        out = self.folder / "out.tsv"
        for method in ("leiden", "louvain", "labels"):
            found = self.json("communities", graph, "--method", method, "--verify", "--directions", "ignore")
            self.assertEqual((found["communities"], found["largest_community"], found["converged"]), (3, 5, True))
            # 16 edges and a loop; volumes 21, 13 and 2 of 36, 32 and 2 of them inside.
            self.assertAlmostEqual(found["modularity"], 34 / 36 - (21**2 + 13**2 + 2**2) / 36**2)
            self.assertEqual(found["top"][:2], [{"community": 10, "vertices": 5, "members": [14, 10, 11, 12, 13]},
                                                {"community": 30, "vertices": 4, "members": [33, 30, 31, 32]}])
            self.assertIn("modularity", self.succeed("communities", graph, "--method", method, "--output", out))
            self.assertEqual(out.read_text(), "".join(f"{v}\t10\n" for v in range(10, 15)) +
                             "".join(f"{v}\t30\n" for v in range(30, 34)) + "50\t50\n")
        self.assertEqual(self.succeed("communities", graph, "--top", 1, "--quiet"), "10\t5\n")
        self.assertEqual(self.json("communities", graph, "--resolution", 0)["communities"], 2)
        self.assertEqual(self.json("communities", graph, "--resolution", 99)["communities"], 10)
        hubs = self.folder / "h.cg"
        self.succeed("convert", graph, hubs, "--order", "hubs", "--undirected")
        self.assertEqual(self.succeed("communities", hubs, "--output", "-", "--quiet"), out.read_text())
        for arguments, says in [(["--method", "infomap"], ["--method", "'infomap'"]),
                                (["--resolution", "-1"], "--resolution"), (["--resolution", "nan"], "--resolution"),
                                (["--quality", "Q"], "modularity or cpm"), (["--directions", "x"], "--directions"),
                                (["--iterations", "0"], "--iterations")]:
            self.refuse(USAGE, "communities", graph, *arguments, says=says)
        self.refuse(INPUT, "communities", self.file("n.wel", "1 2 3\n2 3 -1\n"), says=["n.wel: the edge from 2 to 3", "-1"])

    def test_communities_do_not_depend_on_threads(self):
        graph = self.folder / "g.cg"
        self.succeed("generate", "kronecker", graph, "--scale", 13, "--quiet")
        for method in ("louvain", "labels"):
            values = {self.succeed("communities", graph, "--method", method, "--threads", threads, "--output", "-",
                                   "--quiet") for threads in (1, 2, 5)}
            self.assertEqual(len(values), 1)

    def test_hubs_first_speaks_the_users_labels(self):
        """The same values, names and other formats from a file in another order, and a smaller vertex is no hub."""
        text = "3 900\n4 900\n5 900\n6 900\n7 900\n7 8\n20 21\n"
        plain = self.file("p.txt", text)
        hubs = self.folder / "h.cg"
        self.succeed("convert", plain, hubs, "--order", "hubs", "--undirected")
        self.assertTrue(self.json("info", hubs, "--verify")["verified"])
        for command in (["bfs", "--source", 900], ["components"], ["scc"], ["kcore"], ["clustering"],
                        ["sssp", "--source", 8]):
            drawn = ["--random-weights", 1] if command[0] == "sssp" else []
            with self.subTest(command[0]):
                results = []
                for graph in ([plain, "--undirected"], [hubs]):
                    if drawn and graph[0] == hubs:
                        continue
                    results.append(self.succeed(command[0], *graph, *command[1:], *drawn, "--output", "-", "--quiet",
                                                "--verify"))
                self.assertEqual(results[0], results[-1])
        for name in ("x.txt", "x.mtx", "x.sg"):
            self.succeed("convert", plain, self.folder / ("a" + name), "--undirected")
            self.succeed("convert", hubs, self.folder / ("b" + name))
            self.assertEqual((self.folder / ("a" + name)).read_bytes(), (self.folder / ("b" + name)).read_bytes())
        back = self.folder / "back.cg"
        self.succeed("convert", hubs, back, "--order", "labels")
        self.assertEqual(self.succeed("bfs", back, "--source", 3, "--output", "-", "--quiet"),
                         self.succeed("bfs", plain, "--undirected", "--source", 3, "--output", "-", "--quiet"))
        self.refuse(USAGE, "convert", plain, self.folder / "y.txt", "--order", "hubs", says="--order")
        self.refuse(USAGE, "convert", plain, self.folder / "y.cg", "--order", "size", says="--order")

    @needs_data
    def test_real_graphs(self):
        for name in FEW_GRAPHS:  # ./x soak takes all that there are, and slow checks of larger ones
            with self.subTest(name):
                verify_all.verify(COMMAND, DATA / name, most_arcs_for_slow_checks=50_000)


class Structures(CommandTest):
    """Forests, trusses, similarities and the like: values of NetworkX on a small graph; subgraphs; refusals."""

    def setUp(self):
        super().setUp()
        self.graph = self.file("d.wel", "10 11 3\n11 12 1\n12 10 2\n10 12 4\n12 13 1\n13 10 5\n11 13 2\n")
        self.path = self.file("p.txt", "1 2\n2 3\n3 4\n9 9\n")

    def lines(self, *arguments):
        return self.succeed(*arguments, "--verify", "--output", "-", "--quiet").splitlines()

    def test_forest(self):
        self.assertEqual(self.lines("forest", self.graph), ["10\t12\t2", "11\t12\t1", "12\t13\t1"])
        self.assertEqual(self.lines("forest", self.graph, "--heaviest"), ["10\t11\t3", "10\t12\t4", "10\t13\t5"])
        self.assertEqual(self.lines("forest", self.path), ["1\t2", "2\t3", "3\t4"])
        found = self.json("forest", self.graph)
        self.assertEqual((found["weight"], found["forest_edges"], found["trees"]), (4, 3, 1))

    def test_truss(self):
        ring = self.file("t.txt", "1 2\n2 3\n3 1\n3 4\n4 5\n")
        self.assertEqual(self.lines("truss", ring), ["1\t2\t3", "1\t3\t3", "2\t3\t3", "3\t4\t2", "4\t5\t2"])
        self.assertEqual(len(self.lines("truss", ring, "--least", 3)), 3)
        self.assertEqual(self.json("truss", ring)["top"], [{"trussness": 3, "edges": 3}, {"trussness": 2, "edges": 2}])

    def test_similarity(self):
        self.assertEqual(self.lines("similarity", self.path, "--threshold", 0.5), ["1\t3\t0.5", "2\t4\t0.5"])
        self.assertEqual(self.lines("similarity", self.path, "--threshold", 1, "--measure", "overlap"),
                         ["1\t3\t1", "2\t4\t1"])
        self.assertEqual(self.lines("similarity", self.path, "--threshold", 0.1, "--least-common", 2), [])
        self.assertEqual(self.lines("similarity", self.path, "--best", 1), ["1\t3\t0.5", "2\t4\t0.5", "3\t1\t0.5", "4\t2\t0.5"])
        pairs = self.file("pairs.tsv", "# a comment\n4\t2\n1, 4\n")
        self.assertEqual(self.lines("similarity", self.path, "--pairs", pairs), ["4\t2\t0.5", "1\t4\t0"])
        wrong = self.file("wrong.tsv", "4 2\n1 5\n")
        self.refuse(INPUT, "similarity", self.path, "--pairs", wrong, says=["wrong.tsv:2", "'5'"])
        for arguments in ([], ["--threshold", 1, "--best", 2], ["--threshold", 0], ["--threshold", 1.5], ["--best", 0],
                          ["--best", 1, "--measure", "cosine"]):
            with self.subTest(arguments):
                self.refuse(USAGE, "similarity", self.path, *arguments, says="--")

    def test_greedy_structures(self):
        self.assertEqual(self.lines("matching", self.graph, "--weights", "strength"), ["10\t13", "11\t12", "12\t11", "13\t10"])
        self.assertEqual(self.json("matching", self.path, "--seed", 4)["seed"], 4)
        self.assertIn("9\t-", self.lines("matching", self.path))
        self.assertEqual(self.json("colouring", self.graph, "--verify")["colours"], 4)
        for order in ("smallest-last", "largest-first", "random"):
            self.assertIn(self.json("colouring", self.path, "--by", order, "--verify")["colours"], (2, 3))
        self.assertIn("9\t1", self.lines("independent-set", self.path))
        self.refuse(USAGE, "colouring", self.path, "--by", "name", says=["--by", "'name'"])
        self.refuse(USAGE, "matching", self.path, "--weights", "strength", says="no weights")

    def test_eccentricity_and_diameter(self):
        self.assertEqual(self.lines("eccentricity", self.path), ["1\t3\t0", "2\t2\t1", "3\t2\t1", "4\t3\t0", "9\t0\t0"])
        self.assertEqual(self.lines("eccentricity", self.path, "--along", "out"),
                         ["1\t3\t1", "2\t2\t0", "3\t1\t0", "4\t0\t0", "9\t0\t0"])
        self.assertEqual(self.lines("eccentricity", self.graph, "--along", "out", "--weights", "length"),
                         ["10\t5\t0", "11\t3\t1", "12\t5\t0", "13\t9\t0"])
        self.assertEqual(self.succeed("diameter", self.graph, "--along", "in", "--weights", "length", "--quiet"), "9\n")
        self.assertEqual(self.succeed("diameter", self.path, "--along", "out", "--quiet", "--verify"), "3\n")
        found = self.json("eccentricity", self.path)
        self.assertEqual([found[key] for key in ("diameter", "radius", "periphery", "center")], [3, 2, 2, 2])
        self.refuse(USAGE, "diameter", self.path, "--along", "up", says=["--along", "'up'"])

    def test_clustering_with_directions_and_weights(self):
        def values(*arguments):
            return [float(line.split("\t")[1]) for line in self.lines("clustering", self.graph, *arguments)]
        for found, networkx in [
            (values("--directions"), [1 / 2, 2 / 3, 1 / 2, 2 / 3]),
            (values("--directions", "--weights", "strength"),
             [0.24165267781038907, 0.28245675445958446, 0.20470644868920934, 0.3078668620825174]),
            (values("--undirected", "--keep-repeats", "--weights", "none"), [1, 1, 1, 1]),
        ]:
            for a, b in zip(found, networkx, strict=True):
                self.assertAlmostEqual(a, b, 12)

    def test_walks(self):
        walks = [line.split() for line in self.lines("walks", self.path, "--length", 3, "--each", 2)]
        self.assertEqual(walks, 2 * [["1", "2", "3"], ["2", "3", "4"], ["3", "4"], ["4"], ["9", "9", "9"]])
        options = ["--p", 0.5, "--q", 2, "--seed", 5]
        alone = self.succeed("walks", self.graph, *options, "--output", "-", "--threads", 1, "--quiet")
        self.assertEqual(self.succeed("walks", self.graph, *options, "--output", "-", "--threads", 3, "--quiet"), alone)
        self.assertEqual(len(self.lines("walks", self.graph, "--start", 10, "--start", 12, "--each", 3)), 6)
        self.refuse(USAGE, "walks", self.graph, "--p", 0, says="--p")
        self.refuse(USAGE, "walks", self.graph, "--start", 7, says=["--start", "'7'"])

    def test_subgraph(self):
        def part(graph, *arguments):
            out = self.folder / "part.wel"
            self.succeed("subgraph", graph, out, *arguments, "--quiet")
            return out.read_text()
        self.assertEqual(part(self.graph, "--around", 13, "--hops", 0), "")
        self.assertEqual(part(self.path, "--largest-component"), "1 2 1\n2 3 1\n3 4 1\n")
        self.assertEqual(part(self.path, "--around", 1, "--around", 4), "1 2 1\n2 3 1\n3 4 1\n")
        self.assertEqual(part(self.graph, "--core", 3), part(self.graph, "--largest-strong"))
        names = self.file("names.txt", "10 x\n12 y\n")
        self.assertEqual(part(self.graph, "--vertices", names), "10 12 4\n12 10 2\n")
        values = self.file("values.tsv", "10\t1\t5\n11\t2\t-\n12\t3\t5\n")
        self.assertEqual(part(self.graph, "--values", values, "--at-least", 2), "11 12 1\n")
        self.assertEqual(part(self.graph, "--values", values, "--column", 3, "--at-most", 5), "10 12 4\n12 10 2\n")
        out = self.folder / "part.mtx"
        self.refuse(USAGE, "subgraph", self.graph, out, says="--core")
        self.refuse(USAGE, "subgraph", self.graph, out, "--core", 1, "--largest-component", says="--core")
        self.refuse(USAGE, "subgraph", self.graph, out, "--values", values, says="--at-least")
        self.refuse(INPUT, "subgraph", self.graph, out, "--values", values, "--column", 4, "--at-least", 1, says="values.tsv:1")
        self.refuse(INPUT, "subgraph", self.graph, out, "--vertices", self.file("w.txt", "10\n99\n"), says=["w.txt:2", "'99'"])


class Analyze(CommandTest):
    def page(self, path):
        """Returns the page's text, checked to be whole and to need nothing else."""
        text = path.read_text()
        self.assertTrue(text.startswith("<!DOCTYPE html>") and text.endswith("</html>\n"))
        # One script of the page's own, which asks nothing of a network.
        self.assertLessEqual(text.count("<script"), 1)
        for forbidden in ["fetch(", "import(", "XMLHttpRequest", "src=", "href=", "url(", "@import", "nan", "inf<"]:
            self.assertNotIn(forbidden, text)
        body = re.sub("<script>.*</script>", "", text[text.index("<body>"):])
        xml.dom.minidom.parseString(body[:body.rindex("</html>")])
        return text

    def test_karate(self):
        edges = [(1, 2), (2, 3), (3, 1), (3, 4), (5, 6)]
        graph = self.file("g.txt", "".join(f"{u} {v}\n" for u, v in edges))
        out = self.folder / "page.html"
        result = self.json("analyze", graph, "--undirected", "--output", out)
        self.assertEqual(result["triangles"], 1)
        self.assertEqual(result["wedges"], 5)
        self.assertAlmostEqual(result["global_clustering"], 0.6)
        self.assertEqual(result["components"]["count"], 2)
        self.assertEqual(result["components"]["distribution"], [[2, 1], [4, 1]])
        self.assertEqual(result["out_degree"]["distribution"], [[1, 3], [2, 2], [3, 1]])
        self.assertEqual(result["distances"]["pairs"], [4, 8, 4])
        self.assertEqual((result["distances"]["diameter_at_least"], result["distances"]["diameter_at_most"]), (2, 2))
        self.assertEqual(result["betweenness"]["top"][0], {"vertex": 3, "score": 0.2, "degree": 3})
        self.assertTrue(result["betweenness"]["exact"])
        self.assertEqual(result["pagerank"]["top"][0]["vertex"], 3)
        self.assertEqual(result["not_computed"], [])
        self.assertEqual(result["page"], str(out))
        self.assertIn("<h1>g.txt</h1>", self.page(out))

    def test_agrees_with_the_other_commands(self):
        graph = self.folder / "g.cg"
        self.succeed("generate", "power-law", graph, "--scale", "9", "--degree", "3", "--directed")
        result = self.json("analyze", graph, "--samples", "64", "--seed", "5", "--top", "4")
        info = self.json("info", graph)
        for key in ["undirected_edges", "isolated", "dangling", "self_loops"]:
            self.assertEqual(result[key], info[key])
        self.assertEqual(result["triangles"], self.json("triangles", graph)["triangles"])
        components = self.json("components", graph, "--top", "4")
        self.assertEqual(result["components"]["largest"], components["top"])
        self.assertEqual(result["components"]["count"], components["components"])
        self.assertEqual(sum(n for _, n in result["components"]["distribution"]), components["components"])
        self.assertEqual(sum(d * n for d, n in result["in_degree"]["distribution"]), result["graph"]["arcs"])
        communities = self.json("communities", graph, "--top", "4")
        self.assertEqual(result["communities"]["members"], [row.pop("members") for row in communities["top"]])
        self.assertEqual(result["communities"]["largest"], communities["top"])
        self.assertEqual(result["communities"]["count"], communities["communities"])
        self.assertEqual(result["communities"]["modularity"], communities["modularity"])
        self.assertEqual(sum(s * n for s, n in result["communities"]["distribution"]), result["vertices"])
        pagerank = self.json("pagerank", graph, "--top", "4")["top"]
        self.assertEqual([v["vertex"] for v in result["pagerank"]["top"]], [v["vertex"] for v in pagerank])
        between = self.json("betweenness", graph, "--samples", "64", "--seed", "5", "--normalized", "--top", "4")["top"]
        for mine, theirs in zip(result["betweenness"]["top"], between):
            self.assertAlmostEqual(mine["score"], theirs["score"])
        self.assertIsNone(result["page"])
        self.assertEqual(os.listdir(self.folder), ["g.cg"])

    def test_where_the_page_goes(self):
        self.file("friends.txt.gz", gzip.compress(b"1 2\n2 3\n"))
        text = self.succeed("analyze", "friends.txt.gz", cwd=self.folder)
        self.assertIn("Page: friends-analysis.html", text)
        self.assertIn("PageRank", text)
        self.page(self.folder / "friends-analysis.html")
        self.assertEqual(self.succeed("analyze", "friends.txt.gz", "-q", "-o", "own.html", cwd=self.folder), "")
        self.page(self.folder / "own.html")
        self.assertTrue(self.succeed("analyze", "-", "-o", "-", stdin=b"1 2\n").startswith("<!DOCTYPE html>"))
        self.refuse(USAGE, "analyze", "friends.txt.gz", "--json", "-o", "-", cwd=self.folder, says="--output")
        self.refuse(USAGE, "analyze", "friends.txt.gz", "-o", "friends.txt.gz", cwd=self.folder, says="overwrite")
        self.refuse(OUTPUT, "analyze", "friends.txt.gz", "-o", "missing/x.html", cwd=self.folder, says="missing/x.html")

    def test_interrupted_it_leaves_nothing(self):
        graph = self.folder / "g.cg"
        self.succeed("generate", "uniform", graph, "--scale", "17")
        process = subprocess.Popen([COMMAND, "analyze", graph, "--samples", "100000"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        watches(process, signal.SIGINT)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=60), (b"", b"callisto: interrupted\n"))
        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertEqual(os.listdir(self.folder), ["g.cg"])

    @needs_data
    def test_real_graphs(self):
        for name in ["karate.txt.gz", "wiki-Vote.txt.gz", "rome99.gr.gz", "as-caida20071105.txt.gz"]:
            with self.subTest(name):
                out = self.folder / "page.html"
                result = self.json("analyze", DATA / name, "--samples", "64", "--output", out)
                vertices, *_, edges, triangles = published()[name]
                self.assertEqual((result["vertices"], result["undirected_edges"], result["triangles"]),
                                 (vertices, edges, triangles))
                self.page(out)


class Demo(CommandTest):
    def test_small_demo(self):
        svg = self.folder / "demo.svg"
        result = self.json("demo", "--scale", "8", "--cache", self.folder / "cache", "--svg", svg)
        self.assertTrue(result["agree"])
        xml.dom.minidom.parse(str(svg))
        cached = os.listdir(self.folder / "cache")
        self.assertEqual(len(cached), 1)
        text = self.succeed("demo", "--scale", "8", "--cache", self.folder / "cache", "--svg", svg)
        self.assertIn("PageRank", text)
        self.assertEqual(os.listdir(self.folder / "cache"), cached)

    def test_demo_on_a_file(self):
        graph = self.file("g.txt", "".join(f"{i} {i * 7919 % 1009}\n" for i in range(1009)))
        result = self.json("demo", graph, "--svg", self.folder / "demo.svg")
        self.assertEqual(result["vertices"], 1009)

    def test_demo_fails_where_the_picture_cannot_be_written(self):
        self.refuse(OUTPUT, "demo", "--scale", "8", "--cache", self.folder, "--svg",
                    self.folder / "missing" / "demo.svg", says="demo.svg")


class Bench(CommandTest):
    TINY = ["bench", "schedule", "--workload", "tiny", "--quick", "--rounds", "1", "--batch", "64", "--threads", "2"]
    # A candidate with one method. Its results are computed here, so that they say what the work is, too.
    PEER = r"""#!{python}
import sys, os, signal
CHEAT = {cheat!r}
def work(shape, reverse, site, n, heavy, blocks, extra):
    total = 0
    for i in range(n):
        x = 2 * i + 1
        for _ in range(19 * blocks + extra):
            x = x * 0x9e3779b97f4a7c15 % 2**64
        total += x ^ (x >> 32)
    return total, n
for line in sys.stdin:
    verb, *rest = line.split()
    if verb == "describe":
        if CHEAT == "refuse":
            print("refuse not today")
        elif CHEAT == "silent":
            sys.exit("no idea")
        else:
            print("name Snake\nversion 1\nlibrary none\nmethod only ba\nend")
    elif verb in ("run", "sequential"):
        if verb == "run" and CHEAT == "die":
            print("alas", file=sys.stderr)
            os.kill(os.getpid(), signal.SIGABRT)
        repeats = int(rest[-8])
        total, count = work(*map(int, rest[-7:]))
        if verb == "run" and CHEAT == "skip":
            count -= 1
        if verb == "run" and CHEAT == "twice":
            total += 1
        print("time 0.001 %x %d" % (total * repeats % 2**64, count * repeats))
    else:
        print("error what?")
    sys.stdout.flush()
"""

    def peer(self, cheat=None):
        folder = self.folder / "peers"
        folder.mkdir(exist_ok=True)
        path = folder / "callisto-peer-snake"
        path.write_text(self.PEER.format(python=sys.executable, cheat=cheat))
        path.chmod(0o755)
        return ["--peers", folder, "--svg", self.folder / "s.svg"]

    def test_compares(self):
        result = self.json(*self.TINY, *self.peer(), "--schedule", "counter(machine)", "--schedule",
                           "counter(thread)")
        contestants = ["Callisto", "Callisto counter(machine)", "Callisto counter(thread)", "Snake"]
        self.assertEqual([c["name"] for c in result["contestants"]], contestants)
        self.assertEqual([c["failure"] for c in result["contestants"]], [None] * 4)
        self.assertIn("oneTBB", [a["name"] for a in result["absent"]])
        loop, = result["loops"]
        self.assertEqual((loop["name"], loop["iterations"]), ("tiny", 1024))
        self.assertEqual({(w["contestant"], w["batch"]) for w in loop["ways"]},
                         {(c, b) for c in contestants for b in (64, 0)})
        self.assertEqual([d["contestant"] for d in loop["duels"]], ["Snake"])
        self.assertEqual(result["wrong"], [])
        self.assertIn("Snake", (self.folder / "s.svg").read_text())
        xml.dom.minidom.parse(str(self.folder / "s.svg"))

    def test_prints_a_table(self):
        text = self.succeed(*self.TINY, *self.peer())
        self.assertRegex(text, r"(?m)^  Callisto +\d")
        self.assertRegex(text, r"(?m)^  Snake +\d")
        self.assertRegex(text, r"(?m)^(kept|open|MISSED) +tiny: default speed-up")

    def test_wrong_results(self):
        for cheat, says in [("skip", "30690 iterations instead of 30720"), ("twice", "not each of them once")]:
            done = run(*self.TINY, *self.peer(cheat))
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"Snake, batch 64, tiny: {says}" if cheat == "skip" else says, done.stderr.decode())
            self.assertIn("WRONG    Snake", done.stdout.decode())

    def test_a_contestant_that_dies(self):
        result = self.json(*self.TINY, *self.peer("die"))
        self.assertEqual([c["name"] for c in result["contestants"]], ["Callisto", "Snake"], result["absent"])
        self.assertRegex(result["contestants"][1]["failure"], r"ended by signal 6 .*: alas")
        self.assertEqual({w["contestant"] for w in result["loops"][0]["ways"]}, {"Callisto"})

    def test_contestants_that_do_not_take_part(self):
        for cheat, says in [("refuse", "not today"), ("silent", "ended with exit code 1: no idea")]:
            result = self.json(*self.TINY, *self.peer(cheat))
            self.assertIn({"name": "snake", "reason": says}, result["absent"])
            self.assertEqual(len(result["contestants"]), 1)

    def test_alone(self):
        result = self.json(*self.TINY, "--peer", "none", "--svg", self.folder / "s.svg")
        self.assertEqual([c["name"] for c in result["contestants"]], ["Callisto"])

    def test_usage(self):
        svg = ["--svg", self.folder / "s.svg"]
        self.refuse(USAGE, "bench", *svg, says=["--svg", "bench"])
        self.refuse(USAGE, "bench", "cake", says=["cake", "schedule"])
        self.refuse(USAGE, "bench", "schedule", "--workload", "odd", *svg, says=["--workload", "odd", "skew75"])
        self.refuse(USAGE, "bench", "schedule", "--batch", "0", *svg, says="--batch")
        self.refuse(USAGE, "bench", "schedule", "--rounds", "0", *svg, says="--rounds")
        self.refuse(USAGE, "bench", "schedule", "--schedule", "heap", *svg, says="--schedule")
        self.refuse(USAGE, "bench", "schedule", "--peer", "nobody", *svg, says=["--peer", "nobody"])
        self.refuse(USAGE, "bench", "schedule", "--peers", self.folder / "missing", *svg, says=["--peers", "missing"])
        self.refuse(OUTPUT, *self.TINY, "--peer", "none", "--svg", self.folder / "missing" / "s.svg", says="s.svg")

    def children(self, process):
        path = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        return path.read_text().split() if path.exists() else []

    def test_no_child_is_left_behind(self):
        for number, code in [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)]:
            process = subprocess.Popen([COMMAND, "bench", "schedule", "--workload", "even", "--rounds", "1000", "--peer",
                                        "none", "--svg", self.folder / "s.svg"], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            deadline = time.monotonic() + 60
            while len(children := self.children(process)) < 2 and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertEqual(len(children), 2)
            process.send_signal(number)
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, code)
            while any(os.path.exists(f"/proc/{c}/exe") for c in children) and time.monotonic() < deadline:
                time.sleep(0.05)
            for child in children:
                self.assertFalse(os.path.exists(f"/proc/{child}/exe"))


class BenchGap(CommandTest):
    # Takes what GAPBS's programs take; its times are such that ratios are known, its arguments go to a file.
    PEER = """#!/bin/sh
echo "$0 $@ threads $OMP_NUM_THREADS" >> {log}
test -s "$2" || exit 9
{cheat}
echo "Graph has a lot of nodes"
echo "Trial Time:          9.00000"
echo "Trial Time:          0.50000"
echo "Average Time:        4.75000"
"""

    def peer(self, *names, cheat=""):
        folder = self.folder / "programs"
        folder.mkdir(exist_ok=True)
        for name in names:
            path = folder / name
            path.write_text(self.PEER.format(log=self.folder / "log", cheat=cheat))
            path.chmod(0o755)
        return ["--peer", folder, "--scratch", self.folder]

    def test_alone(self):
        result = self.json("bench", "gap", "--scale", "8", "--trials", "4", "--verify", "--threads", "2")
        self.assertEqual([g["name"] for g in result["graphs"]],
                         ["kronecker, scale 8", "uniform, scale 8", "grid, scale 8"])
        self.assertTrue(result["verified"])
        self.assertIsNone(result["geometric_mean"])
        for graph in result["graphs"]:
            self.assertEqual([k["kernel"] for k in graph["kernels"]], ["bfs", "pr", "cc", "bc", "tc", "sssp"])
            for kernel in graph["kernels"]:
                self.assertIsNone(kernel["failure"])
                trials = kernel["callisto"]["trials"]
                self.assertEqual(len(trials), 3 if kernel["kernel"] == "tc" else 4)
                self.assertTrue(kernel["callisto"]["least"] <= kernel["callisto"]["median"] <= kernel["callisto"]["most"])

    def test_with_a_peer(self):
        result = self.json("bench", "gap", "--scale", "7", "--model", "kronecker", "--trials", "2", "--threads", "2",
                           *self.peer("bfs", "pr", "cc", "bc"))
        kernels = {k["kernel"]: k for k in result["graphs"][0]["kernels"]}
        self.assertEqual(kernels["bfs"]["peer"]["trials"], [0.5, 0.5])
        self.assertEqual(kernels["bc"]["peer"]["trials"], [2, 2])  # of four sources
        self.assertIsNone(kernels["tc"]["peer"])
        self.assertIn("no such program", kernels["tc"]["peer_failure"])
        self.assertIsNone(kernels["bfs"]["peer_settings"])
        for name in ["bfs", "pr", "cc", "bc"]:
            ratio = kernels[name]["ratio"]["median"]
            ours = kernels[name]["callisto"]["trials"]
            self.assertAlmostEqual(ratio, sum(t / o for t, o in zip(kernels[name]["peer"]["trials"], ours)) / 2)
        self.assertGreater(result["geometric_mean"], 0)
        calls = (self.folder / "log").read_text().splitlines()
        self.assertEqual(len(calls), 2 + 2 + 2 + 8)
        self.assertTrue(all(call.endswith(" threads 2") and ".sg -n 2" in call for call in calls))
        self.assertTrue(all("-i 1000 -t 0.0001" in call for call in calls if "/pr " in call))
        sources = [re.search(r"-r (\d+)", call)[1] for call in calls if "/bc " in call]
        self.assertEqual(len(set(sources[:4])), 4)
        self.assertEqual(sorted(os.listdir(self.folder)), ["log", "programs"])  # no graph files are left
        text = self.succeed("bench", "gap", "--scale", "7", "--model", "grid", "--kernel", "cc", "--trials", "1",
                            *self.peer("cc"))
        self.assertRegex(text, r"(?m)^  cc +1 ")
        self.assertIn("Geometric mean over all", text)

    def test_peers_that_fail(self):
        result = self.json("bench", "gap", "--scale", "6", "--model", "grid", "--kernel", "cc,pr", "--trials", "2",
                           *self.peer("cc", cheat="echo alas >&2; exit 3"))
        kernels = {k["kernel"]: k for k in result["graphs"][0]["kernels"]}
        self.assertIn("ended with exit code 3: alas", kernels["cc"]["peer_failure"])
        self.assertEqual(len(kernels["cc"]["callisto"]["trials"]), 2)
        result = self.json("bench", "gap", "--scale", "6", "--model", "grid", "--kernel", "cc", "--trials", "2",
                           *self.peer("cc", cheat="echo Trial Time: soon"))
        self.assertIn("soon", result["graphs"][0]["kernels"][0]["peer_failure"])

    def test_files(self):
        graph = self.file("g.txt", "".join(f"{i * 7 % 1000} {i * i % 1000}\n" for i in range(5000)))
        result = self.json("bench", "gap", graph, "--trials", "2", "--verify", *self.peer("tc", "bfs"))
        self.assertEqual([g["name"] for g in result["graphs"]], [str(graph)])
        self.assertTrue(result["graphs"][0]["directed"])
        calls = (self.folder / "log").read_text()
        self.assertIn("undirected.sg", re.search(r".*/tc .*", calls)[0])
        self.assertIn("/graph.sg", re.search(r".*/bfs .*", calls)[0])

    def test_paths_on_weights(self):
        result = self.json("bench", "gap", "--scale", "7", "--model", "kronecker", "--kernel", "sssp", "--trials", "2",
                           "--verify", *self.peer("sssp"))
        row, = result["graphs"][0]["kernels"]
        calls = (self.folder / "log").read_text().splitlines()
        deltas = [re.search(r"-d (\d+)", call)[1] for call in calls]
        self.assertEqual(deltas, ["1", "4", "16", "64", "256", "1024", "4096", "16384", "65536"] + ["1"] * 2)
        self.assertEqual(row["peer_settings"], "-d 1")  # all took as long
        self.assertTrue(all(".wsg " in call for call in calls))
        halves = self.file("halves.txt", "0 1 0.5\n1 2 2.5\n")
        result = self.json("bench", "gap", halves, "--kernel", "sssp", "--trials", "1", "--verify", *self.peer("sssp"))
        row, = result["graphs"][0]["kernels"]
        self.assertIsNone(row["failure"])
        self.assertIn("weight", row["peer_failure"])  # the peer's files have whole ones

    def test_orders(self):
        def run(*flags):
            (self.folder / "log").unlink(missing_ok=True)
            self.json("bench", "gap", "--scale", "7", "--model", "kronecker", "--kernel", "bfs,tc", "--trials", "3",
                      "--verify", *flags, *self.peer("bfs"))
            return [re.search(r"-r (\d+)", call)[1] for call in (self.folder / "log").read_text().splitlines()]
        given = run()
        self.assertEqual(run("--order", "hubs"), given)
        self.assertNotEqual(run("--order", "hubs", "--peer-order", "hubs"), given)
        result = self.json("bench", "gap", "--scale", "7", "--model", "grid", "--order", "hubs", "--trials", "1")
        self.assertEqual(result["graphs"][0]["name"], "grid, scale 7, hubs first")
        self.assertGreater(result["graphs"][0]["order_seconds"], 0)
        self.refuse(USAGE, "bench", "gap", "--order", "best", says=["--order", "given or hubs", "best"])

    def test_a_graph_without_edges(self):
        graph = self.file("g.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 0\n")
        result = self.json("bench", "gap", graph, "--trials", "1", "--verify")
        kernels = {k["kernel"]: k for k in result["graphs"][0]["kernels"]}
        self.assertIn("to start from", kernels["bfs"]["failure"])
        self.assertIn("to start from", kernels["bc"]["failure"])
        self.assertIsNone(kernels["cc"]["failure"])

    def test_usage(self):
        self.refuse(USAGE, "bench", "gap", "--kernel", "bfs,cake", says=["--kernel", "cake", "tc"])
        self.refuse(USAGE, "bench", "gap", "--model", "ring", says=["--model", "ring", "grid"])
        self.refuse(USAGE, "bench", "gap", "--trials", "0", says="--trials")
        self.refuse(USAGE, "bench", "gap", "--scale", "0", says="--scale")
        self.refuse(USAGE, "bench", "gap", "--peer", self.folder, says=["--peer", self.folder])
        self.refuse(USAGE, "bench", "--rounds", "3", "gap", says=["--rounds", "gap"])
        self.refuse(INPUT, "bench", "gap", self.folder / "missing.txt", says="missing.txt")

    def test_interrupted_it_leaves_nothing(self):
        process = subprocess.Popen(
            [COMMAND, "bench", "gap", "--scale", "8", "--model", "grid", "--kernel", "cc",
             *map(str, self.peer("cc", cheat="sleep 100"))], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while not (self.folder / "log").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=60), (b"", b"callisto: interrupted\n"))
        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertEqual(sorted(os.listdir(self.folder)), ["log", "programs"])


class Screen:
    """What a terminal of so many columns and rows shows after it got `output`: what `top` uses of ECMA-48, and no more."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.lines = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0

    def feed(self, output):
        for text, final in re.findall("([^\x1b\r\n]+)|(\x1b\\[[?0-9;]*[a-zA-Z]|\r|\n)", output):
            for character in text:
                assert self.column < self.columns, f"a line is too long: {output!r}"
                self.lines[self.row][self.column] = character
                self.column += 1
            if final == "\r":
                self.column = 0
            elif final == "\n":
                assert self.row + 1 < self.rows, "the screen would scroll"
                self.row += 1
            elif final == "\x1b[H":
                self.row = self.column = 0
            elif final == "\x1b[K":
                self.lines[self.row][self.column:] = [" "] * (self.columns - self.column)
            elif final == "\x1b[J":
                for row in range(self.row + 1, self.rows):
                    self.lines[row] = [" "] * self.columns
            elif final and not re.fullmatch("\x1b\\[([0-9;]*m|[?]25[lh]|[?]1049[lh])", final):
                raise AssertionError(f"unexpected: {final!r}")
        return self

    def text(self):
        return "\n".join("".join(line).rstrip() for line in self.lines)


class Sharing(CommandTest):
    """run, status, top and reset, with a table of their own."""

    def setUp(self):
        super().setUp()
        self.tables = self.folder / "tables"
        self.tables.mkdir()
        self.env = {"CALLISTO_COSCHED_DIR": str(self.tables)}

    def job(self, *arguments, through=()):
        if not JOB:
            self.skipTest("CALLISTO_JOB is not set")
        child = subprocess.Popen([*map(str, through), JOB, *map(str, arguments)], stdout=subprocess.PIPE,
                                 env={**os.environ, **self.env})
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        self.assertRegex(child.stdout.readline(), rb"\Ajoined \d+\n\Z")
        return child

    def status(self):
        return self.json("status", env=self.env)

    def comes_to(self, holds):
        for _ in range(600):
            seen = self.status()
            if holds(seen):
                return seen
            time.sleep(0.05)
        self.fail(f"it never comes to that: {seen}")

    def test_without_a_table(self):
        self.assertRegex(self.succeed("status", env=self.env), r"\AThere is no table: [^\n]+\n\Z")
        seen = self.status()
        self.assertIn("programs", seen, "those of other tests")
        self.assertEqual(seen, {"table": None, "whole": True, "jobs": [], "programs": seen["programs"], "contexts": []})
        self.assertRegex(self.succeed("reset", env=self.env), r"\AThere is no table, [^\n]+\n\Z")
        self.assertEqual(self.json("reset", env=self.env), {"table": None})
        self.assertIn("There is no table", self.succeed("top", "--interval", "0.05", env=self.env))
        self.assertEqual(list(self.tables.iterdir()), [], "looking makes no table")
        self.refuse(INPUT, "status", "--trace", self.folder / "t.json", env=self.env, says="no table")

    def test_a_table_that_is_none(self):
        self.job().kill()
        table, = self.tables.iterdir()
        for damage, says in [(lambda: table.chmod(0o644), "0600"),
                             (lambda: (table.chmod(0o600), os.truncate(table, 5)), "5 bytes")]:
            damage()
            for command in ["status", "top", "reset"]:
                message = self.refuse(INPUT, command, env=self.env, says=[table, says])
                self.assertNotIn("std::", message)

    def test_folders(self):
        """Three commands give the same answer."""
        table = self.tables / pathlib.Path(re.search(r"\((.*)\)", self.succeed("status", env=self.env))[1]).name
        table.symlink_to("nowhere")
        for folder, says in [("/nonexistent", "CALLISTO_COSCHED_DIR=/nonexistent"), ("/etc/passwd", "=/etc/passwd: "),
                             (self.tables, [table, "links"])]:
            for command in ["status", "top", "reset"]:
                self.refuse(INPUT, command, env={"CALLISTO_COSCHED_DIR": str(folder)}, says=says)
        done = run("bench", "program", "dynamic", "1", env={"CALLISTO_COSCHED": "on", "CALLISTO_COSCHED_DIR": "a\nb\x1b[31m"})
        self.assertRegex(done.stderr.decode(), r"\Acallisto: shares the machine with no other job: a b \[31m/.*\n\Z")

    @unittest.skipUnless(JOB and os.geteuid() == 0, "only root can become a user who may not write into a folder")
    def test_a_folder_that_is_only_read(self):
        nobody = {"user": 64300, "group": 64300, "extra_groups": [], "env": {**os.environ, **self.env}}
        os.chown(self.tables, 64300, 64300)
        command, job = (shutil.copy(program, self.folder) for program in [COMMAND, JOB])
        subprocess.run(["timeout", "0.1", job], stdout=subprocess.DEVNULL, **nobody)
        self.tables.chmod(0o500)
        for arguments in [["status"], ["top", "--interval", "0.05"], ["reset"]]:
            done = subprocess.run([command, *arguments], capture_output=True, **nobody)
            self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
            self.assertIn(str(self.tables).encode(), done.stdout)
        next(self.tables.iterdir()).unlink()
        for arguments in [["status"], ["top"], ["reset"]]:
            done = subprocess.run([command, *arguments], capture_output=True, **nobody)
            self.assertEqual(done.returncode, INPUT)
            self.assertIn(f"CALLISTO_COSCHED_DIR={self.tables}: ".encode(), done.stderr)

    def test_the_name_of_the_table(self):
        """Another one in another namespace of users; none where it cannot be told."""
        name = self.succeed("status", env=self.env)
        few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4))
        self.refuse(INPUT, "status", "--trace", self.folder / "t.json", env=self.env, preexec_fn=few, says="boot_id")
        there = subprocess.run(["unshare", "--user", "--map-root-user", COMMAND, "status"], capture_output=True,
                               env={**os.environ, **self.env})
        if there.returncode != 0:
            self.skipTest(there.stderr.decode())
        self.assertNotEqual(there.stdout.decode(), name)

    def test_no_room_for_a_table(self):
        """A limit on the size of files ends no program, and leaves nothing of the table."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100 << 10, 100 << 10))
        done = run("bench", "program", "dynamic", "1", env={**self.env, "CALLISTO_COSCHED": "on"}, preexec_fn=limit)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr.decode(), r"\Acallisto: shares the machine with no other job: .*File too large.*\n\Z")
        self.refuse(INPUT, "status", env=self.env, preexec_fn=limit, says=["jobs cannot share this machine", "File too large"])
        self.assertEqual(list(self.tables.iterdir()), [])

    def test_status(self):
        first = self.job("--none-of-its", "/data/web\n.el", through=[COMMAND, "run", "--weight", "3", "--"])
        second = self.job()
        # A job that a busy machine keeps from answering in time is silent for a while.
        seen = self.comes_to(
            lambda s: len(s["jobs"]) == 2
            and any(c["runs"] is not None for c in s["contexts"])
            and all(j["cooperates"] for j in s["jobs"])
        )
        self.assertEqual([j["pid"] for j in seen["jobs"]], [first.pid, second.pid])
        self.assertEqual([j["weight"] for j in seen["jobs"]], [3, 1])
        self.assertEqual({j["name"] for j in seen["jobs"]}, {"job_program"})
        contexts = os.sched_getaffinity(0)
        self.assertTrue(set(seen["jobs"][0]["contexts"]) == contexts)
        self.assertAlmostEqual(sum(j["share"] for j in seen["jobs"]), len(contexts), places=6)
        self.assertTrue(contexts <= {c["context"] for c in seen["contexts"]})
        for _ in range(100):
            text = self.succeed("status", env=self.env)
            if "silent" not in text:
                break
        self.assertRegex(text, rf"(?m)^ +0 +{first.pid}  job_program web .el +3 .* (runs|waits)")
        self.assertRegex(text, rf"(?m)^ +1 +{second.pid}  job_program +1 .* (runs|waits)")
        self.assertRegex(text, r"(?m)^context +core +priority")
        # Columns are as wide as what they hold at the moment.
        self.assertEqual(text.split("\n\n", 1)[1].splitlines()[0].split(),
                         self.succeed("status", "-q", env=self.env).splitlines()[0].split())

        # One that stands still is shown as such, and the other gets what it had.
        os.kill(first.pid, signal.SIGSTOP)
        seen = self.comes_to(lambda s: s["jobs"][0]["state"] == "stopped" and s["jobs"][1]["runs"] == len(contexts))
        self.assertFalse(seen["jobs"][0]["cooperates"])
        os.kill(first.pid, signal.SIGCONT)
        self.comes_to(lambda s: s["jobs"][0]["runs"] > 0)

        first.kill()
        first.wait()
        second.kill()
        second.wait()
        self.assertEqual({j["state"] for j in self.status()["jobs"]}, {"ended"})
        cleared = self.json("reset", env=self.env)
        self.assertEqual((cleared["jobs"], cleared["header_mended"]), (0, False))
        self.assertGreaterEqual(cleared["reaped"], 1)
        self.assertEqual(self.status()["jobs"], [])
        self.assertIn("No job is running.", self.succeed("status", env=self.env))
        self.assertIn("nothing was wrong", self.succeed("reset", env=self.env))
        self.assertEqual(self.succeed("reset", "--quiet", env=self.env), "")

    def test_set(self):
        first = self.job()
        self.job()
        self.comes_to(lambda s: len(s["jobs"]) == 2)
        weights = lambda *of: self.comes_to(lambda s: [j["weight"] for j in s["jobs"]] == [*of])
        self.assertRegex(self.succeed("set", "1", "--weight", "5", env=self.env), r"\Ajob 1 \(job_program\) has weight 5")
        weights(1, 5)
        self.succeed("set", str(first.pid), "--weight", "2", env=self.env)
        weights(2, 5)
        for arguments, says in [(["7", "--weight", "2"], "JOB: expected a job that 'callisto status' shows, found '7'"),
                                (["0"], "--weight: expected"), (["0", "--weight", "1001"], "--weight: expected"),
                                (["x", "--weight", "2"], "JOB: expected")]:
            self.refuse(USAGE, "set", *arguments, env=self.env, says=says)
        weights(2, 5)

    def test_who_does_not_answer(self):
        self.job("--runaway")
        time.sleep(0.1)
        self.job(through=[COMMAND, "run", "--weight", "100", "--"])
        self.comes_to(lambda s: [(j["state"] == "silent", j["cooperates"]) for j in s["jobs"]]
                      == [(True, False), (False, True)])
        self.assertRegex(self.succeed("status", env=self.env), r"(?m) \d+, by 0 .* ago$")

    def test_reset_under_damage(self):
        jobs = [self.job(), self.job()]
        table, = self.tables.iterdir()
        for _ in range(3):
            with open(table, "r+b") as file:
                file.write(os.urandom(table.stat().st_size))
            self.assertFalse(self.status()["whole"])
            self.assertIn("damaged", self.succeed("status", env=self.env))
            cleared = self.json("reset", env=self.env)
            self.assertEqual((cleared["header_mended"], cleared["jobs"]), (True, 2))
        self.comes_to(lambda s: sorted(j["pid"] for j in s["jobs"]) == sorted(j.pid for j in jobs)
                      and {c["runs"] for c in s["contexts"] if c["wanted_by"]} <= {0, 1})
        self.assertEqual([job.poll() for job in jobs], [None, None], "jobs go on")

    def test_trace(self):
        self.job("--burst", "30")
        self.job("--burst", "20")
        trace = self.folder / "trace.json"
        told = self.json("status", "--trace", trace, "--seconds", "1", env=self.env)
        events = json.loads(trace.read_text())
        spans = [e for e in events["traceEvents"] if e["ph"] == "X"]
        self.assertEqual({e["name"].split()[0] for e in spans}, {"job_program"})
        self.assertEqual(len({e["name"].split(",")[0] for e in spans}), 2)
        self.assertGreaterEqual(told["hand_overs"], 10)
        self.assertEqual(told["hand_overs"], events["otherData"]["hand_overs"])
        for context in {e["tid"] for e in spans}:  # one at a time, within the second
            ends = 0
            for e in sorted((e for e in spans if e["tid"] == context), key=lambda e: e["ts"]):
                self.assertGreaterEqual(e["ts"], ends - 0.002)
                ends = e["ts"] + e["dur"]
            self.assertLess(ends, 3e6)
        self.refuse(USAGE, "status", "--seconds", "1", env=self.env, says="--trace")
        self.refuse(USAGE, "status", "--trace", "-", env=self.env, says="--trace")
        self.refuse(USAGE, "status", "--trace", "", "--seconds", "1", env=self.env, says="--trace")
        self.refuse(USAGE, "status", "--trace", trace, "--seconds", "0", env=self.env, says="--seconds")

    # --- run

    def test_run_is_the_command(self):
        for arguments in [["--", "sh", "-c", "exit 7"], ["sh", "-c", "exit 7"], ["--weight", "2", "sh", "-c", "exit 7"]]:
            self.assertEqual(run("run", *arguments).returncode, 7, arguments)
        self.assertEqual(self.succeed("run", "--", "cat", stdin=b"through"), "through")
        words = ["[a,b]", "", "--weight", "--", "{x}", "-h", " y "]
        for before in [["--"], [], ["--weight=3"], ["--no-openmp", "--"]]:
            self.assertEqual(self.succeed("run", *before, "printf", "<%s>", *words), "".join(f"<{w}>" for w in words))
        done = run("run", "--", "sh", "-c", "kill -TERM $$")
        self.assertEqual(done.returncode, -signal.SIGTERM)
        # No signal is blocked or ignored that was not before.
        masks = self.succeed("run", "--", "sed", "-n", "/^Sig\\(Blk\\|Ign\\)/p", "/proc/self/status")
        plain = subprocess.run(["sed", "-n", "/^Sig\\(Blk\\|Ign\\)/p", "/proc/self/status"], capture_output=True).stdout
        self.assertEqual(masks, plain.decode())

    def test_run_takes_no_signal(self):
        """One that comes before the program does is the program's."""
        def pend():
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
            os.kill(os.getpid(), signal.SIGTERM)
        pending = self.succeed("run", "--contexts", "1", "--", "sed", "-n", "s/^ShdPnd:\\s*//p", "/proc/self/status",
                               env=self.env, preexec_fn=pend)
        self.assertEqual(int(pending, 16), 1 << (signal.SIGTERM - 1))

    def test_run_sets_what_jobs_read(self):
        shown = self.succeed("run", "--weight", "5", "--coschedule", "off", "--", "env")
        self.assertIn("\nCALLISTO_WEIGHT=5\n", "\n" + shown)
        self.assertIn("\nCALLISTO_COSCHED=off\n", "\n" + shown)
        self.assertIn("\nCALLISTO_TRAPS=on\n", "\n" + self.succeed("run", "--traps", "--", "env"))
        plain = {k: v for k, v in os.environ.items() if not k.startswith("CALLISTO")}
        shown = subprocess.run([COMMAND, "run", "--no-openmp", "env"], env=plain, capture_output=True).stdout.decode()
        self.assertNotIn("CALLISTO", shown, "what is not asked for is left as it was")
        usable = sorted(os.sched_getaffinity(0))
        affinity = ["python3", "-c", "import os; print(sorted(os.sched_getaffinity(0)))"]
        self.assertEqual(self.succeed("run", "--contexts", f"{usable[-1]}-{usable[-1]}", "--", *affinity, env=self.env),
                         f"[{usable[-1]}]\n")
        chosen = json.loads(self.succeed("run", "--contexts", "1", "--", *affinity, env=self.env))
        self.assertEqual(len(chosen), 1)
        if len(usable) > 1 and JOB:
            self.job(through=[COMMAND, "run", "--contexts", f"{usable[0]}-{usable[0]}", "--"])
            other = json.loads(self.succeed("run", "--contexts", "1", "--", *affinity, env=self.env))
            self.assertNotEqual(other, [usable[0]], "where fewest jobs compete")

    def test_two_placed_programs_do_not_meet(self):
        """Neither is a job."""
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one context")
        program = subprocess.Popen([COMMAND, "run", "--contexts", "1", "--", "sleep", "600"], 
                                   env={**os.environ, **self.env, "CALLISTO_COSCHED": ""})
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        while pathlib.Path(f"/proc/{program.pid}/comm").read_text() != "sleep\n":
            time.sleep(0.01)
        there = os.sched_getaffinity(program.pid)
        self.assertEqual(len(there), 1)
        self.assertIn({"pid": program.pid, "name": "sleep"}, self.status()["programs"])
        self.assertRegex(self.succeed("status", env=self.env), rf"(?m)^Of 'callisto run', but no job so far: .*\b{program.pid} \(sleep\)")
        where = ["run", "--contexts", "1", "--", "python3", "-c", "import os; print(sorted(os.sched_getaffinity(0)))"]
        # Programs that other tests place at the same time count, too: not each attempt has one answer.
        self.assertTrue(any(set(json.loads(self.succeed(*where, env=self.env))) != there for _ in range(100)))

    @unittest.skipUnless(JOB, "no job program")
    def test_run_tells_of_a_program_that_was_no_job(self):
        def said(*arguments, env={}):
            done = run("run", *arguments, env={**self.env, "CALLISTO_COSCHED": "", **env})
            self.assertEqual(done.returncode, 7, done.stderr)
            return done.stderr.decode()
        no_job, a_job = ["sh", "-c", "exit 7"], ["bash", "-c", f"exec 3< <({JOB}); head -c 6 <&3 >&2; kill $!; exit 7"]
        for asked in [["--weight", "2"], ["--coschedule", "on"]]:
            self.assertRegex(said(*asked, *no_job), r"\Acallisto: run: sh never became a job: it ran no loop [^\n]*\n\Z")
            self.assertEqual(said(*asked, *a_job), "joined", "a child of the program is a job")
        self.assertEqual(said("--weight", "2", COMMAND, "run", "--weight", "3", *a_job), "joined", "two run, one in the other")
        self.assertRegex(said("--weight", "2", COMMAND, "run", *no_job), r"\Acallisto: run: sh never became a job: [^\n]*\n\Z", "once")
        self.assertRegex(said("--weight", "2", *no_job, env={"CALLISTO_COSCHED_DIR": "/nonexistent"}),
                         r"\Acallisto: run: sh never became a job: jobs cannot share this machine: /nonexistent/[^\n]*\n\Z")
        # Not asked for, or of a program that ends soon.
        for arguments in [["--coschedule", "off", "--weight", "2"], ["--no-openmp"]]:
            self.assertEqual(said(*arguments, *no_job), "")
        self.assertEqual(said("--weight", "2", *no_job, env={"CALLISTO_COSCHED": "off"}), "")
        self.assertRegex(said("sh", "-c", "sleep 3.1; exit 7"), r"\Acallisto: run: sh never became a job: ")
        # A program that waits for all of its children has none by it.
        self.assertEqual(said("--weight", "2", sys.executable, "-c", "import os\ntry: os.wait()\nexcept ChildProcessError: os._exit(7)")
                         .count("\n"), 1)

    def test_run_preloads_the_openmp_library(self):
        command = self.folder / "bin" / "callisto"
        command.parent.mkdir()
        shutil.copy(COMMAND, command)
        library = self.folder / "lib" / "callisto" / "libgomp.so.1"

        def preloaded(*arguments, **env):
            done = subprocess.run([command, "run", *arguments, "--", "sh", "-c", "echo $LD_PRELOAD"], capture_output=True,
                                  env={**os.environ, **env})
            return done.stdout.decode().strip()
        self.assertEqual(preloaded(), os.environ.get("LD_PRELOAD", ""), "it is not installed")
        library.parent.mkdir(parents=True)
        library.write_bytes(b"")  # the loader says that it cannot use it, and goes on
        if os.environ.get("LD_PRELOAD"):
            self.skipTest("LD_PRELOAD is set")
        where = preloaded()
        if not where:
            self.skipTest("libraries are installed elsewhere than in lib")
        self.assertEqual(pathlib.Path(where).resolve(), library.resolve())
        self.assertEqual(preloaded("--no-openmp"), "")
        self.assertEqual(preloaded(LD_PRELOAD="other.so"), f"{where}:other.so")
        for name in ["a b", "a:b"]:
            with self.subTest(name):
                there = shutil.copytree(self.folder / "bin", self.folder / name / "bin").parent
                shutil.copytree(self.folder / "lib", there / "lib")
                done = subprocess.run([there / "bin" / "callisto", "run", "sh", "-c", "echo $LD_PRELOAD"], capture_output=True)
                self.assertEqual(done.stdout, b"\n")
                self.assertRegex(done.stderr.decode(), rf"\Acallisto: .*LD_PRELOAD.*{there}/lib[^\n]*\n\Z")

    def test_run_refuses(self):
        self.assertIn("No such file", self.refuse(127, "run", "--", "./nonsense", says="nonsense"))
        self.refuse(127, "run", "nonsense-program", says="nonsense-program")
        self.refuse(126, "run", "--", str(self.file("no-program", "x")), says="no-program")
        self.refuse(126, "run", "--", str(self.folder), says=self.folder)
        for arguments, says in [
            ([], "PROGRAM"),
            (["--"], "PROGRAM"),
            (["--wieght", "3", "true"], "--wieght"),
            (["--weight", "0", "true"], "--weight"),
            (["--weight", "1001", "true"], "--weight"),
            (["--contexts", "0", "true"], "--contexts"),
            (["--contexts", "100000", "true"], "--contexts"),
            (["--contexts", "5000-5001", "true"], "--contexts"),
            (["--contexts", "", "true"], "--contexts"),
            (["--contexts", "x", "true"], "--contexts"),
            (["--coschedule", "maybe", "true"], "--coschedule"),
        ]:
            with self.subTest(arguments):
                self.refuse(USAGE, "run", *arguments, says=says)

    # --- top

    DRAWN = b"\x1b[J"  # at the end of each picture
    LEFT = b"\x1b[?1049l"

    def test_top_piped_prints_once(self):
        self.job("--burst", "30")
        self.job()
        begin = time.monotonic()
        text = self.succeed("top", "--interval", "0.3", env=self.env)
        self.assertGreater(time.monotonic() - begin, 0.25)
        self.assertNotIn("\x1b", text)
        self.assertTrue(all(len(line) <= 80 for line in text.splitlines()))
        self.assertRegex(text, r"\Acallisto top: 2 jobs on ")
        self.assertEqual(len(re.findall("job_program", text)), 2)
        self.refuse(USAGE, "top", "--interval", "0", says="--interval")

    def on_terminal(self, columns=80, rows=24, env=None):
        ours, theirs = open_terminal()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        before = termios.tcgetattr(theirs)
        child = subprocess.Popen([COMMAND, "top", "--interval", "0.1"], stdin=theirs, stdout=theirs, stderr=theirs,
                                 env={**os.environ, **self.env, "TERM": "xterm", **(env or {})}, start_new_session=True)
        self.addCleanup(os.close, ours)
        self.addCleanup(os.close, theirs)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return ours, theirs, before, child

    def read(self, ours, seconds, until=DRAWN):
        """What comes within that time, and, however slow the machine, until `until` has come."""
        output, end = b"", time.monotonic() + seconds
        while time.monotonic() < end or (until not in output and time.monotonic() < end + 20):
            if select.select([ours], [], [], 0.05)[0]:
                output += os.read(ours, 65536)
        return output.decode()

    def test_top_on_a_terminal(self):
        """Three jobs; the picture, its keys, its sizes, and the terminal afterwards as it was."""
        jobs = [self.job(), self.job("--burst", "40"), self.job("--burst", "200", through=[COMMAND, "run", "--weight", "2"])]
        for key in [b"q", b"\x03"]:
            ours, theirs, before, child = self.on_terminal()
            output = self.read(ours, 4 if SANITIZED else 1.5)
            self.assertTrue(output.startswith("\x1b[?1049h\x1b[?25l"))
            shown = Screen(80, 24).feed(output).text()
            for number, job in enumerate(jobs):
                self.assertRegex(shown, rf"(?m)^  {number} job_program .* {job.pid}$")
            self.assertRegex(shown, r"(?m)^callisto top: 3 jobs on .* \d\d:\d\d:\d\d$")
            self.assertRegex(shown, r"(?m)^ +0 +0 +[012-] +[012.-] .*  [012. ]+$")
            self.assertIn("\nq quits", shown)
            self.assertEqual(termios.tcgetattr(theirs)[3] & termios.ECHO, 0)
            os.write(ours, key)
            self.assertEqual(child.wait(20), 0)
            self.assertTrue(self.read(ours, 0.2, self.LEFT).endswith("\x1b[0m\x1b[?25h\x1b[?1049l"))
            self.assertEqual(termios.tcgetattr(theirs), before)

    def test_top_resized(self):
        self.job()
        ours, theirs, _, child = self.on_terminal()
        self.read(ours, 1)
        for columns, rows in [(40, 10), (120, 50), (20, 3)]:
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.killpg(child.pid, signal.SIGWINCH)
            self.read(ours, 1)
            # On a busy machine pictures of the size before are still coming.
            for attempt in range(20):
                output = self.read(ours, 0.2)
                with contextlib.suppress(*[AssertionError] if attempt < 19 else []):
                    picture = output[output.index("\x1b[H"):output.rindex("\x1b[J") + len("\x1b[J")]
                    shown = Screen(columns, rows).feed(picture).text()
                    self.assertTrue(shown.startswith("callisto top: 1 job"), shown)
                    break
        os.write(ours, b"q")
        self.assertEqual(child.wait(20), 0)

    def test_top_ends_by_signals(self):
        """Restores the terminal after this end too."""
        for number, code in [(signal.SIGTERM, 143), (signal.SIGINT, 130)]:
            ours, theirs, before, child = self.on_terminal(env={"NO_COLOR": "1"})
            self.assertNotIn("m", "".join(re.findall("\x1b\\[[0-9;]*([a-zA-Z])", self.read(ours, 1))), "no colours")
            child.send_signal(number)
            self.assertEqual(child.wait(20), code)
            self.assertIn("\x1b[?1049l", self.read(ours, 0.2, self.LEFT))
            self.assertEqual(termios.tcgetattr(theirs), before)


    def test_top_follows_the_table(self):
        self.job()
        ours, _, _, child = self.on_terminal()
        self.assertIn("1 job on", self.read(ours, 0))
        table, = self.tables.iterdir()
        table.unlink()
        self.assertIn("no table", self.read(ours, 0, b"no table"))
        self.job()
        self.job()
        self.assertIn("2 jobs on", self.read(ours, 0, b"2 jobs on"))
        os.write(ours, b"q")
        self.assertEqual(child.wait(20), 0)

    def test_top_gives_the_terminal_back(self):
        """Restores the terminal, whatever way `top` ends."""
        for end, codes in [(interrupt_twice, [130, 143]), (lambda c: c.send_signal(signal.SIGUSR1), [-signal.SIGUSR1])]:
            ours, theirs, before, child = self.on_terminal()
            self.read(ours, 0)
            end(child)
            self.assertIn(child.wait(20), codes)
            self.assertIn(self.LEFT.decode(), self.read(ours, 0, self.LEFT))
            self.assertEqual(termios.tcgetattr(theirs), before)

    def test_a_stopped_terminal(self):
        """Ctrl-S keeps no signal from ending it."""
        ours, theirs, before, child = self.on_terminal()
        self.read(ours, 0)
        termios.tcflow(theirs, termios.TCOOFF)
        time.sleep(0.2)  # it writes, and waits
        child.send_signal(signal.SIGTERM)
        time.sleep(0.05)
        child.send_signal(signal.SIGTERM)
        self.assertEqual(child.wait(5), 143)
        self.assertEqual(termios.tcgetattr(theirs), before)
        termios.tcflow(theirs, termios.TCOON)

    def controlling(self, words, **kwargs):
        """Starts a program with a new controlling terminal, which gets its output."""
        ours, theirs = open_terminal()
        before = termios.tcgetattr(theirs)
        child = subprocess.Popen(words, stdin=kwargs.pop("stdin", theirs), stdout=theirs, stderr=theirs,
                                 env={**os.environ, **self.env, "TERM": "xterm"}, start_new_session=True,
                                 preexec_fn=lambda: fcntl.ioctl(1, termios.TIOCSCTTY, 0))
        self.addCleanup(os.close, ours)
        self.addCleanup(os.close, theirs)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return ours, theirs, before, child

    @unittest.skipUnless(shutil.which("bash"), "no shell with job control")
    def test_top_suspended(self):
        """By a key or by a signal from elsewhere: until it goes on, the terminal is the shell's."""
        ours, theirs, before, shell = self.controlling(
            ["bash", "-c", 'set -m; "$0" top; read; fg; read; fg', COMMAND])
        self.read(ours, 0)
        top, = pathlib.Path(f"/proc/{shell.pid}/task/{shell.pid}/children").read_text().split()
        for suspend in [lambda: os.kill(int(top), signal.SIGTSTP), lambda: os.write(ours, b"\x1a")]:
            suspend()
            self.read(ours, 0, self.LEFT)
            self.assertEqual(termios.tcgetattr(theirs), before)
            os.write(ours, b"\n")
            self.assertIn("\x1b[?1049h", self.read(ours, 0))
        os.write(ours, b"q")
        self.assertEqual(shell.wait(20), 0)

        # In the background it leaves the terminal alone, and signals still end it.
        ours, theirs, before, shell = self.controlling(["bash", "-c", 'set -m; "$0" top & read; kill $!; wait $!', COMMAND])
        time.sleep(0.3)
        self.assertEqual(termios.tcgetattr(theirs), before)
        os.write(ours, b"\n")
        self.assertEqual(shell.wait(20), 143)

    def test_top_without_standard_input(self):
        """Keys come from the terminal that it was started from, if there is one."""
        self.job()
        for key in [b"q", b"\x03"]:
            ours, _, _, child = self.controlling([COMMAND, "top"], stdin=subprocess.DEVNULL)
            self.assertIn("q quits", self.read(ours, 0))
            os.write(ours, key)
            self.assertEqual(child.wait(20), 0)
        ours, theirs = open_terminal()
        child = subprocess.Popen([COMMAND, "top"], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                                 start_new_session=True,
                                 env={**os.environ, **self.env, "TERM": "xterm"})
        self.assertNotIn("q quits", self.read(ours, 0))
        child.terminate()
        self.assertEqual(child.wait(20), 143)
        os.close(theirs)
        os.close(ours)


class BenchPairs(CommandTest):
    def setUp(self):
        super().setUp()
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("there is one context only")
        self.page = self.folder / "page.html"
        self.quick = ["bench", "pairs", "--rounds", "1", "--length", "0.05", "--scale", "10", "--output", self.page]

    def test_programs(self):
        """All built-in ones, each alone and with another; the pairs of two."""
        names = ["barriers", "dynamic", "memory", "bursty", "loading", "storing", "spinlock", "dom_bc", "pagerank",
                 "triangles", "betweenness", "sssp"]
        seen = self.json(*self.quick, "--programs", "barriers,triangles", "--background", "barriers")
        self.assertEqual([p["name"] for p in seen["programs"]], ["barriers", "triangles"])
        self.assertEqual(len(seen["pairs"]), 9)
        self.assertEqual(len(seen["background"]), 12)
        self.assertEqual(seen["left_out"], 0)
        self.assertTrue(all(p["pair"] > 0 for p in seen["pairs"]))
        self.assertEqual({p["way"] for p in seen["pairs"]}, {"static halves", "plain system", "Callisto"})
        self.assertFalse(set(seen["first_half"]) & set(seen["second_half"]))
        page = self.page.read_text()
        for words in ["gain", "waste", "figure 11", "figure 12", "figure 13"]:
            self.assertIn(words, page)
        for name in names:
            with self.subTest(name):
                alone = self.json(*self.quick, "--programs", name, "--background", "none")
                self.assertEqual(len(alone["pairs"]), 3)
                self.assertTrue(alone["programs"][0]["alone"]["half"]["median"] > 0)

    def test_commands(self):
        text = self.succeed(*self.quick, "sleep 0.02", "/bin/sleep 0.03; true", "--background", "none")
        self.assertIn("sleep#2", text)
        self.assertRegex(text, r"(?m)^worst job \(10c f i\) +3\.50 +1\.25 ")
        self.assertRegex(text, r"(?m)^(kept|missed) +Callisto, worst pair: at most 1\.05, found ")
        markdown = self.succeed(*self.quick, "sleep 0.02", "--markdown", "--background", "none")
        self.assertRegex(markdown, r"(?m)^\| sleep \| ")

    def test_a_budget(self):
        begin = time.monotonic()
        seen = self.json("bench", "pairs", "--programs", "dynamic,bursty", "--budget", "2", "--rounds", "3", "--output",
                         self.page)
        self.assertLess(time.monotonic() - begin, 60)
        self.assertGreater(seen["left_out"], 0)

    def test_mistakes(self):
        for arguments, says in [
            (["--programs", "nonsense"], "--programs"),
            (["--background", "nonsense"], "--background"),
            (["--rounds", "0"], "--rounds"),
            (["--length", "0"], "--length"),
            (["--output", "-"], "--output"),
        ]:
            self.refuse(USAGE, "bench", "pairs", *arguments, says=says)
        self.refuse(1, *self.quick, "exit 3", says=["exit", "exit code 3"])
        self.refuse(1, *self.quick, "nonsense-program", says=["nonsense-program", "127"])
        self.refuse(USAGE, "bench", "--quick", "pairs", says="--quick")
        self.refuse(OUTPUT, "bench", "pairs", "--output", self.folder / "no" / "page.html", says="page.html")
        self.refuse(USAGE, "bench", "program", "nonsense", "1", says="none of this name")

    def test_the_scratch_folder(self):
        child = subprocess.Popen([COMMAND, *map(str, self.quick), "sleep 1000", "--scratch", str(self.folder)],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not list(self.folder.glob("callisto-*")):
            self.assertIsNone(child.poll())
            time.sleep(0.01)
        interrupt_twice(child)
        _, message = child.communicate(timeout=20)
        self.assertIn(child.returncode, [130, 143])
        self.assertEqual(message, b"callisto: interrupted\n")
        self.assertEqual(os.listdir(self.folder), [])
        self.refuse(OUTPUT, *self.quick, "true", env={"TMPDIR": "/nonexistent"}, says="TMPDIR=/nonexistent: ")
        self.refuse(OUTPUT, *self.quick, "true", "--scratch", "/nonexistent", says="/nonexistent: ")

    def test_interrupted_it_leaves_nothing(self):
        child = subprocess.Popen([COMMAND, *map(str, self.quick), "sleep 1000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 start_new_session=True)
        watches(child, signal.SIGINT)
        time.sleep(0.7)
        child.send_signal(signal.SIGINT)
        _, message = child.communicate(timeout=20)
        self.assertEqual((child.returncode, message), (INTERRUPTED, b"callisto: interrupted\n"))
        self.assertFalse(self.page.exists())
        # A killed process is there until the system has taken notice; this one's child became an orphan.
        for _ in range(200):
            left = subprocess.run(["pgrep", "-s", str(child.pid)], capture_output=True).stdout
            if not left:
                break
            time.sleep(0.05)
        self.assertEqual(left, b"", "the programs have ended")


class Simulate(CommandTest):
    SMALL = ["--iterations", "20000", "--threads", "8", "--batch", "1,64"]
    ONE = ["--iterations", "20000", "--threads", "8", "--batch", "64", "--schedule", "counter(machine)", "--hold", "0.1"]

    def test_list_and_show(self):
        machines = {m["file"]: m for m in self.json("simulate", "--list")["machines"]}
        self.assertEqual((machines["sparc-t5-8"]["contexts"], machines["x4-2"]["contexts"]), (1024, 32))
        self.assertIn("sparc-t5-8", self.succeed("simulate", "--list"))
        for name in machines:
            text = self.succeed("simulate", name, "--show")
            for line in text.splitlines():
                if line and not line.startswith("#"):
                    self.assertRegex(line, r"= .* # (source: .|estimated)", name)
            # A description can be taken home.
            copy = self.file(name + "-copy.txt", text)
            self.assertEqual(self.succeed("simulate", copy, "--show"), text)

    def test_bad_machines(self):
        good = self.succeed("simulate", "x4-2", "--show")
        self.refuse(USAGE, "simulate", says="MACHINE")
        self.refuse(USAGE, "simulate", "sparc-t6", says=["sparc-t6", "sparc-t5-8"])
        self.refuse(INPUT, "simulate", self.folder / "missing.txt", says="missing.txt")
        self.refuse(INPUT, "simulate", self.folder, says=self.folder.name)
        for name, text, says in [
            ("empty", "", "missing"),
            ("unknown.txt", good + "colour = red # estimated\n", "colour"),
            ("twice.txt", good + "sockets = 2 # estimated\n", "twice"),
            ("binary.txt", b"\x00\xff\xfe" * 1000, "binary.txt:1"),
            ("number.txt", good.replace("= 2.6 GHz", "= fast"), "clock"),
            ("source.txt", re.sub(r"(sockets +=.*?)#.*", r"\1", good), "sockets"),
            ("none.txt", re.sub(r"(?m)^hop.same-core .*\n", "", good), "hop.same-core"),
        ]:
            with self.subTest(name):
                self.refuse(INPUT, "simulate", self.file(name, text), says=[name, says])

    def test_wrong_options(self):
        for options, says in [
            (["x4-2", "--threads", "33"], "32 contexts"), (["x4-2", "--threads", "0"], "--threads"),
            (["x4-2", "--batch", "1,,2"], "--batch"), (["x4-2", "--batch", "x"], "--batch"),
            (["x4-2", "--hold", "-1"], "--hold"), (["x4-2", "--noise", "5"], "--noise"),
            (["x4-2", "--noise", "0,5"], "--noise"), (["x4-2", "--schedule", "counter(cor)"], ["--schedule", "character 9"]),
            (["x4-2", "--workload", "odd"], "--workload"), (["x4-2", "--workload", "pagerank"], "--graph"),
            (["x4-2", "--graph", "g.txt"], "--graph"), (["x4-2", "--list"], "--list"), (["--list", "--compare"], "one of"),
            (["fig4", "x4-2", "--threads", "33"], "32 contexts"), (["fig4", "x5"], "x5"),
            (["x4-2", "fig4"], ["MACHINE", "behind fig4"]), (["--seed", "2", "fig5"], ["--seed", "behind fig5"]),
            (["fig5", "--schedule", "steal"], "--schedule"), (["fig5", "--machine", "x5", "g.txt"], "x5"),
            (["x4-2", "--cap", "x"], "--cap"), (["x4-2", "--iterations", "0"], "--iterations"),
            (["x4-2", "--trace", "t.json"], "--trace"), (["x4-2", "--show", "--output", "x"], "--output"),
        ]:
            with self.subTest(options):
                self.refuse(USAGE, "simulate", *options, says=says)
        self.refuse(OUTPUT, "simulate", "x4-2", *self.SMALL, "--output", self.folder / "missing" / "x.svg", says="x.svg")

    def test_same_arguments_same_outcome(self):
        def runs(*options):
            result = self.json("simulate", "x4-2", *self.SMALL, *options)["simulated"][0]["workloads"][0]["runs"]
            return [(r["schedule"], r["batch"], r["hold"], r["cycles"], r["events"], r["hash"]) for r in result]
        first = runs()
        self.assertEqual(first, runs())
        self.assertEqual(first, runs("--seed", "1"))
        self.assertNotEqual(first, runs("--seed", "2"))
        self.assertNotEqual(first, runs("--noise", "2,20"))

    def test_sweep(self):
        svg = self.folder / "x4.svg"
        text = self.succeed("simulate", "x4-2", *self.SMALL, "--output", svg, "--workload", "skewed")
        for words in ["counter(machine): speed-up", "auto: speed-up", "lines moved", "events", "skewed"]:
            self.assertIn(words, text)
        xml.dom.minidom.parse(str(svg))
        result = self.json("simulate", "x4-2", *self.SMALL)
        self.assertEqual(result["simulated"][0]["machine"]["cores"], 16)
        run = result["simulated"][0]["workloads"][0]["runs"][0]
        self.assertEqual(sum(run["spent"].values()), 8 * run["cycles"])

    def test_graph_workloads(self):
        graph = self.file("g.txt", "".join(f"{i} {i * 7919 % 1009}\n{i} {i * i % 97}\n" for i in range(1009)))
        for kind in ["pagerank", "triangles"]:
            result = self.json("simulate", "xeon-8360y", "--workload", kind, "--graph", graph, "--batch", "0,4",
                               "--threads", "16", "--cycles", "5000")
            loop = result["simulated"][0]["workloads"][0]
            self.assertEqual((loop["kind"], loop["iterations"]), (kind, 1009))
            self.assertTrue(all(r["complete"] and r["speedup"] > 1 for r in loop["runs"] if r["batch"] == 4))
        self.refuse(INPUT, "simulate", "x4-2", "--workload", "pagerank", "--graph", self.folder / "none", says="none")

    def test_schedules_can_be_repeated(self):
        schedules = ["counter(core)", "combine(core,async)/counter(core)"]
        result = self.json("simulate", "x4-2", *self.SMALL, *(part for s in schedules for part in ("--schedule", s)))
        runs = result["simulated"][0]["workloads"][0]["runs"]
        self.assertEqual(list(dict.fromkeys(r["schedule"] for r in runs)), schedules)
        self.assertTrue(all(r["iterations"] == 20000 and r["batches"] > 0 for r in runs if r["complete"]))

    def check_figure(self, result, svg, loops):
        document = xml.dom.minidom.parse(str(svg))
        schedules = result["simulated"][0]["workloads"][0]["best"]
        self.assertEqual(schedules[0]["schedule"], "counter(machine)")
        self.assertEqual(schedules[0]["time"], 1)
        parts = [part["workloads"][0] for part in result["simulated"]]
        self.assertEqual([part["name"] for part in parts], loops)
        # A cell for each loop, which says what it stands for.
        cells = [r for r in document.getElementsByTagName("rect") if r.getElementsByTagName("title")]
        self.assertEqual(len(cells), sum(len(part["runs"]) for part in parts))
        for part in parts:
            fastest = {s["schedule"]: max(r["speedup"] for r in part["runs"] if r["schedule"] == s["schedule"])
                       for s in part["best"]}
            for best in part["best"]:
                self.assertEqual(best["speedup"], fastest[best["schedule"]])
                self.assertAlmostEqual(best["time"], fastest["counter(machine)"] / best["speedup"])

    def test_figure_4(self):
        svg = self.folder / "figure4.svg"
        small = ["--iterations", "20000", "--threads", "8,32", "--batch", "4,64"]
        self.check_figure(self.json("simulate", "fig4", "x4-2", *small, "--output", svg), svg, ["even", "skewed"])
        text = self.succeed("simulate", "fig4", *small, "--schedule", "counter(machine)", "--schedule", "auto")
        for words in ["X4-2, even", "T5-8, skewed", "32 threads: speed-up", "automatic"]:
            self.assertIn(words, text)

    def test_figure_5(self):
        svg = self.folder / "figure5.svg"
        small = ["--threads", "64", "--batch", "4,64", "--machine", "sparc-t4-2", "--output", svg]
        graph = self.file("ring.txt", "".join(f"{i} {(i + 1) % 3001}\n" for i in range(3001)))
        self.check_figure(self.json("simulate", "fig5", graph, *small), svg, ["pagerank of ring", "triangles of ring"])
        self.check_figure(self.json("simulate", "fig5", "--scale", "9", *small), svg,
                          ["pagerank of Kronecker 9", "triangles of Kronecker 9"])
        self.refuse(INPUT, "simulate", "fig5", self.folder / "none", says="none")

    def test_simulate_draws_figure_6(self):
        svg = self.folder / "figure6.svg"
        result = self.json("simulate", "fig6", "--scale", "9", "--threads", "1,8", "--machine", "sparc-t5-8", "-o", svg)
        self.assertEqual([m["machine"]["name"] for m in result["simulated"]], ["SPARC T5-8"])
        runs = {(r["technique"], r["threads"]): r["speedup"] for r in result["simulated"][0]["runs"]}
        self.assertEqual(len(runs), 8)
        for (_, threads), speedup in runs.items():
            self.assertTrue(0 < speedup <= threads + 0.01, runs)
        self.assertIn("chunk queues", svg.read_text())
        text = self.succeed("simulate", "fig6", "--scale", "8", "--threads", "4", "--machine", "x4-2")
        self.assertIn("Galois, chunk queues", text)
        self.refuse(USAGE, "simulate", "fig6", "--threads", "2000", "--machine", "x4-2", says="--threads")

    def test_figure_7(self):
        svg = self.folder / "figure7.svg"
        small = ["--scale", "8", "--threads", "64,128", "--output", svg]
        result = self.json("simulate", "fig7", *small)
        self.assertEqual([(r["form"], r["threads"]) for r in result["runs"]],
                         [(form, n) for form in ["flat", "core", "socket", "inner"] for n in [64, 128]])
        self.assertEqual([r["searches"] for r in result["runs"]], [64, 128, 64, 128, 8, 8, 1, 1])
        for r in result["runs"]:
            self.assertAlmostEqual(r["l2_miss_rate"], r["l2_load_misses"] / r["loads"])
            self.assertAlmostEqual(r["searches_per_second"], r["searches"] / (r["cycles"] / 3.6e9))
        document = xml.dom.minidom.parse(str(svg))
        text = "".join(t.firstChild.data for t in document.getElementsByTagName("text") if t.firstChild)
        for words in ["Kronecker 8", "Searches a second", "miss in the core's L2"]:
            self.assertIn(words, text)
        graph = self.file("ring.txt", "".join(f"{i} {(i + 1) % 100}\n" for i in range(100)))
        text = self.succeed("simulate", "fig7", graph, "--threads", "16", "--searches", "2")
        for words in ["ring", "100 vertices", "inner", "searches/s"]:
            self.assertIn(words, text)
        loops = self.file("loop.txt", "0 0\n")
        for options, says in [(["--machine", "x4-2"], ["--machine", "l2.size"]), (["--threads", "1025"], "1,024 contexts"),
                              (["--searches", "0"], "--searches"), ([loops, "--drop-loops"], "no edges")]:
            with self.subTest(options):
                self.refuse(USAGE, "simulate", "fig7", *options, says=says)
        self.refuse(USAGE, "simulate", "--seed", "2", "fig7", says=["--seed", "behind fig7"])
        self.refuse(INPUT, "simulate", "fig7", self.folder / "none", says="none")

    def test_domino(self):
        svg = self.folder / "domino.svg"
        small = ["x4-2", "--threads", "1,8", "--height", "9", "--phases", "20", "--output", svg]
        result = self.json("simulate", "domino", *small)
        (machine,) = result["simulated"]
        self.assertEqual([(r["hold"], r["threads"]) for r in machine["runs"]],
                         [(hold, n) for hold in [1, 8, 32] for n in [1, 8]])
        for r in machine["runs"]:
            self.assertEqual(r["tasks"], 1023)
            self.assertGreater(r["phase_microseconds"], 0)
            self.assertAlmostEqual(r["tasks_a_microsecond"], r["tasks"] / r["tree_cycles"] * 3e3, delta=1e3)
        one, eight = machine["runs"][4:]
        self.assertGreater(eight["tasks_a_microsecond"], 2 * one["tasks_a_microsecond"])
        self.assertIn("holds of 32", svg.read_text())
        self.assertIn("us a phase of one task", self.succeed("simulate", "domino", *small[:-2]))
        self.refuse(USAGE, "simulate", "domino", "x4-2", "--threads", "2000", says="--threads")

    def test_simulated_manners(self):
        small = ["--jobs", "4", "--contexts", "16", "--rounds", "1", "--length", "0.05"]
        result = self.json("simulate", "manners", *small)
        self.assertEqual([r["judged"] for r in result["results"]],
                         ["batch", "batch", "batch", "light", "batch", "batch", "batch"])
        self.assertEqual({r["jobs"] for r in result["results"]}, {4})
        self.assertIn("measures are above 1.1", self.succeed("simulate", "manners", *small))
        self.refuse(USAGE, "simulate", "manners", "x4-2", "--contexts", "200", says=["--contexts", "200"])

    def test_trace(self):
        trace = self.folder / "trace.json"
        self.succeed("simulate", "x4-2", *self.ONE, "--trace", trace)
        events = json.loads(trace.read_text())["traceEvents"]
        self.assertEqual({e["ph"] for e in events}, {"M", "X"})
        self.assertEqual(len({e["tid"] for e in events if e["ph"] == "X"}), 8)
        self.assertIn("work", {e["name"] for e in events})

    def test_calibrate_and_compare(self):
        here = self.folder / "here.txt"
        self.succeed("simulate", "--calibrate", "--output", here)
        self.assertIn("clock", self.succeed("simulate", here, "--show"))
        if SANITIZED:
            return  # slow, and no time that it takes says anything
        result = self.json("simulate", here, "--compare")
        documented = (ROOT / "docs/reference/cli-json.md").read_text()
        for key in set(result) | set(result["comparison"][0]):
            self.assertIn(f"`{key}`", documented)
        self.assertEqual(len(result["comparison"]), 22)
        self.assertTrue(all(row["predicted"] > 0 and row["measured"] > 0 for row in result["comparison"]))


@functools.lru_cache
def described():
    """The tree of subcommands and options, as the parser has it: path -> description."""
    def walk(parser, path):
        for inner in parser["subcommands"]:
            yield path + (inner["name"],), inner
            yield from walk(inner, path + (inner["name"],))
    return dict(walk(json.loads(run("--describe").stdout), ()))


def documented_commands():
    return [" ".join(path) for path, parser in described().items() if not parser["only_subcommands"]]


class Documentation(CommandTest):
    """tools/cli_words.py --check (the test cli.words) compares manual pages, reference and completions with the parser.
    Here they are used."""

    def flags(self, command):
        options = described()[tuple(command.split())]["options"]
        return sorted({name for o in options for name in o["names"] if name.startswith("--")} - {"--help"})

    def test_help_has_what_is_described(self):
        for command in documented_commands():
            text = self.succeed(*command.split(), "--help")
            for flag in self.flags(command):
                self.assertRegex(text, rf"(?m)^  (-\w, )?{flag}( |$)", command)

    def test_manual_pages(self):
        pages = sorted((ROOT / "docs" / "man").glob("*.1"))
        text = "".join(page.read_text() for page in pages)
        for command in documented_commands():
            self.assertEqual(text.count(f".Ss callisto {command}\n"), 1, command)
        if shutil.which("man") and shutil.which("groff"):
            for page in pages:
                done = subprocess.run(["man", "--warnings=all", "-l", "-P", "cat", str(page)], capture_output=True,
                                      env={**os.environ, "MANWIDTH": "100", "LC_ALL": "C.UTF-8"})
                self.assertEqual((done.returncode, done.stderr), (0, b""), page.name)
        if shutil.which("mandoc"):
            for page in pages:
                done = subprocess.run(["mandoc", "-T", "lint", "-W", "style", str(page)], capture_output=True, text=True)
                # Pages of other packages need not be installed; nor those of this one.
                serious = [line for line in done.stdout.splitlines()
                           if "input text line longer than 80 bytes" not in line and "referenced manual not found" not in line]
                self.assertEqual(serious, [], page.name)

    def test_completions_are_scripts(self):
        for shell, name in [("bash", "callisto.bash"), ("zsh", "_callisto"), ("fish", "callisto.fish")]:
            if shutil.which(shell):
                subprocess.run([shell, "-n", str(ROOT / "docs" / "completion" / name)], check=True)

    def test_bash_completes(self):
        if not shutil.which("bash"):
            self.skipTest("bash is not installed")

        def complete(*words):
            script = (f'source "{ROOT}/docs/completion/callisto.bash"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
                      '_callisto; printf "%s\\n" "${COMPREPLY[@]}"')
            return subprocess.run(["bash", "-c", script, "bash", "callisto", *words], capture_output=True, check=True,
                                  cwd=self.folder).stdout.decode().split()
        self.file("graph.txt", "")
        self.assertEqual(complete("tri"), ["triangles"])
        for command in documented_commands():
            self.assertEqual(sorted(set(complete(*command.split(), "--")) - {"--help"}), self.flags(command), command)
        self.assertEqual(complete("generate", ""), ["kronecker", "uniform", "power-law", "grid"])
        self.assertEqual(complete("generate", "grid", ""), ["graph.txt"])
        self.assertEqual(complete("bench", ""), ["schedule", "gap", "pairs", "manners"])
        self.assertIn("sparc-t5-8", complete("simulate", ""))
        self.assertNotIn("graph.txt", complete("simulate", ""))
        self.assertEqual(complete("simulate", "gra"), ["graviton4"])
        self.assertEqual(complete("simulate", "graph"), ["graph.txt"])
        self.assertEqual(complete("info", "gra"), ["graph.txt"])
        self.assertEqual(complete("info", "--format", "gapbs-s"), ["gapbs-sg"])
        self.assertEqual(complete("bench", "gap", "--kernel", "bfs,t"), ["bfs,tc"])
        self.assertEqual(complete("run", "--weight", "3", "--", "callisto", "pag"), ["pagerank"])
        self.assertEqual(complete("help", "pag"), ["pagerank"])

    def test_fish_completes(self):
        if not shutil.which("fish"):
            self.skipTest("fish is not installed")

        def complete(line):
            script = f'source "{ROOT}/docs/completion/callisto.fish"; complete -C {json.dumps(line)}'
            done = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, check=True, cwd=self.folder,
                                  env={**os.environ, "HOME": str(self.folder)})
            return sorted(row.split("\t")[0] for row in done.stdout.decode().splitlines())
        self.file("graph.txt", "")
        self.assertEqual(complete("callisto generate "), ["grid", "kronecker", "power-law", "uniform"])
        self.assertEqual(complete("callisto bench "), ["gap", "manners", "pairs", "schedule"])
        self.assertNotIn("graph.txt", complete("callisto simulate "))
        self.assertEqual(complete("callisto info gra"), ["graph.txt"])
        self.assertIn("--damping", complete("callisto pagerank --d"))
        self.assertIn("pagerank", complete("callisto run -- callisto pag"))


def load_tests(_loader, tests, _pattern):
    """All tests, or with CALLISTO_PART=I/N every N-th of them."""
    def flat(suite):
        return [t for s in suite for t in (flat(s) if isinstance(s, unittest.TestSuite) else [s])]
    part, parts = map(int, os.environ.get("CALLISTO_PART", "1/1").split("/"))
    return unittest.TestSuite(flat(tests)[part - 1::parts])


if __name__ == "__main__":
    if not COMMAND:
        sys.exit("cli_test.py: CALLISTO_COMMAND must name the binary")
    with contextlib.suppress(AttributeError):
        sys.stdout.reconfigure(line_buffering=True)
    unittest.main(verbosity=2)
