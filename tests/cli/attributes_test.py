#!/usr/bin/env python3
"""Attributes of vertices and edges in the command: which are read, what is written and said of them, and `--where`.
tests/graph/attributes_test.cpp has the formats and the language of conditions.

Usage and environment: as command.py says.
"""

from command import INPUT, USAGE, CommandTest, run

EDGES = """source,target,weight,kind,since
a,b,5,road,1999
b,c,1,rail,
c,a,2,road,2005
c,d,4,"a, b",2010
"""
VERTICES = """name;city;age
a;Bern;30
b;"Basel
Land";
c;Bern;17
x;Chur;1
"""


class Attributes(CommandTest):
    def setUp(self):
        super().setUp()
        self.edges = self.file("edges.csv", EDGES)
        self.vertices = self.file("vertices.csv", VERTICES)

    def test_info_shows_columns_with_types(self):
        found = self.json("info", self.edges, "--vertex-table", self.vertices)
        self.assertEqual(found["attributes"], {
            "vertices": [{"name": "city", "type": "string", "missing": 1}, {"name": "age", "type": "int64", "missing": 2}],
            "edges": [{"name": "kind", "type": "string", "missing": 0}, {"name": "since", "type": "int64", "missing": 1}]})
        self.assertIn("vertices.csv: 1 line left out, whose vertices are not in the graph, the first 'x'", found["graph"]["notes"][-1])
        text = run("info", self.edges, "--attributes", "since").stdout.decode()
        self.assertRegex(text, r"edge columns +since \(int64, 1 missing\)\n")
        self.assertEqual(self.json("info", self.edges, "--attributes", "none")["attributes"], {"vertices": [], "edges": []})

    def test_vertices_without_a_line_are_told(self):
        self.assertIn("vertices.csv: 1 of 4 vertices have no line in it, the first 'd'",
                      "\n".join(self.json("info", self.edges, "--vertex-table", self.vertices)["graph"]["notes"]))
        swapped = self.file("swapped.csv", "city;name\nB\u00e4rn;a\nChur;b\n")
        self.refuse(INPUT, "info", self.edges, "--quiet", "--vertex-table", swapped,
                    says="column 1 must hold what vertices are called, such as 'a'; the first line has 'B\u00e4rn'")

    def test_top_keeps_the_columns(self):
        lines = self.succeed("pagerank", self.edges, "--vertex-table", self.vertices, "--top", "2", "--output",
                             self.folder / "top.csv")
        with open(self.folder / "top.csv", encoding="utf-8") as text:
            top = text.read().splitlines()
        self.assertEqual(top[0], "vertex,score,city,age", lines)
        self.assertRegex(top[1], r"^c,[0-9.e-]+,Bern,17$")

    def test_decimal_commas(self):
        calls = self.file("calls.csv", "source;target;seconds;text\na;b;73,5;1,5\nb;c;600,0;x\nc;d;815,5;2\nd;e;1200;3\n")
        found = self.json("info", calls, "--columns", "source,target", "--attributes", "all", "--where", "seconds > 600")
        self.assertEqual(found["edges"], 2)
        self.assertEqual([(c["name"], c["type"]) for c in found["attributes"]["edges"]], [("seconds", "double"), ("text", "string")])
        table = self.file("t.csv", "name;height\na;1,5\nb;2\n")
        self.assertEqual(self.json("info", calls, "--vertex-table", table, "--where", "height > 1.6")["vertices"], 1)

    def test_where_alone_makes_a_subgraph(self):
        part = self.folder / "part.csv"
        self.succeed("subgraph", self.edges, part, "--where", "weight > 3")
        self.assertEqual(self.json("info", part)["edges"], 2)
        self.refuse(USAGE, "subgraph", self.edges, part, says="or --where CONDITION")

    def test_names_of_named_vertices(self):
        names = self.file("names.csv", "id;called\na;Ann\nb;Bo\nc;Bo\n")
        found = self.json("pagerank", self.edges, "--names", names)
        self.assertEqual({row["vertex"] for row in found["top"]}, {"Ann", "Bo (b)", "Bo (c)", "d"})
        self.assertIn("1 of 4 vertices has no line", "\n".join(found["graph"]["notes"]))
        self.refuse(USAGE, "bfs", self.edges, "--names", names, "--source", "Bo", "--quiet",
                    says="there are 'Bo (b)', 'Bo (c)'")
        self.refuse(INPUT, "info", self.edges, "--quiet", "--names", self.file("n.csv", "id;name\n7;Ann\n8;Bo\n"),
                    says="names no vertex of the graph")
        self.refuse(INPUT, "info", self.file("n.txt", "1 2\n2 3\n"), "--quiet", "--names", self.file("m.csv", "id;name\n7;Ann\n"),
                    says="names no vertex of the graph")

    def test_convert_and_subgraph_keep_them(self):
        native = self.file("graph.cg", "")
        self.assertEqual(run("convert", self.edges, native, "--vertex-table", self.vertices, "--order", "hubs").returncode, 0)
        table = self.file("back.csv", "")
        beside = self.file("beside.csv", "")
        done = run("convert", native, table, "--vertex-table-to", beside, notes=True)
        self.assertNotIn(b"lost", done.stderr)
        with open(table, encoding="utf-8") as text:
            self.assertEqual(text.read(), "Source,Target,Type,Weight,kind,since\na,b,Directed,5,road,1999\nb,c,Directed,1,rail,\n"
                                          "c,a,Directed,2,road,2005\nc,d,Directed,4,\"a, b\",2010\n")
        with open(beside, encoding="utf-8") as text:
            self.assertEqual(text.read(), 'vertex,city,age\na,Bern,30\nb,"Basel\nLand",\nc,Bern,17\nd,,\n')
        part = run("subgraph", native, "-", "--to", "graphml", "--around", "a", "--hops", "1").stdout.decode()
        self.assertIn('<node id="b"><data key="v0">Basel&#10;Land</data></node>', part)
        self.assertIn('<edge source="c" target="a"><data key="weight">2</data><data key="e0">road</data><data key="e1">2005</data></edge>', part)
        lost = run("convert", native, self.file("graph.mtx", ""), "--attributes", "all", notes=True).stderr
        self.assertIn(b"attributes of edges are lost: 'kind', 'since'", lost)

    def test_where(self):
        where = "city == 'Bern' and kind == \"road\""
        done = run("pagerank", self.edges, "--vertex-table", self.vertices, "--where", where, "-q", notes=True)
        self.assertEqual(sorted(line.split("\t")[0] for line in done.stdout.decode().splitlines()), ["a", "c"])
        self.assertEqual(self.json("info", self.edges, "--vertex-table", self.vertices, "--where", where)["edges"], 1)
        self.assertEqual(self.json("info", self.edges, "--where", "weight > 1.5")["edges"], 3)

    def test_tables_of_results_carry_columns(self):
        out = self.file("cores.csv", "")
        run("kcore", self.edges, "--undirected", "--vertex-table", self.vertices, "-o", out)
        with open(out, encoding="utf-8", newline="") as text:
            self.assertEqual(text.read(), 'vertex,coreness,city,age\na,2,Bern,30\nb,2,"Basel\nLand",-\nc,2,Bern,17\nd,1,-,-\n')
        run("kcore", self.edges, "--undirected", "--vertex-table", self.vertices, "--attributes", "age", "-o", self.file("cores.tsv", ""))
        with open(self.folder / "cores.tsv", encoding="utf-8") as text:
            self.assertEqual(text.read(), "a\t2\t30\nb\t2\t-\nc\t2\t17\nd\t1\t-\n")

    def columns(self, name, content):
        """Returns the columns of vertices and of edges of a file, as names and types, and the table of vertices."""
        path = self.file(name, content)
        found = self.json("info", path)["attributes"]
        self.succeed("convert", path, self.folder / "o.cg", "-q", "--vertex-table-to", self.folder / "vertices.csv")
        return ([f"{c['name']}:{c['type']}" for c in found["vertices"]], [f"{c['name']}:{c['type']}" for c in found["edges"]],
                (self.folder / "vertices.csv").read_text(encoding="utf-8").splitlines())

    def test_json(self):
        d3 = ('{"directed": true, "nodes": [{"id": "a", "group": 1, "x": 0.5, "open": true, "tags": ["q"]}, {"id": "b", "group": null, "x": 3}],'
              '"links": [{"source": "a", "target": "b", "value": 3, "kind": "road", "name": "e1"}]}')
        self.assertEqual(self.columns("d.json", d3), (["group:int64", "x:double", "open:bool"], ["kind:string", "name:string"],
                                                      ["vertex,group,x,open", "a,1,0.5,true", "b,,3.0,"]))
        cytoscape = ('{"elements": {"nodes": [{"data": {"id": "n1", "name": "Ada", "zip": "0123"}, "position": {"x": 1, "y": -2.5}},'
                     '{"data": {"id": "n2", "name": "Bob"}, "position": {"x": 3, "y": 4}}],'
                     '"edges": [{"data": {"source": "n1", "target": "n2", "interaction": "pp"}}]}}')
        self.assertEqual(self.columns("c.json", cytoscape), (["zip:string", "x:int64", "y:double"], ["interaction:string"],
                                                             ["vertex,zip,x,y", 'Ada,0123,1,-2.5', "Bob,,3,4.0"]))
        graphology = ('{"options": {"type": "directed"}, "nodes": [{"key": "1", "attributes": {"label": "Ada", "size": 2}}, '
                      '{"key": "2", "attributes": {"label": "Bob", "size": 3.5}}], "edges": [{"source": "1", "target": "2", "attributes": {"weight": 2, "kind": 7}}]}')
        self.assertEqual(self.columns("g.json", graphology), (["size:double"], ["kind:int64"], ["vertex,size", "Ada,2.0", "Bob,3.5"]))
        large = self.file("l.csv", "source,target,tweet\na,b,1217171717171717171\n")
        said = run("convert", large, self.folder / "l.json", notes=True)
        self.assertIn(b"texts come back of the columns 'tweet'", said.stderr)
        self.assertIn('"tweet": "1217171717171717171"', (self.folder / "l.json").read_text())

    def test_dot(self):
        text = ('digraph { node [shape=box]; edge [style=dotted] a [label="Ada", age=36, zip="007"]; b [age=40.5, shape=ellipse, label=Bob]\n'
                'a -> b [weight=2, kind="x\\"y", note=<b>]; { node [color=blue]; c } c -> a [open=true, style=solid] }')
        self.assertEqual(self.columns("g.dot", text), (
            ["shape:string", "age:double", "zip:string", "color:string"], ["style:string", "kind:string", "open:bool"],
            ["vertex,shape,age,zip,color", "Ada,box,36.0,007,", "Bob,ellipse,40.5,,", "c,box,,,blue"]))
        self.assertIn(b"attributes are left out: of edges 'note'", run("info", self.folder / "g.dot", notes=True).stderr)
        strict = self.columns("s.dot", "strict graph { a -- b [k=1]; b -- a [k=2, m=3] }")
        self.assertEqual(strict[1], ["k:int64", "m:int64"])

    def test_pajek(self):
        text = ('*Vertices 4\n1 "Ada" 0.1 0.2 0.5 ellipse ic Red bc "Blue Green"\n2 "Bob" 0.3 0.4 [1-5]\n3 "box"\n4 "Dan" box yes\n'
                '*Arcs\n1 2 1.5 c Blue w 3\n2 3 2 l "hi there" [1-3]\n3 4\n')
        self.assertEqual(self.columns("p.net", text), (
            ["x:double", "y:double", "z:double", "shape:string", "ic:string", "bc:string", "box:string"],
            ["c:string", "w:int64", "l:string"],
            ["vertex,x,y,z,shape,ic,bc,box", 'Ada,0.1,0.2,0.5,ellipse,Red,"Blue Green",', "Bob,0.3,0.4,,,,,", "Dan,,,,,,,yes", "box,,,,,,,"]))
        plain = self.file("e.csv", "source,target,kind\na,b,road\n")
        said = run("convert", plain, self.folder / "o.net", "--directed", notes=True).stderr
        self.assertIn(b"edges get the weight 1", said)
        self.assertIn('1 2 1 kind "road"', (self.folder / "o.net").read_text())

    def test_labels_that_are_no_names_stay(self):
        text = 'graph [ node [ id 1 label "x" ] node [ id 2 label "x" ] node [ id 3 label "x" ] edge [ source 1 target 2 ] ]'
        self.assertEqual(self.columns("x.gml", text)[2], ["vertex,label", "1,x", "2,x", "3,x"])

    def test_faults(self):
        for options, says in [(["--where", "weight >"], "--where: column 9: expected a column or a value, found the end"),
                              (["--where", "height > 1"], "--where: column 1: neither vertices nor edges have a column 'height'"),
                              (["--attributes", "kind,height"], "has no column 'height'"),
                              (["--attributes", "a,,b"], "--attributes: expected all, none or names of columns")]:
            with self.subTest(options):
                self.refuse(USAGE, "info", self.edges, "-q", *options, says=says)
        self.refuse(INPUT, "info", self.edges, "-q", "--vertex-table", self.file("twice.csv", "name,x\na,1\na,2\n"), says="names the vertex 'a' again")


if __name__ == "__main__":
    from command import main
    main()
