#!/usr/bin/env python3
"""How much memory commands take, and what they do where it ends.

Usage: memory_test.py [unittest arguments]. Environment: as command.py says.
"""

import json
import os
import re
import resource
import subprocess

from command import COMMAND, MEMORY, SANITIZED, CommandTest, main, run
from kernels import trials


class Memory(CommandTest):
    """What would not fit is refused before it starts, with the numbers; and the numbers are bounds.

    docs/reference/memory.md has them.
    """

    def setUp(self):
        super().setUp()
        if SANITIZED:
            self.skipTest("sanitizers take memory of their own, and unlimited address space")

    def test_what_does_not_fit_is_refused(self):
        text = self.file("sparse.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3000000 3000000 1\n2 1\n")
        graph = self.folder / "sparse.cg"
        self.succeed("convert", text, graph)
        for arguments in [*trials("memory"), ["convert", self.folder / "out.cg", "--order", "hubs"]]:
            with self.subTest(arguments):
                name, *options = arguments
                says = "--order hubs" if name == "convert" else "betweenness of this graph" if name == "betweenness" else name
                refusals = []
                mebibytes = 96
                while mebibytes < 4096:
                    size = mebibytes << 20
                    done = run(name, graph, *options, "--threads", 2, "--json",
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)))
                    if done.returncode == 0:
                        break
                    self.assertEqual(done.returncode, MEMORY, done.stderr)
                    self.assertEqual(len(done.stderr.splitlines()), 1)
                    refusals.append(done.stderr.decode())
                    # The next limit is one that the numbers of the refusal say to be just too small, or a little more.
                    missing = re.search(r"may need (\d+) MiB of memory, (\d+) MiB are available", refusals[-1])
                    mebibytes += max(24, int(missing[1]) - int(missing[2]) - 24 if missing else 0)
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
            for name, *options in trials("memory"):
                with self.subTest(name, file=file.name):
                    whole, found = peak(name, file, *options)
                    weights = 4 * found["graph"]["arcs"] if name in ("sssp", "forest") else 0
                    self.assertLess(whole - without - weights, found["memory_needed"] + (8 << 20))


if __name__ == "__main__":
    main()
