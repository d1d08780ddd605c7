#!/usr/bin/env python3
"""Compares what pages claim with what the program does: a row a claim.

Usage: claims_test.py [unittest arguments]. Environment: CALLISTO_COMMAND, the binary (required).

A row names the page, a regular expression that must be in it once (or must not be there at all), and a question to the
program. The question gets the match and returns (what the page claims, what the program does), which must be equal. A
page that is changed so that the expression is gone fails, too: change its row with it.
"""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("CALLISTO_COMMAND", "")
NETWORKX = "docs/how-to/from-networkx-and-igraph.md"
OPERATE = "docs/how-to/operate-a-shared-machine.md"
KARATE = ROOT / "examples" / "karate.txt"
NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "ten": 10}


def text_of(page):
    return (ROOT / page).read_text(encoding="utf-8")


def ask(*arguments, **kwargs):
    done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, check=True, **kwargs)
    return done.stdout.decode()


def asked(*arguments):
    return json.loads(ask(*arguments, "--json"))


def weighted():
    """A file of a directed graph with weights."""
    path = pathlib.Path(tempfile.gettempdir()) / f"callisto-claims-{os.getpid()}.csv"
    path.write_text("source,target,weight\n1,2,10\n1,3,1\n2,1,1\n3,1,1\n2,3,1\n")
    return path


def use_of_weights(kernel, *options):
    """Returns what a kernel took weights for, as its JSON object says."""
    path = weighted()
    try:
        more = ["--source", "1"] if kernel in ("sssp", "bfs") else []
        found = asked(kernel, path, "--directed", *more, *options)
    finally:
        path.unlink()
    return found.get("weights", "length" if kernel == "sssp" else "none")


def words_in(text):
    return re.findall(r"`([\w-]+)`", text)


def scripts_of_pages(match):
    analyze = ask("analyze", KARATE, "-o", "-", "-q")
    drawings = ask("draw", KARATE, "-o", "-") + ask("draw", KARATE, "-o", "-", "--what", "communities")
    loads = re.findall(r"(?:src|href|data)=\"(?!#)|<link|url\((?!#)|@import", analyze + drawings)
    return (1, 0, []), (analyze.count("<script"), drawings.count("<script"), loads)


def headers_of(pattern):
    def question(match):
        listed = set(re.findall(pattern, text_of(match.string_page)))
        return listed, {p.name for p in (ROOT / "callisto").glob("*.hpp")} - {"export.hpp"}
    return question


def declared(match):
    """Names that a row of a table offers are functions or classes of the header that it names."""
    header = text_of("callisto/" + re.search(r"callisto/(\w+\.hpp)", match[0])[1])
    headers = header + "".join(text_of(h) for h in re.findall(r'#include <(callisto/loop/[^>]+)>', header))
    names = set(re.findall(r"`(task_group|parallel_invoke)\b", match[0]))
    return bool(names), all(re.search(rf"\b(class|struct|void|auto)\s+(CALLISTO_API\s+)?{n}\b", headers) for n in names)


def installed_into_bin(match):
    """The programs that the build installs are rows of the page."""
    build = pathlib.Path(COMMAND).resolve().parents[1]
    installed = set()
    for script in build.rglob("cmake_install.cmake"):
        for rename, file in re.findall(r'file\(INSTALL DESTINATION "\$\{CMAKE_INSTALL_PREFIX\}/bin"[^)]*?'
                                       r'(?:RENAME "([^"]+)" )?FILES "([^"]+)"', script.read_text()):
            installed.add(rename or pathlib.Path(file).name)
    rows = set(re.findall(r"(?m)^\| `bin/([\w-]+)`", text_of(OPERATE)))
    return installed - rows, set()


