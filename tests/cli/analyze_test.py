#!/usr/bin/env python3
"""The pages that analyze writes.

Usage: analyze_test.py [unittest arguments]. Environment: as command.py says.
"""

import gzip
import os
import re
import signal
import subprocess
import time
import xml.dom.minidom

from command import COMMAND, DATA, INTERRUPTED, OUTPUT, USAGE, CommandTest, main, needs_data, published, watches


class Analyze(CommandTest):
    def page(self, path):
        """Returns the page's text, checked to be whole and to need nothing else."""
        text = path.read_text()
        self.assertTrue(text.startswith("<!DOCTYPE html>") and text.endswith("</html>\n"))
        # One script of the page's own, which asks nothing of a network.
        self.assertLessEqual(text.count("<script"), 1)
        for forbidden in ["fetch(", "import(", "XMLHttpRequest", "src=", "href=", "url(", "@import", "nan", "inf<"]:
            self.assertNotIn(forbidden, text)
        body = re.sub("<script>.*</script>", "", text[text.index("<body>"):])
        xml.dom.minidom.parseString(body[:body.rindex("</html>")])
        return text

    def test_karate(self):
        edges = [(1, 2), (2, 3), (3, 1), (3, 4), (5, 6)]
        graph = self.file("g.txt", "".join(f"{u} {v}\n" for u, v in edges))
        out = self.folder / "page.html"
        result = self.json("analyze", graph, "--undirected", "--output", out)
        self.assertEqual(result["triangles"], 1)
        self.assertEqual(result["wedges"], 5)
        self.assertAlmostEqual(result["global_clustering"], 0.6)
        self.assertEqual(result["components"]["count"], 2)
        self.assertEqual(result["components"]["distribution"], [[2, 1], [4, 1]])
        self.assertEqual(result["out_degree"]["distribution"], [[1, 3], [2, 2], [3, 1]])
        self.assertEqual(result["distances"]["pairs"], [4, 8, 4])
        self.assertEqual((result["distances"]["diameter_at_least"], result["distances"]["diameter_at_most"]), (2, 2))
        self.assertEqual(result["betweenness"]["top"][0], {"vertex": 3, "score": 0.2, "degree": 3})
        self.assertTrue(result["betweenness"]["exact"])
        self.assertEqual(result["pagerank"]["top"][0]["vertex"], 3)
        self.assertEqual(result["not_computed"], [])
        self.assertEqual(result["page"], str(out))
        self.assertIn("<h1>g.txt</h1>", self.page(out))

    def test_agrees_with_the_other_commands(self):
        graph = self.folder / "g.cg"
        self.succeed("generate", "power-law", graph, "--scale", "9", "--degree", "3", "--directed")
        result = self.json("analyze", graph, "--samples", "64", "--seed", "5", "--top", "4")
        info = self.json("info", graph)
        for key in ["undirected_edges", "isolated", "dangling", "self_loops"]:
            self.assertEqual(result[key], info[key])
        self.assertEqual(result["triangles"], self.json("triangles", graph)["triangles"])
        components = self.json("components", graph, "--top", "4")
        self.assertEqual(result["components"]["largest"], components["top"])
        self.assertEqual(result["components"]["count"], components["components"])
        self.assertEqual(sum(n for _, n in result["components"]["distribution"]), components["components"])
        self.assertEqual(sum(d * n for d, n in result["in_degree"]["distribution"]), result["graph"]["arcs"])
        communities = self.json("communities", graph, "--top", "4")
        self.assertEqual(result["communities"]["members"], [row.pop("members") for row in communities["top"]])
        self.assertEqual(result["communities"]["largest"], communities["top"])
        self.assertEqual(result["communities"]["count"], communities["communities"])
        self.assertEqual(result["communities"]["modularity"], communities["modularity"])
        self.assertEqual(sum(s * n for s, n in result["communities"]["distribution"]), result["vertices"])
        pagerank = self.json("pagerank", graph, "--top", "4")["top"]
        self.assertEqual([v["vertex"] for v in result["pagerank"]["top"]], [v["vertex"] for v in pagerank])
        between = self.json("betweenness", graph, "--samples", "64", "--seed", "5", "--normalized", "--top", "4")["top"]
        for mine, theirs in zip(result["betweenness"]["top"], between):
            self.assertAlmostEqual(mine["score"], theirs["score"])
        self.assertIsNone(result["page"])
        self.assertEqual(os.listdir(self.folder), ["g.cg"])

    def test_distances_of_small_graphs_are_exact(self):
        for name, options in [("# Undirected graph\n", []), ("", ["--directed"])]:
            ring = self.file("ring.txt", name + "".join(f"{i} {(i + 1) % 100}\n" for i in range(100)))
            found = self.json("analyze", ring, "-o", self.folder / "ring.html", *options)["distances"]
            self.assertEqual((found["sources"], found["diameter_at_least"], found["diameter_at_most"]), (100, 50, 50))
            self.assertAlmostEqual(found["mean"], 2500 / 99)

    def test_where_the_page_goes(self):
        self.file("friends.txt.gz", gzip.compress(b"1 2\n2 3\n"))
        text = self.succeed("analyze", "friends.txt.gz", cwd=self.folder)
        self.assertIn("Page: friends-analysis.html", text)
        self.assertIn("PageRank", text)
        self.page(self.folder / "friends-analysis.html")
        self.assertEqual(self.succeed("analyze", "friends.txt.gz", "-q", "-o", "own.html", cwd=self.folder), "")
        self.page(self.folder / "own.html")
        self.assertTrue(self.succeed("analyze", "-", "-o", "-", stdin=b"1 2\n").startswith("<!DOCTYPE html>"))
        self.refuse(USAGE, "analyze", "friends.txt.gz", "--json", "-o", "-", cwd=self.folder, says="--output")
        self.refuse(USAGE, "analyze", "friends.txt.gz", "-o", "friends.txt.gz", cwd=self.folder, says="overwrite")
        self.refuse(OUTPUT, "analyze", "friends.txt.gz", "-o", "missing/x.html", cwd=self.folder, says="missing/x.html")

    def test_interrupted_it_leaves_nothing(self):
        graph = self.folder / "g.cg"
        self.succeed("generate", "uniform", graph, "--scale", "17")
        process = subprocess.Popen([COMMAND, "analyze", graph, "--samples", "100000"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        watches(process, signal.SIGINT)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=60), (b"", b"callisto: interrupted\n"))
        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertEqual(os.listdir(self.folder), ["g.cg"])

    @needs_data
    def test_real_graphs(self):
        for name in ["karate.txt.gz", "wiki-Vote.txt.gz", "rome99.gr.gz", "as-caida20071105.txt.gz"]:
            with self.subTest(name):
                out = self.folder / "page.html"
                result = self.json("analyze", DATA / name, "--samples", "64", "--output", out)
                vertices, *_, edges, triangles = published()[name]
                self.assertEqual((result["vertices"], result["undirected_edges"], result["triangles"]),
                                 (vertices, edges, triangles))
                self.page(out)


if __name__ == "__main__":
    main()
