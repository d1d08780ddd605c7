"""What Jupyter shows of graphs and results: HTML with pictures in SVG."""

from __future__ import annotations

from html import escape
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._errors import UsageError

if TYPE_CHECKING:
    from ._graph import Graph
    from ._results import VertexResult

#: Graphs up to this size are drawn where they are shown.
_drawn = 60
_most_drawn = 500
_ink, _line, _dot = "#444", "#bbb", "#2a6f97"


class Drawing:
    """A picture that Jupyter shows; `data` is its SVG."""

    def __init__(self, data: str) -> None:
        self.data = data

    def _repr_svg_(self) -> str:
        return self.data

    def save(self, path: str) -> None:
        """Writes the SVG to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.data)


def _bytes(count: int) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024  # type: ignore[assignment]
    raise AssertionError


def degree_picture(graph: Graph, width: int = 320, height: int = 120) -> str:
    """Returns the degree distribution as SVG: a dot for each degree, both axes logarithmic."""
    degrees, counts = graph.degree_counts()
    some = degrees > 0
    x, y = np.log10(degrees[some].astype(float)), np.log10(counts[some].astype(float))
    left, bottom, gap = 44, 24, 8
    across, up = max(float(x.max(initial=0)), 1.0), max(float(y.max(initial=0)), 1.0)

    def place(a: float, b: float) -> tuple[float, float]:
        return (left + a / across * (width - left - gap), height - bottom - b / up * (height - bottom - gap))

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
             f'font-size="10" fill="{_ink}">',
             f'<path d="M{left},{gap} V{height - bottom} H{width - gap}" fill="none" stroke="{_line}"/>']
    # Degrees near each other share a dot of the picture.
    dots = {(round(px), round(py)) for px, py in (place(a, b) for a, b in zip(x.tolist(), y.tolist()))}
    parts += [f'<circle cx="{px}" cy="{py}" r="1.8" fill="{_dot}"/>' for px, py in sorted(dots)]
    for power in range(int(across) + 1):
        px, _ = place(power, 0)
        parts.append(f'<text x="{px:.0f}" y="{height - bottom + 11}" text-anchor="middle">{10 ** power:g}</text>')
    for power in range(int(up) + 1):
        _, py = place(0, power)
        parts.append(f'<text x="{left - 4}" y="{py + 3:.0f}" text-anchor="end">{10 ** power:g}</text>')
    parts.append(f'<text x="{width - gap}" y="{height - 2}" text-anchor="end">degree</text>')
    parts.append(f'<text x="{left + 4}" y="{gap + 8}">vertices</text></svg>')
    return "".join(parts)


def drawing(graph: Graph, size: int, iterations: int, values: Any = None) -> Drawing:
    """Returns a drawing of a graph: a dot a vertex, a line an edge."""
    n = graph.vertices
    if n > _most_drawn:
        raise UsageError(f"the graph has {n} vertices: expected at most {_most_drawn}; draw a subgraph")
    if values is not None and values.shape != (n,):
        raise UsageError(f"values has the shape {values.shape}: expected ({n},)")
    source, target, _ = graph.edge_arrays()
    between = source != target
    ends = (source[between].astype(np.uint32), target[between].astype(np.uint32))
    x, y = _core.layout(n, *ends, iterations) if n else (np.zeros(0), np.zeros(0))
    margin = 24.0
    low = (float(x.min(initial=0)), float(y.min(initial=0))) if n == 0 else (float(x.min()), float(y.min()))
    extent = max(float(np.ptp(x)) if n else 0.0, float(np.ptp(y)) if n else 0.0, 1e-9)
    scale = (size - 2 * margin) / extent
    px = (margin + (x - low[0]) * scale).round(1).tolist()
    py = (margin + (y - low[1]) * scale).round(1).tolist()
    largest = float(np.max(values, initial=0)) if values is not None else 0.0
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}" viewBox="0 0 {size} {size}" '
             f'font-family="sans-serif" font-size="10" fill="{_ink}">']
    if graph.directed:
        parts.append('<defs><marker id="tip" viewBox="0 0 6 6" refX="11" refY="3" markerWidth="6" markerHeight="6" '
                     f'orient="auto"><path d="M0,0 L6,3 L0,6 z" fill="{_line}"/></marker></defs>')
    tip = ' marker-end="url(#tip)"' if graph.directed else ""
    for u, v in zip(ends[0].tolist(), ends[1].tolist()):
        parts.append(f'<line x1="{px[u]}" y1="{py[u]}" x2="{px[v]}" y2="{py[v]}" stroke="{_line}"{tip}/>')
    for v, label in enumerate(graph.label_list()):
        radius = 4.0 if largest <= 0 else 2 + 8 * sqrt(max(float(values[v]), 0.0) / largest)
        text = escape(str(label))
        parts.append(f'<circle cx="{px[v]}" cy="{py[v]}" r="{radius:.1f}" fill="{_dot}"><title>{text}</title></circle>')
        if n <= _drawn:
            parts.append(f'<text x="{px[v] + radius + 1:.1f}" y="{py[v] - radius:.1f}">{text}</text>')
    parts.append("</svg>")
    return Drawing("".join(parts))


def plotted(graph: Graph, ax: Any, layout: Any, values: Any, labels: bool | None) -> Any:
    """Draws a graph on axes of matplotlib, and returns these."""
    try:
        from matplotlib import pyplot
        from matplotlib.collections import LineCollection
    except ImportError:
        raise ImportError("matplotlib is not installed: pip install matplotlib, or draw()") from None
    n = graph.vertices
    points = graph.layout() if layout is None else layout
    places = np.asarray(points.points() if hasattr(points, "points") else points, dtype=np.float64)
    if places.shape != (n, 2):
        raise UsageError(f"layout has the shape {places.shape}: expected ({n}, 2)")
    if values is not None and values.shape != (n,):
        raise UsageError(f"values has the shape {values.shape}: expected ({n},)")
    if ax is None:
        _, ax = pyplot.subplots()
    source, target, _ = graph.edge_arrays()
    thin = max(0.1, min(1.0, 200 / max(len(source), 1)))
    ax.add_collection(LineCollection(np.stack([places[source], places[target]], axis=1), colors=_line,
                                     linewidths=thin, zorder=1))
    size = max(4.0, min(60.0, 4000 / max(n, 1)))
    ax.scatter(places[:, 0], places[:, 1], s=size, c=_dot if values is None else values, zorder=2)
    if labels or labels is None and n <= _drawn:
        for place, label in zip(places.tolist(), graph.label_list()):
            ax.annotate(str(label), place, xytext=(3, 3), textcoords="offset points", fontsize=8)
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.autoscale_view()
    return ax


def _table(rows: list[tuple[str, str]]) -> str:
    cells = "".join(f'<tr><td style="text-align:left">{escape(name)}</td><td>{escape(value)}</td></tr>'
                    for name, value in rows)
    return f"<table>{cells}</table>"


def graph_html(graph: Graph) -> str:
    """Returns what Jupyter shows of a graph: sizes, notes, and a picture."""
    kind = ("directed" if graph.directed else "undirected") + (", weighted" if graph.weighted else "")
    rows = [("vertices", f"{graph.vertices:,}"), ("edges", f"{graph.edges:,}"), ("kind", kind),
            ("memory", _bytes(graph.nbytes))] + [("note", note) for note in graph.notes]
    if 0 < graph.vertices <= _drawn:
        picture = drawing(graph, 320, 300).data
    elif graph.arcs:
        picture = degree_picture(graph)
    else:
        picture = ""
    return f'<div style="display:flex;gap:2em;align-items:center">{_table(rows)}{picture}</div>'


def result_html(result: VertexResult) -> str:
    """Returns what Jupyter shows of a result: its facts, and the first vertices."""
    rows = [(name, f"{value:g}" if isinstance(value, float) else str(value))
            for name, value in result._facts().items() if np.isscalar(value)]
    head = "".join(f"<tr><td>{escape(str(label))}</td><td>{value:g}</td></tr>" for label, value in result.top(10))
    title = escape(type(result).__name__)
    return (f'<div style="display:flex;gap:2em;align-items:start"><div><b>{title}</b>{_table(rows)}</div>'
            f"<table><tr><th>vertex</th><th>{escape(result.columns[0])}</th></tr>{head}</table></div>")


__all__ = ["Drawing", "degree_picture", "drawing", "graph_html", "plotted", "result_html"]
