#!/usr/bin/env python3
"""Draws the charts of README and docs/results from the measurements in docs/results/measurements.

Usage: charts.py [--check]. --check: writes nothing; fails if a picture is not what its measurements give, or if a row
of the measurements is not a row of a table of its page.
A file of measurements says where (machine), how (command, notebook), and holds rows as the page's tables have them.
The pictures are in docs/images, for light and dark pages. Marks differ by shape and by colours (Okabe and Ito's).
"""
import html
import json
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
MEASURED = ROOT / "docs" / "results" / "measurements"
IMAGES = ROOT / "docs" / "images"
STYLE = """text{font-family:system-ui,sans-serif;font-size:13px;fill:#1c1c1c}.title{font-size:17px;font-weight:600}\
.small{font-size:12px}.grid{stroke:#dddddd}.row{stroke:#eeeeee}.mark{stroke:#1c1c1c;stroke-width:1.5}.limit{stroke:#1c1c1c;\
stroke-dasharray:5 4}.bg{fill:#ffffff}.s0{stroke:#0072b2;fill:#0072b2}.s1{stroke:#d55e00;fill:#d55e00}\
.s2{stroke:#007a5a;fill:#007a5a}.hollow{fill:#ffffff;stroke-width:2}.dot{fill-opacity:.75}@media (prefers-color-scheme:dark){\
text{fill:#e6e6e6}.grid{stroke:#3a3f45}.row{stroke:#24282d}.mark,.limit{stroke:#e6e6e6}.bg{fill:#14171a}\
.s0{stroke:#56b4e9;fill:#56b4e9}.s1{stroke:#ff9a4d;fill:#ff9a4d}.s2{stroke:#3fd0a4;fill:#3fd0a4}.hollow{fill:#14171a}}"""


def measured(name):
    return json.loads((MEASURED / f"{name}.json").read_text(encoding="utf-8"))


class dot_rows:
    """A chart with a named row a line, and marks on an axis below all of them."""

    width, left, right, top = 760, 262, 30, 104

    def __init__(self, title, words, axis, ticks, logarithmic, row_height=30):
        self.title, self.words, self.axis, self.ticks, self.logarithmic = title, words, axis, ticks, logarithmic
        self.row_height, self.rows, self.legend, self.lines = row_height, [], [], []

    def at(self, value):
        first, last = self.ticks[0], self.ticks[-1]
        share = math.log(value / first) / math.log(last / first) if self.logarithmic else (value - first) / (last - first)
        assert -0.001 <= share <= 1.001, f"{self.title}: {value} is outside of the axis"
        return self.left + share * (self.width - self.left - self.right)

    def shape(self, kind, series, x, y, title=""):
        """Returns a mark: a circle, square or diamond."""
        told = f"<title>{html.escape(title)}</title>" if title else ""
        name = f's{series} {"hollow" if kind == "diamond" else "dot"}'
        if kind == "circle":
            return f'<circle class="{name}" cx="{x:.1f}" cy="{y:.1f}" r="5">{told}</circle>'
        if kind == "square":
            return f'<rect class="{name}" x="{x - 4.5:.1f}" y="{y - 4.5:.1f}" width="9" height="9">{told}</rect>'
        return f'<path class="{name}" d="M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6-6z">{told}</path>'

    def add_row(self, label, marks, span=None):
        """`marks`: (kind, series, value, what it is, shift in pixels); `span`: a bar from one value to another."""
        self.rows.append((label, marks, span))

    def render(self, foot):
        bottom = self.top + self.row_height * len(self.rows)
        height = bottom + 66 + 16 * (len(foot) - 1)
        out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {height}" width="{self.width}" '
               f'height="{height}" role="img">', f"<title>{html.escape(self.title)}</title>", f"<style>{STYLE}</style>",
               '<rect class="bg" width="100%" height="100%"/>',
               f'<text class="title" x="24" y="30">{html.escape(self.title)}</text>',
               f'<text class="small" x="24" y="50">{html.escape(self.words)}</text>']
        x = 24.0
        for kind, series, name in self.legend:
            out += [self.shape(kind, series, x + 6, 72) if kind != "bar" else
                    f'<path class="s{series}" stroke-width="4" d="M{x} 72h22"/>',
                    f'<text class="small" x="{x + (30 if kind == "bar" else 18)}" y="76">{html.escape(name)}</text>']
            x += 46 + 6.6 * len(name)
        for tick in self.ticks:
            at = self.at(tick)
            out += [f'<path class="grid" d="M{at:.1f} {self.top}V{bottom}"/>',
                    f'<text class="small" x="{at:.1f}" y="{bottom + 17}" text-anchor="middle">{tick:,g}</text>']
        for value, name, kind in self.lines:
            at = self.at(value)
            out += [f'<path class="{kind}" d="M{at:.1f} {self.top - 6}V{bottom}"/>',
                    f'<text class="small" x="{at:.1f}" y="{self.top - 10}" text-anchor="middle">{html.escape(name)}</text>']
        for number, (label, marks, span) in enumerate(self.rows):
            y = self.top + self.row_height * (number + 0.5)
            out += [f'<path class="row" d="M{self.left} {y:.1f}H{self.width - self.right}"/>',
                    f'<text x="{self.left - 14}" y="{y + 4.5:.1f}" text-anchor="end">{html.escape(label)}</text>']
            if span:
                out.append(f'<path class="s1" stroke-width="4" d="M{self.at(span[0]):.1f} {y:.1f}H{self.at(span[1]):.1f}">'
                           f"<title>{html.escape(span[2])}</title></path>")
            out += [self.shape(kind, series, self.at(value), y + shift, f"{label}: {told}")
                    for kind, series, value, told, shift in marks]
        out.append(f'<text x="{(self.left + self.width - self.right) / 2}" y="{bottom + 38}" text-anchor="middle">'
                   f"{html.escape(self.axis)}</text>")
        out += [f'<text class="small" x="24" y="{bottom + 58 + 16 * n}">{html.escape(line)}</text>'
                for n, line in enumerate(foot)]
        return "\n".join(out) + "\n</svg>\n"


