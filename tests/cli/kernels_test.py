#!/usr/bin/env python3
"""What each kernel prints.

Usage: kernels_test.py [unittest arguments]. Environment: as command.py says.
"""

import json
import signal
import subprocess

import verify_all
from command import COMMAND, DATA, INPUT, LAB, USAGE, CommandTest, main, needs_data

# What runs every kernel: a graph of each format, directed and not, with long paths and with none.
FEW_GRAPHS = ["karate.txt.gz", "rome99.gr.gz", "ca-GrQc.txt.gz", "wiki-Vote.txt.gz", "luxembourg_osm.mtx.gz",
              "cit-HepTh.txt.gz"]


class Kernels(CommandTest):
    """bfs, sssp, components and the like: values of vertices, ranks, refusals; --verify answers for the kernels themselves."""

    def setUp(self):
        super().setUp()
        self.graph = self.file("g.txt", "10 20\n20 30\n30 40\n20 40\n70 80\n")

    def test_bfs_values(self):
        out = self.folder / "out.tsv"
        self.succeed("bfs", self.graph, "--source", 10, "--output", out, "--quiet")
        lines = [line.split("\t") for line in out.read_text().splitlines()]
        self.assertEqual([line[:2] for line in lines],
                         [["10", "0"], ["20", "1"], ["30", "2"], ["40", "2"], ["70", "-"], ["80", "-"]])
        self.assertEqual([line[2] for line in lines], ["10", "10", "20", "20", "-", "-"])
        near = self.json("bfs", self.graph, "--source", 30, "--undirected", "--depth", 1, "--verify")
        self.assertEqual((near["reached"], near["largest_distance"], near["verified"]), (3, 1, True))
        self.assertEqual(near["top"], [{"distance": 0, "vertices": 1}, {"distance": 1, "vertices": 2}])

    def test_watch(self):
        edits = self.file("edits.txt", "# closures\n- 20 30\n\n+ 40 90 0.5\n+ 80 10 2 # joins\n- 20 30\n")
        graph = self.file("w.txt", "10 20\n20 30\n30 40\n20 40\n70 80\n")
        rows = self.succeed("watch", graph, "--undirected", "--stream", edits, "--levels", 10, "--distances", 10,
                            "--components").splitlines()
        self.assertEqual(len(rows), 5)
        self.assertRegex(rows[0], r"^- 20 30; levels of 1: 30=3; distances of 1: 30=3; ")
        self.assertRegex(rows[1], r"^\+ 40 90 0.5; levels of 1: 90=3; distances of 1: 90=2.5; ")
        self.assertRegex(rows[2], r"levels of 2: 70=2 80=1; distances of 2: 70=3 80=2; components 2 -> 1; ")
        self.assertRegex(rows[3], r"^- 20 30; [^;]*$")
        self.assertRegex(rows[4], r"^4 edits in 4 updates: .*; 7 vertices, 6 edges; levels reach 7; distances reach 7; "
                                  r"1 component$")
        rows = self.succeed("watch", graph, "--undirected", "--stream", edits, "--batch", 3, "--levels", 10).splitlines()
        self.assertRegex(rows[1], r"^- 20 30; ")  # a last batch of one edit says which
        lines = self.succeed("watch", graph, "--undirected", "--stream", "-", "--batch", 3, "--json", "--top", 1,
                             stdin=edits.read_bytes()).splitlines()
        found = [json.loads(line) for line in lines]
        self.assertEqual([f["edits"] for f in found], [3, 1, 4])
        self.assertEqual(found[0]["components"], 1)
        self.assertEqual(len(found[0]["pagerank"]["first"]), 1)
        self.assertEqual((found[2]["edges"], found[2]["components"], found[2]["interrupted"]), (6, 1, False))
        self.assertEqual([row["vertex"] for row in found[2]["pagerank"]["top"]], [40])
        people = self.file("people.txt", "ann bob\nbob eve\neve ann\ndan dan2\n")
        lines = self.file("people-edits.txt", "- ann bob\n+\tdan2\tjohn q. smith\n+ ann x#1 # not a comment within a word\n")
        rows = self.succeed("watch", people, "--undirected", "--stream", lines, "--levels", "ann",
                            "--components").splitlines()
        self.assertRegex(rows[0], r"^- ann bob; levels of 1: bob=2; ")
        self.assertRegex(rows[1], r"^\+ dan2 john q. smith; ")
        self.assertRegex(rows[2], r"; levels of 1: x#1=1; ")
        found = [json.loads(line) for line in self.succeed("watch", people, "--undirected", "--stream", lines, "--levels",
                                                           "ann", "--components", "--json").splitlines()]
        self.assertEqual(found[1]["component_of"]["first"], [{"vertex": "john q. smith", "value": "dan"}])
        self.refuse(USAGE, "watch", people, "--stream", lines, "--levels", "zoe", says=["--levels", "zoe"])
        self.refuse(INPUT, "watch", people, "--stream", self.file("short.txt", "+ ann\n"), says=["short.txt", "names"])
        for content, says in [("+ 1\n", ":1: "), ("+ 1 2\nx 1 2\n", ":2: "), ("+ 1 2 -1\n", "at least 0"),
                              ("- 1 2 3\n", "'- U V'"), ("+ 1 2 nan\n", "at least 0"), ("+ 1 -2\n", "whole number"),
                              ("+ 1 2 1e999\n", "finite"), (f"+ 1 {2 ** 64}\n", "2^64"), ("+ 1 2\n+ 3 ", ":2: "),
                              ("+ 1 \x1b[31mX\n", "\\x1b"), ("\x1f\x8b\x08\0\0", ":1: "), ("+1 2\n", "'+ U V'"),
                              ("+" * ((1 << 20) + 2), "1048576 bytes")]:
            with self.subTest(content):
                bad = self.file("bad.txt", content)
                self.refuse(INPUT, "watch", graph, "--stream", bad, "--batch", 9, says=["bad.txt", says])
        self.refuse(INPUT, "watch", graph, "--stream", self.folder / "none", says="none")
        self.refuse(INPUT, "watch", graph, "--stream", self.folder, says="directory")
        self.refuse(INPUT, "watch", graph, "--stream", self.file("edits.txt.gz", b""), says="compressed")
        self.refuse(USAGE, "watch", graph, says="--stream")
        self.refuse(USAGE, "watch", "-", "--stream", "-", says="standard input")
        self.refuse(USAGE, "watch", graph, "--stream", edits, "--levels", 11, says="11")
        self.refuse(USAGE, "watch", graph, "--stream", edits, "--batch", 0, says="--batch")

    def test_watched_cores_and_communities(self):
        graph = self.file("two.txt", "a b\nb c\nc a\nd e\ne f\nf d\nc d\n")
        stream = self.file("s.txt", "+ a d\n+ b d\n- d e\n")
        rows = self.succeed("watch", graph, "--undirected", "--cores", "--communities", "--stream", stream, "--json")
        first, second, third, last = map(json.loads, rows.splitlines())
        self.assertEqual([first["communities"], first["cores"]["changed"]], [2, 0])
        # a, b, c and d have an edge each to each other.
        self.assertEqual(second["cores"], {"changed": 4, "first": [{"vertex": v, "value": 3} for v in "abcd"]})
        self.assertEqual(third["cores"]["first"], [{"vertex": v, "value": 1} for v in "ef"])
        self.assertEqual((last["cores"], last["communities"]), ({"degeneracy": 3}, third["communities"]))
        self.assertAlmostEqual(first["modularity"], 6 / 8 - (8**2 + 8**2) / 16**2)
        rows = self.succeed("watch", graph, "--undirected", "--cores", "--communities", "--stream", stream).splitlines()
        self.assertIn("; cores of 4: a=3 b=3 c=3 d=3", rows[1])
        self.assertRegex(rows[-1], "; communities 2, modularity 0[.][0-9]+; degeneracy 3$")

    def test_watch_odd_streams(self):
        graph = self.file("w.txt", "1 2\n2 3\n3 1\n")
        for stream, updates, vertices, edges in [
                (b"", 0, 3, 3), (b"\n \n# nothing\n\t# more", 0, 3, 3),
                (b"\xef\xbb\xbf+ 1 4\r\n\r\n- 1 4\r\n", 2, 4, 3),  # as editors on Windows write it
                (b"+ 1 4", 1, 4, 4),  # no line break at the end
                (b"- 1 2\n- 2 1\n- 1 2\n", 3, 3, 2), (b"- 1 9\n- 8 9\n", 2, 3, 3),
                (b"+ 5 5\n+ 5 5\n+ 1 1 0\n- 5 5\n", 4, 4, 4), (b"+ 1 2 7\n+ 2 1 0\n+ 1 2 -0\n", 3, 3, 3),
                (b"+ 18446744073709551615 0\n", 1, 5, 4)]:
            for batch in [1, 3]:
                with self.subTest(stream=stream, batch=batch):
                    lines = self.succeed("watch", graph, "--undirected", "--stream", "-", "--json", "--batch", batch,
                                         "--components", "--pagerank", "--levels", 1, "--distances", 1,
                                         stdin=stream).splitlines()
                    last = json.loads(lines[-1])
                    self.assertEqual((last["edits"], last["vertices"], last["edges"]), (updates, vertices, edges))
        self.assertRegex(self.succeed("watch", graph, "--undirected", "--stream", "-"), r"^no edits; 3 vertices, 3 edges; ")
        people = self.file("people.txt", "ann bob\nbob eve\n")
        rows = self.succeed("watch", people, "--undirected", "--stream", "-", "--components",
                            stdin=b"+ ann ann\n+ \x1b[31m bob\n+ 17 bob\n- zoe 17\n- 17 bob\n").splitlines()
        self.assertNotIn("\x1b", "".join(rows))
        self.assertRegex(rows[-1], r"; 5 vertices, 4 edges; 2 components$")
        with subprocess.Popen([COMMAND, "watch", graph, "--stream", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as process:
            process.stdout.close()  # the reader goes
            process.communicate(b"+ 1 4\n")
        self.assertEqual(process.returncode, -signal.SIGPIPE)

    def test_bfs_trials(self):
        found = self.json("bfs", self.graph, "--sources", 5, "--seed", 3, "--verify")
        self.assertEqual(len(found["top"]), 5)
        self.assertTrue(all(row["source"] in (10, 20, 30, 70) for row in found["top"]))  # those with out-arcs
        self.assertEqual([row["source"] for row in found["top"]],
                         [row["source"] for row in self.json("bfs", self.graph, "--sources", 5, "--seed", 3)["top"]])
        rows = self.succeed("bfs", self.graph, "--sources", 5, "--quiet").splitlines()
        self.assertEqual([len(row.split("\t")) for row in rows], [5] * 5)

    def test_sources_are_refused(self):
        for arguments, says in [
            ([], "--source"), (["--source", 10, "--sources", 2], "--sources"), (["--source", 11], ["--source", "'11'"]),
            (["--source", "x"], "--source"), (["--sources", 0], "--sources"), (["--source", 10, "--depth", "x"], "--depth"),
        ]:
            with self.subTest(arguments):
                self.refuse(USAGE, "bfs", self.graph, *arguments, says=says)
        lonely = self.file("lonely.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 0\n")
        self.refuse(USAGE, "bfs", lonely, "--sources", 1, says="--sources")
        self.assertEqual(self.json("bfs", lonely, "--source", 2)["reached"], 1)

    def test_components(self):
        out = self.folder / "out.tsv"
        found = self.json("components", self.graph, "--verify")
        self.assertEqual((found["components"], found["largest_component"], found["single_vertices"]), (2, 4, 0))
        self.assertEqual(found["top"], [{"component": 10, "vertices": 4}, {"component": 70, "vertices": 2}])
        self.assertIn("4", self.succeed("components", self.graph, "--output", out))
        self.assertEqual(out.read_text(), "10\t10\n20\t10\n30\t10\n40\t10\n70\t70\n80\t70\n")
        self.assertEqual(self.succeed("components", self.graph, "--top", 1, "--quiet"), "10\t4\n")

    def test_sssp_values(self):
        graph = self.file("g.wel", "10 20 1.5\n20 30 2\n10 30 9\n40 10 0\n")
        out = self.folder / "out.tsv"
        self.succeed("sssp", graph, "--source", 10, "--output", out, "--quiet", "--verify")
        self.assertEqual(out.read_text(), "10\t0\t10\n20\t1.5\t10\n30\t3.5\t20\n40\t-\t-\n")
        found = self.json("sssp", graph, "--source", 40, "--top", 2, "--verify", "--delta", 1)
        self.assertEqual((found["reached"], found["largest_distance"], found["delta"]), (4, 3.5, 1))
        self.assertEqual(found["top"], [{"vertex": 30, "distance": 3.5}, {"vertex": 20, "distance": 1.5}])
        for arguments, says in [(["--delta", "0"], "--delta"), (["--delta", "nan"], "--delta"), (["--source", 9], "'9'")]:
            with self.subTest(arguments):
                self.refuse(USAGE, "sssp", graph, *(["--source", 10] if "--source" not in arguments else []), *arguments,
                            says=says)

    def test_sssp_paths_to_targets(self):
        graph = self.file("g.wel", "1 2 3\n2 3 4\n1 3 9\n3 4 1\n5 1 1\n")
        found = self.json("sssp", graph, "--source", 1, "--target", 4, "--target", 5, "--verify")
        self.assertEqual(found["paths"], [{"target": 4, "distance": 8, "vertices": [1, 2, 3, 4]},
                                          {"target": 5, "distance": None, "vertices": []}])
        self.assertEqual(self.succeed("sssp", graph, "--source", 1, "--target", 4, "--quiet"),
                         "4\t1\t0\n4\t2\t3\n4\t3\t7\n4\t4\t8\n")
        words = self.succeed("sssp", graph, "--source", 1, "--target", 4, "--target", 5)
        self.assertIn("8 long: 1 -> 2 -> 3 -> 4", words)
        self.assertRegex(words, "path to 5 +none")
        self.refuse(USAGE, "sssp", graph, "--source", 1, "--target", 9, says=["--target", "'9'"])
        self.refuse(USAGE, "sssp", graph, "--sources", 1, "--target", 4, says=["--target", "--source"])

    def test_sssp_over_negative_weights(self):
        graph = self.file("g.wel", "1 2 3\n2 3 -4\n1 3 9\n3 4 1\n5 1 1\n")
        self.assertEqual(self.succeed("sssp", graph, "--source", 1, "--output", "-", "--quiet", "--verify"),
                         "1\t0\t1\n2\t3\t1\n3\t-1\t2\n4\t0\t3\n5\t-\t-\n")
        self.assertIn("Bellman and Ford", self.succeed("sssp", graph, "--source", 1))
        found = self.json("sssp", graph, "--source", 1, "--target", 4, "--verify")
        self.assertEqual((found["method"], found["paths"][0]["vertices"]), ("bellman-ford", [1, 2, 3, 4]))
        self.refuse(INPUT, "sssp", graph, "--source", 1, "--undirected", says=["g.wel", "2 -> 3 -> 2", "both ways"])
        cycle = self.file("c.wel", "1 2 3\n2 3 -4\n3 2 1\n3 1 0\n")
        self.refuse(INPUT, "sssp", cycle, "--source", 1, says=["c.wel", "negative", "2 -> 3 -> 2"])

    def test_sssp_weights_are_refused(self):
        self.refuse(USAGE, "sssp", self.graph, "--source", 10, says="--random-weights")
        self.refuse(USAGE, "sssp", self.file("h.wel", "1 2 1.7e308\n2 3 1.7e308\n"), "--source", 1, says="1.8e308")
        drawn = self.json("sssp", self.graph, "--random-weights", 5, "--source", 10, "--verify")
        self.assertTrue(2 <= drawn["largest_distance"] <= 510)

    def test_random_weights_are_written(self):
        files = [self.folder / name for name in ("a.wel", "b.wel", "c.wel")]
        for file, seed in zip(files, (1, 1, 2)):
            self.succeed("convert", self.graph, file, "--random-weights", seed)
        self.assertEqual(files[0].read_text(), files[1].read_text())
        self.assertNotEqual(files[0].read_text(), files[2].read_text())
        self.assertTrue(all(1 <= int(line.split()[2]) <= 255 for line in files[0].read_text().splitlines()))

    def test_scc_kcore_clustering_diameter(self):
        graph = self.file("t.txt", "10 20\n20 30\n30 10\n30 40\n50 60\n")
        out = self.folder / "out.tsv"
        self.succeed("scc", graph, "--output", out, "--verify")
        self.assertEqual(out.read_text(), "10\t10\n20\t10\n30\t10\n40\t40\n50\t50\n60\t60\n")
        self.assertEqual(self.json("scc", graph)["top"][0], {"component": 10, "vertices": 3})
        self.succeed("kcore", graph, "--output", out, "--verify")
        self.assertEqual(out.read_text(), "10\t2\n20\t2\n30\t2\n40\t1\n50\t1\n60\t1\n")
        self.assertEqual(self.succeed("kcore", graph, "--top", 1, "--quiet"), "10\t2\n")
        self.succeed("clustering", graph, "--output", out, "--verify")
        self.assertEqual(out.read_text().splitlines()[2:4], ["30\t0.3333333333333333\t1", "40\t0\t0"])
        found = self.json("diameter", graph, "--verify")
        self.assertEqual((found["diameter"], found["component"], found["exact"]), (2, 4, True))
        self.assertEqual(self.succeed("diameter", graph, "--quiet"), "2\n")
        self.refuse(USAGE, "diameter", graph, "--searches", 0, says="--searches")

    def test_communities(self):
        edges = [(u, v) for first, last in ((10, 15), (30, 34)) for u in range(first, last) for v in range(first, u)]
        graph = self.file("c.txt", "".join(f"{u} {v}\n" for u, v in edges) + "14 33\n50 50\n")
        out = self.folder / "out.tsv"
        for method in ("leiden", "louvain", "labels"):
            found = self.json("communities", graph, "--method", method, "--verify", "--directions", "ignore")
            self.assertEqual((found["communities"], found["largest_community"], found["converged"]), (3, 5, True))
            # 16 edges and a loop; volumes 21, 13 and 2 of 36, 32 and 2 of them inside.
            self.assertAlmostEqual(found["modularity"], 34 / 36 - (21**2 + 13**2 + 2**2) / 36**2)
            self.assertEqual(found["top"][:2], [{"community": 10, "vertices": 5, "members": [14, 10, 11, 12, 13]},
                                                {"community": 30, "vertices": 4, "members": [33, 30, 31, 32]}])
            self.assertIn("modularity", self.succeed("communities", graph, "--method", method, "--output", out))
            self.assertEqual(out.read_text(), "".join(f"{v}\t10\n" for v in range(10, 15)) +
                             "".join(f"{v}\t30\n" for v in range(30, 34)) + "50\t50\n")
        self.assertEqual(self.succeed("communities", graph, "--top", 1, "--quiet"), "10\t5\n")
        self.assertEqual(self.json("communities", graph, "--resolution", 0)["communities"], 2)
        self.assertEqual(self.json("communities", graph, "--resolution", 99)["communities"], 10)
        hubs = self.folder / "h.cg"
        self.succeed("convert", graph, hubs, "--order", "hubs", "--undirected")
        self.assertEqual(self.succeed("communities", hubs, "--output", "-", "--quiet"), out.read_text())
        for arguments, says in [(["--method", "infomap"], ["--method", "'infomap'"]),
                                (["--resolution", "-1"], "--resolution"), (["--resolution", "nan"], "--resolution"),
                                (["--quality", "Q"], "modularity or cpm"), (["--directions", "x"], "--directions"),
                                (["--iterations", "0"], "--iterations")]:
            self.refuse(USAGE, "communities", graph, *arguments, says=says)
        self.refuse(INPUT, "communities", self.file("n.wel", "1 2 3\n2 3 -1\n"), says=["n.wel: the edge from 2 to 3", "-1"])

    def test_communities_do_not_depend_on_threads(self):
        graph = self.folder / "g.cg"
        self.succeed("generate", "kronecker", graph, "--scale", 13, "--quiet")
        for method in ("louvain", "labels"):
            values = {self.succeed("communities", graph, "--method", method, "--threads", threads, "--output", "-",
                                   "--quiet") for threads in (1, 2, 5)}
            self.assertEqual(len(values), 1)

    def test_hubs_first_speaks_the_users_labels(self):
        """The same values, names and other formats from a file in another order, and a smaller vertex is no hub."""
        text = "3 900\n4 900\n5 900\n6 900\n7 900\n7 8\n20 21\n"
        plain = self.file("p.txt", text)
        hubs = self.folder / "h.cg"
        self.succeed("convert", plain, hubs, "--order", "hubs", "--undirected")
        self.assertTrue(self.json("info", hubs, "--verify")["verified"])
        for command in (["bfs", "--source", 900], ["components"], ["scc"], ["kcore"], ["clustering"],
                        ["sssp", "--source", 8]):
            drawn = ["--random-weights", 1] if command[0] == "sssp" else []
            with self.subTest(command[0]):
                results = []
                for graph in ([plain, "--undirected"], [hubs]):
                    if drawn and graph[0] == hubs:
                        continue
                    results.append(self.succeed(command[0], *graph, *command[1:], *drawn, "--output", "-", "--quiet",
                                                "--verify"))
                self.assertEqual(results[0], results[-1])
        for name in ("x.txt", "x.mtx", "x.sg"):
            self.succeed("convert", plain, self.folder / ("a" + name), "--undirected")
            self.succeed("convert", hubs, self.folder / ("b" + name))
            self.assertEqual((self.folder / ("a" + name)).read_bytes(), (self.folder / ("b" + name)).read_bytes())
        back = self.folder / "back.cg"
        self.succeed("convert", hubs, back, "--order", "labels")
        self.assertEqual(self.succeed("bfs", back, "--source", 3, "--output", "-", "--quiet"),
                         self.succeed("bfs", plain, "--undirected", "--source", 3, "--output", "-", "--quiet"))
        self.refuse(USAGE, "convert", plain, self.folder / "y.txt", "--order", "hubs", says="--order")
        self.refuse(USAGE, "convert", plain, self.folder / "y.cg", "--order", "size", says="--order")

    @needs_data
    def test_real_graphs(self):
        for name in FEW_GRAPHS:  # ./x soak takes all that there are, and slow checks of larger ones
            with self.subTest(name):
                verify_all.verify(COMMAND, LAB, DATA / name, most_arcs_for_slow_checks=50_000)


if __name__ == "__main__":
    main()
