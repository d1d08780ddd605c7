#!/usr/bin/env python3
"""The demonstration, and `bench schedule`.

Usage: bench_test.py [unittest arguments]. Environment: as command.py says.
"""

import os
import pathlib
import signal
import subprocess
import sys
import time
import xml.dom.minidom

from command import LAB, OUTPUT, USAGE, CommandTest, main, run


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
            process = subprocess.Popen([LAB, "bench", "schedule", "--workload", "even", "--rounds", "1000", "--peer",
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


if __name__ == "__main__":
    main()