def switch(match):
    """`on` writes what login shells read."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["bash", ROOT / "tools" / "openmp_site.sh", "on", "--etc", folder, "--library", COMMAND], check=True,
                       capture_output=True)
        written = pathlib.Path(folder, "profile.d", "callisto-openmp.sh")
        return True, written.is_file() and "LD_PRELOAD" in written.read_text()


def same_minutes(*others):
    """The other pages say the same number of minutes."""
    def question(match):
        said = {page: [m.lower() for m in re.findall(pattern, re.sub(r"\s+", " ", text_of(page)))] for page, pattern in others}
        return {page: [match[1].lower()] for page, _ in others}, said
    return question


def largest_number(match):
    path = pathlib.Path(tempfile.gettempdir()) / f"callisto-claims-{os.getpid()}.txt"
    kinds = []
    try:
        for number in [2 ** int(match[1]), 2 ** int(match[1]) + 1]:
            path.write_text(f"{number} 5\n")
            kinds.append({type(row["vertex"]).__name__ for row in asked("pagerank", path, "--directed")["top"]})
    finally:
        path.unlink()
    return [{"int"}, {"str"}], kinds


def encoding(match):
    done = subprocess.run([COMMAND, "pagerank", "-", "--directed", "-q", "-o", "-"], input=b"a\x80 b\n", capture_output=True)
    return sorted(["a\u20ac".encode(), b"b"]), sorted(line.split(b"\t")[0] for line in done.stdout.splitlines())


def code_stays(match):
    """Nothing in the library can write a program's code: neither through the process's memory nor by its protection."""
    writes = re.compile(r"/proc/self/mem\b|process_vm_writev|PTRACE_POKE|\bmprotect\([^;]*PROT_EXEC|pkey_mprotect")
    rooms = [path for room in ("openmp", "workers", "machine", "cosched") for path in (ROOT / "callisto" / room).rglob("*.?pp")]
    return [], [path.name for path in rooms if writes.search(path.read_text(encoding="utf-8"))]


def last_release(match):
    """CITATION.cff names the last release and its day, which CHANGELOG.md has; release.sh asks for it."""
    version, day = re.search(r"(?m)^## \[([\d.]+)\] - (\S+)$", text_of("CHANGELOG.md")).groups()
    return (match[1], match[2]), (version, day)


def outsiders(match):
    """The limits of the page are those of the policy."""
    limits = text_of("callisto/cosched/limits.hpp")
    most, least, on = [float(re.search(rf" {name} = ([\d.]+);", limits)[1]) for name in
                       ("most_outsiders", "least_outsiders", "outsiders_contexts")]
    return tuple(map(int, match.match.groups())), (round(100 * most), round(100 * least), round(on / least))


def refused_above(*arguments):
    """The program refuses the number after the page's, and says that the page's is the last."""
    def question(match):
        limit = int(match[1].replace(",", ""))
        done = subprocess.run([COMMAND, *arguments, str(limit + 1)], capture_output=True)
        last = re.search(r" to (\d+), found", done.stderr.decode())
        return (2, limit), (done.returncode, int(last[1]) if last else None)
    return question


# page, expression (None: see the next), expression that must not be there (or None), question (or None).
CLAIMS = [
    ("SECURITY.md", r"reads the program's code, and leaves it as it is", r"It puts traps into", code_stays),
    ("SECURITY.md", r"analyze` has one script", r"have no scripts", scripts_of_pages),
    (NETWORKX, r"has (\d+) stored arcs; with `--directed` it has (\d+)", r"stored arcs 78 \(directed\)",
     lambda m: ((int(m[1]), int(m[2])), (asked("info", KARATE)["graph"]["arcs"], asked("info", KARATE, "--directed")["graph"]["arcs"]))),
    (NETWORKX, r"Weights\.\*\* (.*?) use the weights of a file", r"ignore weights",
     lambda m: ({k: True for k in words_in(m[1])}, {k: use_of_weights(k) != "none" for k in words_in(m[1])})),
    (NETWORKX, r"does not\. (.*?) count edges unless you say `--weights length`", None,
     lambda m: ({k: ("none", "length") for k in words_in(m[1])},
                {k: (use_of_weights(k), use_of_weights(k, "--weights", "length")) for k in words_in(m[1])})),
    (NETWORKX, r"\| `pagerank\(G, weight=None\)` \|[^|]*\| `callisto pagerank FILE (--weights none)` \|", None,
     lambda m: ("none", use_of_weights("pagerank", *m[1].split()))),
    ("README.md", r"pagerank web\.txt\.gz --top 5 +# directed, unless the file says otherwise",
     r"counts as directed unless you say",
     lambda m: (False, asked("info", KARATE)["graph"]["directed"])),
    ("docs/tutorial/first-graph.md", r"This file says in its first line that it is undirected", r"and no error",
     lambda m: (False, asked("info", KARATE)["graph"]["directed"])),
    ("docs/how-to/from-openmp.md", r"\| `task`, [^\n]*", r"`task`[^|]*\| no counterpart", declared),
    ("docs/how-to/from-openmp.md", r"\| `sections` [^\n]*", None, declared),
    (OPERATE, r"`callisto-openmp-site on` is a switch for the whole machine", r"There is no switch", switch),
    (OPERATE, r"\| `bin/callisto-openmp-site` \|", None, installed_into_bin),
    ("docs/api.dox", r"Programs include these headers", r"Programs include (?!these)\w+ headers",
     headers_of(r"- callisto/(\w+\.hpp):")),
    ("README.md", r"There are these headers", None, headers_of(r"\| `callisto/(\w+\.hpp)` \|")),
    ("README.md", r"\./x install +# into (\S+): command", None,
     lambda m: (m[1], re.search(r"cmd_install\(\) \{\n  local prefix=\$\{1:-([^}]+)\}", text_of("x"))[1])),
    ("README.md", r"builds the command, which takes about (\w+) minutes on two processors", None,
     same_minutes(("docs/tutorial/first-graph.md", r"installs it there, in about (\w+) minutes on two processors"),
                  ("x", r"after about (\w+) minutes of building"))),
    ("README.md", r"`pip install \.` builds the package `callisto-graph` \(about (\w+) minutes on two processors\)",
     r"a few minutes", same_minutes(("docs/tutorial/first-graph-in-python.md",
                                     r"`pip install \.` in a clone of this repository takes about (\w+) minutes on two processors"))),
    ("docs/reference/cli-json.md", r"numbers up to 2\^(\d+); larger ones", r"need a parser that keeps 64 bits", largest_number),
    ("CITATION.cff", r"software version: ([\d.]+) date-released: (\S+)", None, last_release),
    ("docs/reference/words.md", r"Without a word of yours it is `(\w+)`", None,
     lambda m: (m[1], asked("machine")["schedule_source"])),
    ("README.md", r"callisto run --weight (\d+) -- \./simulation +# a program with (\w+) times the share", None,
     lambda m: (int(m[1]), NUMBERS[m[2]])),
    ("docs/reference/environment.md", r"\| `CALLISTO_THREADS` \|[^|]*\| 1 to (\d+) \|", None,
     refused_above("machine", "--threads")),
    ("docs/reference/environment.md", r"\| `CALLISTO_WEIGHT` \|[^|]*\| 1 to (\d+) \|", None, refused_above("run", "--weight")),
    ("docs/how-to/share-a-machine.md", r"which use more than (\d+) % of its contexts \((\d+) % of (\d+) and more\)", None,
     outsiders),
    ("docs/reference/support.md", r"\| vertices of a graph \| 2\^(\d+);", None,
     refused_above("generate", "uniform", "none.cg", "--degree", "1", "--scale")),
    ("docs/reference/formats.md", r"all names of the file are taken as Windows-1252", r"become blanks", encoding),
]


class Claims(unittest.TestCase):
    def test_pages_say_what_the_program_does(self):
        for page, there, absent, question in CLAIMS:
            with self.subTest(page=page, claim=there):
                text = re.sub(r"[ \t]*\n(?![|#\n-])[ \t]*", " ", text_of(page))
                found = list(re.finditer(there, text))
                self.assertEqual(len(found), 1, f"{page}: expected once: {there}")
                if absent:
                    self.assertIsNone(re.search(absent, text), f"{page}: contradicts the program: {absent}")
                if question:
                    claimed, done = question(Match(found[0], page))
                    self.assertEqual(claimed, done, f"{page}: {found[0][0]}")


class Match:
    """A match, and the page that it is in."""

    def __init__(self, match, page):
        self.match, self.string_page = match, page

    def __getitem__(self, group):
        return self.match[group]


if __name__ == "__main__":
    unittest.main()
