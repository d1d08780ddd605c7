#!/usr/bin/env python3
"""End-to-end tests of files that other programs write: node-link JSON, DOT, LGL, arrays of numpy, matrices as tables,
encodings, lines that are no edges, and what a reader says that it leaves out. Right values are by hand or NetworkX's.

Usage and environment: as command.py says. Checks with NetworkX and scipy are skipped where these are not installed.
"""

import csv
import gzip
import io
import json
import struct
import unittest
import zipfile

from command import INPUT, USAGE, CommandTest, run

try:
    import networkx
except ImportError:
    networkx = None


def npy(kind, shape, values, fortran=False, magic=b"\x93NUMPY\x01\x00"):
    """Returns an array as numpy.save() writes it."""
    header = f"{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    letter = {"<i4": "i", "<i8": "q", "<u8": "Q", "<f4": "f", "<f8": "d", "|b1": "?", "|u1": "B"}.get(kind)
    body = values if letter is None else struct.pack(f"<{len(values)}{letter}", *values)
    return magic + struct.pack("<H", len(header)) + header + body


def npz(**arrays):
    """Returns an archive of arrays as numpy.savez() writes it."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in arrays.items():
            archive.writestr(f"{name}.npy", content)
    return packed.getvalue()


class ForeignFiles(CommandTest):
    def graph(self, name, content, *options):
        """Returns the edges of a file as FROM, TO and, if there are weights, WEIGHT; ends of undirected ones ascend."""
        path = content if name is None else self.file(name, content)
        done = run("convert", path, "-", "--to", "table", "--repeats", "keep", *options, notes=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.said = done.stderr.decode()
        edges = []
        for row in csv.DictReader(io.StringIO(done.stdout.decode().split("\nwritten ")[0])):
            ends = [row["Source"], row["Target"]]
            weight = [float(row["Weight"])] if "Weight" in row else []
            edges.append((*(sorted(ends) if row["Type"] == "Undirected" else ends), *weight))
            self.directed = row["Type"] == "Directed"
        return sorted(edges)

    def says(self, *parts):
        for part in parts:
            self.assertIn(part, self.said)

    def vertices(self, name, content, *options):
        path = content if name is None else self.file(name, content)
        return self.json("info", path, *options)["vertices"]


class Json(ForeignFiles):
    def test_d3(self):
        text = '{"nodes": [{"id": "Myriel", "group": 1}, {"id": "Napoleon", "group": 1}, {"id": "alone"}], "links": [{"source": "Napoleon", "target": "Myriel", "value": 8}]}'
        self.assertEqual(self.graph("a.json", text), [("Napoleon", "Myriel", 8)])
        self.assertTrue(self.directed)
        self.says("attributes of vertices are lost: 'group'", "says whether edges have directions")
        self.assertEqual(self.vertices("a.json", text), 3)
        self.assertEqual(self.graph("a.json", text, "--undirected"), [("Myriel", "Napoleon", 8)])
        self.assertEqual(self.graph("a.json", text, "--weights-column", "none"), [("Napoleon", "Myriel")])
        # Of version 3: ends are places in the list of nodes.
        text = '{"nodes":[{"name":"Myriel"},{"name":"Napoleon"},{"name":"Baptistine"}],"links":[{"source":1,"target":0,"value":1},{"source":2,"target":0,"value":8}]}'
        self.assertEqual(self.graph("a.json", text), [("Baptistine", "Myriel", 8), ("Napoleon", "Myriel", 1)])
        # Names as ids, and ends that the simulation has replaced by the nodes.
        self.assertEqual(self.graph("a.json", '{"nodes":[{"name":"a"},{"name":"b"}],"links":[{"source":"a","target":"b"}]}'), [("a", "b")])
        self.assertEqual(self.graph("a.json", '{"nodes":[{"id":"a"},{"id":"b"}],"links":[{"source":{"id":"b","x":1},"target":{"id":"a"},"index":0}]}'), [("b", "a")])

    def test_networkx(self):
        text = '{"directed": false, "multigraph": false, "graph": {"name": "g"}, "nodes": [{"id": 5}, {"id": 7}], "edges": [{"weight": 2.5, "since": 1990, "source": 5, "target": 7}]}'
        self.assertEqual(self.graph("a.json", text), [("5", "7", 2.5)])
        self.assertFalse(self.directed)
        self.graph("a.json", text, "--attributes", "none")
        self.says("attributes are left out: of edges 'since'")
        self.assertEqual(self.graph("a.json", text.replace("false", "true", 1).replace("edges", "links")), [("5", "7", 2.5)])
        self.assertTrue(self.directed)
        # Of version 1: ends are places, and ids are others.
        text = '{"directed": true, "nodes": [{"id": 11}, {"id": 12}, {"id": 13}], "links": [{"source": 0, "target": 2}]}'
        self.assertEqual(self.graph("a.json", text), [("11", "13")])
        self.says("places in the list of nodes")
        adjacency = '{"directed": false, "multigraph": false, "graph": [], "nodes": [{"id": "a"}, {"id": "b"}, {"id": "c"}], "adjacency": [[{"id": "b", "weight": 3}], [{"id": "a", "weight": 3}, {"id": "b"}], []]}'
        self.assertEqual(self.graph("a.json", adjacency), [("a", "b", 3), ("b", "b", 1)])
        self.assertEqual(self.vertices("a.json", adjacency), 3)

    def test_cytoscape(self):
        text = '{"elements": {"nodes": [{"data": {"id": "a", "score": 1}, "position": {"x": 1, "y": 2}}, {"data": {"id": "b"}}], "edges": [{"data": {"id": "ab", "source": "a", "target": "b", "weight": 4}, "selected": false}]}}'
        self.assertEqual(self.graph("a.json", text), [("a", "b", 4)])
        self.says("attributes of vertices are lost: 'score', 'x', 'y' (")
        text = '[{"data": {"id": "a"}}, {"data": {"id": "b"}}, {"data": {"id": "ab", "source": "a", "target": "b"}}]'
        for document in [text, f'{{"elements": {text}, "style": [{{"selector": "node"}}]}}']:
            self.assertEqual(self.graph("a.json", document), [("a", "b")])

    def test_other_programs(self):
        for text, edges in [
            # graphology, vis.js, Sigma, the JSON Graph Format of both versions
            ('{"attributes": {}, "options": {"type": "undirected"}, "nodes": [{"key": "x", "attributes": {"label": "X"}}, {"key": "y", "attributes": {"label": "Y"}}], "edges": [{"key": "e", "source": "y", "target": "x", "attributes": {"weight": 2}}]}', [("X", "Y", 2)]),
            ('{"nodes": [{"id": 1, "label": "one"}, {"id": 2, "label": "two"}], "edges": [{"from": 1, "to": 2}]}', [("one", "two")]),
            ('{"nodes": [{"id": "n0", "label": "A", "x": 0}, {"id": "n1", "label": "B"}], "edges": [{"id": "e0", "source": "n0", "target": "n1"}]}', [("A", "B")]),
            ('{"graph": {"directed": false, "nodes": {"a": {"label": "A"}, "b": {"label": "B"}}, "edges": [{"source": "b", "target": "a", "metadata": {"weight": 1.5}}]}}', [("A", "B", 1.5)]),
            ('{"graph": {"directed": true, "nodes": [{"id": "a"}, {"id": "b"}], "edges": [{"source": "b", "target": "a"}]}}', [("b", "a")]),
            ('{"nodes": ["a", "b"], "edges": [["a", "b"], ["b", "a", 3]]}', [("a", "b", 1), ("b", "a", 3)]),
            # tables as records, and a record a line
            ('[{"source": "a", "target": "b", "weight": 2}, {"source": "b", "target": "c", "weight": 1}]', [("a", "b", 2), ("b", "c", 1)]),
            ('{"source": "a", "target": "b"}\n{"source": "b", "target": "c"}\n', [("a", "b"), ("b", "c")]),
            # lists of pairs, as JSON has them and as Python prints them
            ("[[0, 1], [1, 2]]", [("0", "1"), ("1", "2")]),
            ("[\n  [\n    0,\n    1\n  ],\n  [1, 2]\n]\n", [("0", "1"), ("1", "2")]),
            ("[(0, 1), (1, 2)]\n", [("0", "1"), ("1", "2")]),
            ("[('a', 'b', {'weight': 3, 'kind': None}), ('b', \"o'c\", {})]", [("a", "b", 3), ("b", "o'c", 1)]),
            ("{(0, 1), (1, 2)}", [("0", "1"), ("1", "2")]), ("((0, 1), (1, 2))", [("0", "1"), ("1", "2")]),
            ("EdgeView([(0, 1), (1, 2)])\n", [("0", "1"), ("1", "2")]), ("OutMultiEdgeDataView([('a', 'b', {'weight': 2})])", [("a", "b", 2)]),
            ('{"a": ["b", "c"], "b": ["c"], "d": []}', [("a", "b"), ("a", "c"), ("b", "c")]),
            ("[[0, 1, 5], [1, 2, 6], [2, 0, 7]]", [("0", "1", 5), ("1", "2", 6), ("2", "0", 7)]),
            ("{'nodes': [{'id': 'a'}, {'id': 'b\\'s \"x\"'}], 'edges': [{'source': 'a', 'target': 'b\\'s \"x\"'}]}", [("a", 'b\'s "x"')]),
            # ids of 64 bits, and text that needs its escapes
            ("[[18446744073709551615, 1], [1, 2.0]]", [("1", "2"), ("18446744073709551615", "1")]),
            ('[["\\u00e9\\ud83d\\ude00", "a\\"b"]]', [("\u00e9\U0001f600", 'a"b')]),
        ]:
            with self.subTest(text):
                self.assertEqual(self.graph("a", text), sorted(edges))

    def test_faults(self):
        for text, says in [
            ('{"nodes": [', "a.json:1: invalid JSON: syntax error"), ('{"nodes": [],\n"links": }', "a.json:2: invalid JSON"),
            ("{}", "holds no list of nodes, links, edges"), ('{"nodes": []}', "holds no list of nodes"), ('{"a": {"b": 1}}', "holds no list of nodes"),
            ('{"nodes": [{"id": 1}, {"x": 2}], "links": []}', "1 nodes have no id"),
            ('{"links": [{"source": 1}]}', "an edge has no source or no target"),
            ('{"links": [{"source": 1, "target": 2, "weight": "x"}]}', "expected a finite number as weight, found 'x'"),
            ("[1, 2, 3]\n[4]", "2: 1 column"), ("[[0, 1, 2, 3]]", "found a list of more"), ("[[0, null]]", "an end of an edge is null"),
            ('{"source": "a", "target": "b"}\n{"source": "a"\n', "a.json:2: invalid JSON"),
            ('{"nodes": [{"id": NaN}]}', "invalid JSON"), ("[" * 100000, "invalid JSON"),
        ]:
            with self.subTest(text[:60]):
                self.refuse(INPUT, "info", self.file("a.json", text), says=says)
        self.assertEqual(self.graph("a.json", '{"nodes": [{"id": "a"}, {"id": "a"}], "links": [{"source": "a", "target": "b"}]}'), [("a", "b")])
        self.says("1 vertex listed again, the first 'a'", "not listed as vertices, 1, the first 'b'")

    @unittest.skipUnless(networkx, "NetworkX is not installed")
    def test_as_networkx_writes_it(self):
        for make in [networkx.Graph, networkx.DiGraph, networkx.MultiGraph, networkx.MultiDiGraph]:
            g = make()
            g.add_weighted_edges_from([("a", "b", 2.0), ("b", "c", 0.5), ("c", "c", 3.0), ("c", "a", 1.0), ("b", "a", 4.0)])
            g.add_node("alone")
            expected = sorted((*(ends if g.is_directed() else sorted(ends)), w) for *ends, w in g.edges(data="weight"))
            for written in [networkx.node_link_data(g, edges="links"), networkx.node_link_data(g, edges="edges"), networkx.cytoscape_data(g), networkx.adjacency_data(g)]:
                with self.subTest(make=make, keys=list(written)):
                    self.assertEqual(self.graph("a.json", json.dumps(written)), expected)
                    self.assertEqual(self.vertices("a.json", json.dumps(written)), 4)


class Dot(ForeignFiles):
    def test_statements(self):
        for text, edges in [
            ("digraph { a -> b }", [("a", "b")]), ("graph { a -- b -- c }", [("a", "b"), ("b", "c")]),
            ("digraph g {\n  // comment\n  a -> {b; c} -> d /* more */\n# line\n}\n", [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]),
            ('digraph "a { b" { rankdir=LR; node [shape=box]; "x y":n -> "q\\"uote":p:s [weight=2.5, color=red] }', [("x y", 'q"uote', 2.5)]),
            ("graph { edge [weight=3]; a -- b; b -- c [weight=1]; subgraph cluster_0 { label=x; c -- d } }", [("a", "b", 3), ("b", "c", 1), ("c", "d", 3)]),
            ("strict graph { a -- b [weight=1]; b -- a [weight=2]; a -- b }", [("a", "b", 2)]),
            ("STRICT DiGraph{a->b;b->a;a->b}", [("a", "b"), ("b", "a")]),
            ('digraph { 1 -> -2.5; 1 -> "joined " + "name"; \u00e9 -> 3 }', [("1", "-2.5"), ("1", "joined name"), ("\u00e9", "3")]),
            ('digraph { 0 [label="Zoë &amp; co"]; 1 [label="two\\nlines"]; 0 -> 1 }', [("Zo\u00eb & co", "two\nlines")]),
            ('digraph { 0 [label="\\N"]; 1 [label=<<b>x</b>>]; 0 -> 1 }', [("0", "1")]),
            ("digraph { subgraph { a b } -> subgraph s { c }; a -> c }", [("a", "c"), ("a", "c"), ("b", "c")]),
        ]:
            with self.subTest(text):
                self.assertEqual(self.graph("a", text), sorted(edges))
        self.assertEqual(self.graph("a.gv", "digraph { a [city=Bern]; a -> b [kind=x, weight=2] }"), [("a", "b", 2)])
        self.says("attributes of vertices are lost: 'city'")
        self.assertEqual(self.vertices("a.dot", "graph { a; b; a -- c }"), 3)
        self.graph("a.dot", "graph { a -- b } graph { c -- d }")
        self.says("several graphs, of which the first is read")

    def test_faults(self):
        for text, says in [("digraph {\n a -> b", "a.dot:2: truncated: a '}' is missing"), ("digraph { a -- b }", "expected '->' in a digraph"),
                           ("graph { a -> b }", "expected '--' in a graph"), ('graph { "a -- b }', "a quote is not closed"), ("graph { a [x=<b }", "'<' is not closed"),
                           ("graph { a -- }", "expected a name, found '}'"), ("graph { a [b=] }", "expected a name"), ("graph { /* }", "'/*' is not closed"),
                           ("graph { a -- b [weight=x] }", "expected a finite number as weight"), ("graph {}", "no vertices"), ("graph " + "{a " * 5000, "more than 200")]:
            with self.subTest(text[:60]):
                self.refuse(INPUT, "info", self.file("a.dot", text), says=says)


class Lists(ForeignFiles):
    def test_lines_that_are_no_edges(self):
        text = "source,target\na,b\nb,\nc,a\n"
        self.refuse(INPUT, "info", self.file("a.csv", text), says="a.csv:3: an end of the edge is empty")
        self.assertEqual(self.graph("a.csv", text, "--skip-bad-lines"), [("a", "b"), ("c", "a")])
        self.says("1 line left out (--skip-bad-lines), the first is line 3: an end of the edge is empty")
        weights = "source,target,weight\na,b,NA\na,c,2\nb,c,NaN\nc,d,1\n"
        self.assertEqual(self.graph("a.csv", weights, "--skip-bad-lines"), [("a", "c", 2), ("c", "d", 1)])
        self.says("2 lines left out", "the first is line 2: expected a finite number as weight, found 'NA' in column 3")
        self.assertEqual(self.graph("a.csv", "a,b\nb\nNew York,c,x,y\nc,a\n", "--skip-bad-lines"), [("a", "b"), ("c", "a")])
        self.says("2 lines left out", "the first is line 2: 1 column where 2 are expected")
        # Numbers: in the sample and far behind it.
        numbers = "".join(f"{i} {i + 1}\n" for i in range(30000)) + "7\n1 x\n\n" + "5 6\n8 9 z 1\n" * 2
        self.refuse(INPUT, "info", self.file("n.txt", numbers), says="n.txt:30001: ")
        found = self.json("info", self.file("n.txt", numbers), "--skip-bad-lines", "--repeats", "keep")
        self.assertEqual((found["vertices"], found["edges"]), (30001, 30002))
        self.assertTrue(any("4 lines left out" in note and "line 30001: 1 column where 2 are expected" in note for note in found["graph"]["notes"]))
        self.refuse(INPUT, "info", self.file("a.txt", "1 2\n"[:1]), "--skip-bad-lines", says="a.txt")
        self.refuse(INPUT, "info", self.file("b.csv", "source,target\na,\n,b\n"), "--skip-bad-lines", says="b.csv:2: no line is an edge")

    def test_weights_that_some_lines_lack(self):
        self.assertEqual(self.graph("a.txt", "a b 1.5\nb c\n"), [("a", "b", 1.5), ("b", "c", 1)])
        self.says("edges without a weight weigh 1")
        self.assertEqual(self.graph("a.ncol", "1 2\n2 3 4\n3 4\n"), [("1", "2", 1), ("2", "3", 4), ("3", "4", 1)])
        self.refuse(INPUT, "info", self.file("a.txt", "a b x\nb c\n"), says="2 columns where 3 are expected")

    def test_weights_that_are_rounded(self):
        for name, text in [("a.txt", "1 2 9007199254740993\n2 3 1\n"), ("a.csv", "source,target,weight\na,b,-9007199254740993\n"),
                           ("a.gml", "graph [ node [ id 1 ] edge [ source 1 target 1 weight 9007199254740993 ] ]")]:
            self.graph(name, text)
            self.says("weights of 2^53 to 2^64 are kept to 53 bits")
        self.graph("a.txt", "1 2 9007199254740991\n2 3 0.25\n")
        self.assertNotIn("53 bits", self.said)

    def test_numbers_of_vertices_and_edges(self):
        self.assertEqual(self.graph("a.txt", "3 2\n1 2 1\n2 3 -1\n"), [("1", "2", 1), ("2", "3", -1)])
        self.says("line 1 says that there are 3 vertices and 2 edges, undirected")
        self.assertEqual(self.vertices("g.rud", "5 3\n1 2 1\n2 3 1\n1 3 -1\n"), 5)
        self.refuse(INPUT, "info", self.file("a.txt", "3 3\n1 2 1\n2 3 -1\n"), says="columns where")

    def test_lgl(self):
        text = "# a\nb 1.5\nc 2\n# b\nc 3\n"
        self.assertEqual(self.graph("a.lgl", text), [("a", "b", 1.5), ("a", "c", 2), ("b", "c", 3)])
        self.assertFalse(self.directed)
        self.assertEqual(self.graph("a", "# a\nb\nc\n# b\nc\n"), [("a", "b"), ("a", "c"), ("b", "c")])
        for text, says in [("b 1\n# a\n", "a.lgl:1: expected '# VERTEX'"), ("# a\nb x\n", "a.lgl:2: expected a finite number"), ("# a\nb 1 2\n", "NEIGHBOUR WEIGHT")]:
            self.refuse(INPUT, "info", self.file("a.lgl", text), says=says)

    def test_two_modes(self):
        davis = "woman,E1,E2,E3,E4\nEvelyn,1,1,0,0\nLaura,1,0,1,0\nTheresa,0,1,1,1\n"
        edges = [("E1", "Evelyn"), ("E2", "Evelyn"), ("E1", "Laura"), ("E3", "Laura"), ("E2", "Theresa"), ("E3", "Theresa"), ("E4", "Theresa")]
        self.assertEqual(self.graph("a.csv", davis), sorted(edges))
        self.says("matrix of two modes, 3 rows by 4 columns, undirected")
        self.assertEqual(self.vertices("a.csv", davis), 7)
        self.assertEqual(self.graph("a.csv", davis, "--bipartite")[0], ("left-Evelyn", "right-E1"))
        for name, text in [("a.tsv", davis.replace(",", "\t")), ("a.csv", davis.replace(",", ";")), ("a.csv", davis.replace("woman", "")), ("a.csv", davis.replace("0", ""))]:
            self.assertEqual(self.graph(name, text), sorted(edges))
        counts = ";s1;s2\np1;0;2,5\np2;3;\n"
        self.assertEqual(self.graph("a.csv", counts), [("p1", "s2", 2.5), ("p2", "s1", 3)])
        numbered = "id,E1,E2,E3\n11,1,0,1\n12,0,1,0\n"
        self.assertEqual(self.graph("a.csv", numbered), [("11", "E1"), ("11", "E3"), ("12", "E2")])
        # A table of people is no matrix; its columns say nothing about ends.
        self.refuse(INPUT, "info", self.file("a.csv", "name,age,height,children\nAnn,30,180,0\nBob,40,170,2\n"), says="--columns")

    def test_matrices_with_decimal_commas(self):
        self.assertEqual(self.graph("a.csv", ";A;B\nA;0;1,5\nB;1,5;0\n"), [("A", "B", 1.5)])
        self.assertEqual(self.graph("a.tsv", "\tA\tB\nA\t0\t1,5\nB\t0,25\t0\n"), [("A", "B", 1.5), ("B", "A", 0.25)])


class Matrices(ForeignFiles):
    def test_arrays(self):
        pairs = [("0", "1"), ("1", "2"), ("3", "0")]
        for content, edges in [
            (npy("<i8", (3, 2), [0, 1, 1, 2, 3, 0]), pairs), (npy("<i4", (2, 3), [0, 1, 3, 1, 2, 0]), pairs),
            (npy("<i8", (3, 2), [0, 1, 3, 1, 2, 0], fortran=True), pairs), (npy("<f8", (3, 2), [0, 1, 1, 2, 3, 0]), pairs),
            (npy("<f8", (2, 3), [0, 1, 0.5, 1, 2, 2]), [("0", "1", 0.5), ("1", "2", 2)]),
            (npy("<f4", (4, 4), [0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0]), [("0", "1", 1), ("1", "2", 2)]),
            (npy("|b1", (3, 3), [False, True, False, False, False, True, False, False, False]), [("0", "1"), ("1", "2")]),
        ]:
            with self.subTest(content[:80]):
                self.assertEqual(self.graph("a.npy", content), edges)
        self.assertEqual(self.graph("a.npy", npy("<f8", (4, 3), [0, 1, 0.5, 1, 2, 2, 2, 3, 1, 3, 0, 1])), [("0", "1", 0.5), ("1", "2", 2), ("2", "3", 1), ("3", "0", 1)])
        for content, says in [(npy("<i8", (6,), range(6)), "1 dimension"), (npy("<i8", (4, 2), range(6)), "truncated"), (npy("<i8", (1, 2), [-1, 2]), "an end is no vertex number"),
                              (npy(">i8", (1, 2), bytes(16)), "are not read"), (npy("<i8", (0, 2), []), "empty"), (npy("<i8", (1, 2), [0, 1 << 36]), "write them as text"),
                              (npy("<f8", (5, 4), [0] * 20), "5 by 4"), (npy("<f8", (3, 3), [float("nan")] * 9), "finite")]:
            with self.subTest(says):
                self.refuse(INPUT, "info", self.file("a.npy", content), says=["a.npy", says])

    def test_archives_of_arrays(self):
        row, col = npy("<i4", (3,), [0, 1, 2]), npy("<i4", (3,), [1, 2, 0])
        triangle = [("0", "1"), ("1", "2"), ("2", "0")]
        self.assertEqual(self.graph("a.npz", npz(edge_index=npy("<i8", (2, 3), [0, 1, 2, 1, 2, 0]), x=npy("<f4", (3, 9), [0] * 27))), triangle)
        self.assertEqual(self.graph("a.npz", npz(src=row, dst=col, edge_weight=npy("<f4", (3,), [1, 2, 3]))), [("0", "1", 1), ("1", "2", 2), ("2", "0", 3)])
        self.assertEqual(self.vertices("a.npz", npz(src=row, dst=col, num_nodes=npy("<i8", (), [7]))), 7)
        self.assertEqual(self.graph("a.npz", npz(arr_0=npy("<i8", (3, 2), [0, 1, 1, 2, 2, 0]))), triangle)
        gnn = {"adj_data": npy("<f4", (3,), [1, 1, 5]), "adj_indices": npy("<i4", (3,), [1, 2, 0]), "adj_indptr": npy("<i4", (4,), [0, 1, 2, 3]), "adj_shape": npy("<i8", (2,), [3, 3]),
               "attr_data": npy("<f4", (1,), [1]), "labels": npy("<i8", (3,), [0, 0, 1])}
        self.assertEqual(self.graph("a.npz", npz(**gnn)), [("0", "1", 1), ("1", "2", 1), ("2", "0", 5)])
        self.refuse(INPUT, "info", self.file("a.npz", npz(x=row, y=col)), says="'x', 'y'")
        self.refuse(INPUT, "info", self.file("a.npz", npz(src=row, dst=npy("<i4", (2,), [1, 2]))), says="different lengths")

    def sparse(self, form, shape, **arrays):
        return npz(format=npy(f"|S{len(form)}", (), form.encode()), shape=npy("<i8", (2,), shape), **arrays)

    def test_forms_of_scipy(self):
        stored_false = self.sparse("csr", (3, 3), data=npy("|b1", (3,), [True, False, True]), indices=npy("<i4", (3,), [1, 2, 0]), indptr=npy("<i4", (4,), [0, 2, 2, 3]))
        self.assertEqual(self.graph("a.npz", stored_false), [("0", "1"), ("2", "0")])
        self.assertEqual(self.vertices("a.npz", stored_false), 3)
        blocks = self.sparse("bsr", (4, 4), data=npy("<i8", (2, 2, 2), [0, 1, 2, 0, 3, 0, 0, 0]), indices=npy("<i4", (2,), [0, 1]), indptr=npy("<i4", (3,), [0, 1, 2]))
        self.assertEqual(self.graph("a.npz", blocks), [("0", "1", 1), ("1", "0", 2), ("2", "2", 3)])
        diagonals = self.sparse("dia", (3, 3), data=npy("<f8", (2, 3), [9, 1, 2, 3, 4, 9]), offsets=npy("<i4", (2,), [1, -1]))
        self.assertEqual(self.graph("a.npz", diagonals), [("0", "1", 1), ("1", "0", 3), ("1", "2", 2), ("2", "1", 4)])
        wide = self.sparse("coo", (2, 5), data=npy("<f8", (3,), [1, 2, 3]), row=npy("<i4", (3,), [0, 1, 1]), col=npy("<i4", (3,), [4, 0, 1]))
        expected = [("left-0", "right-4", 1), ("left-1", "right-0", 2), ("left-1", "right-1", 3)]
        for options in [[], ["--bipartite"]]:
            self.assertEqual(self.graph("a.npz", wide, *options), expected)
            self.assertFalse(self.directed)
            self.assertEqual(self.vertices("a.npz", wide, *options), 7)

    def test_matrix_market_of_two_modes(self):
        text = "%%MatrixMarket matrix coordinate real general\n2 5 3\n1 5 1\n2 1 2\n2 2 3\n"
        for options in [[], ["--bipartite"]]:
            self.assertEqual(self.graph("a.mtx", text, *options), [("left-1", "right-5", 1), ("left-2", "right-1", 2), ("left-2", "right-2", 3)])
            self.assertEqual(self.vertices("a.mtx", text, *options), 7)
        self.assertEqual(self.graph("a.mtx", text.replace("2 5 3", "5 5 3"), "--bipartite")[0], ("left-1", "right-5", 1))
        self.refuse(INPUT, "info", self.file("a.mtx", text.replace("1 5 1", "5 1 1")), says="outside the matrix")
        self.refuse(INPUT, "info", self.file("a.mtx", text.replace("general", "symmetric")), says="a symmetric one is square")


class Markup(ForeignFiles):
    def test_weights_and_attributes(self):
        graphml = ('<graphml><key id="w" for="edge" attr.name="{}" attr.type="double"/><key id="c" for="node" attr.name="city" attr.type="string"/><graph edgedefault="undirected">'
                   '<node id="a"><data key="c">Bern</data></node><node id="b"/><edge source="a" target="b"><data key="w">5</data></edge></graph></graphml>')
        self.assertEqual(self.graph("a.graphml", graphml.format("Weight")), [("a", "b", 5)])
        self.says("attributes of vertices are lost: 'city' (")
        self.graph("a.graphml", graphml.format("Weight"), "--attributes", "none")
        self.says("attributes are left out: of vertices 'city'\n")
        self.assertEqual(self.graph("a.graphml", graphml.format("value")), [("a", "b")])
        self.says("weights come back of the columns 'value' (--weights-column none)")
        self.graph("a.graphml", graphml.format("value"), "--attributes", "none")
        self.says("of edges 'value'")
        self.assertEqual(self.graph("a.graphml", graphml.format("value"), "--weights-column", "value"), [("a", "b", 5)])
        gml = "graph [ node [ id 0 ] node [ id 1 age 3 ] edge [ source 0 target 1 {} 5 since 7 ] ]"
        for key in ["weight", "Weight", "value"]:
            self.assertEqual(self.graph("a.gml", gml.format(key)), [("0", "1", 5)])
            self.says("attributes of vertices are lost: 'age' (")
            self.graph("a.gml", gml.format(key), "--attributes", "none")
            self.says("attributes are left out: of vertices 'age'; of edges 'since'")
        gexf = ('<gexf><graph defaultedgetype="directed"><attributes class="node"><attribute id="0" title="city" type="string"/></attributes><attributes class="edge"><attribute id="0" title="kind"/></attributes>'
                '<nodes><node id="a"><attvalues><attvalue for="0" value="Bern"/></attvalues></node><node id="b"/></nodes><edges><edge source="a" target="b"><attvalues><attvalue for="0" value="x"/></attvalues></edge></edges></graph></gexf>')
        self.assertEqual(self.graph("a.gexf", gexf), [("a", "b")])
        self.says("attributes of vertices are lost: 'city' (")
        self.graph("a.gexf", gexf, "--attributes", "none")
        self.says("attributes are left out: of vertices 'city'; of edges 'kind'")

    def test_yed_and_hyperedges(self):
        node = '<node id="n{}"><data key="d"><y:ShapeNode><y:Fill color="#FFCC00"/><y:NodeLabel x="1">{}<y:LabelModel/></y:NodeLabel></y:ShapeNode></data></node>'
        yed = ('<graphml xmlns:y="http://www.yworks.com/xml/graphml"><key for="node" id="d" yfiles.type="nodegraphics"/><graph edgedefault="directed">'
               + node.format(0, "Alice") + node.format(1, "\n Bob ") + '<edge source="n0" target="n1"/>{}</graph></graphml>')
        self.assertEqual(self.graph("a.graphml", yed.replace("{}", "")), [("Alice", "Bob")])
        self.assertNotIn("left out", self.said)
        self.graph("a.graphml", yed.replace("{}", '<hyperedge><endpoint node="n0"/><endpoint node="n1"/></hyperedge>'))
        self.says("1 hyperedge, of any number of vertices, left out")

    def test_ids_that_are_listed_twice_or_never(self):
        self.graph("a.gml", 'graph [ node [ id 0 label "a" ] node [ id 0 label "b" ] edge [ source 0 target 0 ] ]')
        self.says("1 vertex listed again, the first '0': taken as the same")
        self.assertEqual(self.graph("a.gml", "graph [ node [ id 0.0 ] node [ id 1.0 ] edge [ source 0 target 1 ] ]"), [("0", "1")])
        self.assertNotIn("listed", self.said)
        self.graph("a.gml", "graph [ node [ id 0 ] edge [ source 0 target 1 ] ]")
        self.says("ends of edges that are not listed as vertices, 1, the first '1'")
        self.graph("a.gexf", '<gexf><graph><nodes><node id="a"/><node id="a"/><node id="b"/></nodes><edges><edge source="a" target="b"/></edges></graph></gexf>')
        self.says("1 vertex listed again, the first 'a'")

    def test_capitals_and_comments(self):
        self.assertEqual(self.graph("a.gml", "Graph [ Directed 1 Node [ Id 0 Label \"a\" ] Node [ Id 1 Label \"b\" ] Edge [ Source 0 Target 1 ] ]"), [("a", "b")])
        self.assertTrue(self.directed)
        pajek = '/* made by\n hand */\n*Vertices 2\n1 "a"\n/* more */\n2 "b"\n*Edges\n1 2\n'
        self.assertEqual(self.graph("a.net", pajek), [("a", "b")])
        self.assertEqual(self.graph("a", pajek), [("a", "b")])


class Public(ForeignFiles):
    """Files in the styles of public collections, without a flag."""

    def test_routes_without_a_header(self):
        # OpenFlights: airline, its number, airport, its number, airport, its number, ...
        routes = ("2B,410,AER,2965,KZN,2990,,0,CR2\n2B,410,ASF,2966,KZN,2990,,0,CR2\nAA,24,JFK,3797,LHR,507,Y,0,777 744\n"
                  "AA,24,LHR,507,JFK,3797,Y,0,777\n\\N,\\N,KZN,2990,AER,2965,,0,E90\n")
        edges = [("AER", "KZN"), ("ASF", "KZN"), ("JFK", "LHR"), ("KZN", "AER"), ("LHR", "JFK")]
        self.assertEqual(self.graph("routes.dat", routes), edges)
        self.says("edges from column 3 to column 5")
        # Two modes with columns of like values stay as they are.
        self.assertEqual(self.graph("a.csv", "ann,acme,CH,DE\nbob,ibm,DE,CH\ncid,acme,FR,CH\ndan,ibm,CH,FR\n")[0][:2], ("ann", "acme"))
        bank = "02.01.2023;CH93;DE89;Miete\n03.01.2023;DE89;CH93;Lohn\n04.01.2023;FR76;CH93;Lohn\n05.01.2023;DE89;FR76;Miete\n"
        self.assertEqual(self.graph("b.csv", bank), sorted([("CH93", "DE89"), ("DE89", "CH93"), ("FR76", "CH93"), ("DE89", "FR76")]))

    def test_triples(self):
        triples = "/m/a\t/in\t/m/b\n/m/b\t/in\t/m/c\n/m/c\t/near\t/m/a\n/m/d\t/near\t/m/b\n"
        self.assertEqual(self.graph("train.txt", triples), [("/m/a", "/m/b"), ("/m/b", "/m/c"), ("/m/c", "/m/a"), ("/m/d", "/m/b")])
        self.assertEqual(self.graph("q.tsv", "subject\tpredicate\tobject\nQ42\tP31\tQ5\nQ5\tP279\tQ2\n"), [("Q42", "Q5"), ("Q5", "Q2")])

    def test_words_of_logs(self):
        for name, text, edges in [
            ("9606.protein.links.txt", "protein1 protein2 combined_score\n9606.E1 9606.E2 173\n", [("9606.E1", "9606.E2", 173)]),
            ("cdr.csv", "CallingNumber,CalledNumber,CallDate,Duration\n+4179,+4176,2023-01-02 10:11:12,65\n", [("+4179", "+4176")]),
            ("bank.csv", "TransactionID,SenderAccount,ReceiverAccount,Amount,Currency\nT1,A1,A2,10.5,EUR\n", [("A1", "A2", 10.5)]),
            ("trips.csv", "ride_id,started_at,start_station_name,end_station_name\nX,2023-01-01 00:00:01,Canal,Racine\n", [("Canal", "Racine")]),
            ("taxi.csv", "VendorID,PULocationID,DOLocationID,fare\n1,238,239,6\n", [("238", "239")]),
            ("tweets.csv", "tweet_id,user_screen_name,in_reply_to_screen_name,retweets\n9,alice,bob,3\n", [("alice", "bob")]),
            ("follows.csv", '"follower_id";"followed_id";"since"\n"12";"15";"2020-01-01"\n', [("12", "15")]),
            ("lotr.csv", "IdSource,IdTarget,Weight,Type\nfrod,sams,533,Undirected\n", [("frod", "sams", 533)]),
            ("sepa.csv", "Tag;Auftraggeber IBAN;Empf\u00e4nger IBAN;Zweck\n02.01.2023;CH93;DE89;Miete\n", [("CH93", "DE89")]),
            ("higgs.txt", "223789 213163 1341100972 MT\n376989 50329 1341101181 RT\n", [("223789", "213163"), ("376989", "50329")]),
            ("f.json", '[{"follower":"ann","followee":"bob"},{"follower":"bob","followee":"cid"}]', [("ann", "bob"), ("bob", "cid")]),
            ("c.jsonl", '{"citing":"10.1/a","cited":"10.1/b"}\n{"citing":"10.1/b","cited":"10.1/c"}\n', [("10.1/a", "10.1/b"), ("10.1/b", "10.1/c")]),
            ("out.x", "% asym posweighted\n% 3 4 4\n1 2 3 \n1 3 1 \n", [("1", "2", 3), ("1", "3", 1)]),
            ("a.net", "% made\r\n*Vertices 4\r\n 1 \"Ann Lee\" 0.1 0.2 0.5 ic Red\r\n 2 Bob\r\n 3 Cid\r\n 4 Dan\r\n*Arcslist\r\n 1 2 3\r\n 4 1\r\n",
             [("Ann Lee", "Bob"), ("Ann Lee", "Cid"), ("Dan", "Ann Lee")]),
        ]:
            with self.subTest(name):
                self.assertEqual(self.graph(name, text), edges)
        # What tells no ends is asked for.
        self.refuse(INPUT, "info", self.file("stop_times.txt", "trip_id,arrival_time,stop_id,stop_sequence\nT1,06:00:00,S1,1\n"), says="--columns")
        self.refuse(INPUT, "info", self.file("title.tsv", "tconst\tordering\tnconst\tcategory\ntt1\t1\tnm1\tself\ntt2\t2\tnm5\tself\n"), says="--columns")
        self.refuse(INPUT, "info", self.file("links.sql", "INSERT INTO `pagelinks` VALUES (10,0,'A',0);\n"), says="SQL")

    def test_archives_and_editors(self):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, text in [("num-edge-list.csv", "3\n"), ("node_year.csv", "2013\n2015\n"), ("edge.csv", "104447,13091\n15858,47283\n107156,69161\n")]:
                archive.writestr(f"arxiv/raw/{name}.gz", gzip.compress(text.encode()))
        self.assertEqual(self.graph("arxiv.zip", packed.getvalue()), [("104447", "13091"), ("107156", "69161"), ("15858", "47283")])
        yed = ('Creator\t"yFiles"\nVersion\t"2.17"\ngraph\n[\n\thierarchic\t1\n\tlabel\t""\n\tdirected\t1\n'
               '\tnode\n\t[\n\t\tid\t0\n\t\tlabel\t"Alice"\n\t\tgraphics\n\t\t[\n\t\t\tx\t1.5\n\t\t]\n\t]\n\tnode\n\t[\n\t\tid\t1\n\t\tlabel\t"Bob"\n\t]\n'
               '\tedge\n\t[\n\t\tsource\t0\n\t\ttarget\t1\n\t\tlabel\t"knows"\n\t]\n]\n')
        self.assertEqual(self.graph("yed.gml", yed), [("Alice", "Bob")])
        self.assertTrue(self.directed)

    def test_columns_called_distance_are_lengths(self):
        flights = self.file("flights.csv", "ORIGIN,DEST,DISTANCE\nJFK,LAX,2475\nLAX,SFO,337\nSFO,JFK,2586\nJFK,SFO,2586\n")
        ranked = run("pagerank", flights, "--json", notes=True)
        self.assertIn(b"lengths of paths (by the name of their column)", ranked.stderr)
        self.assertEqual(json.loads(ranked.stdout)["weights"], "none")
        self.assertEqual(self.json("pagerank", flights, "--weights", "strength")["weights"], "strength")
        self.assertEqual(self.json("pagerank", flights, "--weights-column", "DISTANCE")["weights"], "strength")
        self.assertEqual(self.json("sssp", flights, "--source", "JFK", "--target", "SFO")["paths"][0]["distance"], 2586)


class Encodings(ForeignFiles):
    def test_utf_16_and_32(self):
        graphml = '<?xml version="1.0" encoding="{}"?><graphml><graph edgedefault="undirected"><node id="\u00e4"/><node id="b"/><edge source="\u00e4" target="b"/></graph></graphml>'
        files = [("a.csv", "source;target\n\u00e4;b\n"), ("a.graphml", graphml.format("UTF-16")), ("a.graphml", graphml.replace(' encoding="{}"', "")),
                 ("a.json", '[["\u00e4", "b"]]'), ("a.gml", 'graph [ node [ id 0 label "\u00e4" ] node [ id 1 label "b" ] edge [ source 0 target 1 ] ]'), ("a.net", '*Vertices 2\r\n1 "\u00e4"\r\n2 "b"\r\n*Edges\r\n1 2\r\n')]
        for encoding in ["utf-16", "utf-16-le", "utf-16-be", "utf-32"]:
            for name, text in files:
                with self.subTest(encoding=encoding, name=name):
                    content = text.encode(encoding)
                    if encoding == "utf-16-le":
                        content = b"\xff\xfe" + content
                    self.assertEqual(self.graph(name, content, "--undirected"), [("b", "\u00e4")])
                    self.says("converted to UTF-8")
        # Without a mark, from a pipe, and packed.
        plain = "source,target\nx,y\n"
        for encoding in ["utf-16-le", "utf-16-be"]:
            self.assertEqual(self.graph("a.csv", plain.encode(encoding)), [("x", "y")])
        done = run("convert", "-", "-", "--to", "table", "-q", stdin=plain.encode("utf-16"))
        self.assertEqual(done.stdout, b"Source,Target,Type\nx,y,Directed\n")
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("a.csv", plain.encode("utf-16"))
        self.assertEqual(self.graph("a.zip", packed.getvalue()), [("x", "y")])

    def test_declared_on_the_command_line(self):
        text = "source,target\nZo\u00eb,Andr\u00e9\n"
        edges = [("Zo\u00eb", "Andr\u00e9")]
        for encoding in ["latin1", "cp850", "macintosh", "utf-16le", "utf-8", "utf-7"]:
            with self.subTest(encoding):
                self.assertEqual(self.graph("a.csv", text.encode(encoding if encoding != "macintosh" else "mac-roman"), "--encoding", encoding), edges)
        self.assertEqual(self.graph("a.csv", "source,target\n\u6f22,\u5b57\n".encode("shift-jis"), "--encoding", "SHIFT-JIS"), [("\u6f22", "\u5b57")])
        self.refuse(USAGE, "info", self.file("a.csv", text), "--encoding", "klingon", says=["--encoding", "klingon"])
        self.refuse(INPUT, "info", self.file("a.csv", b"a,b\nc,\xff\n"), "--encoding", "utf-8", says="a.csv:2: expected text in utf-8")
        self.refuse(INPUT, "info", self.file("a.csv", "a,b\nc,d".encode("utf-16") + b"x"), says="expected text in UTF-16LE")
        # What is written is UTF-8, whatever was read.
        self.succeed("convert", self.file("a.csv", text.encode("latin1")), self.folder / "a.graphml")
        self.assertIn("Zo\u00eb", (self.folder / "a.graphml").read_text(encoding="utf-8"))


class Seeds(ForeignFiles):
    def test_names_with_blanks_and_commas(self):
        graph = self.file("a.csv", 'New York,a\na,b\nb,"a,b"\nb,New York 2\n')
        exactly = ["--quiet", "-o", "-"]
        only = self.succeed("pagerank", graph, "--seeds", "New York", *exactly)
        for line in ["New York\n", '"New York"\n', "New York 3\n", '"New York" 3\n', '"New York"\t3\n']:
            with self.subTest(line):
                self.assertEqual(self.succeed("pagerank", graph, "--seeds-file", self.file("s.txt", line), *exactly), only)
        self.assertNotEqual(self.succeed("pagerank", graph, "--seeds-file", self.file("s.txt", "New York 2\n"), *exactly), only)
        both = self.succeed("pagerank", graph, "--seeds-file", self.file("s.txt", "a,b 2\nb\n"), *exactly)
        self.assertEqual(self.succeed("pagerank", graph, "--seeds", '"a,b":2,b', *exactly), both)
        self.refuse(USAGE, "pagerank", graph, "--seeds", "a,b,nobody", says="nobody")


class Outputs(ForeignFiles):
    def test_formats_that_are_read_alone(self):
        graph = self.file("a.csv", "source,target\na,b\n")
        for name in ["x.npy", "x.lgl"]:
            done = run("convert", graph, self.folder / f"new-{name}")
            self.assertEqual(done.returncode, USAGE)
            self.assertIn(b"are read, but not written", done.stderr)


if __name__ == "__main__":
    from command import main
    main()
