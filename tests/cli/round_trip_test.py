#!/usr/bin/env python3
"""What the command writes, it reads back as the same graph, and so do other programs: every format with every kind of
name, encodings, tables of results, JSON, and standard output as a file.

Usage and environment: as command.py says. Checks with NetworkX and pandas are skipped where these are not installed.
"""

import csv
import html
import io
import json
import re
import subprocess
import unittest
import xml.dom.minidom

from command import COMMAND, HAS_LAB, INPUT, SANITIZED, USAGE, CommandTest, run

try:
    import networkx
except ImportError:
    networkx = None
try:
    import pandas
except ImportError:
    pandas = None

# Names that some reader or writer might cut, trim, merge or take for something else.
NAMES = {
    "latin": ["Zo\u00eb", "Zoe", "Zo\u00e8", "\u00ff", "\u20ac"],
    "unicode": ["\u00e9", "e\u0301", "\u200b", "\ufeffa", "a", "\U0001f600", "\u6f22\u5b57", "\u2028", "\u0085"],
    "blanks": ["a b", "a  b", " a", "a ", "a", "New York", " "],
    "tabs": ["a\tb", "a b", "a\t\tb", "\ta", "a\t"],
    "line breaks": ["a\nb", "a\r\nb", "a\rb", "a\n", "\nb", "a b", "\n", '"\n"'],
    "quotes": ['"', '""', 'a"b', '"a"', 'a""b', "'", "''", '"a', 'a"', "a"],
    "backslashes": ["C:\\data", "C:\\\\data", "\\", "\\t", "a\\n", "\\-", '\\"', "\\\\"],
    "comments": ["#a", "%a", ";a", "//a", "#", "%", ";", "//", "# Undirected graph", "a #b"],
    "signs": ["-", "--", "->", "<->", "+", "=", "*", "|", ",", ":", "::", ".", "~", "!", "a,b", "a;b", "a|b", "sep=;"],
    "brackets": ["(a", "b)", "(a, b)", "[a]", "{}", "{'weight': 3}", "[", "(", ")", "(0, 1)"],
    "markup": ["<", "&", "&amp;", "&#9;", "&#65;", "<&>", "]]>", "<!--", "&quot;", "&auml;", "A", "\t"],
    "numbers and names": ["007", "7", "7.0", "1e3", "1000", "+5", "5", "-5", "0x10", "nan", "inf", "1,5"],
    "beyond 64 bits": [str(2 ** 53 + 1), str(2 ** 64), str(2 ** 64 + 1), "1" + "0" * 30],
    "only numbers": ["007", "7", "7.0", "00"],
    "words of headers": ["source", "target", "Type", "weight", "from", "to", "id", "label", "node", "graph"],
    "long": ["x" * 5000 + "a", "x" * 5000 + "b", "x" * 100000],
}
FORMATS = ["txt", "el", "wel", "csv", "graphml", "gexf", "gml", "net", "cg", "json", "dot", "csv.gz", "net.zst"]


def gml(names, edges, directed, weighted):
    """Returns a file that holds any name, as references."""
    label = ["".join(f"&#{ord(c)};" for c in name) for name in names]
    lines = [f'  node [ id {i} label "{text}" ]' for i, text in enumerate(label)]
    lines += [f"  edge [ source {a} target {b}{f' weight {w}' if weighted else ''} ]" for a, b, w in edges]
    return f"graph [\n  directed {int(directed)}\n" + "\n".join(lines) + "\n]\n"


def unescaped(text):
    """Resolves references; html.unescape() takes those of some control characters for others."""
    named = {"quot": '"', "lt": "<", "gt": ">", "amp": "&"}
    return re.sub(r"&(?:#(\d+)|(\w+));", lambda m: chr(int(m[1])) if m[1] else named[m[2]], text)


def graph_of(text):
    """Returns the vertices and the edges, with weights, of GML that the command wrote."""
    names = {i: unescaped(label) for i, label in re.findall(r'node \[ id (\d+) label "([^"]*)" \]', text)}
    directed = "directed 1" in text
    edges = []
    for a, b, w in re.findall(r"edge \[ source (\d+) target (\d+)(?: weight (\S+))? \]", text):
        ends = [names[a], names[b]]
        edges.append((*(ends if directed else sorted(ends)), float(w) if w else None))
    return sorted(names.values()), sorted(edges, key=str), directed


