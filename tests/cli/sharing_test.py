#!/usr/bin/env python3
"""`run`, `status`, `top` and `reset`: jobs that share the machine.

Usage: sharing_test.py [unittest arguments]. Environment: as command.py says.
"""

import contextlib
import fcntl
import json
import os
import pathlib
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
import unittest

from command import COMMAND, INPUT, JOB, SANITIZED, USAGE, CommandTest, interrupt_twice, main, open_terminal, run


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
        self.refuse(USAGE, "status", "--trace", "-", "--json", env=self.env, says="--trace")
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
        there = self.file("only-here", "#!/bin/sh\n")
        there.chmod(0o755)
        self.refuse(127, "run", "only-here", cwd=there.parent, says="did you mean './only-here'?")
        self.refuse(2, "run", "--threads", "1", "true", says="did you mean '--contexts'?")
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
            self.assertIn("\nq quits, ? explains", shown)
            self.assertEqual(termios.tcgetattr(theirs)[3] & termios.ECHO, 0)
            for typed, answer in [(b"s", b"; by CPU%"), (b"/no suchh\x7f", b"name: no such_"), (b"\r", b"no job has 'no such'"),
                                  (b"/\x1b", b"q quits, ? explains, s orders, / filters; by CPU%; . without")]:
                os.write(ours, typed)
                self.assertIn(answer.decode(), self.read(ours, 0, answer))
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


if __name__ == "__main__":
    main()
