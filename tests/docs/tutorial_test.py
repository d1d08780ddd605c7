#!/usr/bin/env python3
"""Runs the tutorials: every command of a page's console blocks, in order, and compares what it prints.

Usage: tutorial_test.py BUILD_DIRECTORY [PAGE...]. Callisto is installed from BUILD_DIRECTORY into a temporary folder.
A block that follows a line with "as `NAME`" is a file to write. In expected output `...` stands for any text, a line
`...` for any lines, and any time, rate, size and number of threads for any other; runs of blanks count as one.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MARK = "@@end of command@@"


def parts_of(page):
    """Yields ('file', name, text) and ('command', command, expected output) in the order of the page."""
    named = None
    lines = iter(page.read_text(encoding="utf-8").split("\n"))
    for line in lines:
        if not line.startswith("```"):
            found = re.search(r"as `([\w.]+)`", line)
            named = found.group(1) if found else named
            continue
        kind, block = line[3:].strip(), []
        for inner in lines:
            if inner.startswith("```"):
                break
            block.append(inner)
        if kind == "console":
            for piece in re.split(r"(?m)^\$ ", "\n".join(block))[1:]:
                command, _, expected = piece.partition("\n")
                yield "command", command, expected
        elif named and kind != "sh":
            yield "file", named, "\n".join(block) + "\n"
            named = None


def normalized(text):
    text = re.sub(r"(\d[\d,]* *\.?\d*) ?([kMG]?i?B/s)\b", "RATE", text)
    text = re.sub(r"\d[\d,]*\.?\d* ?(ns|us|ms|s|min)\b", "TIME", text)
    text = re.sub(r"\d[\d,]*\.?\d* ?([KMG]iB|B)\b", "SIZE", text)
    text = re.sub(r"\d+ threads?\b", "THREADS", text)
    return [re.sub(r"\s+", " ", line).strip() for line in text.strip("\n").split("\n")]


def pattern_of(expected):
    lines = normalized(expected)
    pieces = ["(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + "\n" for line in lines]
    return "".join(pieces)


def run(page, environment):
    """Runs a page's commands in one shell. Returns the complaints."""
    commands, script = [], ["exec 2>&1", "set +m"]
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "examples").symlink_to(ROOT / "examples")
        for kind, name, text in parts_of(page):
            if kind == "file":
                (pathlib.Path(folder) / name).write_text(text, encoding="utf-8")
            else:
                commands.append((name, text))
                script += [name, f'echo "{MARK}$?"']
        shell = subprocess.run(["stdbuf", "-oL", "bash", "-c", "\n".join(script)], cwd=folder, env=environment, text=True, timeout=240,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    printed = re.split(re.escape(MARK) + r"(\d+)\n", shell.stdout)
    complaints = []
    for number, (command, expected) in enumerate(commands):
        if 2 * number + 1 >= len(printed):
            complaints.append(f"{page.name}: '{command}' was not reached")
            break
        output, status = printed[2 * number], printed[2 * number + 1]
        if status != "0":
            complaints.append(f"{page.name}: '{command}' ended with {status}:\n{output}")
        elif not re.fullmatch(pattern_of(expected), "\n".join(normalized(output)) + "\n"):
            complaints.append(f"{page.name}: '{command}' printed\n{output}instead of\n{expected}")
    print(f"{page.name}: {len(commands)} commands")
    return complaints


def main():
    build, pages = sys.argv[1], [pathlib.Path(p) for p in sys.argv[2:]]
    with tempfile.TemporaryDirectory() as prefix:
        subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
        table = pathlib.Path(prefix) / "table"
        table.mkdir()
        configured = [str(f.parent) for f in pathlib.Path(prefix).rglob("callisto.pc")]
        libraries = [str(f.parent) for f in pathlib.Path(prefix).rglob("libcallisto.*")]
        environment = os.environ | {
            "PATH": f"{prefix}/bin:{os.environ['PATH']}", "PKG_CONFIG_PATH": ":".join(configured),
            "LD_LIBRARY_PATH": ":".join(libraries), "CALLISTO_COSCHED": "", "CALLISTO_COSCHED_DIR": str(table),
            "LC_ALL": "C.UTF-8"}
        complaints = []
        machine = json.loads(subprocess.check_output(["callisto", "machine", "--json"], env=environment))
        can_share = machine["pinned"] and machine["threads"] > 1
        for page in pages or sorted((ROOT / "docs" / "tutorial").glob("*.md")):
            if page.name == "two-programs.md" and not can_share:
                print(f"{page.name}: skipped, programs cannot share contexts here")
            else:
                complaints += run(page, environment)
    print("\n".join(complaints))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
