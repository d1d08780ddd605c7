#!/usr/bin/env python3
"""`bench pairs`.

Usage: bench_pairs_test.py [unittest arguments]. Environment: as command.py says.
"""

import os
import signal
import subprocess
import time

from command import INTERRUPTED, LAB, OUTPUT, USAGE, CommandTest, interrupt_twice, main, watches


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
            (["--output", "-", "--json"], "--output"),
        ]:
            self.refuse(USAGE, "bench", "pairs", *arguments, says=says)
        self.refuse(1, *self.quick, "exit 3", says=["exit", "exit code 3"])
        self.refuse(1, *self.quick, "nonsense-program", says=["nonsense-program", "127"])
        self.refuse(USAGE, "bench", "--quick", "pairs", says="--quick")
        self.refuse(OUTPUT, "bench", "pairs", "--output", self.folder / "no" / "page.html", says="page.html")
        self.refuse(USAGE, "bench", "program", "nonsense", "1", says="none of this name")

    def test_the_scratch_folder(self):
        child = subprocess.Popen([LAB, *map(str, self.quick), "sleep 1000", "--scratch", str(self.folder)],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not list(self.folder.glob("callisto-*")):
            self.assertIsNone(child.poll())
            time.sleep(0.01)
        interrupt_twice(child)
        _, message = child.communicate(timeout=20)
        self.assertIn(child.returncode, [130, 143])
        self.assertEqual(message, b"callisto-lab: interrupted\n")
        self.assertEqual(os.listdir(self.folder), [])
        self.refuse(OUTPUT, *self.quick, "true", env={"TMPDIR": "/nonexistent"}, says="TMPDIR=/nonexistent: ")
        self.refuse(OUTPUT, *self.quick, "true", "--scratch", "/nonexistent", says="/nonexistent: ")

    def test_interrupted_it_leaves_nothing(self):
        child = subprocess.Popen([LAB, *map(str, self.quick), "sleep 1000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 start_new_session=True)
        watches(child, signal.SIGINT)
        time.sleep(0.7)
        child.send_signal(signal.SIGINT)
        _, message = child.communicate(timeout=20)
        self.assertEqual((child.returncode, message), (INTERRUPTED, b"callisto-lab: interrupted\n"))
        self.assertFalse(self.page.exists())
        # A killed process is there until the system has taken notice; this one's child became an orphan.
        for _ in range(200):
            left = subprocess.run(["pgrep", "-s", str(child.pid)], capture_output=True).stdout
            if not left:
                break
            time.sleep(0.05)
        self.assertEqual(left, b"", "the programs have ended")


if __name__ == "__main__":
    main()
