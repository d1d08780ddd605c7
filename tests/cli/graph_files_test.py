#!/usr/bin/env python3
"""End-to-end tests of graphs as people have them: files of public collections, and what their owners mean by them.

Usage and environment: as command.py says.
"""

import bz2
import csv
import gzip
import io
import json
import lzma
import re
import tarfile
import unittest
import xml.dom.minidom
import zipfile

from command import INPUT, USAGE, CommandTest, run


class GraphFiles(CommandTest):
    def notes(self, *arguments, **kwargs):
        """Returns what the command says on standard error."""
        done = run(*arguments, notes=True, **kwargs)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr.decode()

    def info(self, name, content, *options):
        return self.json("info", self.file(name, content), *options)

    def scores(self, path, *options):
        rows = self.succeed("pagerank", path, "--output", "-", "--quiet", *options).splitlines()
        return {name: round(float(score), 3) for name, score in (row.split("\t") for row in rows)}

    def groups(self, *arguments):
        """Returns the groups of `label<TAB>group` lines as sorted lists."""
        groups = {}
        for row in self.succeed(*arguments, "--output", "-", "--quiet").splitlines():
            label, group = row.split("\t")
            groups.setdefault(group, []).append(label)
        return sorted(groups.values())

    def test_repeats_are_ties_that_add_up(self):
        ring = self.file("ring.txt", "1 2\n3 4\n5 6\n" + "2 3\n4 5\n6 1\n" * 50)
        self.assertEqual(self.groups("communities", ring, "--undirected"), [["1", "6"], ["2", "3"], ["4", "5"]])
        weighted = self.file("w.txt", "1 2 1\n3 4 1\n5 6 1\n" + "2 3 1\n4 5 1\n6 1 1\n" * 50)
        self.assertEqual(self.groups("communities", weighted, "--undirected"), [["1", "6"], ["2", "3"], ["4", "5"]])
        self.assertEqual(self.groups("communities", ring, "--undirected", "--repeats", "min"), [["1", "2"], ["3", "4"], ["5", "6"]])
        self.assertIn("147 edges repeat others: their number is the weight", self.notes("communities", ring, "--undirected"))
        self.assertNotIn("repeat", self.notes("communities", ring, "--undirected", "--repeats", "sum"))

    def test_opposite_arcs_add_up(self):
        arcs = self.file("arcs.txt", "".join(f"{a} {b} {w}\n{b} {a} 1\n" for a, b, w in [
            (1, 2, 1), (3, 4, 1), (5, 6, 1), (2, 3, 50), (4, 5, 50), (6, 1, 50)]))
        for options in [[], ["--undirected"]]:
            self.assertEqual(self.groups("communities", arcs, *options), [["1", "6"], ["2", "3"], ["4", "5"]])
        self.succeed("convert", arcs, self.folder / "arcs.cg")
        self.assertEqual(self.groups("communities", self.folder / "arcs.cg"), [["1", "6"], ["2", "3"], ["4", "5"]])

    def test_ways_with_repeats(self):
        path = self.file("r.txt", "1 2 5\n2 1 3\n1 2 4\n2 3 7\n")

        def weight(how, *options):
            self.succeed("convert", path, self.folder / "out.wel", "--repeats", how, *options, "--quiet")
            return (self.folder / "out.wel").read_text().splitlines()
        self.assertEqual(weight("sum", "--undirected"), ["1 2 12", "2 3 7"])
        self.assertEqual(weight("min", "--undirected"), ["1 2 3", "2 3 7"])
        self.assertEqual(weight("max", "--undirected"), ["1 2 5", "2 3 7"])
        self.assertEqual(weight("first", "--undirected"), ["1 2 5", "2 3 7"])
        self.assertEqual(weight("keep", "--undirected"), ["1 2 3", "1 2 4", "1 2 5", "2 3 7"])
        self.assertEqual(weight("sum"), ["1 2 9", "2 1 3", "2 3 7"])
        self.assertEqual(weight("first"), ["1 2 5", "2 1 3", "2 3 7"])
        self.refuse(USAGE, "info", path, "--repeats", "last", says="--repeats: expected sum, min, max, first or keep")
        # An undirected list that names each edge both ways has no weights of 2.
        both = self.file("both.txt", "1 2\n2 1\n2 3\n3 2\n")
        self.assertFalse(self.json("info", both, "--undirected", "--repeats", "sum")["graph"]["weighted"])

    def test_headers_that_say_undirected(self):
        expected = {"1": .257, "2": .486, "3": .257}
        konect = self.file("out.konect", "% sym unweighted\n% 3 3 3\n1 2\n2 3\n")
        snap = self.file("com.txt", "# Undirected graph: ../../data/output/youtube.ungraph.txt\n# Nodes: 3 Edges: 2\n"
                                    "# FromNodeId\tToNodeId\n1\t2\n2\t3\n")
        for path in [konect, snap]:
            self.assertEqual(self.scores(path), expected)
            self.assertEqual(self.json("scc", path)["components"], 1)
            self.assertEqual(self.notes("info", path), "")
            self.assertEqual(self.scores(path, "--directed"), {"1": .184, "2": .341, "3": .474})

    def test_what_is_assumed_is_said(self):
        path = self.file("g.txt", "1 2\n2 3\n")
        said = self.notes("info", path)
        self.assertEqual(len(said.splitlines()), 1)
        self.assertIn("taken as directed (--undirected", said)
        for flag in ["--undirected", "--directed", "--quiet"]:
            self.assertEqual(self.notes("info", path, flag), "")
        self.assertEqual(len(self.json("info", path)["graph"]["notes"]), 1)
        self.assertIn("every edge is listed in both directions", self.notes("info", self.file("b.txt", "1 2\n2 1\n")))
        self.refuse(USAGE, "info", path, "--directed", "--undirected")

    def test_headers_in_other_words(self):
        for header, undirected in [("# Non-directed network", True), ("# not directed", True), ("% directed: false", True),
                                   ("# directed=0", True), ("# not undirected", False), ("# undirected: no", False)]:
            graph = self.info("h.txt", header + "\n1 2\n2 3\n")["graph"]
            self.assertEqual((graph["directed"], graph["notes"]), (not undirected, []), header)
        self.assertIn("taken as directed", self.notes("info", self.file("h.txt", "# see http://x.org/directed/\n1 2\n")))
        snap = self.file("h.txt", "# Directed graph (each unordered pair of nodes is saved once): x\n1 2\n2 1\n")
        self.assertIn("the header is ambiguous", self.notes("info", snap))
        gephi = self.file("gephi.csv", "Source,Target,Type,Id\na,b,Undirected,1\n")
        self.assertIn("directions 'Type' (--columns)", self.notes("info", gephi))
        self.assertIn("every edge is listed in both directions", self.notes("info", snap))
        self.assertEqual(self.notes("info", snap, "--undirected"), "")

    def test_time_stamps(self):
        path = self.file("mail.txt", "1 2 1082008561\n2 3 1082008562\n1 2 1082008999\n")
        self.assertFalse(self.json("info", path)["graph"]["weighted"])
        self.assertIn("column 3 looks like time stamps", self.notes("info", path))
        self.assertTrue(self.json("info", path, "--weights-column", "3")["graph"]["weighted"])
        konect = self.json("info", self.file("out.x", "% asym positive\n1 2 1 1082008561\n2 3 1 1082008562\n"))
        self.assertEqual((konect["vertices"], konect["edges"], konect["graph"]["directed"]), (3, 2, True))

    def test_tables(self):
        for text in ["0,1\n1,2\n", "0, 1\n1, 2\n", "0;1\n1;2\n", "0|1\n1|2\n", "source,target,weight\n0,1,0.5\n1,2,1.5\n",
                     "source target\n0 1\n1 2\n", "0 1 {}\n1 2 {}\n", "\ufeff0 1\n1 2\n", "1.0,2.0\n2.0,3.0\n"]:
            found = self.info("t.csv", text)
            self.assertEqual((found["vertices"], found["edges"]), (3, 2), text)
        path = self.file("c.csv", "id;a;b;km\n1;x;y;2\n2;y;z;3\n")
        for text in ["0 -> 1\n1 -> 2\n", "(0, 1)\n(1, 2)\n", "sep=;\nsource;target\n0;1\n1;2\n", "gene1,gene2\na,b\nb,c\n",
                     "0 1 {'weight': np.float64(3.0)}\n1 2 {'weight': np.float64(4.0)}\n", "(0, 0) (0, 1) {}\n(0, 1) (1, 1) {}\n",
                     "1082008561 1 2\n1082008562 2 3\n"]:
            found = self.info("t.csv", text)
            self.assertEqual((found["vertices"], found["edges"]), (3, 2), text)
        matrix = self.json("info", self.file("m.csv", ",a,b,c\na,0,1,0\nb,1,0,1\nc,0,1,0\n"))
        self.assertEqual((matrix["vertices"], matrix["edges"], matrix["graph"]["directed"]), (3, 2, False))
        self.assertIn("not as a header", self.notes("info", self.file("x.csv", "boss,worker\nann,bob\nbob,cid\n")))
        self.assertEqual(self.info("mac.csv", "source,target\ra,b\rb,c\r")["vertices"], 3)
        self.refuse(INPUT, "info", self.file("nodes.csv", "Id,Label\n1,Ann\n2,Bob\n"), says="is a table of vertices")
        rows = self.succeed("sssp", path, "--columns", "a,b,km", "--source", "x", "--output", "-", "--quiet").splitlines()
        self.assertEqual([row.split("\t")[:2] for row in rows], [["x", "0"], ["y", "2"], ["z", "5"]])
        self.refuse(USAGE, "info", path, "--columns", "a,q", says="none is called 'q'")
        self.refuse(USAGE, "info", path, "--columns", "a", says="--columns: expected FROM,TO")
        self.refuse(INPUT, "info", self.file("u.txt", "0 1\n1 2 3\n"), says="u.txt:2: 3 columns where 2 are expected")

    def edges_of(self, name, content, *options):
        """Returns the edges that are read: names and, if there are, weights."""
        made = self.folder / "read.csv"
        self.succeed("convert", self.file(name, content), made, "--quiet", "--directed", "--repeats", "keep",
                     "--attributes", "none", *options)
        return sorted(tuple(cell for cell in row if cell != "Directed")
                      for row in list(csv.reader(io.StringIO(made.read_text())))[1:])

    def test_lines_below_a_header_are_no_comments(self):
        self.assertEqual(self.edges_of("tags.csv", "source,target\n#metoo,#timesup\n#timesup,#love\nx,#metoo\n"),
                         sorted([("#metoo", "#timesup"), ("#timesup", "#love"), ("x", "#metoo")]))
        self.assertEqual(self.edges_of("urls.csv", "source,target\n//a.org,//b.org\n"), sorted([("//a.org", "//b.org")]))
        self.assertEqual(self.edges_of("odd.csv", "source,target\n;x,y\n%a,b\n# two, or three columns, are no edge\n"),
                         sorted([(";x", "y"), ("%a", "b")]))
        tabs = "source\ttarget\tweight\na\t#b\t2\n#b\tc\t3\n# a comment\n"
        self.assertEqual(self.edges_of("tabs.tsv", tabs), sorted([("a", "#b", "2"), ("#b", "c", "3")]))
        # Without a header they are.
        self.assertEqual(self.edges_of("plain.csv", "a,b\n#c,d\nb,e\n"), sorted([("a", "b"), ("b", "e")]))

    def test_a_header_may_be_a_comment(self):
        string = ("#node1\tnode2\tnode1_string_id\tnode2_string_id\tcombined_score\n"
                  "TP53\tMDM2\t9606.P1\t9606.P2\t0.999\nMDM2\tATM\t9606.P2\t9606.P3\t0.9\n")
        self.assertEqual(self.edges_of("string.tsv", string), sorted([("TP53", "MDM2", "0.999"), ("MDM2", "ATM", "0.9")]))
        biogrid = ("#BioGRID Interaction ID\tEntrez Gene Interactor A\tEntrez Gene Interactor B\tScore\n"
                   "103\t6416\t2318\t1.5\n117\t84665\t88\t2\n")
        self.assertEqual(self.edges_of("biogrid.tsv", biogrid), sorted([("6416", "2318", "1.5"), ("84665", "88", "2")]))
        self.assertEqual(self.info("nodes.txt", "# Nodes: 3 Edges: 2\n1 2 5 1\n2 3 5 1\n")["vertices"], 3)

    def test_ids_are_not_taken_for_times(self):
        rated = "491701234 17 5\n491701234 23 2\n491709999 17 1\n"
        self.assertEqual(self.edges_of("rated.txt", rated), sorted([("491701234", "17", "5"), ("491701234", "23", "2"),
                                                              ("491709999", "17", "1")]))
        self.assertIn("though it may hold time stamps", self.notes("info", self.folder / "rated.txt"))

    def test_columns_by_the_words_of_banks_and_chains(self):
        chain = "hash,nonce,from_address,to_address,value\n0xa,1,0x1,0x2,5\n0xb,2,0x2,0x3,7\n"
        self.assertEqual(self.edges_of("chain.csv", chain), sorted([("0x1", "0x2", "5"), ("0x2", "0x3", "7")]))
        paysim = "step,type,amount,nameOrig,oldbalanceOrg,nameDest,isFraud\n1,PAYMENT,9.5,C1,3,M2,0\n"
        self.assertEqual(self.edges_of("paysim.csv", paysim), sorted([("C1", "M2", "9.5")]))
        bank = "Timestamp,From Bank,Account,To Bank,Account,Amount Received\n2022,10,8000,20,9000,3697.3\n"
        self.assertEqual(self.edges_of("bank.csv", bank)[0][:2], ("8000", "9000"))
        shop = self.info("shop.csv", "id,customer,age,gender,merchant,category,amount\n1,C1,30,F,M1,food,5\n2,C2,40,M,M1,food,6\n")
        self.assertEqual((shop["vertices"], shop["edges"]), (3, 2))
        stops = "from_stop_id,to_stop_id,transfer_type,min_transfer_time\nS1,S2,2,120\n"
        self.assertEqual(self.edges_of("transfers.txt", stops), sorted([("S1", "S2")]))
        for ends in ["start_node,end_node", "station_from,station_to", "user_id,friend_id", "exporter,importer",
                     "winner,loser"]:
            self.assertEqual(self.edges_of("pairs.csv", ends + "\nanna,bob\nbob,cid\n"), [("anna", "bob"), ("bob", "cid")])
        self.refuse(INPUT, "info", self.file("dates.csv", "place,person,valid_from,valid_to\na,b,1,2\nc,d,3,4\n"),
                    says=["--columns FROM,TO"])
        self.assertIn("(a guess: --weights-column none)",
                      self.notes("info", self.file("cluster.csv", "source,target,cluster\na,b,1\n")))
        self.refuse(INPUT, "info", self.file("what.csv", "hash,nonce,block,gas\n0xa,1,2,3\n"),
                    says=["--columns FROM,TO", "'hash', 'nonce', 'block', 'gas'"])
        self.assertEqual(self.json("info", self.folder / "what.csv", "--columns", "hash,block")["edges"], 1)
        for cell in ['"1,000"', "50%", "$5.00"]:
            self.refuse(INPUT, "info", self.file("money.csv", f"source,target,weight\na,b,{cell}\n"),
                        says=["column 'weight' holds", "--weights-column none"])
        # What the user says about weights is no guess, and other columns are no matter.
        self.assertNotIn("guess", self.notes("info", self.folder / "cluster.csv", "--weights-column", "cluster"))
        heavy = self.file("heavy.csv", "source,target,number,weight\na,b,2,heavy\n")
        self.assertTrue(self.json("info", heavy, "--weights-column", "number")["graph"]["weighted"])

    def test_rules_around_a_table_are_no_edges(self):
        expected = [("ann", "bob", "2"), ("bob", "cid", "3")]
        rows = "| ann | bob | 2 |\n| bob | cid | 3 |\n"
        rule = "+-----+-----+---+\n"
        psql = " src | dst | weight \n-----+-----+--------\n ann | bob |      2\n bob | cid |      3\n(2 rows)\n"
        self.assertEqual(self.edges_of("psql.txt", psql), expected)
        self.assertEqual(self.edges_of("mysql.txt", rule + "| src | dst | weight |\n" + rule + rows + rule), expected)
        self.assertEqual(self.edges_of("page.md", "| src | dst | weight |\n|---|:--|--:|\n" + rows), expected)
        self.assertEqual(self.edges_of("names.txt", "-a --\n-- -b\n"), [("--", "-b"), ("-a", "--")])

    def test_interactions_and_trivial_graphs(self):
        path = self.file("cells.sif", "ann pp bob cid\nbob\tpd\tdan d\neve\n")
        self.assertEqual(self.json("info", path)["vertices"], 5)
        written = self.succeed("convert", path, "-", "--to", "csv", "--quiet")
        self.assertEqual(sorted(written.splitlines()[1:]), ["ann,bob,Directed,pp", "ann,cid,Directed,pp", 'bob,"dan d",Directed,pd'])
        self.assertIn("interaction", written.splitlines()[0])
        self.refuse(INPUT, "info", self.file("cut.sif", "ann pp bob\nann pp\n"), says=["cut.sif:2: expected"])
        path = self.file("tree.tgf", "1 Ann A\n2\n3 Cid\n#\n1 2 likes much\n1 3\n")
        self.assertEqual(self.json("info", path)["edges"], 2)
        written = self.succeed("convert", path, "-", "--to", "csv", "--quiet")
        self.assertEqual(sorted(written.splitlines()[1:]), ['"Ann A",2,Directed,"likes much"', '"Ann A",Cid,Directed,'])
        self.refuse(INPUT, "info", self.file("cut.tgf", "1\n#\n1\n"), says=["cut.tgf:3: expected"])

    def test_ucinet(self):
        path = [("a", "b"), ("b", "c")]
        back = path + [("b", "a"), ("c", "b")]
        weighed = [(*e, "2") for e in path]
        for text, edges, directed in [
            ("dl n=3 data: 0 1 0 0 0 1\n0,0,0", [("1", "2"), ("2", "3")], True),
            ("DL N = 3\nLABELS:\na, b\nc\nDATA:\n0 1 0\n1 0 1\n0 1 0\n", path, False),
            ("dl n=3 format=fullmatrix diagonal absent\ncol labels:\na b c\ndata:\n2 0\n0 2\n0 0\n", weighed, True),
            ("dl n=3 labels embedded data:\n  a b c\na 0 1 0\nb 0 0 1\nc 0 0 0\n", path, True),
            ("dl n=3 row labels embedded data:\na 0 1 0\nb 0 0 1\nc 0 0 0\n", path, True),
            ("dl n=3 column labels embedded data:\na b c\n0 1 0\n0 0 1\n0 0 0\n", path, True),
            ("dl n=3 format=lh labels: a b c data:\n0\n1 0\n0 1 0\n", path, False),
            ("dl n=3 format=upperhalf diagonal=absent labels: a b c data:\n1 0\n1\n", path, False),
            ("dl\nn=3\nformat = edgelist1\nlabels:\na b c\ndata:\n1 2\n2, 3\n3 1 0\n", path, True),
            ("DL\nformat=el1\nlabels embedded:\ndata:\na b 2\nb c 2\n", weighed, True),
            ("dl n=3, format=nodelist1\nrow labels:\na b c\ndata:\n2 1 3\n3 2\n\n1 2\n", back, True),
            ("dl n=3 format=nl1 labels embedded data:\nb a c\na b\nc b\n", back, True),
            ("dl n=3 format=nodelist1b labels: a b c data:\n1 2\n2 1 3\n1 2\n", back, True),
            ("dl nr=2 nc=1 row labels: a c column labels: b data:\n1\n1\n", [("a", "b"), ("c", "b")], False),
            ("dl nr=2 nc=1 format=edgelist2 labels embedded data:\na b\nc b\n", [("a", "b"), ("c", "b")], False),
            ("dl n=3 nm=2 matrix labels: x y labels: a b c data:\n0 1 0 0 0 1 0 0 0\n1 1 1 1 1 1 1 1 1\n", path, True),
        ]:
            for name in ["net.dl", "net.txt"]:
                with self.subTest(text, name=name):
                    lines = self.succeed("convert", self.file(name, text), "-", "--to", "csv", "--quiet").splitlines()[1:]
                    self.assertEqual({"Directed" in line for line in lines}, {directed})
                    rows = [tuple(c for c in line.split(",") if c not in ["Directed", "Undirected"]) for line in lines]
                    if not directed: rows, edges = [tuple(sorted(r)) for r in rows], [tuple(sorted(e)) for e in edges]
                    self.assertEqual(sorted(rows), sorted(edges))
        self.assertEqual(self.json("info", self.file("d.dl", "dl n=5 format=el1 data:\n1 2\n"))["vertices"], 5)
        for text, says in [
            ("dl n=3\nformat=blockmatrix\ndata:\n", "net.dl:2: UCINET DL: the format 'blockmatrix' is not read"),
            ("dl n=3\ndatafile=x.txt\n", "net.dl:2: UCINET DL: data of another file"),
            ("dl n=2\nlabels:\nJohn Smith\nAnn Lee\ndata:\n0 1 1 0\n", "labels with blanks need quotes"),
            ("dl n=2\nlabels:\na\ndata:\n0 1 1 0\n", "net.dl:4: 1 label where 2 are expected"),
            ("dl n=2 format=el1\ndata:\n1 3\n", "net.dl:3: '3' is out of range"),
            ("dl n=2 format=el1\ndata:\n1 2 1 7\n", "net.dl:3: expected 'FROM TO'"),
            ("dl n=2 format=el1 labels embedded\ndata:\na b\nb c\n", "net.dl:4: has a label more than the 2"),
            ("dl n=2\ndata:\n0 1\n1\n", "the data end in row 2 of 2"),
            ("dl n=2\ndata:\n0 1\n1 0 1\n", "net.dl:4: expected the end of the matrix"),
            ("dl n=2\ndata:\n0 x\n1 0\n", "net.dl:3: expected a finite number"),
            ("dl n=2\n0 1\n1 0\n", "net.dl:2: UCINET DL: expected N"),
        ]:
            with self.subTest(text):
                self.refuse(INPUT, "info", self.file("net.dl", text), says=[says])

    def test_triples_of_rdf(self):
        text = ('# people\n<http://x/ann> <http://p/knows> _:b1 . # a comment\n'
                '_:b1<http://p/knows><http://x/c\\u00e4t>.\n\n'
                '<http://x/ann>\t<http://p/name> "Ann \\"A\\" <x> ." .\n<http://x/ann> <http://p/name> "Anne"@fr .\n'
                '_:b1 <http://p/age> "7"^^<http://www.w3.org/2001/XMLSchema#integer> .\n')
        expected = ["_:b1,http://x/c\u00e4t,http://p/knows", "http://x/ann,_:b1,http://p/knows"]
        packed = self.folder / "people.nt.gz"
        packed.write_bytes(gzip.compress(text.encode()))
        for path in [self.file("people.nt", text), self.file("people.txt", text), packed]:
            with self.subTest(path):
                written = self.succeed("convert", path, "-", "--to", "csv", "--quiet").splitlines()
                self.assertEqual(sorted(line.replace('"', "").replace("Directed,", "") for line in written[1:]), expected)
                ends = self.folder / "ends.csv"
                self.succeed("convert", path, self.folder / "people.csv", "--vertex-table-to", ends, "--quiet")
                self.assertIn("Anne", ends.read_text())
        quads = self.file("g.nq", "<a> <p> <b> <g1> .\n<b> <p> <c> .\n")
        self.assertEqual(sorted(self.succeed("convert", quads, "-", "--to", "csv", "--quiet").splitlines()),
                         ["Source,Target,Type,predicate,graph", "a,b,Directed,p,g1", "b,c,Directed,p,"])
        for line, says in [("<a> <b> <c>", "expected '.'"), ("<a> <b> c .", "expected an object"), ('"a" <b> <c> .', "the subject"),
                           ("<a> _:b <c> .", "the predicate"), ("<a b> <p> <c> .", "an <IRI>"), ('<a> <b> "c .', "a quote"),
                           ('<a> <b> "\\x" .', "an escape"), ("<a\\uD800> <b> <c> .", "the digits"), ("<a> <b> <c> . .", "the end")]:
            with self.subTest(line):
                path = self.file("bad.nt", "<a> <b> <c> .\n" + line + "\n")
                self.refuse(INPUT, "info", path, says=["bad.nt:2: ", says])
                self.assertEqual(self.json("info", path, "--skip-bad-lines", "--quiet")["edges"], 1)

    def test_names_in_every_output(self):
        path = self.file("friends.txt", "alice bob\nbob carol\ncarol alice\ndave erin\n")
        self.assertEqual(self.json("info", path)["vertices"], 5)
        native = self.folder / "friends.cg"
        hubs = self.folder / "hubs.cg"
        self.succeed("convert", path, native)
        self.succeed("convert", path, hubs, "--order", "hubs")
        self.succeed("info", native, "--verify")
        self.succeed("info", hubs, "--verify")
        for graph in [path, native, hubs]:
            self.assertEqual(self.succeed("components", graph, "--output", "-", "--quiet"),
                             "alice\talice\nbob\talice\ncarol\talice\ndave\tdave\nerin\tdave\n")
            self.assertEqual(self.groups("scc", graph), [["alice", "bob", "carol"], ["dave"], ["erin"]])
            self.assertEqual(self.succeed("bfs", graph, "--source", "alice", "--output", "-", "--quiet"),
                             "alice\t0\talice\nbob\t1\talice\ncarol\t2\tbob\ndave\t-\t-\nerin\t-\t-\n")
            self.assertEqual(self.json("pagerank", graph)["top"][0]["vertex"], "alice")
            self.assertIn(self.json("diameter", graph)["from"], ["alice", "bob", "carol"])
            for command in ["kcore", "clustering", "betweenness", "communities", "closeness"]:
                self.assertIn("alice\t", self.succeed(command, graph, "--output", "-", "--quiet"), command)
                self.assertIn("alice", self.succeed(command, graph), command)
            self.assertGreater(self.scores(graph, "--seeds", "dave")["dave"], 0.3)
        self.refuse(USAGE, "bfs", native, "--source", "zoe", says="--source: expected the name of a vertex, found 'zoe'")
        plus = self.json("bfs", self.file("plus.txt", "116374117927631468606 101765416973555767821\n"),
                         "--source", "116374117927631468606")
        self.assertEqual(plus["reached"], 2)
        page = self.folder / "page.html"
        self.succeed("analyze", native, "--output", page)
        self.assertIn("alice", page.read_text())

    def test_conversions_keep_names_or_say_so(self):
        path = self.file("g.csv", 'Source,Target,Weight\n"Doe, John",ann,2\nann,"say ""hi"" & <bye>",0.5\n')
        native = self.folder / "g.cg"
        self.succeed("convert", path, native)
        expected = self.succeed("pagerank", native, "--output", "-", "--quiet")
        self.assertIn("Doe, John\t", expected)
        for name in ["a.graphml", "a.gexf", "a.gml", "a.net", "a.csv", "a.wel", "a.graphml.gz"]:
            there = self.folder / name
            self.assertNotIn("lost", self.notes("convert", native, there, "--directed"))
            self.assertEqual(self.succeed("pagerank", there, "--output", "-", "--quiet"), expected, name)
        self.assertIn("names are lost (--names-to FILE writes them)", self.notes("convert", native, self.folder / "a.mtx"))
        self.succeed("convert", native, self.folder / "b.mtx", "--names-to", self.folder / "b.names")
        self.assertEqual(self.succeed("pagerank", self.folder / "b.mtx", "--names", self.folder / "b.names", "--output", "-",
                                      "--quiet"), expected)
        self.refuse(INPUT, "info", self.folder / "b.mtx", "--names", self.file("few", "x\n"), says="holds 1 names")
        table = self.file("nodes.csv", 'Id,Label,Age\n9,Ann,7\n4,"Bob ""B"" C",8\n5,Ann,9\n77,none,1\n')
        rows = self.succeed("bfs", self.file("n.txt", "4 5\n5 9\n9 10\n"), "--source", "Bob \"B\" C", "--names", table,
                            "--output", "-", "--quiet").splitlines()
        self.assertEqual([row.split("\t")[0] for row in rows], ["10", "Ann (5)", "Ann (9)", 'Bob "B" C'])

    def test_a_suffix_that_names_no_form_of_values_is_said(self):
        path = self.file("s.txt", "1 2\n2 3\n")
        for name, form in [("s.out", ", as tab-separated text"), ("s.tsv", ""), ("s.csv.gz", ""), ("scores", "")]:
            there = self.folder / name
            self.assertRegex(self.succeed("pagerank", path, "--output", there), f"(?m){re.escape(str(there))}{form}$")

        for name in ["s.xlsx", "s.parquet", "s.parquet.gz", "s.npy", "s.json"]:
            self.refuse(USAGE, "pagerank", path, "--output", self.folder / name, says=[name, "would hold text", ".csv"])
            self.assertFalse((self.folder / name).exists())
        self.succeed("pagerank", path, "--json", "--output", self.folder / "s.json")
        self.assertEqual(json.loads((self.folder / "s.json").read_text())["vertices"], 3)

    def test_labels_that_a_format_loses(self):
        path = self.file("x.txt", "10 1000\n1000 77\n")
        self.assertIn("numbers are lost", self.notes("convert", path, self.folder / "x.mtx"))
        self.succeed("convert", path, self.folder / "y.mtx", "--names-to", self.folder / "names")
        self.assertEqual(self.scores(self.folder / "y.mtx", "--names", self.folder / "names"), self.scores(path))

    def test_isolated_vertices_and_direction_come_back(self):
        matrix = self.file("x.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 2\n2 1\n3 3\n")
        for name in ["x.txt", "x.graphml", "x.gml", "x.net", "x.gexf", "x.mtx.gz"]:
            self.succeed("convert", matrix, self.folder / name, "--quiet")
            found = self.json("info", self.folder / name)
            self.assertEqual((found["vertices"], found["graph"]["directed"], found["edges"]), (5, False, 2), name)
        self.assertIn("without edges are lost", self.notes("convert", matrix, self.folder / "x.csv"))
        self.assertIn("edges are undirected", self.notes("convert", matrix, self.folder / "x.el"))
        self.assertIn("weights are lost", self.notes("convert", self.file("w.txt", "1 2 3\n"), self.folder / "w.out.txt"))

    def test_archives(self):
        edges = b"0 1\n1 2\n"
        matrix = b"%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n"

        def tar(mode, **files):
            out = io.BytesIO()
            with tarfile.open(fileobj=out, mode=mode) as archive:
                for name, content in files.items():
                    member = tarfile.TarInfo("cage3/" + name.replace("_", "."))
                    member.size = len(content)
                    archive.addfile(member, io.BytesIO(content))
            return out.getvalue()
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("README.txt", "about")
            archive.writestr("data/edges.txt", edges)
        for name, content in {"a.txt.bz2": bz2.compress(edges), "a.txt.xz": lzma.compress(edges),
                              "a.tar.gz": tar("w:gz", README=b"about", cage3_mtx=matrix),
                              "a.tar.bz2": tar("w:bz2", out_x=b"% sym unweighted\n0 1\n1 2\n"),
                              "a.tar": tar("w", edges_txt=edges), "a.tar.xz": tar("w:xz", edges_txt=edges),
                              "a.zip": packed.getvalue()}.items():
            self.assertEqual(self.info(name, content)["vertices"], 3, name)
            self.assertEqual(json.loads(self.succeed("info", "-", "--json", stdin=content))["edges"], 2, name)
        self.assertIn("'cage3/cage3.mtx' is read (--member)", self.notes("info", self.folder / "a.tar.gz"))
        self.refuse(INPUT, "info", self.folder / "a.tar.gz", "--member", "b", says="'cage3/cage3.mtx'")
        cut = bz2.compress(edges * 100000)
        self.refuse(INPUT, "info", self.file("cut.bz2", cut[:-20]), says="cannot be unpacked")

    def test_damaged_matrices(self):
        for banner in ["%MatrixMarket matrix coordinate real general\n", ""]:
            path = self.file("x.mtx", banner + "3 3 2\n1 2 5\n2 3 6\n")
            self.assertEqual(self.json("info", path)["edges"], 2)
            self.assertIn("anner", self.notes("info", path))
        skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 4\n3 2 1\n"
        self.assertEqual(self.info("s.mtx", skew)["graph"]["arcs"], 4)

    def test_formats(self):
        graphml = ('<?xml version="1.0"?>\n<graphml><graph edgedefault="undirected"><node id="n0"/><node id="n1"/>'
                   '<edge source="n0" target="n1"/></graph></graphml>')
        self.assertEqual(self.info("x.graphml", graphml)["vertices"], 2)
        self.assertEqual(self.info("x.col", "c hi\np edge 3 2\ne 1 2\ne 2 3\n")["graph"]["directed"], False)
        self.refuse(INPUT, "info", self.file("x.parquet", "PAR1...."), says="is a Parquet file")
        self.refuse(INPUT, "info", self.file("x.svg", "<svg></svg>"), says="GraphML and GEXF are read")

    def test_values_as_csv_and_as_attributes_of_a_graph(self):
        path = self.file("t.csv", 'source,target\nann,"bob, jr"\n"bob, jr",cid\n')
        out = self.folder / "o.csv"
        self.succeed("components", path, "-o", out, "--quiet")
        self.assertEqual(out.read_text(), 'vertex,component\nann,ann\n"bob, jr",ann\ncid,ann\n')
        self.succeed("triangles", path, "-o", self.folder / "t.tsv", "--quiet")
        said = self.succeed("bfs", path, "--source", "bob, jr", "--undirected", "--top", "1", "-o", out)
        self.assertIn("written", said)
        self.assertEqual(out.read_text(), "distance,vertices\n0,1\n")
        self.succeed("forest", path, "--undirected", "-o", out, "--quiet")
        self.assertEqual(out.read_text(), 'from,to\nann,"bob, jr"\n"bob, jr",cid\n')
        for name, key, score in [("o.graphml", '<key id="v0" for="node" attr.name="distance" attr.type="double"/>',
                                  '<node id="ann"></node>'),
                                 ("o.gexf", '<attribute id="1" title="parent" type="string"/>',
                                  '<attvalue for="0" value="0"/><attvalue for="1" value="cid"/>')]:
            self.succeed("bfs", path, "--source", "cid", "-o", self.folder / name, "--quiet")
            text = (self.folder / name).read_text()
            self.assertIn(key, text)
            self.assertIn(score, text)
            self.assertEqual(self.json("info", self.folder / name)["edges"], 2)
        # Refused before the work, whatever the file holds.
        missing = self.folder / "missing.txt"
        for arguments, found in [(["forest"], "forest finds edges"), (["truss"], "edges"), (["triangles"], "one number"),
                                 (["diameter"], "one number"), (["walks"], "walks"), (["betweenness", "--edges"], "edges"),
                                 (["similarity", "--best", "2"], "pairs"), (["bfs", "--sources", "2"], "each search"),
                                 (["sssp", "--source", "1", "--target", "2"], "paths")]:
            for suffix in ["f.gexf", "f.graphml.gz"]:
                self.refuse(USAGE, *arguments, missing, "--quiet", "-o", self.folder / suffix, says=[suffix, found])
                self.assertFalse((self.folder / suffix).exists())

    def test_outputs_are_compressed_by_suffix(self):
        path = self.file("g.txt", "ann bob\nbob cid\n")
        plain = self.succeed("components", path, "-q", "-o", "-")
        for name in ["c.tsv.gz", "c.txt.gz"]:
            self.succeed("components", path, "-q", "-o", self.folder / name)
            self.assertEqual(gzip.decompress((self.folder / name).read_bytes()).decode(), plain)
        self.succeed("components", path, "-q", "-o", self.folder / "c.csv.gz")
        self.assertEqual(gzip.decompress((self.folder / "c.csv.gz").read_bytes()).decode(),
                         "vertex,component\nann,ann\nbob,ann\ncid,ann\n")
        self.succeed("components", path, "-q", "-o", self.folder / "c.gexf.gz")
        self.assertIn(b"<attvalue", gzip.decompress((self.folder / "c.gexf.gz").read_bytes()))
        self.succeed("components", path, "-q", "-o", self.folder / "c.tsv.zst")
        self.assertEqual((self.folder / "c.tsv.zst").read_bytes()[:4], b"\x28\xb5\x2f\xfd")

    def test_users_and_what_they_rate_are_told(self):
        path = self.file("ratings.csv", "userId,movieId,rating,timestamp\n1,1,4.0,964982703\n2,1,3.5,964981247\n")
        self.assertIn("called left-ID and right-ID", self.notes("info", path))
        self.assertEqual(self.json("info", path)["vertices"], 3)

    def test_line_breaks_in_quotes(self):
        path = self.file("q.csv", 'source,target,text\nann,bob,"hi\nthere"\nbob,cid,"x"\ncid,"dan\r\nel",y\n')
        self.assertEqual(self.succeed("components", path, "--output", "-", "--quiet"),
                         'ann\tann\nbob\tann\ncid\tann\n"dan\r\nel"\tann\n')
        self.assertEqual(self.succeed("components", "-", "-o", "-", "-q", stdin=b'"multi\nline",b\nb,c\n'),
                         'b\tb\nc\tb\n"multi\nline"\tb\n')
        # A comment in quotes that is not closed is no such cell.
        self.assertEqual(self.succeed("components", "-", "-o", "-", "-q", stdin=b'"a comment\n"another comment\n1 2\n2 3\n'),
                         "1\t1\n2\t1\n3\t1\n")
        # Far behind the sample; lines keep their numbers.
        lines = "".join(f'v{i},"v{i + 1}"\n' for i in range(9000))
        late = self.file("late.csv", lines + 'x,"y\nz"\nx,v1\n')
        self.assertEqual(self.json("info", late)["edges"], 9002)
        late = self.file("late.csv", lines + 'x,"y\nz"\nx,\n')
        self.refuse(INPUT, "info", late, "--quiet", says="late.csv:9003: an end of the edge is empty")
        self.refuse(INPUT, "info", self.file("open.csv", lines + 'x,"y\nz\n'), "--quiet",
                    says="open.csv:9001: a quote is not closed in its line")

    def test_weights_are_told_in_every_result(self):
        path = self.file("w.csv", "source,target,weight,note\nann,bob,2,x\nbob,cid,1,y\ncid,ann,9,z\n")
        for command, what in [(["sssp", path, "--source", "ann"], "length"),
                              (["sssp", path, "--source", "ann", "--target", "cid"], "length"),
                              (["communities", path], "strength"), (["pagerank", path], "strength")]:
            self.assertRegex(self.succeed(*command, "--undirected"), f"weights +used as {what}s")
            self.assertEqual(self.json(*command, "--undirected")["weights"], what)
        self.assertEqual(self.json("communities", self.file("plain.txt", "1 2\n2 3\n"))["weights"], "none")

    def test_pages_tell_the_decisions_and_name_communities_as_tables_do(self):
        path = self.file("p.csv", "source,target,weight,note\n" + "".join(
            f"a{i},zoe,1,x\nb{i},yan,1,x\n" for i in range(5)) + "a1,a2,1,x\nb1,b2,1,x\nzoe,yan,1,x\n")
        self.succeed("analyze", path, "--undirected", "-o", self.folder / "p.html")
        page = (self.folder / "p.html").read_text()
        self.assertIn("p.csv: edges from 'source' to 'target', weight 'weight'; left out: 'note'", page)
        for name, best in (("a0", "zoe, a1"), ("b0", "yan, b1")):
            self.assertIn(f'<td class="words">{name}</td><td class="words">{best}, ', page)
            self.assertIn(f"in the community of {name}</title>", page)
        self.assertIn(">b0: 6 members</text>", self.drawing(path, "--undirected"))

    def test_members_of_communities(self):
        triangle = "ann bob\nbob cid\ncid ann\nann dan\n"
        path = self.file("two.txt", triangle + "x,1 y\ny z\nz x,1\n")
        for name, lines in [("m.tsv", "ann\tann\nann\tbob\nann\tcid\nann\tdan\nx,1\tx,1\nx,1\ty\nx,1\tz\n"),
                            ("m.csv", 'community,member\nann,ann\nann,bob\nann,cid\nann,dan\n'
                                      '"x,1","x,1"\n"x,1",y\n"x,1",z\n')]:
            text = self.succeed("communities", path, "--undirected", "--separator", "blank", "--members", self.folder / name)
            self.assertEqual((self.folder / name).read_text(), lines)
            self.assertIn("ann, bob, cid, dan", text)
        top = self.json("communities", path, "--undirected", "--separator", "blank")["top"]
        self.assertEqual([row["members"] for row in top], [["ann", "bob", "cid", "dan"], ["x,1", "y", "z"]])
        text = self.succeed("communities", path, "--undirected", "--separator", "blank", "--members", "-")
        self.assertEqual(text, "ann\tann\nann\tbob\nann\tcid\nann\tdan\nx,1\tx,1\nx,1\ty\nx,1\tz\n")
        self.refuse(USAGE, "communities", path, "--members", "", says="--members: expected a file")
        rows = self.succeed("communities", path, "--undirected", "--separator", "blank", "--hierarchy", "-", "--verify").splitlines()
        self.assertEqual((rows[0], rows[4]), ("ann\tann", "x,1\tx,1"))
        found = self.json("communities", path, "--undirected", "--separator", "blank", "--hierarchy", self.folder / "h.csv")
        self.assertEqual(((self.folder / "h.csv").read_text().splitlines()[0], found["method"]), ("vertex,level1", "louvain"))
        self.assertEqual(found["hierarchy"], [{"communities": 2, "modularity": found["modularity"]}])
        self.refuse(USAGE, "communities", path, "--hierarchy", "x", "--method", "labels", says="louvain")
        self.refuse(USAGE, "communities", path, "--members", path, says="overwrite")

    def drawing(self, *arguments):
        out = self.folder / "d.svg"
        self.succeed("draw", *arguments, "-q", "-o", out)
        text = out.read_text()
        xml.dom.minidom.parseString(text)
        return text

    def test_drawings(self):
        path = self.file("a.csv", "source,target,weight\nAnn <3,Bob,2\nBob,Cid,1\nCid,Ann <3,1\nCid,Dan,5\n")
        text = self.drawing(path)
        for name in ["Ann &lt;3", "Bob", "Cid", "Dan"]:
            self.assertRegex(text, f'<text class="small (name|inside[^"]*)"[^>]*>{name}</text>')
        self.assertEqual(len(re.findall("<title>[^<]*arc", text)), 4)
        self.assertEqual(sum(d.count("M") for d in re.findall('class="edge"[^>]* d="([^"]*)"', text)), 4)
        self.assertEqual(text, self.drawing(path, "--threads", "1"))
        self.assertNotIn("community", self.drawing(path, "--colours", "none"))
        self.assertEqual(self.drawing(path, "--labels", "0").count('class="small name"'), 0)

        def radius(text, name):
            return float(re.search(f'r="([0-9.]*)"[^>]*><title>{name}:', text)[1])
        ranked = self.drawing(path, "--sizes", "pagerank")
        self.assertGreater(radius(ranked, "Dan"), radius(ranked, "Bob"))
        values = self.file("v.tsv", "Ann <3\t0\nBob\t9\nCid\t-\nDan\t1\n")
        sized = self.drawing(path, "--sizes", values)
        self.assertGreater(radius(sized, "Bob"), 2 * radius(sized, "Cid"))
        together = self.json("draw", path, "--what", "communities", "-o", self.folder / "c.svg")
        self.assertEqual((together["drawn"], together["circles"]), ("communities", self.json("communities", path)["communities"]))
        big = self.file("big.txt", "".join(f"{i} {(i * 7 + 1) % 3000}\n" for i in range(3000)))
        self.assertIn("its communities are drawn (--what graph draws all)",
                      self.notes("draw", big, "-o", self.folder / "b.svg"))
        self.assertEqual(self.json("draw", big, "--what", "graph", "-o", self.folder / "b.svg")["circles"], 3000)
        for odd in ["1 1\n", "% sym unweighted\n1 2\n"]:
            self.drawing(self.file("odd.txt", odd))
        self.refuse(USAGE, "draw", path, "-o", "x.png", says="ends in .svg")
        # Refused before the work, whatever the file holds.
        self.refuse(USAGE, "draw", self.folder / "missing.txt", "--what", "communities", "--sizes", "pagerank", "-o",
                    self.folder / "e.svg", says="--sizes: expected with --what graph")
        self.assertEqual(self.json("draw", big, "--sizes", "pagerank", "-o", self.folder / "b.svg")["drawn"], "vertices")
        self.refuse(INPUT, "draw", path, "--sizes", self.file("w.tsv", "Zoe\t1\n"), "--quiet", "-o", self.folder / "e.svg",
                    says=["w.tsv:1", "Zoe"])
        self.assertFalse((self.folder / "e.svg").exists())


if __name__ == "__main__":
    unittest.main()
