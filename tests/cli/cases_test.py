#!/usr/bin/env python3
"""What users of other libraries asked of their files, with right values by hand, NetworkX, igraph or leidenalg, where no
other test has them: one meaning of weights in every command, pages that say what weights did, answers that are no
answers, needs of memory that are known at the start.

Usage: cases_test.py [unittest arguments]. Environment: as command.py says.
"""

import gzip
import json
import re
import resource

from command import MEMORY, ROOT, SANITIZED, CommandTest, main, run


class Weights(CommandTest):
    def scores(self, *arguments):
        rows = self.succeed(*arguments, "-q", "-o", "-").splitlines()
        return {name: round(float(score), 3) for name, score, *_ in (row.split("\t") for row in rows)}

    def test_one_file_has_one_division(self):
        # gephi #363: ties that repeat 30 times and twice.
        graph = self.file("t.txt", "a d\nb e\nc f\n" + "a b\nd e\nc f\n" * 30 + "e f\nb c\n" * 2)
        for command in (["communities", graph], ["analyze", graph, "-o", self.folder / "p.html"]):
            found = self.json(*command, "--undirected")
            found = found if command[0] == "communities" else found["communities"]
            self.assertEqual((found.get("count", found.get("communities")), round(found["modularity"], 3)), (3, 0.605))

    def test_repeats_add_up_where_weights_are_strengths(self):
        # igraph #1211, cugraph #4626: five times a tie of 1.
        graph = self.file("t.csv", "source,target,weight\n" + "a,b,1\n" * 5 + "a,c,2\nd,b,1\nd,c,1\n")
        found = self.scores("hits", graph, "--directed")
        self.assertAlmostEqual(found["b"], 0.700, delta=2e-3)
        self.assertAlmostEqual(found["c"], 0.300, delta=2e-3)
        found = self.scores("eigenvector", graph, "--weights", "strength", "--undirected")
        self.assertEqual((found["a"], found["b"], found["c"]), (0.687, 0.650, 0.278))
        merged = self.file("m.csv", "source,target,weight\na,b,5\na,c,2\nd,b,1\nd,c,1\n")
        for command in (["katz"], ["clustering"], ["matching"]):
            arguments = ["--weights", "strength", "--undirected"]
            self.assertEqual(self.succeed(*command, graph, *arguments, "-q", "-o", "-"), self.succeed(*command, merged, *arguments, "-q", "-o", "-"))

    def test_walks_and_forests(self):
        # node2vec #87: weights 1 + 9 by 5. neo4j-graph-algorithms #279: the heaviest of repeats.
        graph = self.file("w.txt", "1 2 1\n1 2 9\n1 3 5\n2 1 1\n3 1 1\n")
        walks = self.succeed("walks", graph, "--start", 1, "--length", 2, "--each", 10000, "--directed", "-q").splitlines()
        self.assertAlmostEqual(walks.count("1 2") / len(walks), 10 / 15, delta=0.03)
        graph = self.file("f.txt", "1 2 1\n1 2 9\n1 3 5\n2 3 5\n")
        self.assertEqual(self.json("forest", graph, "--undirected", "--heaviest")["weight"], 14)

    def test_headings_and_captions_say_what_weights_did(self):
        graph = self.file("w.csv", "source,target,weight\na,b,10\nb,c,9\nc,a,10\nc,d,1\nd,e,10\ne,f,10\nf,d,10\n")
        self.succeed("analyze", graph, "--undirected", "-o", self.folder / "p.html")
        page = (self.folder / "p.html").read_text()
        headings = re.findall("<h3>([^<]*)", page)
        self.assertIn("PageRank, weights as strengths", headings)
        self.assertIn("Betweenness, exact, weights not used", headings)
        self.assertIn("from all vertices, weights not used", page)  # distances
        self.assertIn("by the Leiden method, weights as strengths", page)
        self.assertIn("Width of a line: weight.", page)
        self.succeed("draw", graph, "--undirected", "--what", "communities", "-q", "-o", self.folder / "d.svg")
        drawing = (self.folder / "d.svg").read_text()
        self.assertIn("Width of a line: weights between two.", drawing)

    def test_forest_has_the_columns_of_its_manual(self):
        for text, columns in [("1 2\n2 3\n", 2), ("1 2 5\n2 3 5\n", 3)]:
            rows = self.succeed("forest", self.file("f.txt", text), "--undirected", "-q", "-o", "-").splitlines()
            self.assertEqual({len(row.split("\t")) for row in rows}, {columns})

    def test_negative_weights_of_the_constant_potts_model(self):
        # leidenalg #123: one community. Error lines have names.
        graph = self.file("n.csv", "a,b,0.8\nb,c,-0.3\na,c,0.6\n")
        found = self.json("communities", graph, "--undirected", "--quality", "cpm", "--resolution", 0.1, "--verify")
        self.assertEqual((found["communities"], round(found["cpm"], 9)), (1, 0.8))
        self.refuse(3, "communities", graph, "--undirected", says=["from b to c", "-0.3", "cpm"])
        self.refuse(3, "communities", graph, "--undirected", "--quality", "cpm", "--method", "labels", says="from b to c")
        # Epinions' kind: friends and foes, of which no sum is above 0.
        foes = self.file("f.csv", "a,b,1\nb,c,1\na,c,1\nd,e,1\na,d,-5\nb,e,-5\n")
        rows = self.succeed("communities", foes, "--undirected", "--quality", "cpm", "--verify", "-q", "-o", "-")
        self.assertEqual(rows, "a\ta\nb\ta\nc\ta\nd\td\ne\td\n")


