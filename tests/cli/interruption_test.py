#!/usr/bin/env python3
"""Signals that end a command.

Usage: interruption_test.py [unittest arguments]. Environment: as command.py says.
"""

import os
import signal
import subprocess
import time

from command import CIRCLE, COMMAND, ENDLESS, INTERRUPTED, CommandTest, main, watches


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


if __name__ == "__main__":
    main()
