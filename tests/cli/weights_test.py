#!/usr/bin/env python3
"""What weights mean, and what becomes of repeated edges: each row of docs/reference/weights.md, on one file.

Usage: weights_test.py [unittest arguments]. Environment: as command.py says.
"""

import json
import re

from command import DATA, ROOT, CommandTest, documented_commands, main, needs_data, run
from kernels import trials

# Edges that repeat with other weights, and once with the same.
EDGES = [("a", "b", 1), ("a", "b", 9), ("a", "c", 5), ("b", "c", 2), ("b", "c", 2), ("c", "d", 4), ("d", "e", 1),
         ("d", "e", 3), ("e", "f", 2), ("d", "f", 7), ("d", "f", 1), ("f", "a", 3), ("c", "e", 6), ("c", "e", 6)]
# What the commands need besides a graph.
ARGUMENTS = {name: arguments for name, *arguments in trials("weights")} | {"subgraph": ["--around", "a", "--hops", "2"]}
# Subcommands that say what a file holds, make a graph, or look at none.
OTHERS = {"info", "compare-groups", "generate", "project", "temporal", "demo", "run", "broker", "status", "top", "set", "reset", "machine", "help"}


def merged(edges, how):
    """Returns the edges with each pair once: its weight by `how`, or none."""
    weights = {}
    for u, v, w in edges:
        weights.setdefault((u, v), []).append(w)
    made = {"sum": sum, "min": min, "max": max, "counted": len, "once": lambda _: None}[how]
    return [(u, v, made(of)) for (u, v), of in weights.items()]


def text_of(edges):
    return "".join(f"{u},{v}\n" if w is None else f"{u},{v},{w}\n" for u, v, w in edges)