class Answers(CommandTest):
    def test_small_graphs_are_exact(self):
        # igraph and `callisto diameter` say so in milliseconds.
        found = self.json("analyze", ROOT / "examples" / "karate.txt", "--undirected", "-o", self.folder / "k.html")
        distances = found["distances"]
        self.assertEqual((distances["diameter_at_least"], distances["diameter_at_most"]), (5, 5))
        self.assertEqual(round(distances["mean"], 3), 2.408)

    def test_what_has_not_converged_says_so(self):
        # networkx #3830: a path of an odd number of vertices.
        path = self.file("p.txt", "".join(f"{i} {i + 1}\n" for i in range(2000)))
        for arguments in (["-q"], ["-q", "-o", "-"], ["-q", "-o", self.folder / "out.tsv"], []):
            done = run("eigenvector", path, "--undirected", "--iterations", 50, *arguments)
            self.assertIn(b"eigenvector has not converged", done.stderr)
        self.assertFalse(json.loads(run("eigenvector", path, "--undirected", "--iterations", 50, "--json").stdout)["converged"])
        found = self.json("eigenvector", path, "--undirected", "--iterations", 100000 if not SANITIZED else 1000)
        self.assertTrue(not found["converged"] or found["top"][0]["vertex"] == 1000, found["top"])
        grid = self.folder / "g.cg"
        self.succeed("generate", "grid", grid, "--scale", 8, "--directed", "-q")
        done = run("hits", grid, "--verify", "--json")
        self.assertNotIn(b"wrong result", done.stderr)
        self.assertTrue(json.loads(done.stdout)["converged"] or b"has not converged" in done.stderr)

    def test_an_eigenvalue_of_cycles_that_weigh_little(self):
        # 10^-4 of the other arcs: the residual of a matrix that is not symmetric is no bound on the error.
        for length in (3, 30):
            arcs = "source,target,weight\n" + "".join(f"{i},{i + 1},1\n" for i in range(length)) + "2,1,0.0001\n"
            done = run("eigenvector", self.file("c.csv", arcs), "--directed", "--weights", "strength", "--json")
            found = json.loads(done.stdout)
            if found["converged"]:
                self.assertAlmostEqual(found["eigenvalue"], 0.01, delta=1e-6)
            else:
                self.assertIn(b"has not converged", done.stderr)
            self.assertEqual(found["converged"], length == 3)


class Orders(CommandTest):
    def test_a_large_graph_with_hubs_is_told_of_and_kept_as_it_is(self):
        if SANITIZED:
            self.skipTest("a large graph")
        given, made, kept = (self.folder / name for name in ("given.cg", "made.cg", "kept.cg"))
        self.succeed("generate", "kronecker", given, "--scale", 18, "--degree", 10, "-q")
        done = run("convert", given, kept, "--json")
        self.assertEqual(json.loads(done.stdout)["written"]["order"], "given")
        self.assertIn(b"--order hubs", done.stderr)
        self.assertEqual(given.read_bytes(), kept.read_bytes())
        self.assertEqual(self.json("convert", given, made, "--order", "hubs")["written"]["order"], "hubs")
        self.assertEqual(self.succeed("kcore", given, "-q", "-o", "-"), self.succeed("kcore", made, "-q", "-o", "-"))
        self.assertIn(self.json("pagerank", given, "--tolerance", 1e-4)["inside_order"], ("given", "degrees"))


class Needs(CommandTest):
    def test_a_need_is_known_before_the_work(self):
        if SANITIZED:
            self.skipTest("sanitizers take memory of their own, and unlimited address space")
        limit = 192 << 20

        def refused(*arguments, **kwargs):
            done = run(*arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)), **kwargs)
            self.assertEqual(done.returncode, MEMORY, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)
            return re.search(rb"(\S+ .*) may need (\d+) MiB of memory", done.stderr)
        # 8 bytes an edge for the list; the graph grows as blocks of it go. Then 4 bytes of weights, and all once more.
        for more, least, most in ([], 10, 12), (["--random-weights", 1], 12, 14), (["--order", "hubs"], 16, 20):
            found = refused("generate", "kronecker", self.folder / "k.cg", "--scale", 24, *more)
            self.assertIn(b"a graph of 268435456 edges", found[1])
            self.assertTrue(least <= (int(found[2]) << 20) / (16 << 24) <= most, found[2])
        self.assertFalse((self.folder / "k.cg").exists())
        text = self.file("g.txt", "10 20\n" * 20000)
        with text.open("r+b") as file:
            file.truncate(1 << 32)  # its beginning tells how long lines are
        packed = self.folder / "g.txt.gz"
        packed.write_bytes(gzip.compress(b"10 20\n" * 400000, 1)[:-4] + b"\0\0\0\xf0")  # the size of what follows
        for path, edges in (text, (1 << 32) // 6), (packed, 0xf0000000 // 6):
            for command, least, most in (["info", path], 6, 9), (["convert", path, self.folder / "o.cg", "--order", "hubs"], 10, 14):
                found = refused(*command)
                told = int(re.search(rb"the about (\d+) edges", found[1])[1])
                self.assertAlmostEqual(told / edges, 1, delta=0.01)
                self.assertTrue(least <= (int(found[2]) << 20) / edges <= most, found[2])


if __name__ == "__main__":
    main()
