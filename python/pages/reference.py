#!/usr/bin/env python3
"""Prints docs/reference/python-api.md, made of the package's own types and docstrings; --write writes it."""

import dataclasses
import inspect
import sys
from pathlib import Path

import callisto_graph as cl
from callisto_graph import cluster

page = Path(__file__).resolve().parents[2] / "docs/reference/python-api.md"

head = """# Python API

The package `callisto_graph`, version {version}: every public name, with types. Made by `python/pages/reference.py --write` from the
docstrings. [The tutorial](../tutorial/first-graph-in-python.md) is the place to begin.

Kernels are methods of `Graph`. Each takes `progress`: `True` for a bar, or a callable
`progress(stage, done, total, unit)`, which may raise to end the kernel. Ctrl-C ends a kernel, too. A call raises
`UsageError` for a value that is not valid, `TypeError` for a type, `KeyError` for a label that no vertex has, and
`OutOfMemoryError` before it begins what would not fit.
"""


def signature(name, function, method):
    """The call with types; the annotations are texts, as they stand in the source."""
    shown, starred = [], False
    found = inspect.signature(function)
    for parameter in found.parameters.values():
        if method and parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            shown.append("*")
            starred = True
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        shown.append(f"{parameter.name}: {parameter.annotation}{default}")
    return f"{name}({', '.join(shown)}) -> {found.return_annotation}"


def text(of):
    return inspect.getdoc(of) or ""


def wrapped(line):
    """A line of code, broken behind commas where it is too long."""
    lines, room = [""], 116
    for part in line.split(", "):
        piece = part if lines[-1] == "" else ", " + part
        if len(lines[-1]) + len(piece) > room:
            lines[-1] += ","
            lines.append("    " + part)
        else:
            lines[-1] += piece
    return "\n".join(lines)


def entry(name, function, method=False):
    return f"```python\n{wrapped(signature(name, function, method))}\n```\n\n```text\n{text(function)}\n```\n"


def members(cls):
    for name, member in inspect.getmembers(cls):
        if not name.startswith("_") and name in dir(cls):
            yield name, member


def describe_classes(parts, classes):
    for cls in classes:
        base = ", ".join(b.__name__ for b in cls.__bases__ if b is not object and not b.__name__.startswith("_"))
        parts.append(f"### {cls.__name__}{f' ({base})' if base else ''}\n\n```text\n{text(cls)}\n```\n")
        own = [(name, member) for name, member in members(cls) if name in vars(cls)]
        for name, member in own:
            if isinstance(member, property):
                parts.append(f"#### {cls.__name__}.{name}\n\n```text\n{text(member)}\n```\n")
        for name, member in own:
            if inspect.isfunction(member):
                parts.append(f"#### {cls.__name__}.{name}\n\n{entry(name, member, True)}")


def main():
    parts = [head.format(version=cl.__version__), "## Functions\n"]
    public = [(name, getattr(cl, name)) for name in cl.__all__ if name not in ("__version__", "Progress")]
    for name, member in public:
        if inspect.isfunction(member):
            parts.append(f"### {name}\n\n{entry(name, member)}")
    parts.append(f"## Graph\n\n```text\n{text(cl.Graph)}\n```\n")
    for name, member in members(cl.Graph):
        if isinstance(member, property):
            parts.append(f"### Graph.{name}\n\n```text\n{text(member)}\n```\n")
    for name, member in members(cl.Graph):
        if inspect.isfunction(member):
            parts.append(f"### Graph.{name}\n\n{entry(name, member, True)}")
    parts.append("## Routes\n")
    describe_classes(parts, [cl.Routes])
    parts.append("## Graphs that change\n")
    describe_classes(parts, [cl.ChangingGraph, cl.ChangingResult, cl.ChangingPageRank, cl.ChangingDistances,
                             cl.ChangingCores, cl.ChangingGroups, cl.ChangingComponents, cl.ChangingCommunities])
    parts.append(f"## Graphs over ranks\n\n```text\n{text(cluster)}\n```\n")
    for name in cluster.__all__:
        if inspect.isfunction(getattr(cluster, name)):
            parts.append(f"### cluster.{name}\n\n{entry(name, getattr(cluster, name))}")
    for cls in (cluster.ClusterGraph, cluster.RankResult):
        parts.append(f"### cluster.{cls.__name__}\n\n```text\n{text(cls)}\n```\n")
        for name, member in members(cls):
            if isinstance(member, property):
                parts.append(f"#### {cls.__name__}.{name}\n\n```text\n{text(member)}\n```\n")
        for name, member in members(cls):
            if inspect.isfunction(member):
                parts.append(f"#### {cls.__name__}.{name}\n\n{entry(name, member, True)}")
    parts.append("## Results\n")
    for name, member in public:
        if inspect.isclass(member) and dataclasses.is_dataclass(member):
            base = ", ".join(b.__name__ for b in member.__bases__ if b is not object)
            fields = [f"{f.name}: {str(f.type)}" for f in dataclasses.fields(member)
                      if f.name != "graph" and not f.name.startswith("_")]
            own = "\n\n".join(f"{signature(n, m, True)}\n    {text(m)}" for n, m in vars(member).items()
                              if inspect.isfunction(m) and not n.startswith("_") and text(m))
            lines = "\n".join(filter(None, [text(member), "\n".join(fields), own]))
            parts.append(f"### {name}{f' ({base})' if base else ''}\n\n```text\n{lines}\n```\n")
    parts.append("## Exceptions\n")
    for name, member in public:
        if inspect.isclass(member) and issubclass(member, BaseException):
            base = ", ".join(b.__name__ for b in member.__bases__)
            parts.append(f"- `{name}` ({base}): {text(member)}")
    made = "\n".join(parts) + "\n"
    if "--write" in sys.argv[1:]:
        page.write_text(made, encoding="utf-8")
    else:
        sys.stdout.write(made)


if __name__ == "__main__":
    main()
