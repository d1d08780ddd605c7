#!/usr/bin/env python3
"""Cores, trusses, matchings and other structures.

Usage: structures_test.py [unittest arguments]. Environment: as command.py says.
"""

import json
import math
import unittest

from command import INPUT, ROOT, SANITIZED, USAGE, CommandTest, main, run


class Structures(CommandTest):
    """Forests, trusses, similarities and the like: values of NetworkX on a small graph; subgraphs; refusals."""

    def setUp(self):
        super().setUp()
        self.graph = self.file("d.wel", "10 11 3\n11 12 1\n12 10 2\n10 12 4\n12 13 1\n13 10 5\n11 13 2\n")
        self.path = self.file("p.txt", "1 2\n2 3\n3 4\n9 9\n")

    def lines(self, *arguments):
        return self.succeed(*arguments, "--verify", "--output", "-", "--quiet").splitlines()

    def test_forest(self):
        self.assertEqual(self.lines("forest", self.graph), ["10\t12\t2", "11\t12\t1", "12\t13\t1"])
        self.assertEqual(self.lines("forest", self.graph, "--heaviest"), ["10\t11\t3", "10\t12\t4", "10\t13\t5"])
        self.assertEqual(self.lines("forest", self.path), ["1\t2", "2\t3", "3\t4"])
        found = self.json("forest", self.graph)
        self.assertEqual((found["weight"], found["forest_edges"], found["trees"]), (4, 3, 1))

    def test_truss(self):
        ring = self.file("t.txt", "1 2\n2 3\n3 1\n3 4\n4 5\n")
        self.assertEqual(self.lines("truss", ring), ["1\t2\t3", "1\t3\t3", "2\t3\t3", "3\t4\t2", "4\t5\t2"])
        self.assertEqual(len(self.lines("truss", ring, "--least", 3)), 3)
        self.assertEqual(self.json("truss", ring)["top"], [{"trussness": 3, "edges": 3}, {"trussness": 2, "edges": 2}])

    def test_similarity(self):
        self.assertEqual(self.lines("similarity", self.path, "--threshold", 0.5), ["1\t3\t0.5", "2\t4\t0.5"])
        self.assertEqual(self.lines("similarity", self.path, "--threshold", 1, "--measure", "overlap"),
                         ["1\t3\t1", "2\t4\t1"])
        self.assertEqual(self.lines("similarity", self.path, "--threshold", 0.1, "--least-common", 2), [])
        self.assertEqual(self.lines("similarity", self.path, "--best", 1), ["1\t3\t0.5", "2\t4\t0.5", "3\t1\t0.5", "4\t2\t0.5"])
        # Of 2 and 4 the one common neighbour, 3, has two neighbours.
        for measure, value in [("cosine", 1 / math.sqrt(2)), ("common", 1), ("adamic-adar", 1 / math.log(2)), ("resource-allocation", 0.5)]:
            found = [line.split("\t") for line in self.lines("similarity", self.path, "--best", 1, "--measure", measure)]
            self.assertEqual([line[:2] for line in found], [["1", "3"], ["2", "4"], ["3", "1"], ["4", "2"]])
            self.assertEqual([float(line[2]) for line in found], [value] * 4)
            self.assertEqual(len(self.lines("similarity", self.path, "--threshold", value + 1e-6, "--measure", measure)), 0)
        pairs = self.file("pairs.tsv", "# a comment\n4\t2\n1, 4\n")
        self.assertEqual(self.lines("similarity", self.path, "--pairs", pairs), ["4\t2\t0.5", "1\t4\t0"])
        wrong = self.file("wrong.tsv", "4 2\n1 5\n")
        self.refuse(INPUT, "similarity", self.path, "--pairs", wrong, says=["wrong.tsv:2", "'5'"])
        for arguments in ([], ["--threshold", 1, "--best", 2], ["--threshold", 0], ["--threshold", 1.5], ["--best", 0],
                          ["--best", 1, "--measure", "cosines"], ["--threshold", 1.5, "--measure", "cosine"]):
            with self.subTest(arguments):
                self.refuse(USAGE, "similarity", self.path, *arguments, says="--")

    def test_predicted_links(self):
        # NetworkX: sorted(resource_allocation_index(G), ...), preferential_attachment(G).
        graph = self.file("l.txt", "# Undirected graph\n1 2\n1 3\n2 3\n3 4\n4 5\n4 6\n5 6\n7 7\n")
        self.assertEqual(self.lines("similarity", graph, "--predict", 3, "--measure", "common"),
                         ["1\t4\t1", "2\t4\t1", "3\t5\t1"])
        self.assertEqual(len(self.lines("similarity", graph, "--predict", 99, "--measure", "resource-allocation")), 4)
        self.assertEqual(self.lines("similarity", graph, "--predict", 4, "--measure", "preferential-attachment"),
                         ["3\t5\t6", "3\t6\t6", "1\t4\t6", "2\t4\t6"])
        pairs = self.file("p.tsv", "1\t6\n3\t4\n")
        self.assertEqual(self.lines("similarity", graph, "--pairs", pairs, "--measure", "preferential-attachment"),
                         ["1\t6\t4", "3\t4\t9"])
        self.refuse(USAGE, "similarity", graph, "--best", 2, "--measure", "preferential-attachment", says="--predict")
        self.refuse(USAGE, "similarity", graph, "--best", 2, "--predict", 2, says="one of")

    def test_paths_between_two_vertices(self):
        graph = self.file("ways.csv", "source,target,weight\nBRN,ZRH,1\nZRH,LAX,9\nBRN,GVA,2\nGVA,LAX,8\nZRH,GVA,1\n")
        self.assertEqual(self.lines("path", graph, "BRN", "LAX", "--directed", "-k", 2),
                         ["1\tBRN\t0", "1\tGVA\t2", "1\tLAX\t10", "2\tBRN\t0", "2\tZRH\t1", "2\tGVA\t2", "2\tLAX\t10"])
        found = self.json("path", graph, "BRN", "LAX", "--directed", "--all", "--limit", 1)
        self.assertEqual([found[key] for key in ("source", "target", "weights", "count", "vertices_on_paths", "arcs_on_paths")],
                         ["BRN", "LAX", "length", 3, 4, 5])
        self.assertEqual(found["paths"], [{"distance": 10, "vertices": ["BRN", "GVA", "LAX"]}])
        found = self.json("path", graph, "BRN", "LAX", "--directed", "--weights", "none", "--all", "--verify")
        self.assertEqual((found["distance"], found["count"], found["verified"]), (2, 2, True))
        one = self.json("path", self.path, 4, 1, "--undirected")
        self.assertEqual(one["paths"], [{"distance": 3, "vertices": [4, 3, 2, 1]}])
        self.assertEqual(one["method"], "bidirectional breadth-first search")
        none = self.json("path", graph, "LAX", "BRN", "--directed")
        self.assertEqual((none["distance"], none["paths"]), (None, []))
        self.assertIn("none", self.succeed("path", graph, "LAX", "BRN", "--directed"))
        self.assertEqual(self.lines("path", graph, "LAX", "BRN", "--directed"), [])
        grid = self.file("grid.txt", "".join(f"{30 * i + j} {30 * i + j + d}\n" for i in range(30) for j in range(30)
                                             for d in (1, 30) if (d == 30 or j < 29) and 30 * i + j + d < 900))
        self.assertIn("about 3.007e+16", self.succeed("path", grid, 0, 899, "--undirected", "--all"))
        still = self.file("still.gr", "p sp 3 4\na 1 2 0\na 2 1 0\na 2 3 0\na 3 2 0\n")
        self.refuse(INPUT, "path", still, 1, 3, "--undirected", "--all", says=["without length", "--weights none"])
        self.refuse(USAGE, "path", self.path, 1, 999, "--undirected", says=["TO", "999"])
        self.refuse(USAGE, "path", graph, "BRN", "LAX", "--directed", "--all", "-k", 2, says="--all")
        self.refuse(USAGE, "path", graph, "BRN", "LAX", "--directed", "--limit", 2, says="--limit")
        self.refuse(USAGE, "path", graph, "BRN", "LAX", "--directed", "-k", 0, says="--shortest")

    def test_routes(self):
        side, rows = 12, []
        for v in range(side * side):
            rows += [f"{v},{v + 1},{1 + v * 7 % 10}"] if (v + 1) % side else []
            rows += [f"{v},{v + side},{1 + v * 3 % 7}"] if v + side < side * side else []
        roads = self.file("roads.csv", "source,target,length\n" + "\n".join(rows) + "\n")
        plain, routed = self.folder / "plain.cg", self.folder / "routed.cg"
        self.succeed("convert", roads, plain, "--undirected", "--quiet")
        made = self.json("convert", plain, routed, "--routes")["written"]
        self.assertGreater(made["routes"]["arcs"], len(rows))
        self.assertEqual(self.json("info", routed, "--verify")["routes"],
                         {"arcs": made["routes"]["arcs"], "weights": "length"})
        self.assertIsNone(self.json("info", plain)["routes"])
        self.assertRegex(self.succeed("info", routed), r"routes +[0-9,]+ arcs and shortcuts, by weights")
        for pair in [(0, 143), (5, 131), (11, 132), (77, 78)]:
            one, other = (self.json("path", file, *pair, "--verify") for file in (plain, routed))
            self.assertEqual([one["method"], other["method"]], ["bidirectional dijkstra", "contraction hierarchy"])
            self.assertEqual(one["distance"], other["distance"])
            self.assertEqual((other["paths"][0]["vertices"][0], other["paths"][0]["vertices"][-1]), pair)
        # They serve where the graph and the lengths are those of the file.
        self.assertEqual(self.json("path", routed, 0, 143, "--weights", "none")["method"],
                         "bidirectional breadth-first search")
        self.assertEqual(self.json("path", routed, 0, 143, "--where", "weight < 8")["method"], "bidirectional dijkstra")
        self.succeed("convert", roads, routed, "--directed", "--routes", "--quiet")
        self.assertEqual(self.json("path", routed, 0, 143)["method"], "contraction hierarchy")
        self.assertIsNone(self.json("path", routed, 143, 0)["distance"])
        self.assertEqual(self.json("path", routed, 143, 0, "--undirected")["method"], "bidirectional dijkstra")
        lost = self.json("convert", routed, self.folder / "again.cg")["written"]["lost"]
        self.assertEqual(["routes" in words for words in lost], [True])
        self.refuse(USAGE, "convert", roads, self.folder / "roads.txt", "--routes", says="--routes")
        # A clique is no network of roads.
        clique = self.file("clique.txt", "".join(f"{u} {v}\n" for u in range(140) for v in range(u)))
        self.assertNotIn("routes", self.json("convert", clique, plain, "--undirected", "--routes")["written"])
        self.assertIsNone(self.json("info", plain)["routes"])
        # One byte of the last section.
        damaged = bytearray(routed.read_bytes())
        damaged[-9] ^= 64
        routed.write_bytes(damaged)
        self.refuse(INPUT, "info", routed, "--verify", says=["routed.cg", "downward routes"])

    def test_guided_paths(self):
        table = self.file("t.csv", "source,target,weight\na,b,5\nb,c,5\na,d,4\nd,c,7\n")
        places = self.file("p.csv", "vertex,x,y\na,0,0\nb,5,0\nc,10,0\nd,2,3\n")
        found = self.json("path", table, "a", "c", "--undirected", "--vertex-table", places, "--guided", "--verify")
        self.assertEqual([found[key] for key in ("distance", "method", "guide", "arcs_looked_at", "verified")],
                         [10, "a*", "the columns x and y", 4, True])
        self.refuse(USAGE, "path", self.path, 1, 3, "--undirected", "--guided", says=["--guided", "lon and lat"])
        self.refuse(USAGE, "path", table, "a", "c", "--guided", "--all", says="--guided")

    def test_flow(self):
        pipes = self.file("pipes.csv", "source,target,weight\nwell,a,3\nwell,b,2\na,b,5\na,town,2\nb,town,3.5\n")
        found = self.json("flow", pipes, "well", "town", "--directed", "--verify")
        self.assertEqual([found[key] for key in ("flow", "cut_edges", "source_side", "target_side", "weights", "verified")],
                         [5, 2, 1, 3, "strength", True])
        self.assertEqual(found["top"], [{"from": "well", "to": "a", "capacity": 3}, {"from": "well", "to": "b", "capacity": 2}])
        carried = self.json("flow", pipes, "well", "town", "--directed", "--edges", "--top", 1)["top"]
        self.assertEqual(carried, [{"from": "b", "to": "town", "flow": 3}])
        self.assertEqual(self.lines("flow", pipes, "well", "town", "--directed", "--weights", "none"),
                         ["a\ttown\t1", "b\ttown\t1"])
        self.assertEqual(self.json("flow", self.path, 1, 3, "--undirected")["flow"], 1)
        self.refuse(USAGE, "flow", self.path, 1, 1, "--undirected", says="the source is the target")

    def test_biconnected(self):
        graph = self.file("b.txt", "1 2\n2 3\n3 1\n3 4\n4 5\n5 6\n6 4\n8 8\n")
        self.assertEqual(self.lines("biconnected", graph), ["1\t1", "2\t1", "3\t2", "4\t2", "5\t1", "6\t1", "8\t0"])
        self.assertEqual(self.lines("biconnected", graph, "--bridges"), ["3\t4"])
        self.assertEqual(self.lines("biconnected", graph, "--edges"),
                         ["1\t2\t0", "1\t3\t0", "2\t3\t0", "3\t4\t1", "4\t5\t2", "4\t6\t2", "5\t6\t2"])
        found = self.json("biconnected", graph, "--edges", "--top", 2)
        self.assertEqual([found[key] for key in ("blocks", "largest_block", "bridges", "articulation_points")], [3, 3, 1, 2])
        self.assertEqual(found["top"], [{"block": 0, "vertices": 3}, {"block": 2, "vertices": 3}])
        self.assertEqual(self.json("biconnected", graph, "--bridges")["top"], [{"from": 3, "to": 4}])
        self.refuse(USAGE, "biconnected", graph, "--bridges", "--edges", says="--bridges")

    def test_trials(self):
        found = self.json("components", self.path, "--trials", 5)
        times = sorted(found["trial_seconds"])
        self.assertEqual((len(times), found["seconds"]["compute"], found["components"]), (5, times[2], 2))
        self.assertIn("5 runs, median", self.succeed("components", self.path, "--trials", 5))
        self.assertNotIn("trial_seconds", self.json("components", self.path))
        self.refuse(USAGE, "components", self.path, "--trials", 0, says="--trials")

    def test_cliques(self):
        graph = self.file("c.txt", "# Undirected graph\n1 2\n2 3\n3 1\n3 4\n5 5\n")
        self.assertEqual(self.lines("cliques", graph), ["1\t1", "2\t1", "3\t1"])
        self.assertEqual(sorted(self.lines("cliques", graph, "--list")), ["1\t2\t3", "3\t4", "5"])
        self.assertEqual(self.lines("cliques", graph, "--list", "--at-least", 3), ["1\t2\t3"])
        found = self.json("cliques", graph)
        self.assertEqual((found["cliques"], found["largest"], found["members"]), (3, 3, [1, 2, 3]))

    @unittest.skipIf(SANITIZED, "too long for sanitizers")
    def test_a_list_of_any_length_is_written_as_it_is_found(self):
        # 3^12 cliques of 12 (Moon and Moser 1965): more members than are kept.
        graph = self.file("m.txt", "# Undirected graph\n" + "".join(
            f"v{u} v{v}\n" for u in range(36) for v in range(u) if u // 3 != v // 3))
        lines = self.succeed("cliques", graph, "--list", "--quiet").splitlines()
        self.assertEqual((len(lines), len(set(lines))), (3**12, 3**12))
        self.assertEqual({len(line.split("\t")) for line in lines}, {12})
        self.assertEqual(len({int(name[1:]) // 3 for name in lines[-1].split("\t")}), 12)

    def test_motifs(self):
        graph = self.file("m.txt", "1 2\n2 3\n3 1\n3 4\n4 5\n5 1\n")
        self.assertEqual(self.lines("motifs", graph, "--undirected"),
                         ["paths_of_3\t6", "triangles\t1", "paths_of_4\t2", "stars\t0", "cycles\t1", "paws\t2", "diamonds\t0", "cliques\t0"])

    def test_partition(self):
        ring = self.file("r.txt", "# Undirected graph\n" + "".join(f"{i} {(i + 1) % 12}\n" for i in range(12)))
        parts = [line.split("\t")[1] for line in self.lines("partition", ring, "--parts", 3, "--imbalance", 0)]
        self.assertEqual({parts.count(p) for p in "012"}, {4})
        self.assertEqual(self.json("partition", ring, "--parts", 3, "--imbalance", 0)["cut"], 3)
        # Full parts exchange vertices: METIS cuts 10 edges, too.
        self.assertEqual(self.json("partition", ROOT / "examples" / "karate.txt", "--parts", 2)["cut"], 10)
        heavy = self.file("h.csv", "source,target,weight\na,b,1\nb,c,9\nc,d,1\nd,a,9\n")
        self.assertEqual(self.json("partition", heavy, "--undirected", "--imbalance", 0)["cut"], 2)
        self.assertEqual(self.json("partition", heavy, "--undirected", "--imbalance", 0, "--weights", "none")["cut"], 2)
        self.refuse(USAGE, "partition", ring, "--parts", 0, says="--parts")

    def test_temporal(self):
        mails = self.file("t.csv", "source,target,time\na,b,1\na,b,7\nb,c,3\nc,d,3\nd,e,2\nb,e,8\n")
        self.assertEqual(self.lines("temporal", mails, "--directed", "--source", "a"),
                         ["a\t-\t0", "b\t1\t1", "c\t3\t2", "d\t3\t3", "e\t8\t2"])
        self.assertEqual(self.lines("temporal", mails, "--directed", "--source", "a", "--from", 2),
                         ["a\t2\t0", "b\t7\t1", "c\t-\t-", "d\t-\t-", "e\t8\t2"])
        self.assertEqual(self.lines("temporal", mails, "--directed", "--source", "a", "--strict", "--until", 7),
                         ["a\t-\t0", "b\t1\t1", "c\t3\t2", "d\t-\t-", "e\t-\t-"])
        self.assertEqual(self.lines("temporal", mails, "--directed", "--source", "a", "--duration", 2)[2], "c\t5\t2")
        found = self.json("temporal", mails, "--directed", "--source", "a", "--to", "e")
        self.assertEqual((found["path"], found["arrival"], found["reached"]), (["a", "b", "e"], 8, 5))
        self.assertEqual(self.json("temporal", mails, "--undirected", "--source", "d")["reached"], 5)
        self.refuse(USAGE, "temporal", mails, "--directed", "--source", "a", "--time", "when", "-q",
                    says="--time: edges have no column 'when'")

    def test_project(self):
        members = self.file("p.csv", "person,club,since\nann,x,1\nann,y,2\nbob,x,1\nbob,y,1\ncid,y,4\ndan,z,1\n")

        def projected(*options):
            return self.succeed("project", members, "-", "--to", "table", "--columns", "person,club", "--directed", "-q", *options).splitlines()[1:]
        self.assertEqual(projected(), ["ann,bob,Undirected,2", "ann,cid,Undirected,1", "bob,cid,Undirected,1"])
        self.assertEqual(projected("--at-least", 2), ["ann,bob,Undirected,2"])
        self.assertEqual(projected("--onto", "to"), ["x,y,Undirected,2"])
        self.assertEqual(projected("--weight", "newman")[0], "ann,bob,Undirected,1.5")
        self.assertEqual(projected("--weight", "jaccard")[0], "ann,bob,Undirected,1")
        self.assertEqual(self.json("project", members, self.folder / "o.cg", "--columns", "person,club", "--directed")["written"]["vertices"], 4)
        self.refuse(USAGE, "project", self.path, "-", "--to", "table", "--directed", "-q", says="no two modes")

    def test_embedding(self):
        star = self.file("s.txt", "# Undirected graph\n1 2\n1 3\n1 4\n")
        rows = [line.split("\t") for line in self.succeed("embedding", star, "--dimensions", 8, "-q", "-o", "-",
                                                          "--steps", "0,1").splitlines()]
        self.assertEqual([len(row) for row in rows], [9] * 4)
        self.assertEqual(rows[1][1:], rows[2][1:])  # leaves of one hub
        self.assertAlmostEqual(sum(float(x) ** 2 for x in rows[1][1:]), 1, places=5)
        npy = self.folder / "v.npy"
        self.succeed("embedding", star, "--dimensions", 8, "--npy", npy, "-q")
        data = npy.read_bytes()
        self.assertEqual((data[:6], data.count(b"(4, 8)"), len(data)), (b"\x93NUMPY", 1, 128 + 4 * 8 * 4))
        self.refuse(USAGE, "embedding", star, "--steps", "0,0", says="--steps")
        learned = ["embedding", star, "--method", "node2vec", "--dimensions", 4, "--length", 5, "-q", "-o", "-"]
        self.assertEqual([len(line.split("\t")) for line in self.succeed(*learned).splitlines()], [5] * 4)
        self.assertEqual(self.succeed(*learned, "--threads", 1), self.succeed(*learned, "--threads", 3))
        self.assertNotEqual(self.succeed(*learned, "--q", 4), self.succeed(*learned))
        self.refuse(USAGE, "embedding", star, "--method", "word2vec", says="fastrp or node2vec")
        self.refuse(USAGE, "embedding", star, "--method", "node2vec", "--rate", 2, says="--rate")

    def test_topological(self):
        graph = self.file("t.csv", "source,target\nsocks,shoes\ntrousers,shoes\npants,trousers\n")
        self.assertEqual(self.lines("topological", graph, "--directed"), ["pants\t0", "socks\t0", "trousers\t1", "shoes\t2"])
        found = self.json("topological", graph, "--directed")
        self.assertEqual((found["layers"], found["widest_layer"]), (3, 2))
        more = self.file("m.csv", "source,target\na,b\nb,c\na,c\nc,d\na,d\nb,d\n")
        self.assertEqual(self.lines("topological", more, "--directed", "--reduce"), ["a\tb", "b\tc", "c\td"])
        self.assertEqual(self.json("topological", more, "--directed", "--reduce")["reduced_arcs"], 3)
        cycle = self.file("c.txt", "# Directed graph\n5 6\n6 7\n7 5\n7 8\n")
        self.refuse(INPUT, "topological", cycle, says=["c.txt", "a cycle, 5 -> 6 -> 7 -> 5"])
        self.refuse(USAGE, "topological", self.path, "--undirected", says="undirected")

    def test_compare_groups(self):
        graph = self.file("two.txt", "1 2\n2 3\n3 1\n4 5\n5 6\n6 4\n")
        found, known = self.folder / "found.tsv", self.file("known.csv", "vertex,group\n6,a\n5,a\n4,a\n3,b\n2,b\n1,b\n")
        self.succeed("components", graph, "--output", found)
        self.assertEqual(self.succeed("compare-groups", found, known, "--quiet"), "1\t1\n")
        other = self.file("other.tsv", "1\tx\n2\tx\n3\tx\n4\tx\n5\ty\n9\ty\n")
        compared = run("compare-groups", found, other, "--json")
        self.assertIn(b"are left out: 1 of", compared.stderr)
        told = json.loads(compared.stdout)
        self.assertEqual((told["vertices"], told["left_out"], told["groups"], told["shared"]), (5, [1, 1], [2, 2], 3))
        # Of 10 pairs 4 are together in the first, 6 in the second, 3 in both.
        self.assertAlmostEqual(told["rand"], 0.6)
        self.assertAlmostEqual(told["adjusted_rand"], (3 - 2.4) / (5 - 2.4))
        self.refuse(INPUT, "compare-groups", found, self.file("one.tsv", "1\n"), says="one.tsv:1")
        self.refuse(INPUT, "compare-groups", found, self.file("twice.tsv", "1 a\n1 b\n"), says=["twice.tsv:2", "in a group already"])
        self.refuse(INPUT, "compare-groups", found, self.file("strange.tsv", "x a\n"), says="no vertex of")

    def test_density_reciprocity_and_assortativity(self):
        told = self.json("info", self.graph)
        self.assertEqual((told["density"], told["reciprocity"]), (7 / 12, 2 / 7))
        told = self.json("analyze", self.graph)
        self.assertEqual((told["density"], told["reciprocity"]), (7 / 12, 2 / 7))
        self.assertAlmostEqual(told["assortativity"], -1 / 6)
        self.assertEqual(told["average_clustering"], 1)
        self.assertIsNone(self.json("analyze", self.file("k.txt", "# Undirected graph\n1 2\n2 3\n3 1\n"))["assortativity"])

    def test_greedy_structures(self):
        self.assertEqual(self.lines("matching", self.graph, "--weights", "strength"), ["10\t13", "11\t12", "12\t11", "13\t10"])
        self.assertEqual(self.json("matching", self.path, "--seed", 4)["seed"], 4)
        self.assertIn("9\t-", self.lines("matching", self.path))
        self.assertEqual(self.json("colouring", self.graph, "--verify")["colours"], 4)
        for order in ("smallest-last", "largest-first", "random"):
            self.assertIn(self.json("colouring", self.path, "--by", order, "--verify")["colours"], (2, 3))
        self.assertIn("9\t1", self.lines("independent-set", self.path))
        self.refuse(USAGE, "colouring", self.path, "--by", "name", says=["--by", "'name'"])
        self.refuse(USAGE, "matching", self.path, "--weights", "strength", says="no weights")

    def test_eccentricity_and_diameter(self):
        self.assertEqual(self.lines("eccentricity", self.path), ["1\t3\t0", "2\t2\t1", "3\t2\t1", "4\t3\t0", "9\t0\t0"])
        self.assertEqual(self.lines("eccentricity", self.path, "--along", "out"),
                         ["1\t3\t1", "2\t2\t0", "3\t1\t0", "4\t0\t0", "9\t0\t0"])
        self.assertEqual(self.lines("eccentricity", self.graph, "--along", "out", "--weights", "length"),
                         ["10\t5\t0", "11\t3\t1", "12\t5\t0", "13\t9\t0"])
        self.assertEqual(self.succeed("diameter", self.graph, "--along", "in", "--weights", "length", "--quiet"), "9\n")
        self.assertEqual(self.succeed("diameter", self.path, "--along", "out", "--quiet", "--verify"), "3\n")
        found = self.json("eccentricity", self.path)
        self.assertEqual([found[key] for key in ("diameter", "radius", "periphery", "center")], [3, 2, 2, 2])
        self.refuse(USAGE, "diameter", self.path, "--along", "up", says=["--along", "'up'"])

    def test_clustering_with_directions_and_weights(self):
        def values(*arguments):
            return [float(line.split("\t")[1]) for line in self.lines("clustering", self.graph, *arguments)]
        for found, networkx in [
            (values("--directions"), [1 / 2, 2 / 3, 1 / 2, 2 / 3]),
            (values("--directions", "--weights", "strength"),
             [0.24165267781038907, 0.28245675445958446, 0.20470644868920934, 0.3078668620825174]),
            (values("--undirected", "--keep-repeats", "--weights", "none"), [1, 1, 1, 1]),
        ]:
            for a, b in zip(found, networkx, strict=True):
                self.assertAlmostEqual(a, b, 12)

    def test_walks(self):
        walks = [line.split() for line in self.lines("walks", self.path, "--length", 3, "--each", 2)]
        self.assertEqual(walks, 2 * [["1", "2", "3"], ["2", "3", "4"], ["3", "4"], ["4"], ["9", "9", "9"]])
        options = ["--p", 0.5, "--q", 2, "--seed", 5]
        alone = self.succeed("walks", self.graph, *options, "--output", "-", "--threads", 1, "--quiet")
        self.assertEqual(self.succeed("walks", self.graph, *options, "--output", "-", "--threads", 3, "--quiet"), alone)
        self.assertEqual(len(self.lines("walks", self.graph, "--start", 10, "--start", 12, "--each", 3)), 6)
        self.refuse(USAGE, "walks", self.graph, "--p", 0, says="--p")
        self.refuse(USAGE, "walks", self.graph, "--start", 7, says=["--start", "'7'"])

    def test_subgraph(self):
        def part(graph, *arguments):
            out = self.folder / "part.wel"
            self.succeed("subgraph", graph, out, *arguments, "--quiet")
            return out.read_text()
        self.assertEqual(part(self.graph, "--around", 13, "--hops", 0), "# Directed graph without edges, its vertices:\n# 13\n")
        self.assertEqual(part(self.path, "--largest-component"), "1 2 1\n2 3 1\n3 4 1\n")
        self.assertEqual(part(self.path, "--around", 1, "--around", 4), "1 2 1\n2 3 1\n3 4 1\n")
        self.assertEqual(part(self.graph, "--core", 3), part(self.graph, "--largest-strong"))
        names = self.file("names.txt", "10 x\n12 y\n")
        self.assertEqual(part(self.graph, "--vertices", names), "10 12 4\n12 10 2\n")
        values = self.file("values.tsv", "10\t1\t5\n11\t2\t-\n12\t3\t5\n")
        self.assertEqual(part(self.graph, "--values", values, "--at-least", 2), "11 12 1\n")
        self.assertEqual(part(self.graph, "--values", values, "--column", 3, "--at-most", 5), "10 12 4\n12 10 2\n")
        out = self.folder / "part.mtx"
        self.refuse(USAGE, "subgraph", self.graph, out, says="--core")
        self.refuse(USAGE, "subgraph", self.graph, out, "--core", 1, "--largest-component", says="--core")
        self.refuse(USAGE, "subgraph", self.graph, out, "--values", values, says="--at-least")
        self.refuse(INPUT, "subgraph", self.graph, out, "--values", values, "--column", 4, "--at-least", 1, says="values.tsv:1")
        self.refuse(INPUT, "subgraph", self.graph, out, "--vertices", self.file("w.txt", "10\n99\n"), says=["w.txt:2", "'99'"])


if __name__ == "__main__":
    main()
