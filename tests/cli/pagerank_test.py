#!/usr/bin/env python3
"""PageRank, from everywhere and from chosen vertices.

Usage: pagerank_test.py [unittest arguments]. Environment: as command.py says.
"""

import gzip
import math

from command import DATA, INPUT, SANITIZED, USAGE, CommandTest, main, needs_data

# Scores of PersonalisedPageRank's vertices, by label.
NETWORKX = [0.202192243621729, 0.0859317035392348, 0.23787322779027, 0.185646061747495, 0.137216654335105,
            0.151140108966167, 0]


class PageRank(CommandTest):
    """Against implementations that share nothing with ours, on three real graphs."""

    GRAPHS = ["wiki-Vote.txt.gz", "ca-GrQc.txt.gz", "p2p-Gnutella31.txt.gz"]

    def compare(self, implementation):
        for name in self.GRAPHS:
            with self.subTest(name):
                with gzip.open(DATA / name, "rt") as lines:
                    edges = sorted({tuple(map(int, line.split())) for line in lines if not line.startswith("#")})
                labels = sorted({v for edge in edges for v in edge})
                number = {label: i for i, label in enumerate(labels)}
                expected = implementation(len(labels), [(number[u], number[v]) for u, v in edges])
                rows = self.succeed("pagerank", DATA / name, "--output", "-", "--damping", "0.85", "--tolerance",
                                    "1e-13", "--iterations", "1000").splitlines()
                self.assertEqual([int(row.split("\t")[0]) for row in rows], labels)
                difference = max(abs(float(row.split("\t")[1]) - x) for row, x in zip(rows, expected, strict=True))
                self.assertLess(difference, 1e-9)

    @needs_data
    def test_against_plain_python(self):
        if SANITIZED:
            self.skipTest("slow; the unsanitized build does it")

        def power_iteration(n, edges):
            out = [[] for _ in range(n)]
            for u, v in edges:
                out[u].append(v)
            x = [1 / n] * n
            while True:
                lost = math.fsum(x[u] for u in range(n) if not out[u])
                y = [(0.15 + 0.85 * lost) / n] * n
                for u, targets in enumerate(out):
                    if targets:
                        share = 0.85 * x[u] / len(targets)
                        for v in targets:
                            y[v] += share
                if sum(abs(a - b) for a, b in zip(x, y)) < 1e-12:
                    return y
                x = y
        self.compare(power_iteration)

    @needs_data
    def test_against_scipy(self):
        try:
            import numpy
            import scipy.sparse
            import scipy.sparse.linalg
        except ImportError as missing:
            self.skipTest(f"{missing}; the comparison with plain Python stands in for it")

        def linear_system(n, edges):
            # x = 0.85 (P^T x + dangling x / n) + 0.15 / n, solved as the system (I - 0.85 P^T) y = 1, scaled to sum 1:
            # the rank of dangling vertices returns evenly, so it only scales the solution.
            rows, columns = numpy.array(edges).T
            degree = numpy.bincount(rows, minlength=n)
            matrix = scipy.sparse.csr_matrix((1.0 / degree[rows], (columns, rows)), shape=(n, n))
            y = numpy.ones(n)
            while True:
                z = 1.0 + 0.85 * (matrix @ y)
                if numpy.abs(z - y).sum() < 1e-13 * z.sum():
                    return z / z.sum()
                y = z
        self.compare(linear_system)


class PersonalisedPageRank(CommandTest):
    def test_seeds(self):
        """Against NetworkX 3.6.1: pagerank(personalization={30: 2, 50: 1}, tol=1e-16)."""
        graph = self.file("g.txt", "0 10\n0 20\n10 20\n20 0\n30 20\n30 40\n40 40\n40 50\n60 0\n60 30\n60 50\n")
        exactly = ["--tolerance", "1e-15", "--iterations", 1000, "--output", "-", "--quiet", "--verify"]
        rows = self.succeed("pagerank", graph, "--seeds", "30:2,50", *exactly)
        listed = self.file("seeds.txt", "# two of them\n50\n\n30\t2\n")
        self.assertEqual(rows.splitlines()[-1], "60\t0")
        from_file = self.succeed("pagerank", graph, "--seeds-file", listed, *exactly)
        for mine, same, expected in zip(rows.splitlines(), from_file.splitlines(), NETWORKX, strict=True):
            self.assertAlmostEqual(float(mine.split("\t")[1]), expected, delta=1e-9)
            self.assertAlmostEqual(float(same.split("\t")[1]), expected, delta=1e-9)
        found = self.json("pagerank", graph, "--seeds", 60)
        self.assertEqual((found["seeds"], found["top"][0]["vertex"]), (1, 0))
        self.assertNotIn("seeds", self.json("pagerank", graph))
        for arguments, says in [
            (["--seeds", "70"], ["--seeds", "'70'", "from 0 to 60"]), (["--seeds", "5,10"], "'5'"),
            (["--seeds", ""], "--seeds"), (["--seeds", "10,,20"], "--seeds"), (["--seeds", "10:0"], "--seeds"),
            (["--seeds", "10,20,10"], "10 is named twice"), (["--seeds", "10:x"], "'x'"), (["--seeds", "-1"], "'-1'"),
            (["--seeds", "10", "--seeds-file", listed], "--seeds"),
            (["--seeds-file", self.file("far.txt", "10\n11\n")], ["--seeds-file", "'11'"]),
        ]:
            with self.subTest(arguments):
                self.refuse(USAGE, "pagerank", graph, *arguments, says=says)
        for content, says in [("10\n20 x\n", ":2: "), ("ten\n", ":1: "), ("10 1 1\n", ":1: "), ("#\n", "expected a seed")]:
            with self.subTest(content):
                bad = self.file("bad.txt", content)
                self.refuse(INPUT, "pagerank", graph, "--seeds-file", bad, says=["bad.txt", says])
        self.refuse(INPUT, "pagerank", graph, "--seeds-file", self.folder / "none", says="none")


if __name__ == "__main__":
    main()
