#!/usr/bin/env python3
"""links.py [FILE...]: checks links to files of the repository; prints each that leads nowhere.

Without FILE it reads every text file that git knows. In Markdown files it checks
- relative links [text](path#anchor) and ![text](path): path is a file or folder, anchor one of its headings;
- reference definitions [label]: path;
- paths in backticks that begin with callisto/, lab/, tests/, tools/ or docs/, if they name a file or folder.
In all other files (comments, scripts, manual pages) it checks mentions of pages under docs/.
Entries of docs/notebook/ keep the paths of their day: their backticks are not checked.
Exit status: 0 if every link resolves, 1 if one does not, 2 for a wrong argument.
"""
import os
import re
import subprocess
import sys

LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")  # the text before it may begin a line earlier
DEFINITION = re.compile(r"^\s{0,3}\[[^\]]+\]:\s+(\S+)")
CODE = re.compile(r"(`+)(.+?)\1")
PATH = re.compile(r"^(?:callisto|lab|tests|tools|docs)/[\w./@+-]*$")
MENTION = re.compile(r"(?<![\w/.-])docs/[\w./-]+\.md\b")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")


def slug(heading):
    """Returns the anchor that GitHub gives a heading: lower case, no punctuation, blanks as hyphens."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")


def lines_of(path):
    """Yields (number, line, whether the line is inside a fenced block)."""
    fence = None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            mark = re.match(r"^\s*(```+|~~~+)", line)
            if mark and (fence is None or mark.group(1).startswith(fence)):
                fence = mark.group(1) if fence is None else None
                yield number, line, True
            else:
                yield number, line, fence is not None


def anchors_of(path, known={}):
    """Returns the anchors of a Markdown file, those of repeated headings with their numbers."""
    if path not in known:
        found, seen = set(), {}
        for _, line, fenced in lines_of(path):
            heading = None if fenced else HEADING.match(line)
            if heading:
                name = slug(heading.group(2))
                found.add(f"{name}-{seen[name]}" if name in seen else name)
                seen[name] = seen.get(name, 0) + 1
            found.update(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", line))
        known[path] = found
    return known[path]


def wrong_link(source, target):
    """Returns what is wrong with a link from `source` to `target`, or None."""
    if re.match(r"^[a-zA-Z][a-zA-Z0-9+.-]*:", target) or target.startswith("//"):
        return None
    path, _, anchor = target.partition("#")
    full = os.path.normpath(os.path.join(os.path.dirname(source), path)) if path else source
    if not os.path.exists(full):
        return f"no such file: {full}"
    if anchor and full.endswith(".md") and anchor.lower() not in anchors_of(full):
        return f"no such heading in {full}: #{anchor}"
    return None


def wrong_path(text):
    """Returns what is wrong with a path in backticks, or None. A name without its suffix stands for .hpp and .cpp."""
    text = re.sub(r"(:\d+)+$", "", text)
    if not PATH.match(text) or any(os.path.exists(text + suffix) for suffix in ("", ".hpp", ".cpp")):
        return None
    return f"no such file: {text}"


def check(path):
    """Prints every link of the file that leads nowhere; returns how many do."""
    wrong = 0
    history = os.path.dirname(path) == "docs/notebook" and os.path.basename(path) != "README.md"
    for number, line, fenced in lines_of(path):
        if fenced:
            continue
        plain = CODE.sub("", line)
        found = [wrong_link(path, target) for target in LINK.findall(CODE.sub(lambda m: "x" * len(m.group(0)), line))]
        definition = DEFINITION.match(plain)
        if definition:
            found.append(wrong_link(path, definition.group(1)))
        if not history:
            found += [wrong_path(code.strip()) for _, code in CODE.findall(line)]
        for complaint in filter(None, found):
            print(f"{path}:{number}: {complaint}")
            wrong += 1
    return wrong


def check_mentions(path):
    """Prints every mention of a page of docs/ that does not exist; returns how many there are."""
    wrong = 0
    with open(path, encoding="utf-8", errors="ignore") as file:
        for number, line in enumerate(file, 1):
            for page in MENTION.findall(line):
                if not os.path.exists(page):
                    print(f"{path}:{number}: no such file: {page}")
                    wrong += 1
    return wrong


def main():
    if any(argument.startswith("-") for argument in sys.argv[1:]):
        print(__doc__, end="")
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    listed = subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard"], text=True)
    files = sys.argv[1:] or listed.splitlines()
    wrong = 0
    for path in (os.path.normpath(path) for path in files):
        if os.path.isfile(path) and not path.startswith("tests/fuzz/") and path != "tools/lint/links.py":
            wrong += check(path) if path.endswith(".md") else check_mentions(path)
    if wrong:
        print(f"{wrong} links lead nowhere")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
