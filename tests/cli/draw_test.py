#!/usr/bin/env python3
"""Drawings: communities are seen, places are kept, colours differ, and pages move.

Usage and environment: as command.py says.
"""

import collections
import csv
import io
import math
import random
import re

from command import USAGE, CommandTest, main


def linear(hex_colour):
    channels = [int(hex_colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def lab(channels):
    """CIELAB of linear sRGB, D65."""
    channels = [min(max(c, 0), 1) for c in channels]
    xyz = times([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]], channels)
    f = [v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (xyz[0] / 0.9505, xyz[1], xyz[2] / 1.089)]
    return [116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])]


# Machado, Oliveira and Fernandes (2009), at full severity.
VISIONS = {
    "normal": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


class Draw(CommandTest):
    def draw(self, path, *options):
        out = self.folder / "d.svg"
        self.succeed("draw", path, "-o", out, "-q", *options)
        return out.read_text(encoding="utf-8")

    def places(self, path, *options):
        out = self.folder / "places.csv"
        self.succeed("draw", path, "-o", self.folder / "p.svg", "-q", "--places", out, *options)
        return {row["vertex"]: (float(row["x"]), float(row["y"])) for row in csv.DictReader(io.StringIO(out.read_text()))}

    def test_blocks_are_clumps(self):
        r = random.Random(5)
        size, blocks = 16, 20
        edges = [(v, v // size * size + r.randrange(size)) for v in range(size * blocks) for _ in range(6)]
        edges += [(r.randrange(size * blocks), r.randrange(size * blocks)) for _ in range(size * blocks)]
        path = self.file("planted.txt", "# Undirected graph\n" + "".join(f"{a} {b}\n" for a, b in edges))
        at = self.places(path)
        near = 0
        for v in range(size * blocks):
            order = sorted((w for w in range(size * blocks) if w != v), key=lambda w: math.dist(at[str(v)], at[str(w)]))
            near += sum(w // size == v // size for w in order[:8])
        self.assertGreater(near / (8 * size * blocks), 0.85)

    def test_colours_differ_for_any_vision(self):
        text = self.draw(self.file("g.txt", "1 2\n"), "--directed")
        light, dark = text.split("prefers-color-scheme:dark")
        for part in light, dark:
            colours = [re.search(rf"\.g{i}{{fill:(#......)}}", part)[1] for i in range(12)]
            for name, matrix in VISIONS.items():
                seen = [lab(times(matrix, linear(c))) for c in colours]
                least = min(math.dist(a, b) for i, a in enumerate(seen) for b in seen[:i])
                self.assertGreater(least, 18, name)

    def test_no_row_of_the_legend_without_its_colour(self):
        # Thirty pairs are thirty communities.
        text = self.draw(self.file("g.txt", "# Undirected graph\n" + "".join(f"{2 * i} {2 * i + 1}\n" for i in range(30))))
        legend = re.findall(r'<circle (\S+ ?\S*) cx="14" cy="[0-9]+" r="6"/>', text)
        self.assertEqual(legend, [f'class="g{i}"' for i in range(12)])
        self.assertIn("and 18 more", text)

    def test_components_are_side_by_side(self):
        path = self.file("g.txt", "# Undirected graph\n" + "".join(f"{2 * i} {2 * i + 1}\n" for i in range(50)))
        at = self.places(path)
        for i in range(50):
            for j in range(i):
                a, b = [sum(at[str(2 * k + e)][0] for e in (0, 1)) for k in (i, j)]
                c, d = [sum(at[str(2 * k + e)][1] for e in (0, 1)) for k in (i, j)]
                self.assertGreater(math.dist((a, c), (b, d)), 1)

    def test_given_places(self):
        table = self.file("v.csv", "name,x,y,city\na,0,0,Bern\nb,10,0,Basel\nc,10,5,Bern\n")
        path = self.file("g.csv", "source,target\na,b\nb,c\n")
        text = self.draw(path, "--vertex-table", table, "--directed")
        at = {n: (float(x), float(y)) for x, y, n in re.findall(r'cx="([0-9.]+)" cy="([0-9.]+)" r="[0-9.]+" data-n="(\w)"', text)}
        self.assertAlmostEqual(at["a"][1], at["b"][1], delta=0.2)
        self.assertGreater(at["b"][0], at["a"][0])
        self.assertLess(at["c"][1], at["b"][1])  # y grows upwards
        self.assertAlmostEqual((at["b"][0] - at["a"][0]) / (at["b"][1] - at["c"][1]), 2, delta=0.01)
        self.assertIn("Places: the columns x and y.", text)
        self.assertEqual(self.json("draw", path, "-o", self.folder / "j.svg", "--vertex-table", table)["places"], "the columns x and y")
        self.refuse(USAGE, "draw", path, "-o", self.folder / "e.svg", "--layout", "given", "-q", says="--layout")
        self.refuse(USAGE, "draw", path, "-o", self.folder / "e.svg", "--places", self.folder / "p.csv", "--vertex-table", table,
                    "-q", says="--layout forces")
        # What --places writes is read back.
        forced = self.places(path, "--vertex-table", table, "--layout", "forces")
        again = self.draw(path, "--vertex-table", self.folder / "places.csv")
        self.assertIn("Places: the columns x and y.", again)
        self.assertEqual(set(forced), {"a", "b", "c"})
        gexf = self.file("g.gexf", '<gexf><graph defaultedgetype="directed"><nodes><node id="a"><viz:position xmlns:viz="v" x="1" y="2"/>'
                                   '</node><node id="b"><viz:position xmlns:viz="v" x="3" y="2"/></node></nodes><edges>'
                                   '<edge source="a" target="b"/></edges></graph></gexf>')
        self.assertIn("Places: the columns x and y.", self.draw(gexf))
        dot = self.file("g.dot", 'graph { a [pos="1,2"]; b [pos="3,4"]; a -- b }')
        self.assertIn("Places: the column pos.", self.draw(dot))
        towns = self.file("t.csv", "name,lat,lon\na,46.9,7.4\nb,47.5,7.6\nc,46.2,6.1\n")
        self.assertIn("Places: the columns lon and lat.", self.draw(path, "--vertex-table", towns))

    def test_columns_colour_and_name(self):
        table = self.file("v.csv", "name,city,age,called\na,Bern,1,Anna\nb,Basel,2,Bert\nc,Bern,3,\n")
        path = self.file("g.csv", "source,target\na,b\nb,c\nc,d\n")
        text = self.draw(path, "--vertex-table", table, "--colours", "city", "--label-column", "called")
        fill = {name: of for of, name in re.findall(r'<circle (\S+) [^>]*data-n="(\w)"', text)}
        self.assertEqual((fill["a"], fill["b"], fill["c"], fill["d"]),
                         ('class="g0"', 'class="g1"', 'class="g0"', 'fill="#8a9096"'))
        for words in ["Bern: 2 vertices", "Basel: 1 vertex", "no value: 1 vertex", "Colour: city.", ">Anna<", ">Bert<"]:
            self.assertIn(words, text)
        many = self.file("m.csv", "name,n\n" + "".join(f"v{i},{i}\n" for i in range(20)))
        ring = self.file("r.csv", "source,target\n" + "".join(f"v{i},v{(i + 1) % 20}\n" for i in range(20)))
        steps = collections.Counter(re.findall(r'<circle (class="q\d")[^>]*data-n', self.draw(ring, "--vertex-table", many, "--colours", "n")))
        self.assertEqual(set(steps), {f'class="q{i}"' for i in range(6)})
        self.refuse(USAGE, "draw", path, "-o", self.folder / "e.svg", "--colours", "town", "-q", says="--colours: vertices have no column 'town'")

    def test_arrows(self):
        directed = self.draw(self.file("g.txt", "1 2\n2 3\n"), "--directed")
        self.assertEqual(sum(d.count("M") for d in re.findall(r'class="arrow" d="([^"]*)"', directed)), 2)
        self.assertNotIn('class="arrow"', self.draw(self.folder / "g.txt", "--undirected"))

    def test_the_drawing_of_a_page_moves(self):
        page = self.folder / "p.html"
        self.succeed("analyze", self.file("g.txt", "# Undirected graph\n1 2\n2 3\n3 1\n4 5\n"), "-o", page, "-q")
        text = page.read_text()
        for words in ['class="moves"', 'data-of="vertices"', 'id="tools"', 'data-n="4"', 'class="keys"', "viewBox"]:
            self.assertIn(words, text)
        self.assertEqual(text.count("<script"), 1)
        self.assertNotRegex(text, r'(src|href)="')


if __name__ == "__main__":
    main()
