#!/usr/bin/env python3
"""Schedules, threads and the records of loops.

Usage: loops_test.py [unittest arguments]. Environment: as command.py says.
"""

import json

from command import CIRCLE, INPUT, OUTPUT, USAGE, CommandTest, main, run


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


if __name__ == "__main__":
    main()
