#!/usr/bin/env python3
"""Real graphs against what was published about them.

Usage: graphs_test.py [unittest arguments]. Environment: as command.py says.
"""

import json

from command import DATA, GRAPHS, CommandTest, main, needs_data, published, run


class Graphs(CommandTest):
    @needs_data
    def test_counts_match_the_published_ones(self):
        for name in GRAPHS:
            vertices, lines, loops, repeats, edges, triangles = published()[name]
            with self.subTest(name):
                # Headers tell the direction; the table counts lines.
                info = self.json("info", DATA / name, "--directed" if name.endswith(".txt.gz") else "--keep-repeats")
                self.assertEqual((info["vertices"], info["undirected_edges"]), (vertices, edges))
                listed = {"edges": lines, "self_loops": loops, "repeated_edges": repeats}
                self.assertEqual(info["graph"]["listed"], listed)
                if not name.endswith(".txt.gz"):
                    self.assertEqual({key: info[key] for key in listed}, listed)
                counted = self.json("triangles", DATA / name)
                self.assertEqual((counted["triangles"], counted["undirected_edges"], counted["vertices"],
                                  counted["graph"]["listed"]["edges"]), (triangles, edges, vertices, lines))

    @needs_data
    def test_labels_that_have_not_converged_are_said(self):
        told = run("communities", DATA / "gemsec-Deezer-HU.txt.gz", "--method", "labels", "--json", "--quiet")
        self.assertIn(b"have not converged: labels would change still", told.stderr)
        self.assertIs(json.loads(told.stdout)["converged"], False)

    @needs_data
    def test_triangles_survive_conversion(self):
        _, _, _, _, edges, triangles = published()["ca-GrQc.txt.gz"]
        for name in ["g.cg", "g.txt", "g.mtx", "g.mtx.gz", "g.el", "g.sg", "g.txt.zst"]:
            out = self.folder / name
            with self.subTest(name):
                self.succeed("convert", DATA / "ca-GrQc.txt.gz", out)
                counted = self.json("triangles", out)
                self.assertEqual((counted["triangles"], counted["undirected_edges"]), (triangles, edges))
                back = self.folder / "back.cg"
                self.succeed("convert", out, back)
                self.assertEqual(self.json("triangles", back)["triangles"], triangles)

    @needs_data
    def test_labels_survive_conversion(self):
        source = DATA / "ca-GrQc.txt.gz"
        expected = self.succeed("pagerank", source, "--output", "-", "--tolerance", "1e-12", "--threads", "1")
        for name in ["g.cg", "g.txt"]:
            out = self.folder / name
            self.succeed("convert", source, out)
            got = self.succeed("pagerank", out, "--output", "-", "--tolerance", "1e-12", "--threads", "1")
            rows = lambda text: [(int(a), float(b)) for a, b in (line.split() for line in text.splitlines())]
            for (a, x), (b, y) in zip(rows(expected), rows(got), strict=True):
                self.assertEqual(a, b)
                self.assertAlmostEqual(x, y, 12)

    def test_the_format_found_is_named(self):
        texts = {"edge-list": "0 1\n1 2\n", "weighted-edge-list": "0 1 0.5\n1 2 2\n", "metis": "% a path\n3 2\n2\n1 3\n2\n",
                 "matrix-market": "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2\n",
                 "dimacs": "p sp 3 1\na 1 2 7\n"}
        for name, text in texts.items():
            graph = self.file("graph." + {"metis": "graph"}.get(name, name), text)
            self.assertEqual(self.json("info", graph)["graph"]["format"], name)
        self.assertIn("(dimacs)", self.succeed("info", graph))
        self.succeed("convert", graph, self.folder / "g.cg")
        self.assertEqual(self.json("info", self.folder / "g.cg")["graph"]["format"], "native")

    def test_loading_options(self):
        graph = self.file("g.txt", "0 1\n0 1\n1 0\n2 2\n1 2\n")
        arcs = lambda *options: self.json("info", graph, *options)["graph"]["arcs"]
        self.assertEqual(arcs(), 4)
        self.assertEqual(arcs("--keep-repeats"), 5)
        self.assertEqual(arcs("--drop-loops"), 3)
        self.assertEqual(arcs("--undirected"), 5)
        self.assertEqual(arcs("--undirected", "--drop-loops"), 4)
        info = self.json("info", graph)
        self.assertEqual((info["edges"], info["self_loops"], info["repeated_edges"], info["undirected_edges"]),
                         (4, 1, 0, 2))
        self.assertEqual(info["graph"]["listed"], {"edges": 5, "self_loops": 1, "repeated_edges": 1})
        told = self.succeed("info", graph)
        self.assertRegex(told, r"(?m)^edges +4 \(5 listed\)$")
        self.assertRegex(told, r"(?m)^listed edges +5: 1 self-loops, 1 repeats$")

    def test_edges_are_those_of_the_graph_whatever_the_file(self):
        text = self.file("g.txt", "0 1\n0 1\n1 0\n2 2\n2 2\n2 2\n3 3\n3 3\n1 2\n")
        native = self.folder / "g.cg"
        # What the graph has by hand: edges, self-loops, repeats.
        for options, found in [([], (5, 2, 0)), (["--undirected"], (4, 2, 0)), (["--keep-repeats"], (9, 5, 4)),
                               (["--undirected", "--keep-repeats"], (9, 5, 5)), (["--drop-loops"], (3, 0, 0))]:
            with self.subTest(options):
                self.succeed("convert", text, native, *options)
                for info in [self.json("info", text, *options), self.json("info", native)]:
                    self.assertEqual((info["edges"], info["self_loops"], info["repeated_edges"]), found)
                self.assertNotIn("listed", info["graph"])
                kernel = self.json("components", text, *options)
                self.assertEqual((kernel["edges"], kernel["graph"]["edges"], kernel["graph"]["listed"]["edges"]),
                                 (found[0], found[0], 9))
                self.assertEqual(self.json("components", native)["edges"], found[0])
        made = self.json("generate", "uniform", native, "--scale", "4", "--degree", "16")
        self.assertEqual(made["edges"], self.json("info", native)["edges"])
        self.assertEqual(made["drawn"]["edges"], 256)
        self.assertGreater(made["drawn"]["repeated_edges"], 0)

    def test_generated_graphs_depend_on_their_seed_alone(self):
        for model in ["kronecker", "uniform", "power-law"]:
            with self.subTest(model):
                def make(name, *options):
                    path = self.folder / name
                    self.succeed("generate", model, path, "--scale", "10", *options)
                    return path.read_bytes()
                first = make("a.cg", "--seed", "1", "--threads", "1")
                self.assertEqual(first, make("b.cg", "--seed", "1", "--threads", "3"))
                self.assertNotEqual(first, make("c.cg", "--seed", "2"))
                self.assertEqual(self.json("info", self.folder / "a.cg")["vertices"], 1024)


if __name__ == "__main__":
    main()
