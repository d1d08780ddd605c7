#!/usr/bin/env python3
"""Checks the rules of docs/style.md that a program can check. Prints each finding; exit status 1 if there is one.

Prose is: comments of C++, shell, Python and CMake, and Markdown and manual pages. docs/notebook/ and CHANGELOG.md are
records of the past, and exempt.

  --list [ROOM]  print each place that breaks rule 11 (in one room of callisto/)
  --write        write their number in each room to words_without_nouns.txt, which may only fall"""

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

# Rule 11: "other" and "what" have their noun in the same sentence, and a number its name.
after_the_other = ("one|ones|and|or|but|than|that|which|while|when|if|until|then|at|by|for|from|in|into|of|off|on|out|over"
                   "|to|through|under|with|within|is|was|has|had|can|cannot|could|may|must|will|would|does|did|ends|goes"
                   "|put|puts|reads|runs|sees|spins|takes|waits|writes|wrote")
without_noun = re.compile(rf"\bothers\b|\bthe other(?=[^\s\w]|\s*$|\s+({after_the_other})\b)|(?-i:\bWhat\b)"
                          r"|\bso (many|often|long)\b(?! as\b)|\bof (its|their) own\b", re.IGNORECASE)
nouns_budget = Path("tools/lint/words_without_nouns.txt")

# Rule 3: steps are a list, an item a line. What a formatter reflowed has a step in the middle of a line, or a line of a
# word or two before one that is set in.
step_inside = re.compile(r"[.:;] [2-9]\. [A-Z]")
comment = re.compile(r"^\s*(///?|#)(\s+)(\S.*)$")

of_users = ("README.md", "docs/tutorial/", "docs/how-to/", "docs/reference/", "docs/explanation/", "docs/results/")
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


def check_steps(path, lines):
    """Steps in comments stand each on lines of their own."""
    for number, line in enumerate(lines, 1):
        this = comment.match(line)
        if not this:
            continue
        if step_inside.search(this.group(3)):
            report(f"{path}:{number}", f"a step inside a line: {line.strip()}")
        below = comment.match(lines[number]) if number < len(lines) else None
        words = this.group(3).split()
        is_stump = len(words) < 3 and not words[-1].endswith((".", ":", ";", ",")) and words[0][0].isalpha() and words[0] != "clang-format"
        if below and is_stump and len(this.group(2)) == 1 and len(below.group(2)) > 2:
            report(f"{path}:{number}", f"a torn item of a list: {line.strip()}")


def comment_blocks(path, lines):
    """Number of the first line and text of each comment; a comment goes on over the lines that hold nothing else."""
    prose = prose_of(path)
    block, first = [], 0
    for number, line in enumerate([*lines, ""], 1):
        text = prose(line)
        if block and (not text or line.strip() != text):
            yield first, "\n".join(block)
            block = []
        if text:
            first = first if block else number
            block.append(re.sub(r"^///?<?\s*", "", text))


def words_without_nouns(paths):
    """Where comments of the rooms of callisto/ break rule 11: room -> list of (place, words)."""
    rooms = {}
    for path in paths:
        parts = path.split("/")
        if parts[0] != "callisto" or len(parts) < 3 or not path.endswith((".hpp", ".cpp")):
            continue
        found = rooms.setdefault(parts[1], [])
        for first, text in comment_blocks(path, Path(path).read_text(encoding="utf-8", errors="replace").splitlines()):
            # Of the same length, so that places stay: names in code are no words.
            prose = re.sub(r"`[^`]*`", lambda code: "x" * len(code.group(0)), text.replace("\n", " "))
            for m in without_noun.finditer(prose):
                words = text[max(0, m.start() - 40):m.end() + 40].replace("\n", " ")
                found.append((f"{path}:{first + text.count(chr(10), 0, m.start())}", words))
    return rooms


def read_budget():
    lines = nouns_budget.read_text(encoding="utf-8").splitlines() if nouns_budget.is_file() else []
    return {room: int(count) for room, count in (line.split() for line in lines if line and not line.startswith("#"))}


def write_budget(rooms):
    budget = read_budget()
    text = ("# Places in the comments of each room of callisto/ that break rule 11 of docs/style.md. A number may only fall:\n"
            "# tools/lint/style.py --list ROOM prints the places, --write renews this file.\n")
    for room in sorted(rooms):
        text += f"{room} {min(len(rooms[room]), budget.get(room, 0 if budget else len(rooms[room])))}\n"
    nouns_budget.write_text(text, encoding="utf-8")


def check_nouns(rooms):
    """No room breaks rule 11 in more places than words_without_nouns.txt grants it, nor in fewer."""
    budget = read_budget()
    for room in sorted(rooms.keys() | budget.keys()):
        found, granted = rooms.get(room, []), budget.get(room, 0)
        if len(found) > granted:
            for place, words in found:
                report(place, f"name the thing (rule 11): {words}")
            report(f"callisto/{room}", f"{len(found)} places without a noun; at most {granted} ({nouns_budget})")
        elif len(found) < granted:
            report(nouns_budget, f"{room} has {len(found)} places, not {granted}: tools/lint/style.py --write")


def check_readmes(paths):
    """Each folder of callisto/ and lab/ has a README of at most 80 lines; apart from rows of tables, of at most 120
    columns. The one page on sleeping tells all protocols by which threads sleep, and is as long as that takes."""
    folders = {os.path.dirname(p) for p in paths if p.startswith(("callisto/", "lab/")) and p.endswith((".hpp", ".cpp"))}
    for folder in sorted(folders - {"callisto"}):
        readme = f"{folder}/README.md"
        if not os.path.isfile(readme):
            report(folder, "no README.md")
            continue
        lines = Path(readme).read_text(encoding="utf-8").splitlines()
        if len(lines) > 80 and folder != "callisto/waiting":
            report(readme, f"{len(lines)} lines; at most 80")
        for number, line in enumerate(lines, 1):
            if len(line) > 120 and not line.startswith("|"):
                report(f"{readme}:{number}", f"{len(line)} columns; at most 120")


def main():
    try:
        paths = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], check=True, capture_output=True,
                               text=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        print("style: not a git checkout, nothing to check")
        return
    paths = sorted(p for p in paths if p and os.path.isfile(p))
    rooms = words_without_nouns(paths)
    if "--list" in sys.argv:
        for room in sys.argv[2:] or sorted(rooms):
            for place, words in rooms.get(room, []):
                print(f"{place}: {words}")
        return
    if "--write" in sys.argv:
        write_budget(rooms)
        return
    check_nouns(rooms)
    for path in paths:
        if path.startswith(("docs/notebook/", "tests/fuzz/corpus/", "tools/lint/")) or path in ("CHANGELOG.md", "docs/style.md"):
            continue
        if prose_of(path) is None:
            continue
        lines = Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
        check_lines(path, lines)
        if not path.endswith((".md", ".1")):
            check_steps(path, lines)
    check_readmes(paths)


main()
sys.exit(1 if findings else 0)
