#!/usr/bin/env python3
"""`bench gap`.

Usage: bench_gap_test.py [unittest arguments]. Environment: as command.py says.
"""

import os
import re
import signal
import subprocess
import time

from command import INPUT, INTERRUPTED, LAB, USAGE, CommandTest, main, run


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
            [LAB, "bench", "gap", "--scale", "8", "--model", "grid", "--kernel", "cc",
             *map(str, self.peer("cc", cheat="sleep 100"))], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while not (self.folder / "log").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=60), (b"", b"callisto-lab: interrupted\n"))
        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertEqual(sorted(os.listdir(self.folder)), ["log", "programs"])


if __name__ == "__main__":
    main()
