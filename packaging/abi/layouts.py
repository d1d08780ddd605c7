#!/usr/bin/env python3
"""Tells which classes have another layout in one dump of abidw than in another: size, or the place of a base or member.

abidiff (2.2) says nothing of a class that programs compile in and no function of the library takes.
Usage: layouts.py RELEASED NOW. Exit status 1, and a line for each difference, if there is one.
"""

import sys
from xml.etree import ElementTree


def layouts(path):
    """Returns {qualified name: {what: place in bits}} of the classes and unions in namespace callisto."""
    found = {}

    def visit(node, names):
        if node.tag in ("namespace-decl", "class-decl", "union-decl"):
            names = names + [node.get("name")]
        if node.tag != "namespace-decl" and node.get("size-in-bits") and names[0] == "callisto":
            layout = {"size": node.get("size-in-bits")}
            for number, base in enumerate(node.findall("base-class")):
                layout[f"base {number}"] = base.get("layout-offset-in-bits")
            for member in node.findall("data-member"):
                if member.get("static") is None:
                    layout[member.find("var-decl").get("name")] = member.get("layout-offset-in-bits")
            found["::".join(names)] = layout
        for child in node:
            if child.tag in ("namespace-decl", "class-decl", "union-decl", "member-type"):
                visit(child, names)

    for unit in ElementTree.parse(path).getroot().iter("abi-instr"):
        for child in unit:
            if child.tag in ("namespace-decl", "class-decl", "union-decl"):
                visit(child, [])
    return found


released, now = map(layouts, sys.argv[1:])
differences = [
    f"{name}: {what}: {before.get(what, 'none')} bits in the release, {now[name].get(what, 'none')} now"
    for name, before in sorted(released.items())
    if name in now
    for what in sorted(before.keys() | now[name].keys())
    if before.get(what) != now[name].get(what)
]
print(*differences, sep="\n", end="\n" if differences else "")
sys.exit(1 if differences else 0)