def rows():
    """Returns the table of the page: commands with their options, and the three cells behind."""
    for line in (ROOT / "docs/reference/weights.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and cells[0].startswith("`"):
            yield re.findall(r"`([^`]*)`", cells[0]), cells[0].partition("its ")[2] or "the rest", *cells[1:]


class Weights(CommandTest):
    """The answer to a file with repeats is the answer to the file that has each edge once, by the page's rule."""

    def answer(self, name, content, command, part):
        """Returns what the command answers to a file: the text that names no file."""
        (self.folder / name).mkdir(exist_ok=True)
        graph = self.folder / name / "graph.csv"
        graph.write_text("source,target" + (",weight" if content.partition("\n")[0].count(",") == 2 else "") + "\n" + content)
        word, *options = command.split()
        if word == "analyze":
            found = self.json("analyze", graph, "--undirected")
            keys = {"communities": ["communities"], "PageRank": ["pagerank"]}.get(
                part, ["components", "distances", "triangles", "betweenness", "out_degree"])
            self.assertLessEqual(set(keys), set(found))
            return {key: found[key] for key in keys}
        if word == "draw":
            drawing = self.folder / name / "graph.svg"
            self.succeed("draw", graph, "--undirected", "--quiet", "--output", drawing)
            return drawing.read_text()
        if word == "watch":
            # One edge goes; the first line has what that changes.
            stream = self.file("edit.txt", "- a c\n")
            options = [*options, "a"] if options == ["--distances"] else options
            lines = self.succeed("watch", graph, *options, "--top", 6, "--stream", stream, "--json").splitlines()
            if "--pagerank" in options:  # within a tolerance
                ranks = json.loads(lines[-1])["pagerank"]["top"]
                return sorted((row["vertex"], round(row["value"], 2)) for row in ranks)
            if "--communities" in options:
                last = json.loads(lines[-1])
                return last["communities"], round(last["modularity"], 6)
            return json.loads(lines[0])["distances"]
        if word in ("convert", "subgraph"):
            made = self.folder / name / "made.csv"
            self.succeed(word, graph, made, *ARGUMENTS.get(word, []), "--undirected", "--quiet")
            return made.read_text()
        if word == "topological":  # of directed graphs without cycles
            graph.write_text(graph.read_text().replace("f,a", "a,f"))
            return self.succeed(word, graph, "--directed", "--quiet", "--output", "-")
        return self.succeed(word, graph, *options, *ARGUMENTS.get(word, []), "--undirected", "--quiet", "--output", "-")

    def test_each_row(self):
        once = text_of(merged(EDGES, "once"))
        for commands, part, meaning, weighted, unweighted in rows():
            for command in commands:
                with self.subTest(command, part=part):
                    with_weights = self.answer("weighted", text_of(EDGES), command, part)
                    self.assertEqual(with_weights, self.answer("merged", text_of(merged(EDGES, weighted)), command, part))
                    if meaning == "not used":
                        self.assertEqual(with_weights, self.answer("once", once, command, part))
                    else:
                        # The rule is seen in the answer.
                        others = [self.answer("other", text_of(merged(EDGES, how)), command, part)
                                  for how in ("sum", "min", "max") if how != weighted]
                        self.assertTrue(any(other != with_weights for other in others))
                    if unweighted:
                        plain = text_of([(u, v, None) for u, v, _ in EDGES])
                        self.assertEqual(self.answer("plain", plain, command, part),
                                         self.answer("plain-merged", text_of(merged(EDGES, unweighted)), command, part))

    def test_no_subcommand_is_missing(self):
        named = {command.split()[0] for commands, *_ in rows() for command in commands}
        self.assertEqual(named, set(documented_commands()) - OTHERS)

    def test_chosen_repeats_count(self):
        graph = self.file("g.csv", "source,target,weight\n" + text_of(EDGES))
        for how in ("min", "max", "sum", "first", "keep"):
            self.assertEqual(self.json("pagerank", graph, "--repeats", how)["graph"]["repeats"], how)
        self.assertEqual(self.json("forest", graph, "--heaviest")["graph"]["repeats"], "max")
        self.assertEqual(self.json("hits", graph)["graph"]["repeats"], "sum of weights")
        self.assertEqual(self.json("hits", graph, "--weights", "none")["graph"]["repeats"], "min")

    def test_weights_that_are_lengths_are_no_strengths(self):
        roads = self.file("g.gr", "p sp 4 5\na 1 2 9\na 1 3 1\na 2 1 1\na 3 1 1\na 3 4 2\n")
        plain = self.file("g.txt", "1 2\n1 3\n2 1\n3 1\n3 4\n")
        for command in (["pagerank"], ["hits"], ["communities"], ["walks", "--each", "5"]):
            with self.subTest(command):
                arguments = [*command[1:], "--output", "-"]
                self.assertEqual(self.succeed(command[0], roads, *arguments, "--quiet"),
                                 self.succeed(command[0], plain, *arguments, "--quiet"))
                self.assertIn(b"lengths of paths ('p sp')", run(command[0], roads, *arguments, notes=True).stderr)
                forced = run(command[0], roads, *arguments, "--weights", "strength", notes=True)
                self.assertNotIn(b"p sp", forced.stderr)
        self.assertNotEqual(self.succeed("pagerank", roads, "--quiet", "--output", "-", "--weights", "strength"),
                            self.succeed("pagerank", plain, "--quiet", "--output", "-"))
        self.assertIn("weights", self.json("sssp", roads, "--source", "1"))


class Answers(CommandTest):
    """Answers that users of other libraries found misleading."""

    def test_lengths_that_rounding_makes_differ_tie(self):
        ties = self.file("t.csv", "a,b,0.1\nb,d,0.2\na,c,0.15\nc,d,0.15\n")
        scores = self.succeed("betweenness", ties, "--weights", "length", "--undirected", "--verify", "-q", "-o", "-")
        self.assertEqual(scores.split(), ["a", "1", "b", "0.5", "c", "0.5", "d", "0"])

    def test_cpm_has_a_resolution_by_the_density(self):
        cliques = "".join(f"{c * 5 + i} {c * 5 + j}\n" for c in range(6) for i in range(5) for j in range(i))
        ring = "".join(f"{c * 5} {(c * 5 + 6) % 30}\n" for c in range(6))
        graph = self.file("r.txt", cliques + ring)
        found = self.json("communities", graph, "--undirected", "--quality", "cpm", "--verify")
        self.assertEqual(found["communities"], 6)
        self.assertAlmostEqual(found["resolution"], 66 / 435)
        self.assertEqual(self.json("communities", graph, "--undirected", "--quality", "cpm", "--resolution", 1)["resolution"], 1)

    def test_an_eigenvector_that_is_not_unique_is_told(self):
        two = self.file("two.txt", "1 2\n2 3\n3 1\n4 5\n5 6\n6 4\n")
        done = run("eigenvector", two, "--undirected", "-q", "-o", "-")
        self.assertIn(b"not unique: 2 components share", done.stderr)
        self.assertEqual(self.json("eigenvector", two, "--undirected")["components"], 2)
        one = self.file("one.txt", "1 2\n2 3\n3 1\n4 5\n")
        self.assertEqual(self.json("eigenvector", one, "--undirected")["components"], 1)

    def test_watched_pagerank_is_pagerank(self):
        graph = self.file("w.txt", "1 2 9\n1 3 1\n2 1 1\n3 1 1\n")
        edits = self.file("e.txt", "+ 4 1 1\n+ 1 3 4\n- 2 1\n")
        after = self.file("a.txt", "1 2 9\n1 3 4\n3 1 1\n4 1 1\n")
        watched = json.loads(self.succeed("watch", graph, "--pagerank", "--stream", edits, "--json").splitlines()[-1])
        exact = {row["vertex"]: row["score"] for row in self.json("pagerank", after)["top"]}
        self.assertEqual(len(watched["pagerank"]["top"]), 4)
        for row in watched["pagerank"]["top"]:
            self.assertAlmostEqual(row["value"], exact[row["vertex"]], delta=3e-3)

    @needs_data
    def test_roads_are_no_ties(self):
        found = self.json("communities", DATA / "rome99.gr.gz")
        self.assertEqual(found["weights"], "none")


if __name__ == "__main__":
    main()