def gap(data):
    words = {"bfs": "breadth-first search", "sssp": "shortest paths", "pr": "PageRank", "cc": "components",
             "bc": "betweenness", "tc": "triangles"}
    chart = dot_rows("Graph kernels beside GAPBS", "How many times as long GAPBS takes: right of the line Callisto is faster",
                     "GAPBS's time by Callisto's", [0.5, 1, 2, 5, 10, 20, 50, 100], True)
    chart.legend = [("circle", 0, "graph in the given order"), ("square", 1, "hubs first in Callisto's graph")]
    chart.lines = [(1, "as fast", "mark")]
    for column, kernel in enumerate(data["columns"][1:-1], 1):
        marks = []
        for row in data["rows"]:
            value = float(row[column].split(" / ")[0])
            hubs = "hubs first" in row[0]
            marks.append(("square" if hubs else "circle", int(hubs), value, f"{row[0]}, {value:g}", 0))
        chart.add_row(f"{words[kernel]} ({kernel})", marks)
    return chart, f"A mark is a graph ({len(data['rows'])}); {data['threads']} threads"


def loops(data):
    chart = dot_rows("Loops beside seven runtimes", "Speed-up by two threads. Callisto's loops have no settings",
                     "times as fast as the plain loop", [1, 1.25, 1.5, 1.75, 2], False, 34)
    chart.legend = [("circle", 0, "Callisto"), ("bar", 1, "peers without settings, worst to best"),
                    ("diamond", 2, "best peer with a batch size given")]
    chart.ticks = [1, 1.25, 1.5, 1.75, 2, 2.1]
    for name, ours, peers, hardest, ratio in data["rows"]:
        best, worst = [float(v) for v in re.findall(r"([\d.]+) \(", peers)]
        tuned = float(ours) / float(ratio)
        chart.add_row(name, [("diamond", 2, tuned, f"{hardest}, tuned, {tuned:.2f}", 0),
                             ("circle", 0, float(ours), f"Callisto, {ours}", 0)], (worst, best, peers))
    return chart, f"{data['threads']} threads"


def pairs(data):
    names = [row[0] for row in data["alone"]]
    chart = dot_rows("A program beside another", "Its time by that alone on half of the machine: right of the line it is slower",
                     "time of a program beside another", [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.25, 2.5], False, 84)
    chart.lines = [(1, "as fast", "mark")]
    kinds = {"static halves": ("diamond", 2), "plain system": ("square", 1), "Callisto": ("circle", 0)}
    chart.legend = [(*kinds[way], way) for way in kinds]
    for way, (kind, series) in kinds.items():
        found = sorted((float(value), f"{row[0]} beside {other}, {value}") for row in data["pairs"][way]
                       for other, value in zip(names, row[1:]))
        chart.add_row(way, [(kind, series, value, told, (number * 13 % 11 - 5) * 6)
                            for number, (value, told) in enumerate(found)])
    return chart, f"A mark is one of {len(names)} programs beside one of them"