class RoundTrip(CommandTest):
    def circle(self, names, directed, weighted):
        """Writes a circle through the names; returns its file and what graph_of() returns of it."""
        edges = [(i, (i + 1) % len(names), i + 0.5) for i in range(len(names))]
        path = self.file("from.gml", gml(names, edges, directed, weighted))
        ends = [[names[a], names[b]] for a, b, _ in edges]
        expected = [(*(e if directed else sorted(e)), w if weighted else None) for e, (_, _, w) in zip(ends, edges)]
        return path, (sorted(names), sorted(expected, key=str), directed)

    def convert(self, source, to, *options):
        """Converts and returns what was said."""
        done = run("convert", source, to, *options, notes=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr.decode()

    def read_back(self, path, expected, said, what):
        """Reads a file with the options that its writer named, and compares."""
        options = [o for o in ["--ids names", "--undirected"] if o in said]
        back = self.folder / "back.gml"
        self.convert(path, back, *" ".join(options).split())
        found = graph_of(back.read_text(encoding="ascii"))
        if str(path).endswith(".el"):  # holds no weights
            expected = (expected[0], sorted([(a, b, None) for a, b, _ in expected[1]], key=str), expected[2])
        if str(path).endswith(".wel"):  # always has them
            expected = (expected[0], sorted([(a, b, 1 if w is None else w) for a, b, w in expected[1]], key=str), expected[2])
        if re.search(r"\.txt$", str(path)):
            expected = (expected[0], sorted([(a, b, None) for a, b, _ in expected[1]], key=str), expected[2])
        self.assertEqual(found, expected, what)

    def test_every_format_with_every_kind_of_name(self):
        for turn, (kind, names) in enumerate(NAMES.items()):
            for directed, weighted in [(True, False), (False, True)]:
                source, expected = self.circle(names, directed, weighted)
                # Under sanitizers a command takes a tenth of a second: each kind meets a fifth of the formats, in turns.
                for suffix in FORMATS[(turn + directed) % 5::5] if SANITIZED else FORMATS:
                    with self.subTest(kind=kind, suffix=suffix, directed=directed):
                        path = self.folder / f"out.{suffix}"
                        said = self.convert(source, path)
                        self.read_back(path, expected, said, (kind, suffix))

    def test_names_that_a_format_cannot_hold_are_refused(self):
        # Another name in their place might be that of another vertex.
        names = ["a\x01", "a\x02", "a\x0b", "a\x1e", "\x7f", "a"]
        source, expected = self.circle(names, True, False)
        for suffix in FORMATS:
            path = self.folder / f"out.{suffix}"
            if suffix in ("graphml", "gexf"):
                self.refuse(USAGE, "convert", source, path, says=["a\\x01", "control character", suffix])
                self.assertFalse(path.exists())
            else:
                self.read_back(path, expected, self.convert(source, path), suffix)
        empty = self.file("e.graphml", '<graphml><graph edgedefault="directed"><node id=""/><node id="a"/>'
                                       '<edge source="" target="a"/></graph></graphml>')
        for suffix in ["txt", "csv", "gml", "net", "dot"]:
            self.refuse(USAGE, "convert", empty, self.folder / f"out.{suffix}", says="holds nothing")
        for suffix in ["graphml", "gexf", "cg", "json"]:
            path = self.folder / f"out.{suffix}"
            self.convert(empty, path)
            self.assertIn('id=""', self.succeed("convert", path, "-", "--to", "graphml"), suffix)
        breaks, _ = self.circle(["a\nb", "a b"], True, False)
        self.refuse(USAGE, "convert", breaks, self.folder / "o.mtx", "--names-to", self.folder / "n.txt", "--quiet",
                    says="line break")

    def test_names_beside_a_file_of_numbers(self):
        for kind in ["latin", "blanks", "quotes", "comments", "signs", "numbers and names", "only numbers"]:
            source, expected = self.circle(NAMES[kind], True, True)
            mtx = self.folder / "n.mtx"
            self.convert(source, mtx, "--names-to", self.folder / "n.names")
            self.convert(mtx, self.folder / "back.gml", "--names", self.folder / "n.names")
            self.assertEqual(graph_of((self.folder / "back.gml").read_text())[:2], expected[:2], kind)

    @unittest.skipUnless(networkx, "no NetworkX")
    def test_networkx_reads_the_same_names(self):
        readers = {"graphml": networkx.read_graphml, "gexf": networkx.read_gexf, "gml": networkx.read_gml}
        for turn, (kind, names) in enumerate(NAMES.items()):
            source, expected = self.circle(names, True, False)
            for suffix, reader in list(readers.items())[turn % 3::3] if SANITIZED else readers.items():
                with self.subTest(kind=kind, suffix=suffix):
                    if kind == "long" or (suffix == "gml" and kind in ("line breaks", "unicode")):
                        continue  # NetworkX cuts GML at Unicode's line ends
                    path = self.folder / f"out.{suffix}"
                    self.convert(source, path)
                    graph = reader(path)
                    labels = {v: graph.nodes[v].get("label", v) if suffix == "gexf" else v for v in graph}
                    edges = sorted((str(labels[a]), str(labels[b])) for a, b in graph.edges())
                    self.assertEqual(edges, sorted((a, b) for a, b, _ in expected[1]))

    @unittest.skipUnless(networkx, "no NetworkX")
    def test_networkx_reads_attributes_of_json_and_pajek(self):
        edges = self.file("e.csv", "source,target,weight,kind\na,b,2,road\nb,c,1.5,rail\n")
        vertices = self.file("v.csv", "name,x,y,city\na,1,2,Bern\nb,3,4,New York\nc,5,6,\"q\"\"t\"\n")
        out = self.folder / "o.json"
        self.convert(edges, out, "--directed", "--vertex-table", vertices)
        graph = networkx.node_link_graph(json.loads(out.read_text(encoding="utf-8")), edges="links")
        self.assertEqual(dict(graph.nodes(data="city")), {"a": "Bern", "b": "New York", "c": 'q"t'})
        self.assertEqual(sorted(graph.edges(data="kind")), [("a", "b", "road"), ("b", "c", "rail")])
        self.assertEqual((graph.is_directed(), graph.is_multigraph(), graph["b"]["c"]["weight"]), (True, False, 1.5))
        out = self.folder / "o.net"
        self.convert(edges, out, "--directed", "--vertex-table", vertices)
        graph = networkx.read_pajek(out)
        self.assertEqual(graph.nodes["a"]["x"], 1.0)
        self.assertEqual(graph["b"]["c"][0]["kind"], "rail")

    @unittest.skipUnless(pandas, "no pandas")
    def test_pandas_reads_the_same_names(self):
        for kind, names in NAMES.items():
            source, expected = self.circle(names, True, True)
            path = self.folder / "out.csv"
            self.convert(source, path)
            frame = pandas.read_csv(path, dtype={"Source": str, "Target": str}, keep_default_na=False)
            found = sorted(zip(frame["Source"], frame["Target"], frame["Weight"]), key=str)
            if kind != "line breaks":  # pandas takes a carriage return in quotes for a line feed
                self.assertEqual(found, expected[1], kind)
            scores = self.folder / "scores.tsv"
            self.succeed("pagerank", source, "-q", "-o", scores)
            frame = pandas.read_csv(scores, sep="\t", header=None, dtype={0: str}, keep_default_na=False, quoting=0)
            if kind != "line breaks":
                self.assertEqual(sorted(frame[0]), expected[0], kind)

    def test_graphs_without_edges(self):
        gap = "graph [ node [ id 1 ] node [ id 5 ] ]"
        for content, vertices in [("graph [ node [ id 1 ] node [ id 2 ] ]", ["1", "2"]), (gap, ["1", "5"]),
                                  (gml(["b", "a", "#c", "New York", 'q"', "x\ny"], [], False, False),
                                   ['#c', 'New York', 'a', 'b', 'q"', "x\ny"])]:
            for directed in [False, True]:
                path = self.file("g.gml", content.replace("graph [", f"graph [ directed {int(directed)}", 1)
                                 if "directed" not in content else content.replace("directed 0", f"directed {int(directed)}"))
                for suffix in FORMATS:
                    out = self.folder / f"o.{suffix}"
                    self.convert(path, out)
                    self.convert(out, self.folder / "back.gml")
                    self.assertEqual(graph_of((self.folder / "back.gml").read_text()), (vertices, [], directed), suffix)
                for suffix in ["mtx", "gr", "graph", "sg", "wsg"]:
                    if directed and suffix == "graph":
                        continue
                    out = self.folder / f"o.{suffix}"
                    self.convert(path, out)
                    found = self.json("info", out)
                    self.assertEqual((found["vertices"], found["edges"]), (len(vertices), 0), suffix)
        # Without vertices: a file that is refused when it is read is not written.
        for suffix in FORMATS + ["mtx", "gr", "graph", "sg", "wsg"]:
            out = self.folder / f"none.{suffix}"
            arguments = ["subgraph", self.file("s.txt", "# Undirected graph\n1 2\n"), out, "--core", "9"]
            if suffix == "cg":
                self.succeed(*arguments)
                self.assertEqual(self.json("info", out)["vertices"], 0)
            else:
                self.refuse(USAGE, *arguments, says=["no vertices", ".cg"])
        # What older versions wrote; and what is no graph stays none.
        self.assertEqual(self.json("info", self.file("o.txt", "# Undirected graph, vertices 1 to 2\n"))["vertices"], 2)
        self.refuse(INPUT, "info", self.file("o.txt", "# a comment\n"), says="nothing but comments")
        self.refuse(INPUT, "info", self.file("o.txt", "# Undirected graph without edges, its vertices:\n"),
                    says="no vertices")


class Encodings(CommandTest):
    """Bytes that are not UTF-8 are Windows-1252, whatever brings them."""

    INPUTS = {
        "p.net": b'*Vertices 3\n1 "Zo\xeb"\n2 "Zo\xe8"\n3 "\x80"\n*Arcs\n1 2\n2 3\n',
        "e.txt": b"Zo\xeb Zo\xe8\nZo\xe8 \x80\n",
        "t.csv": b"source,target,note\nZo\xeb,Zo\xe8,x\nZo\xe8,\x80,y\n",
        "g.gml": b'graph [ directed 1 node [ id 1 label "Zo\xeb" ] node [ id 2 label "Zo&#232;" ] '
                 b'node [ id 3 label "&#8364;" ] edge [ source 1 target 2 ] edge [ source 2 target 3 ] ]',
        "a.adjlist": b"Zo\xeb Zo\xe8\nZo\xe8 \x80\n\x80\n",
        "l.graphml": b'<?xml version="1.0" encoding="windows-1252"?><graphml><graph edgedefault="directed">'
                     b'<node id="Zo\xeb"/><node id="Zo\xe8"/><node id="\x80"/><edge source="Zo\xeb" target="Zo\xe8"/>'
                     b'<edge source="Zo\xe8" target="\x80"/></graph></graphml>',
    }
    VERTICES = ["Zo\u00eb", "Zo\u00e8", "\u20ac"]

    def test_readers(self):
        for name, content in self.INPUTS.items():
            options = ["--directed"] + (["--format", "adjacency-list"] if name.startswith("a.") else [])
            path = self.file(name, content)
            done = run("pagerank", path, *options, "--json", notes=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(row["vertex"] for row in json.loads(done.stdout)["top"]), sorted(self.VERTICES), name)
            if name != "l.graphml":
                self.assertIn(b"Windows-1252", done.stderr, name)
            for to in FORMATS[:1] if SANITIZED else FORMATS:
                out = self.folder / f"out.{to}"
                self.succeed("convert", path, out, *options)
                again = self.json("pagerank", out, "--directed")["top"]
                self.assertEqual(sorted(row["vertex"] for row in again), sorted(self.VERTICES), (name, to))
            for command in [["draw", path, "-o", "-"], ["analyze", path, "-o", "-"], ["pagerank", path, "-q", "-o", "-"],
                            ["info", path, "--json"], ["pagerank", path]]:
                run(*command, *options).stdout.decode("utf-8")
            xml.dom.minidom.parseString(run("draw", path, "-o", "-", *options).stdout)

    def test_names_that_differ_stay_different(self):
        # Taken one by one, the first name would be UTF-8 and the second Windows-1252, and both the same.
        found = self.json("pagerank", self.file("m.txt", b"Zo\xc3\xab b\nZo\xeb b\n"), "--directed")
        self.assertEqual(found["vertices"], 3)
        self.assertEqual(sorted(row["vertex"] for row in found["top"]), ["Zo\u00c3\u00ab", "Zo\u00eb", "b"])

    def test_questions_in_another_encoding(self):
        path = self.file("e.txt", "Zo\u00eb b\nb c\n")
        for command in [["bfs", path, "--source", b"Zo\xeb"], ["pagerank", path, "--seeds-file", self.file("s", b"Zo\xeb\n")],
                        ["subgraph", path, self.folder / "o.csv", "--vertices", self.file("v", b"Zo\xeb\nb\n")]]:
            words = [w if isinstance(w, bytes) else str(w) for w in command]
            done = subprocess.run([COMMAND, *words, "--directed", "--quiet"], capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        names = self.file("names", b"Zo\xeb\nZo\xe8\n")
        done = run("info", self.file("n.txt", "0 1\n"), "--names", names, "--directed", notes=True)
        self.assertIn(b"Windows-1252", done.stderr)

    def test_xml_of_other_encodings(self):
        graph = '<?xml version="1.0" encoding="%s"?><graphml><graph edgedefault="directed"><node id="\u0142"/><node id="b"/>' \
                '<edge source="\u0142" target="b"/></graph></graphml>'
        for encoding in ["utf-8", "iso-8859-2", "windows-1250"]:
            path = self.file("x.graphml", (graph % encoding).encode(encoding))
            self.assertEqual(sorted(r["vertex"] for r in self.json("pagerank", path)["top"]), ["b", "\u0142"], encoding)
        path = self.file("x.graphml", (graph % "no-such-encoding").encode("utf-8"))
        self.refuse(INPUT, "info", path, says=["x.graphml", "encoding"])


class Results(CommandTest):
    def test_a_table_joins_with_its_data(self):
        names = ["C:\\data", "a,b", 'say "hi"', "a\tb", '"quoted"', "-", "#tag", "a\nb", "\\-", "plain", " padded "]
        edges = [(i, (i + 1) % len(names), 1) for i in range(len(names))]
        path = self.file("g.gml", gml(names, edges, True, False))
        for suffix, separator in [("csv", ","), ("tsv", "\t"), ("txt", "\t")]:
            for options in [[], ["--top", "20"]]:
                out = self.folder / f"o.{suffix}"
                self.succeed("pagerank", path, "-q", "-o", out, *options)
                rows = list(csv.reader(io.StringIO(out.read_bytes().decode(), newline=""), delimiter=separator))
                self.assertEqual(sorted(row[0] for row in rows[suffix == "csv":]), sorted(names), suffix)
        lines = (self.folder / "o.tsv").read_text().split("\n")
        self.assertTrue(any(line.startswith("C:\\data\t") for line in lines), lines)  # as it is, for a join
        # In a second column, too; and - alone is no vertex.
        for kernel, options in [("components", []), ("communities", []), ("bfs", ["--source", "C:\\data"])]:
            self.succeed(kernel, path, *options, "-q", "-o", self.folder / "c.csv")
            rows = list(csv.reader(io.StringIO((self.folder / "c.csv").read_bytes().decode(), newline="")))[1:]
            self.assertEqual(sorted(row[0] for row in rows), sorted(names), kernel)
            self.assertTrue({row[-1] for row in rows} <= set(names), kernel)
        self.succeed("communities", path, "-q", "-o", self.folder / "c.graphml")
        text = (self.folder / "c.graphml").read_text()
        values = {html.unescape(v) for v in re.findall(r"<data [^>]*>([^<]*)</data>", text)}
        self.assertTrue(values <= set(names), values)
        # The command reads its own tables.
        for suffix in ["csv", "tsv"]:
            self.succeed("pagerank", path, "-q", "-o", self.folder / f"s.{suffix}")
            self.succeed("draw", path, "-o", self.folder / "d.svg", "--sizes", self.folder / f"s.{suffix}")
            found = self.json("subgraph", path, self.folder / "p.cg", "--values", self.folder / f"s.{suffix}", "--at-least", "0")
            self.assertEqual(found["written"]["vertices"], len(names))

    def test_people_see_names_as_they_are(self):
        path = self.file("b.txt", "C:\\data D:\\x\nD:\\x C:\\data\n")
        for command in ["pagerank", "diameter", "communities"]:
            shown = self.succeed(command, path, "--directed")
            self.assertNotIn("C:\\\\data", shown, command)

    def test_walks_of_names_with_blanks(self):
        path = self.file("w.csv", "source,target\nNew York,Bonn\nBonn,New York\n")
        for line in self.succeed("walks", path, "--length", "2", "--each", "1", "-q", "-o", "-").splitlines():
            self.assertEqual(set(line.split("\t")), {"New York", "Bonn"})
        for line in self.succeed("walks", self.file("w.txt", "a b\nb a\n"), "--length", "2", "-q", "-o", "-").splitlines():
            self.assertEqual(set(line.split(" ")), {"a", "b"})

    def test_ids_beyond_doubles(self):
        wide = self.file("wide.txt", f"{2 ** 53 + 1} 5\n5 {2 ** 53 + 1}\n{2 ** 64 - 1} 5\n")
        near = self.file("near.txt", f"{2 ** 53} 5\n5 {2 ** 53}\n")
        for command in [["pagerank"], ["components"], ["communities"], ["bfs", "--source", "5"], ["diameter"], ["similarity", "--best", "2"],
                        ["sssp", "--source", "5", "--target", str(2 ** 53 + 1), "--random-weights", "1"], ["hits"],
                        ["betweenness"], ["analyze"], ["eccentricity"]]:
            for path, expected in [(wide, {str(2 ** 53 + 1), "5", str(2 ** 64 - 1)}), (near, {2 ** 53, 5})]:
                text = self.succeed(command[0], path, "--directed", "--json", *(w if path == wide else w.replace(
                    str(2 ** 53 + 1), str(2 ** 53)) for w in command[1:]))
                # As JavaScript and jq read it: whole numbers become doubles.
                self.assertEqual(json.loads(text), json.loads(text, parse_int=lambda digits: int(float(digits))), command)
                keys = "vertex|source|from|to|community|target" + ("|component" if command == ["components"] else "")
                found = set(re.findall(rf'"(?:{keys})": ("?\d+"?)', text))
                self.assertTrue({json.loads(word) for word in found} <= expected, (command, found))
        seed = str(2 ** 64 - 1)
        self.assertEqual(self.json("communities", near, "--directed", "--seed", seed)["seed"], seed)

    def test_a_community_has_one_name(self):
        # Ada is the smallest, Cleo the best connected member.
        path = self.file("f.csv", "source,target,type\n" + "".join(
            f"{a},{b},Undirected\n" for a, b in [("Ada", "Cleo"), ("Bob", "Cleo"), ("Cleo", "Dora"), ("Bob", "Dora"),
                                                 ("Xeno", "Yara"), ("Yara", "Zoe"), ("Xeno", "Zoe")]))
        table = {line.split("\t")[1] for line in self.succeed("communities", path, "-q", "-o", "-").splitlines()}
        self.assertEqual(table, {"Ada", "Xeno"})
        page = self.succeed("analyze", path, "-o", "-")
        drawing = self.succeed("draw", path, "-o", "-")
        self.assertEqual({row["community"] for row in self.json("communities", path)["top"]}, table)
        for text in [page, drawing]:
            self.assertEqual(set(re.findall(r"community of (\w+)[,<]", text)), table)
        communities = self.succeed("draw", path, "-o", "-", "--what", "communities")
        self.assertEqual(set(re.findall(r"community of (\w+),", communities)), table)

    def test_sums_of_weights_that_are_not_finite(self):
        path = self.file("s.csv", "source,target,weight\nx,y,1\na,b,1e308\na,b,1e308\n")
        for command in [["convert", path, self.folder / "o.csv", "--repeats", "sum"], ["communities", path],
                        ["draw", path, "-o", self.folder / "d.svg"], ["pagerank", path], ["convert", path,
                         self.folder / "o.csv", "--repeats", "sum", "--undirected"]]:
            self.refuse(INPUT, *command, "--directed" if "--undirected" not in command else "--quiet",
                        says=["s.csv", "from a to b", "finite sum"])
        native = self.folder / "o.cg"
        self.succeed("convert", self.file("t.csv", "source,target,weight\na,b,1e308\nb,a,1e308\n"), native, "--directed")
        self.refuse(INPUT, "communities", native, "--undirected", "--repeats", "sum", says=["o.cg", "finite sum"])
        # Error lines call vertices by their names.
        negative = self.file("n.csv", "source,target,weight\na,b,0.8\nb,c,-0.3\n")
        self.refuse(INPUT, "pagerank", negative, "--directed", "--quiet", says="from b to c")
        zero = self.file("z.csv", "source,target,weight\na,b,0.8\nb,c,0\n")
        self.refuse(INPUT, "betweenness", zero, "--directed", "--quiet", "--weights", "length", says="from b to c")


class StandardOutput(CommandTest):
    """The file - is standard output wherever a file is written, and nothing else is there."""

    def setUp(self):
        super().setUp()
        self.graph = self.file("g.txt", "# Undirected graph\n1 2\n2 3\n")

    def bytes_of(self, *arguments):
        """Runs with the output in a folder of its own; returns standard output, and expects no file."""
        before = sorted(p.name for p in self.folder.iterdir())
        done = run(*arguments, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), before, arguments)
        return done

    def test_graphs(self):
        for to in ["edge-list", "weighted-edge-list", "table", "matrix-market", "dimacs", "metis", "graphml", "gexf", "gml", "json", "dot",
                   "pajek", "gapbs-sg", "gapbs-wsg"]:
            self.succeed("convert", self.graph, self.folder / "out", "--to", to)
            expected = (self.folder / "out").read_bytes()
            (self.folder / "out").unlink()
            for name in ["-", "/dev/stdout", "/proc/self/fd/1"]:
                done = self.bytes_of("convert", self.graph, name, "--to", to)
                self.assertEqual(done.stdout, expected, (to, name))
                self.assertIn(b"written", done.stderr)
                done = self.bytes_of("convert", self.graph, name, "--to", to, "--quiet")
                self.assertEqual((done.stdout, done.stderr), (expected, b""))
        made = self.bytes_of("generate", "grid", "-", "--scale", "2", "--to", "edge-list")
        self.assertEqual(made.stdout.count(b"\n"), 5)
        part = self.bytes_of("subgraph", self.graph, "-", "--around", "1", "--hops", "1", "--to", "table")
        self.assertIn(b"1,2,Undirected", part.stdout)
        named = self.bytes_of("convert", self.graph, "/dev/null", "--to", "matrix-market", "--names-to", "-")
        self.assertEqual(named.stdout, b"1\n2\n3\n")

    def test_results(self):
        self.assertEqual(self.bytes_of("pagerank", self.graph, "-o", "-").stdout.count(b"\n"), 3)
        self.assertEqual(self.bytes_of("pagerank", self.graph, "-o", "/dev/stdout").stdout.count(b"\n"), 3)
        self.assertTrue(self.bytes_of("draw", self.graph, "-o", "/dev/stdout").stdout.startswith(b"<svg"))
        self.assertTrue(self.bytes_of("draw", self.graph, "-o", "-").stdout.startswith(b"<svg"))
        self.assertIn(b"<html", self.bytes_of("analyze", self.graph, "-o", "-").stdout)
        self.assertIn(b"<html", self.bytes_of("analyze", self.graph, "-o", "/dev/stdout").stdout)
        members = self.bytes_of("communities", self.graph, "--members", "-")
        self.assertEqual(members.stdout.count(b"\n"), 3)
        self.assertIn(b"communities", members.stderr)
        trace = self.bytes_of("pagerank", self.graph, "--trace", "-")
        self.assertIn("traceEvents", json.loads(trace.stdout))
        self.assertIn(b"iterations", trace.stderr)
        self.assertIn(b"vertices", self.bytes_of("info", self.graph, "-o", "-").stdout)
        if HAS_LAB:
            picture = self.bytes_of("simulate", "x4-2", "--threads", "2", "--batch", "64", "--iterations", "1000", "-o", "-")
            self.assertTrue(picture.stdout.startswith(b"<svg"), picture.stdout[:99])

    def test_two_files_cannot_have_it(self):
        for arguments in [["convert", self.graph, "-", "--to", "table", "--json"],
                          ["convert", self.graph, "-", "--to", "table", "--names-to", "-"],
                          ["communities", self.graph, "-o", "-", "--members", "-"],
                          ["pagerank", self.graph, "-o", "/dev/stdout", "--trace", "-"],
                          ["draw", self.graph, "-o", "/dev/stdout", "--json"],
                          ["demo", self.graph, "--svg", "-", "--json"],
                          *([["simulate", "x4-2", "-o", "-", "--json"]] if HAS_LAB else [])]:
            self.refuse(USAGE, *arguments, says="standard output is taken")

    def test_a_reader_that_leaves(self):
        big = self.folder / "big.cg"
        self.succeed("generate", "grid", big, "--scale", "18")
        command = subprocess.Popen([COMMAND, "convert", big, "-", "--to", "edge-list"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        command.stdout.read(10)
        command.stdout.close()
        self.assertEqual(command.stderr.read(), b"")
        command.stderr.close()
        self.assertEqual(command.wait(), -13)


if __name__ == "__main__":
    unittest.main()
