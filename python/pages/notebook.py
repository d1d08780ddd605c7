#!/usr/bin/env python3
"""Prints a page of docs/ as a Jupyter notebook: the tutorial, unless another page is named."""

import json
import re
import sys
from pathlib import Path

tutorial = Path(__file__).resolve().parents[2] / "docs/tutorial/first-graph-in-python.md"


def source_of(session):
    """The lines that a user types, of a block of a session."""
    return [line[4:] for line in session.splitlines() if line.startswith((">>> ", "... "))]


def cell(kind, lines):
    made = {"cell_type": kind, "metadata": {}, "source": "\n".join(lines)}
    if kind == "code":
        made.update(execution_count=None, outputs=[])
    return made


def notebook(text):
    """Returns the notebook of a page: text becomes Markdown, sessions become code."""
    cells = []
    for i, part in enumerate(re.split(r"```pycon\n(.*?)```\n?", text, flags=re.DOTALL)):
        if i % 2:
            cells.append(cell("code", source_of(part)))
        elif part.strip():
            cells.append(cell("markdown", part.strip().splitlines()))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 4}


if __name__ == "__main__":
    page = Path(sys.argv[1]) if len(sys.argv) > 1 else tutorial
    json.dump(notebook(page.read_text(encoding="utf-8")), sys.stdout, indent=1)