def manners(data):
    chart = dot_rows("Worse off for sharing?", "A job's time with sharing by that without: right of the limit is worse",
                     "with sharing, by without", [0.125, 0.25, 0.5, 1, 2, 4], True, 26)
    chart.left, chart.width = 490, 880
    chart.legend = [("circle", 0, "2 contexts"), ("square", 1, "16 contexts")]
    chart.lines = [(1.1, "limit 1.1", "limit")]
    for situation, measure, two, sixteen in data["rows"]:
        chart.add_row(f"{situation}: {measure}", [("square", 1, float(sixteen), f"16 contexts, {sixteen}", 0),
                                                  ("circle", 0, float(two), f"2 contexts, {two}", 0)])
    return chart, "16 contexts: before a fault was mended"


def runtimes(data):
    others = data["columns"][1:]
    chart = dot_rows("Runtimes beside runtimes", "Units of work without sharing by those with it: right of the limit is worse",
                     "without sharing, by with it", [0.4, 0.5, 0.7, 1, 1.5, 2], True)
    chart.legend = [("circle", 0, f"beside one of {len(others)} runtimes")]
    chart.lines = [(1.1, "limit 1.1", "limit")]
    for name, *values in data["rows"]:
        chart.add_row(name, [("circle", 0, float(value), f"beside {other}, {value}", (number * 3 % 5 - 2) * 3)
                             for number, (other, value) in enumerate(zip(others, values))])
    return chart, "A mark is a program of one runtime beside a program of another"


def networkx(data):
    chart = dot_rows("NetworkX's functions on Callisto", "How many times as fast, processor time; right of the line is faster",
                     "NetworkX's time by that with Callisto", [0.5, 1, 3, 10, 30, 100, 300, 1000], True, 24)
    chart.legend = [("diamond", 2, "first call, conversion included"), ("circle", 0, "further calls")]
    chart.lines = [(1, "as fast", "mark")]
    for name, seconds, first, _, kept in sorted(data["rows"], key=lambda row: -float(row[4])):
        marks = [("circle", 0, float(kept), f"further calls, {kept}", 0)]
        if first != "stays":
            marks.insert(0, ("diamond", 2, float(first), f"first call, {first}", 0))
        chart.add_row(name, marks)
    return chart, f"{data['graph']}; no diamond: a first call stays in NetworkX"


CHARTS = {"gap": gap, "loops": loops, "pairs": pairs, "manners": manners, "runtimes": runtimes, "networkx": networkx}


def drawing(name):
    data = measured(name)
    chart, words = CHARTS[name](data)
    return chart.render([f"{words}. {data['machine']}", f"Numbers: {data['page']}"])


def rows_of(data):
    for table in [data.get("rows", []), data.get("alone", []), *data.get("pairs", {}).values()]:
        yield from table


def complaints():
    for name in CHARTS:
        data = measured(name)
        lines = {re.sub(r"\s+", " ", line.strip()) for line in (ROOT / data["page"]).read_text(encoding="utf-8").split("\n")}
        for row in rows_of(data):
            if f"| {' | '.join(row)} |" not in lines:
                yield f"docs/results/measurements/{name}.json: {data['page']} has no row '{' | '.join(row)}'"
        if "notebook" in data and not (ROOT / data["notebook"]).exists():
            yield f"docs/results/measurements/{name}.json: there is no {data['notebook']}"
        picture = IMAGES / f"chart-{name}.svg"
        if not picture.exists() or picture.read_text(encoding="utf-8") != drawing(name):
            yield f"docs/images/chart-{name}.svg is not what its measurements give: tools/charts.py"


def main():
    if sys.argv[1:] == ["--check"]:
        found = list(complaints())
        print("\n".join(found))
        return 1 if found else 0
    if sys.argv[1:]:
        sys.exit(__doc__)
    for name in CHARTS:
        (IMAGES / f"chart-{name}.svg").write_text(drawing(name), encoding="utf-8")
        print(f"docs/images/chart-{name}.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
