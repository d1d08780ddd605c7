#!/usr/bin/env python3
"""Where results go: standard output, files, devices, JSON, CSV.

Usage: output_test.py [unittest arguments]. Environment: as command.py says.
"""

import gzip
import json
import os
import re
import resource
import signal
import subprocess

from command import (COMMAND, MEMORY, ONE_SIMULATION, OUTPUT, ROOT, SANITIZED, SMALL_SIMULATION, USAGE, CommandTest,
                     flags, main)
from kernels import KERNELS, trials


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
        if SANITIZED:
            self.skipTest("takes minutes without optimization; tests/graph has these kernels and their verification")
        documented = (ROOT / "docs/reference/cli-json.md").read_text()
        def verify(name):
            return ["--verify"] if "--verify" in flags(name) else []
        outputs = {name: self.json(name, self.graph, *arguments, *verify(name)) for name, *arguments in trials("keys")} | {
            "info": self.json("info", self.graph),
            "analyze": self.json("analyze", self.graph),
            "draw": self.json("draw", self.graph, "--output", self.folder / "g.svg"),
            "bench gap": self.json("bench", "gap", self.graph, "--trials", "1"),
            "convert": self.json("convert", self.graph, self.folder / "g.cg"),
            "generate": self.json("generate", "uniform", self.folder / "u.cg", "--scale", "4"),
            "machine": self.json("machine"),
            "demo": self.json("demo", self.graph, "--svg", self.folder / "demo.svg"),
            "simulate": self.json("simulate", "x4-2", *SMALL_SIMULATION),
            "simulate fig4": self.json("simulate", "fig4", "x4-2", *SMALL_SIMULATION),
            "simulate fig7": self.json("simulate", "fig7", "--scale", "6", "--threads", "8"),
            "simulate --list": self.json("simulate", "--list"),
            "simulate --calibrate": self.json("simulate", "--calibrate"),
            "simulate --trace": self.json("simulate", "x4-2", *ONE_SIMULATION, "--trace", self.folder / "trace.json"),
        }

        def keys(value):
            if isinstance(value, dict):
                return set(value) | set().union(*map(keys, value.values()), set())
            return set().union(*map(keys, value), set()) if isinstance(value, list) else set()

        parts = {part.partition("\n")[0]: part for part in documented.split("\n## ")}
        shared = parts["Every result about a graph that was read"]
        for command, output in outputs.items():
            own = documented
            if command in KERNELS:  # its own part of the page has them, or one that it names
                named = re.findall(r"as of ([a-z]+)", parts[command])
                own = "".join([shared, parts[command], *[parts[name] for name in named]])
            missing = [key for key in keys(output) if f"`{key}`" not in own and not key.isdigit()]
            self.assertEqual(missing, [], f"{command}: docs/reference/cli-json.md does not mention the keys")
        for key in ["vertices", "edges", "top", "damping", "tolerance", "iterations", "converged", "change", "threads"]:
            self.assertIn(key, outputs["pagerank"])
        for key in ["vertices", "edges", "triangles", "undirected_edges"]:
            self.assertIn(key, outputs["triangles"])

    def test_large_labels(self):
        big = 2**64 - 1
        graph = self.file("big.txt", f"7 {big}\n{2**63} {big}\n")
        self.assertEqual(self.json("pagerank", graph)["top"][0]["vertex"], str(big))
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
                    says=["1073741824 edges", "its list may need", "address space"],
                    preexec_fn=limit)


if __name__ == "__main__":
    main()
