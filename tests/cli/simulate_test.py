#!/usr/bin/env python3
"""`simulate`.

Usage: simulate_test.py [unittest arguments]. Environment: as command.py says.
"""

import json
import re
import xml.dom.minidom

from command import INPUT, ONE_SIMULATION, OUTPUT, ROOT, SANITIZED, SMALL_SIMULATION, USAGE, CommandTest, main, run


class Simulate(CommandTest):
    SMALL = SMALL_SIMULATION
    ONE = ONE_SIMULATION

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
        for figure in ["fig5", "fig6", "fig7"]:
            self.refuse(USAGE, "simulate", figure, "x4-2", says="say --machine x4-2")

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

    def test_cluster(self):
        svg = self.folder / "cluster.svg"
        small = ["gups", "--nodes", "1,2", "--ranks", "2", "--microseconds", "50"]
        result = self.json("simulate", "cluster", *small, "--output", svg)
        self.assertEqual([(r["series"], r["nodes"]) for r in result["simulated"]],
                         [(s, n) for s in ["with aggregation", "a packet a message"] for n in [1, 2]])
        self.assertGreater(result["simulated"][1]["updates_a_second"], 3 * result["simulated"][3]["updates_a_second"])
        self.assertEqual(result["simulated"][0]["packet_bytes"], 0, "one node sends nothing to another one")
        self.assertIn("simulated", svg.read_text())
        again = self.json("simulate", "cluster", *small)
        self.assertEqual(again["simulated"], result["simulated"])
        reads = self.json("simulate", "cluster", "reads", "infiniband-ndr", "--nodes", "2", "--ranks", "1", "--workers",
                          "1,32", "--microseconds", "100")["simulated"]
        self.assertGreater(reads[1]["reads_a_second"], 2 * reads[0]["reads_a_second"])
        self.assertGreater(reads[0]["latency_seconds"], 1e-6, "half of the reads are far")
        for network in ["interlagos-qdr", "infiniband-ndr", "ethernet-100g", "ethernet-100g-tcp"]:
            for figure in self.json("simulate", "cluster", "probe", network)["probe"]:
                if figure["figure"] != "packets_a_second" and figure["stated"] is not None:
                    self.assertAlmostEqual(figure["model"] / figure["stated"], 1, delta=0.3)
        self.assertEqual(self.succeed("simulate", "cluster", "gups", *small[1:]).split("\n")[0],
                         "Simulated: Interlagos, ConnectX-2 QDR")
        bad = self.folder / "bad.txt"
        bad.write_text("name = x # estimated: x\ncores = many # estimated: x\n")
        self.refuse(INPUT, "simulate", "cluster", "probe", bad, says=["bad.txt:2", "'many'"])
        self.refuse(USAGE, "simulate", "cluster", "gups", "none", says="interlagos-qdr")
        self.refuse(USAGE, "simulate", "cluster", "tea", says="'tea'")
        self.refuse(USAGE, "simulate", "cluster", "--nodes", "4096", "--ranks", "2", says="4096 nodes")

    def test_cluster_of_the_paper(self):
        svg = self.folder / "paper.svg"
        small = ["interlagos-qdr", "--nodes", "1,2", "--ranks", "2", "--scale", "8"]
        trees = self.json("simulate", "cluster", "uts", *small, "--output", svg)["simulated"]
        self.assertEqual(len(trees), 8)
        self.assertTrue(all(r["vertices_a_second"] > 0 for r in trees))
        self.assertIn("simulated: M vertices/s", svg.read_text())
        workers = self.json("simulate", "cluster", "workers", *small, "--workers", "1,64")["simulated"]
        self.assertGreater(workers[1]["vertices_a_second"], workers[0]["vertices_a_second"])
        programs = self.json("simulate", "cluster", "programs", *small)["simulated"]
        self.assertEqual([r["series"] for r in programs[::2]], ["BFS", "IntSort", "PageRank"])
        paper = self.json("simulate", "cluster", "paper", *small, "--microseconds", "50", "--workers", "8,64")["tables"]
        self.assertEqual([len(t["rows"]) for t in paper[:2]], [4, 10])
        self.assertTrue(all(r["sentence"].startswith("7.") for r in paper[2]["rows"]))
        self.refuse(USAGE, "simulate", "cluster", "paper", "--output", svg, says="--output")

    def test_cluster_beyond_the_paper(self):
        small = ["--microseconds", "100", "--scale", "8"]
        (scale,) = self.json("simulate", "cluster", "scale", "infiniband-ndr", "--nodes", "70", *small)["tables"]
        self.assertEqual([r["nodes, hops"] for r in scale["rows"]], ["70, 1", "70, 2", "70, 3", "70, chosen"])
        memory = [float(r["KiB of packets a rank"]) for r in scale["rows"]]
        self.assertLess(memory[1], memory[0], "fewer neighbours have fewer packets")
        for row in scale["rows"]:  # 34, while thieves asked at random alone
            self.assertLess(float(row["spread"]), 10, "the tasks of one rank reach all")
        (model,) = self.json("simulate", "cluster", "model", "--nodes", "16", "--ranks", "8", *small)["tables"]
        self.assertEqual([r["way"] for r in model["rows"]], ["direct", "by node", "gathered"])
        for row in model["rows"]:
            self.assertLess(abs(float(row["error, %"])), 40)
        (faults,) = self.json("simulate", "cluster", "faults", "--nodes", "2", "--ranks", "2", *small)["tables"]
        self.assertEqual(faults["rows"][0]["what the job does"], "ends")
        self.assertIn("fails", faults["rows"][-1]["what the job does"])

    def test_programs_of_real_ranks(self):
        """Without a launcher, `real` is one rank; `validate` runs it, and predicts it."""
        text = self.succeed("simulate", "cluster", "real", "--scale", "8")
        for program in ["GUPS", "UTS T1", "BFS", "IntSort", "blocking reads"]:
            self.assertIn(program, text)
        numbers = [float(n) for n in self.succeed("simulate", "cluster", "real", "--scale", "8", "--quiet").split()]
        self.assertEqual(numbers[:5], [0] * 5, "one rank sends nothing to another one")
        self.assertTrue(all(n > 0 for n in numbers[5:]) and len(numbers) == 10, numbers)
        self.refuse(USAGE, "simulate", "cluster", "real", "--json", says="--json")

    def test_packets_of_many_ranks_stay_large(self):
        """With 128 ranks, messages that go directly fill packets of a few messages, which an old adapter cannot send."""
        many = ["gups", "interlagos-qdr", "--nodes", "16", "--ranks", "8", "--microseconds", "300"]
        chosen = self.json("simulate", "cluster", *many)["simulated"][0]
        direct = self.json("simulate", "cluster", *many, env={"CALLISTO_GLOBAL_HOPS": "1"})["simulated"][0]
        self.assertGreater(chosen["updates_a_second"], 1.1 * direct["updates_a_second"])
        self.assertGreater(chosen["packet_bytes"], 3 * direct["packet_bytes"])

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

    def test_queues_of_tasks(self):
        small = ["x4-2", "--threads", "1,32", "--height", "11"]
        result = self.json("simulate", "tasks", *small)
        (machine,) = result["simulated"]
        self.assertEqual([r["threads"] for r in machine["runs"]], 8 * [1, 32])
        for one, many in zip(machine["runs"][::2], machine["runs"][1::2]):
            self.assertEqual((one["finished"], one["tasks"]), (True, 4095), one)
            self.assertEqual((many["finished"], many["tasks"]), (True, 4095), many)
            # A task takes 1,000 cycles: queues cannot be faster, and cost less than tasks do.
            self.assertTrue(4095 * 1000 <= one["cycles"] < 2 * 4095 * 1000, one)
            self.assertTrue(4095 * 1000 / 32 <= many["cycles"] < one["cycles"] / 4, many)
            self.assertGreater(many["steals"], 0)
        # Two threads a core: with combining one of them serves the other.
        self.assertEqual([r["served"] for r in machine["runs"][:6]], 6 * [0])
        self.assertGreater(machine["runs"][11]["served"], 0)
        self.assertIn("one thief a core", self.succeed("simulate", "tasks", *small))
        # More threads than can be had are refused; so are runs that do not get faster given up.
        self.refuse(USAGE, "simulate", "tasks", "x4-2", "--threads", "2000", says="--threads")
        slow = self.json("simulate", "tasks", "sparc-t5-8", "--threads", "128", "--height", "3")
        self.assertFalse(any(r["finished"] for r in slow["simulated"][0]["runs"][:7]))

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


if __name__ == "__main__":
    main()
