#!/usr/bin/env python3
"""Checks the rules of docs/style.md that a program can check. Prints each finding; exit status 1 if there is one.

Prose is: comments of C++, shell, Python and CMake, and Markdown and manual pages. docs/notebook/ and CHANGELOG.md are
records of the past, and exempt."""

import os
import re
import subprocess
import sys
from pathlib import Path

os.chdir(Path(__file__).resolve().parents[2])

# Rule 1: an actor has a name.
nameless = re.compile(r"\b(who(ever|m|se)?|(no|some|every|any)body|he|him|his|himself)\b", re.IGNORECASE)
# Rule 4: a doc comment begins with a verb or the thing, not with a stump.
stump = re.compile(r"^\s*/// (Likewise|The same|Of|As)\b(?! (if|long|many|much|soon|few)\b)")
# Rule 5: the page tells the present.
date = re.compile(r"\b20\d\d-\d\d-\d\d\b|\b(January|February|March|April|June|July|August|September|October|November"
                  r"|December) (\d{1,2}, )?20\d\d\b")
commit = re.compile(r"(?<![\w/.#-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,12}(?![\w.-])")

of_users = ("README.md", "docs/tutorial/", "docs/how-to/", "docs/reference/", "docs/explanation/", "docs/results/")
most_words = {"docs/results/": 600, "docs/results/gap.md": 1500, "docs/results/papers.md": 100000}
findings = 0


def report(place, message):
    global findings
    findings += 1
    print(f"{place}: {message}")


def prose_of(path):
    """The part of a line that is prose, as a function of the line; None if the file has none."""
    if path.endswith((".hpp", ".cpp", ".h", ".c")):
        pattern = re.compile(r"(?<!:)//.*")
    elif path.endswith((".md", ".1")):
        pattern = re.compile(r".*")
    elif path.endswith((".sh", ".py", ".cmake", "CMakeLists.txt")) or path in ("x", ".ci/run"):
        pattern = re.compile(r'(?:^|\s)#\s.*|""".*')
    elif path.startswith("tests/check/mutants/") or path == "tests/check/orders_kept.txt":
        pattern = re.compile(r"^bug:.*|^  .*")
    else:
        return None
    return lambda line: m.group(0) if (m := pattern.search(line)) else ""


def check_lines(path, lines):
    prose = prose_of(path)
    in_code = False
    for number, line in enumerate(lines, 1):
        text = prose(line)
        if path.endswith(".md"):
            if line.lstrip().startswith("```"):
                in_code = not in_code
            if in_code:
                continue
            text = re.sub(r"`[^`]*`", "", text)
        if nameless.search(text):
            report(f"{path}:{number}", f"name the actor: {line.strip()}")
        if stump.search(line):
            report(f"{path}:{number}", f"a doc comment begins with a verb or the thing: {line.strip()}")
        if date.search(re.sub(r"\S*notebook/\S+", "", text)) and not path.endswith((".1", ".cff")):
            report(f"{path}:{number}", f"a date: {line.strip()}")
        if path.startswith(of_users) and commit.search(text):
            report(f"{path}:{number}", f"a page for users names no commit: {line.strip()}")


def check_readmes(paths):
    """Each folder of callisto/ has a README of at most 40 lines of at most 120 columns."""
    folders = {os.path.dirname(p) for p in paths if p.startswith("callisto/") and p.endswith((".hpp", ".cpp"))}
    for folder in sorted(folders - {"callisto"}):
        readme = f"{folder}/README.md"
        if not os.path.isfile(readme):
            report(folder, "no README.md")
            continue
        lines = Path(readme).read_text(encoding="utf-8").splitlines()
        if len(lines) > 40:
            report(readme, f"{len(lines)} lines; at most 40")
        for number, line in enumerate(lines, 1):
            if len(line) > 120:
                report(f"{readme}:{number}", f"{len(line)} columns; at most 120")


def main():
    try:
        paths = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], check=True, capture_output=True,
                               text=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        print("style: not a git checkout, nothing to check")
        return
    paths = sorted(p for p in paths if p and os.path.isfile(p))
    for path in paths:
        if path.startswith(("docs/notebook/", "tests/fuzz/corpus/", "tools/lint/")) or path in ("CHANGELOG.md", "docs/style.md"):
            continue
        if prose_of(path) is None:
            continue
        lines = Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
        check_lines(path, lines)
        limit = next((most_words[k] for k in (path, os.path.dirname(path) + "/") if k in most_words), None)
        words = len(" ".join(lines).split())
        if limit is not None and path.endswith(".md") and words > limit:
            report(path, f"{words} words; at most {limit}")
    check_readmes(paths)


main()
sys.exit(1 if findings else 0)
