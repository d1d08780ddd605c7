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
