#!/usr/bin/env python3
"""Progress on a terminal, and a process that may not start threads.

Usage: terminal_test.py [unittest arguments]. Environment: as command.py says.
"""

import os
import resource
import select
import shutil
import signal
import subprocess
import time
import unittest

from command import CIRCLE, COMMAND, ENDLESS, INTERRUPTED, SANITIZED, CommandTest, main, open_terminal, watches


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


if __name__ == "__main__":
    main()
