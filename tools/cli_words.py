#!/usr/bin/env python3
"""Makes what is written about the words of the programs `callisto` and `callisto-lab` from their own parsers.

Usage: cli_words.py COMMAND LAB [--check]
       cli_words.py --into FOLDER [EMULATOR...] PROGRAM

COMMAND, LAB and PROGRAM are built programs; `--describe` prints the subcommands, options and texts of each. Prose that
belongs to no subcommand is in the templates tools/cli_words/*.in, where `@name@` alone on a line stands for a generated
part.

Without --into: writes the pages of docs/reference that readers of the repository see without a build: options (cli.md,
lab.md), weights.md, memory.md, cli-json.md, and the rules for tables in formats.md. --check writes nothing: it names the pages that differ from what they would be, and exits with 1 if there is one.
--into: writes the manual pages of PROGRAM to FOLDER/man and its completions of bash, zsh and fish to FOLDER/completion.
The build calls it (cmake/words.cmake).
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
TEMPLATES = ROOT / "tools" / "cli_words"
MADE_BY = "Made by tools/cli_words.py from the program's parser."

# What a value is where the parser names no words: a file, a folder, or nothing to complete.
FILES = {"FILE", "IN", "OUT"}
FOLDERS = {"DIR"}


class Command:
    """A subcommand, with the words that lead to it; or, without such words, a program."""

    def __init__(self, described, path=(), of=""):
        self.path = path
        self.of = of or described["name"]
        self.title = " ".join((self.of,) + path)
        self.__dict__.update(described)
        inner = [{**s, "everywhere": described["everywhere"]} for s in described["subcommands"]]
        self.subcommands = [Command(s, path + (s["name"],), self.of) for s in inner]

    def all(self):
        """The subcommands below this one, in depth, those that only have subcommands included."""
        for s in self.subcommands:
            yield s
            yield from s.all()

    def flags(self, option):
        return [n for n in option["names"] if n.startswith("-")]

    def completed(self):
        """The options that completions offer: also those of all subcommands, but where another program's words follow."""
        return self.options + ([] if self.program else self.everywhere)

    def own_options(self):
        return [o for o in self.options if o["group"] == "Options" and "--help" not in o["names"]]

    def shared_options(self):
        return [o for o in self.options if o["group"] != "Options"]

    def blocks(self):
        """The parts of the footer: (kind, lines), of kind text (a paragraph), literal (stays as it is) or examples."""
        blocks, examples = [], False
        for line in self.footer.split("\n") + [""]:
            literal = line.startswith("  ")
            if line in ("Examples:", ""):
                examples = line == "Examples:"
                blocks.append(["end", []])
                continue
            kind = "examples" if examples else "literal" if literal else "text"
            if not blocks or blocks[-1][0] != kind:
                blocks.append([kind, []])
            blocks[-1][1].append(line)
        return [(kind, lines) for kind, lines in blocks if lines]

    def examples(self):
        return [line.strip() for kind, lines in self.blocks() if kind == "examples" for line in lines]


def listed(words):
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def unwrapped(text):
    return " ".join(text.split())


def shared(commands):
    """The options that several of `commands` take: {group: [(option, users)]}. `users` is a sentence that says which of
    the subcommands with options of the group take it, or empty if all do."""
    takers, groups = {}, {}
    for c in commands:
        for o in c.shared_options():
            groups.setdefault(o["group"], {}).setdefault(json.dumps(o), []).append(c)
            takers.setdefault(o["group"], set()).add(c.path)
    def users_of(option, group):
        with_it = [" ".join(c.path) for c in groups[group][option]]
        without = [" ".join(c.path) for c in commands if c.path in takers[group] and c not in groups[group][option]]
        if not without:
            return ""
        return f"Not of {listed(without)}." if len(without) < len(with_it) else f"Only of {listed(with_it)}."
    return {g: [(json.loads(o), users_of(o, g)) for o in options] for g, options in groups.items()}


# The manual pages, in mdoc(7).

def mdoc(text):
    """Prose as lines of mdoc, one a sentence."""
    text = unwrapped(text).replace("\\", "\\e")

    def literal(found):
        return "\0" + found[1] + "\1"
    text = re.sub(r"`([^`]+)`", literal, text)
    text = re.sub(r"(?<![\w\0])'([^' ]|[^' ][^']*[^' ])'(?!\w)", literal, text)
    text = re.sub(r"(?<![\w\0-])(--[a-z][a-z-]*)(?=[^\0\1]*(\0|$))", literal, text)
    text = re.sub(r"<(https?://[^>]+)>", r"\1", text)
    text = re.sub(r"(?<=[\0 ([])-(?=[-\w.\1 ])", r"\\-", text)
    text = re.sub(r"\\--", r"\\-\\-", text)
    text = text.replace("\0", "\\fB").replace("\1", "\\fR")
    sentences = re.split(r"(?<=[.?!])(?<!\.g\.) +(?=[A-Z\\0-9-])", text)
    return [("\\&" if s.startswith((".", "'")) else "") + s for s in sentences]


def mdoc_usage(usage):
    lines = []
    for token in usage.split():
        optional, word = token.startswith("["), token.strip("[]")
        name = word.removesuffix("...")
        dots = " ..." if word.endswith("...") else ""
        macro = "Fl Fl" if word == "--" else f"Ar {name}{dots}" if name.isupper() else f"Cm {name}"
        lines.append((".Op " if optional else ".") + macro)
    return lines


def mdoc_option(option, users=""):
    names = [f"Fl {n[1:]}" if not n.startswith("--") else f"Fl Fl {n[2:]}" for n in option["names"] if n.startswith("-")]
    if not names:
        names = [f"Ar {option['names'][0]}{' ...' if option['many'] else ''}"]
        value = ""
    else:
        value = f" Ar {option['value']}" if option["value"] else ""
    lines = [f".It {' , '.join(names)}{value}", *mdoc(ended(option))]
    return lines + ([users] if users else [])


def ended(option):
    """The description as sentences, and what more there is to say."""
    first = unwrapped(option["description"])
    return first + ("" if first.endswith(".") else ".") + (" " + option["more"] if option["more"] else "")


def mdoc_command(c):
    lines = [f".Ss {c.title}", *mdoc(c.description + ".")]
    for kind, block in c.blocks():
        if kind == "text":
            lines += [".Pp", *mdoc(" ".join(block))]
        elif kind == "literal":
            lines += [".Bd -literal -offset indent", *[b[2:].replace("\\", "\\e") for b in block], ".Ed"]
    for paragraph in filter(None, c.more.split("\n\n")):
        lines += [".Pp", *mdoc(paragraph)]
    program = [{"names": [c.program], "many": False, "value": "", "description": c.program_description, "more": ""}]
    items = [mdoc_option(o) for o in c.positionals + (program if c.program else []) + c.own_options()]
    if items:
        lines += [".Bl -tag -width Ds", *[line for item in items for line in item], ".El"]
    groups = list(dict.fromkeys(o["group"] for o in c.shared_options()))
    if groups:
        lines += [".Pp", f"It also takes options of {listed([chr(92) + 'fI' + g + chr(92) + 'fR' for g in groups])}, below."]
    return lines


def mdoc_examples(lines):
    return [".Dl $ " + re.sub(r" {3,}.*", "", line).replace("\\", "\\e").replace("-", "\\-") for line in lines]


def mdoc_parts(commands):
    """What the templates of manual pages may ask for, of these subcommands."""
    users = [c for top in commands for c in [top, *top.all()]]
    synopsis = []
    for top in commands:
        for usage in top.usages:
            synopsis += [f".Nm {top.of}", f".Cm {top.name}", *mdoc_usage(usage)]
    options = []
    for group, rows in shared(users).items():
        options += [f".Ss {group}", ".Bl -tag -width Ds", *[line for o, takers in rows for line in mdoc_option(o, takers)], ".El"]
    examples = mdoc_examples(e for c in users for e in c.examples())
    return {"synopsis": synopsis, "commands": [line for c in users if not c.only_subcommands for line in mdoc_command(c)],
            "options": options, "examples": examples}


# The reference, in Markdown.

def markdown(text):
    text = unwrapped(text)
    text = re.sub(r"(?<![\w`])'([^' ]|[^' ][^']*[^' ])'(?!\w)", r"`\1`", text)
    parts = re.split(r"(`[^`]*`)", text)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"(?<![\w-])(--[a-z][a-z-]*)", r"`\1`", parts[i])
        parts[i] = re.sub(r"docs/(?:reference/)?([a-z-]+\.md)", r"[\1](\1)", parts[i])
        parts[i] = re.sub(r"<(?!https?:)", r"&lt;", parts[i])
    return "".join(parts)


def filled(text, width=120):
    """Markdown in lines of at most `width` columns."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def markdown_option(option, users=""):
    names = ", ".join(option["names"])
    if not names.startswith("-"):
        left = f"`{names}{'...' if option['many'] else ''}`"
    else:
        left = f"`{names} {option['value']}`" if option["value"] else f"`{names}`"
    text = markdown(ended(option)) + (" " + users if users else "")
    return f"| {left.replace('|', chr(92) + '|')} | {text.replace('|', chr(92) + '|')} |"


def markdown_command(c):
    lines = [f"### {c.title}", "", *filled(markdown(c.description + ".")), "", "```"]
    lines += [f"{c.title} {u}" for u in c.usages] + ["```", ""]
    for kind, block in c.blocks():
        if kind == "text":
            lines += [*filled(markdown(" ".join(block))), ""]
        elif kind == "literal":
            lines += ["```", *[b[2:] for b in block], "```", ""]
    for paragraph in filter(None, c.more.split("\n\n")):
        lines += [*filled(markdown(paragraph)), ""]
    program = [{"names": [c.program], "many": False, "value": "", "description": c.program_description, "more": ""}]
    rows = [markdown_option(o) for o in c.positionals + (program if c.program else []) + c.own_options()]
    if rows:
        lines += ["| argument, option | meaning |", "|---|---|", *rows, ""]
    groups = list(dict.fromkeys(o["group"] for o in c.shared_options()))
    if groups:
        anchors = [f"[{g}](#{g.lower().replace(' ', '-')})" for g in groups]
        lines += [*filled(f"It also takes options of {listed(anchors)}."), ""]
    if c.examples():
        lines += ["```", *c.examples(), "```", ""]
    return lines


def markdown_parts(root):
    users = [c for c in root.all() if not c.only_subcommands]
    commands, subject = [], ""
    for c in users:
        top = next(s for s in root.subcommands if s.name == c.path[0])
        if top.subject != subject:
            subject = top.subject
            commands += [f"## {subject}", ""]
        commands += markdown_command(c)
    options = []
    for group, rows in shared(users).items():
        options += [f"### {group}", "", "| option | meaning |", "|---|---|", *[markdown_option(o, u) for o, u in rows], ""]
    return {"commands": commands[:-1], "options": options[:-1]}


def cells(*texts):
    return "|" + "".join(f" {text.replace('|', chr(92) + '|')} |" if text else " |" for text in texts)


def together(rows):
    """Joins the names of rows that say the same: [(name, rest)] -> [(names, rest)], in the order of the first of each."""
    joined = {}
    for name, rest in rows:
        joined.setdefault(rest, []).append(name)
    return [(", ".join(names), rest) for rest, names in joined.items()]


def weight_table(root):
    """The commands that take weights for something, then those that do not, which stand in one row."""
    rows = {True: [], False: []}
    for c in root.subcommands:
        for row in c.weights:
            named = f"`{c.name} {row['when']}`" if row["when"].startswith("--") else \
                f"`{c.name}`, {row['when']}" if row["when"] else f"`{c.name}`"
            rest = (row["are"], row["repeats"], row["repeats_without"])
            rows[row["are"] != "not used" or bool(row["when"])].append((named, rest))
    return [cells(named, *rest) for named, rest in rows[True] + together(rows[False])]


def with_rules(page, root):
    """The text of a page with the rules of the reader of tables between its two marks."""
    begin, end = "<!-- table rules: made by tools/cli_words.py -->\n", "<!-- end of table rules -->"
    before, _, rest = page.partition(begin)
    _, mark, behind = rest.partition(end)
    assert mark, "a mark of the table of rules is missing"
    rules = next(c for c in root.subcommands if c.rules).rules
    rows = [cells(r["question"], r["rule"], r["flag"]) for r in rules]
    return before + begin + "\n".join(["| question | rule | flag |", "|---|---|---|", *rows]) + "\n" + end + behind


def memory_table(root):
    rows = [((c.name + " " + row["when"]).strip(), row["bytes"]) for c in root.subcommands for row in c.memory]
    return [cells(*row) for row in together(rows)]


def key_tables(root):
    lines = []
    for c in root.subcommands:
        if c.keys:
            lines += [f"## {c.name}", "", "| key | meaning |", "|---|---|",
                      *[cells(row["keys"], row["meaning"]) for row in c.keys], ""]
            lines += [*filled(c.below_keys), ""] if c.below_keys else []
    return lines[:-1]


def filled_template(name, parts):
    lines = []
    for line in (TEMPLATES / f"{name}.in").read_text().splitlines():
        part = re.fullmatch(r"@(\w+)@", line)
        lines += parts[part[1]] if part else [line]
    return "\n".join(lines) + "\n"


# Completion. What is offered for a value: "words", "list" (separated by commas), "or_file", "file", "folder" or "".

def kind_of(option):
    if option["kind"]:
        return {"one": "words"}.get(option["kind"], option["kind"])
    return "file" if option["value"] in FILES else "folder" if option["value"] in FOLDERS else ""


def brief(option):
    """The first statement of the description."""
    return re.split(r" \[|; |: | \(", unwrapped(option["description"]))[0].rstrip(".,")


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def long_name(option):
    return [n for n in option["names"] if n.startswith("--")][0]


def valued(c):
    return [n for o in c.completed() if o["value"] for n in o["names"]]


def function_of(root):
    """The name of the program's completion function."""
    return "_" + root.of.replace("-", "_")


def completion_template(shell, root, with_program):
    """The template of a shell with the program's names in it. What is between the lines @with_program@ and @end@ is for
    programs with a subcommand behind whose options stands another command."""
    text = (TEMPLATES / f"completion.{shell}.in").read_text()
    text = re.sub(r"@with_program@\n(.*?)@end@\n", r"\1" if with_program else "", text, flags=re.S)
    for name, value in [("program", root.of), ("function", function_of(root)), ("prefix", function_of(root)[1:]),
                        ("made_by", MADE_BY)]:
        text = text.replace(f"@{name}@", value)
    return text


def bash(root):
    everything = list(root.all())
    options, meanings, arguments = [], {}, []
    for c in [root, *everything]:
        path = "".join(" " + p for p in c.path)
        options += [f"    {quoted(path)})", f"      flags='{' '.join([long_name(o) for o in c.completed()])}'"]
        if valued(c):
            options += [f"      valued=' {' '.join(valued(c))} '"]
        if c.subcommands:
            options += [f"      subcommands='{' '.join([s.name for s in c.subcommands] + ([] if c.path else ['help']))}'"]
        options += ["      ;;"]
        for o in c.completed():
            for name in o["names"] if o["value"] else []:
                meanings.setdefault(name, {}).setdefault((kind_of(o), " ".join(o["choices"])), []).append(path)
        for i, p in enumerate(c.positionals):
            if p["choices"]:
                arguments += [f"      {quoted(f'{path} {i}')}) kind={kind_of(p)} words={quoted(' '.join(p['choices']))} ;;"]
        if not c.positionals and not c.program:
            arguments += [f"      {quoted(path + ' ')}[0-9]) kind=none ;;"]
    # An option that means the same in all subcommands stands once.
    places = {}
    for name, found in sorted(meanings.items(), key=lambda m: len(m[1]) == 1):
        for meaning, paths in found.items():
            places.setdefault(meaning, []).extend(
                [f"*{quoted(' ' + name)}"] if len(found) == 1 else [quoted(f"{p} {name}") for p in paths])
    rows = []
    for (kind, words), patterns in places.items():
        if kind:
            rows += [f"      {' | '.join(patterns)})", f"        kind={kind}" + (f" words={quoted(words)}" if words else ""),
                     "        ;;"]
    run = next((c for c in everything if c.program), None)
    text = completion_template("bash", root, run is not None)
    for part, lines in [("options", options), ("values", rows), ("arguments", arguments)]:
        text = text.replace(f"@{part}@\n", "\n".join(lines) + "\n")
    known = " | ".join(quoted(" " + " ".join(c.path)) for c in everything)
    text = text.replace("@known@", known)
    if run is None:
        return text
    return text.replace("@program_command@", " " + run.name).replace("@program_valued@", " | ".join(valued(run)))


def zsh(root):
    def action(option):
        kind = kind_of(option)
        words = " ".join(f'"{w}"' for w in option["choices"])
        return {"words": f"{{compadd -- {words}}}", "list": f"{{_values -s , {option['value']} {words}}}",
                "or_file": f"{{compadd -- {words} || _files}}", "file": "_files", "folder": "_files -/", "": " "}[kind]

    def spec(option):
        text = brief(option).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
        value = f":{option['value']}:{action(option)}" if option["value"] else ""
        star = "*" if option["many"] else ""
        if len(option["names"]) == 1:
            return quoted(f"{star}{option['names'][0]}[{text}]{value}")
        return f"'({' '.join(option['names'])})'{{{','.join(option['names'])}}}" + quoted(f"[{text}]{value}")

    function = function_of(root)
    lines = [f"#compdef {root.of}", f"# zsh completion for {root.of}; install as _{root.of} in share/zsh/site-functions.",
             "# " + MADE_BY, ""]
    for c in [root, *root.all()]:
        specs = [spec(o) for o in c.completed()]
        for i, p in enumerate(c.positionals, 1):
            specs.append(quoted(f"{'*' if p['many'] else i}:{p['value']}:{action(p)}"))
        if c.program:
            specs += [quoted(f"(-)1:{c.program}:_command_names -e"), quoted("*::ARGUMENT:_normal")]
        lines += [f"{'_'.join((function + '_at',) + c.path)}() {{"]
        if c.subcommands:
            lines += ["  if ((CURRENT == 2)); then", "    local -a subcommands=("]
            lines += [f"      {quoted(s.name + ':' + s.description)}" for s in c.subcommands]
            lines += ["      'help:Print help'"] if not c.path else []
            lines += ["    )", "    _describe -t commands subcommand subcommands", "  fi"]
        lines += ["  _arguments \\", *[f"    {s} \\" for s in specs[:-1]], f"    {specs[-1]}", "}", ""]
    return "\n".join(lines) + completion_template("zsh", root, False)


def fish_words(words):
    """Words for -a, which fish parses as it does a command: others than plain ones in quotes."""
    return " ".join(w if re.fullmatch(r"[\w.,:/+-]+", w) else "'" + w.replace("\\", "\\\\").replace("'", "\\'") + "'" for w in words)


def fish(root):
    prefix = "_" + function_of(root)
    head = completion_template("fish", root, any(c.program for c in root.all()))
    nested = [" ".join(c.path) for c in root.all()]
    takes = sorted({n for c in root.all() for n in valued(c)})
    head = head.replace("@paths@", " ".join(quoted(p) for p in nested))
    head = head.replace("@valued@", " ".join(takes))
    lines = []
    options = {}
    for c in [root, *root.all()]:
        at = " ".join(c.path)
        condition = f"{prefix}_at {quoted(at)}" if at else f"{prefix}_at ''"
        for s in c.subcommands:
            lines.append(f"complete -c {root.of} -n {quoted(f'{condition}; and {prefix}_argument 1')} -f -a {s.name} "
                         f"-d {quoted(s.description)}")
        for i, p in enumerate(c.positionals, 1):
            if p["choices"]:
                files = f"{condition}; and {prefix}_argument {i}" + (f"; and not {prefix}_names_file" if p["kind"] == "or_file" else "")
                lines.append(f"complete -c {root.of} -n {quoted(files)} -f -a {quoted(fish_words(p['choices']))} -d {p['value']}")
            elif p["value"] == "JOB":
                lines.append(f"complete -c {root.of} -n {quoted(condition)} -f -a '({prefix}_jobs)' -d job")
        if not c.positionals and not c.program:
            lines.append(f"complete -c {root.of} -n {quoted(condition)} -f")
        if c.program:
            skipped = " ".join(valued(c))
            lines.append(f"complete -c {root.of} -n {quoted(condition)} -x -a "
                         f"{quoted(f'(__fish_complete_subcommand --fcs-skip={len(c.path) + 1} {skipped})')} -d {c.program}")
        for o in c.completed():
            short = "".join(f" -s {n[1:]}" for n in o["names"] if not n.startswith("--"))
            words = fish_words(o["choices"])
            value = {"words": f" -x -a {quoted(words)}", "or_file": f" -r -a {quoted(words)}", "file": " -r -F",
                     "list": f" -x -a {quoted('(__fish_complete_list , ' + chr(34) + 'printf %s' + chr(92) + chr(92) + 'n ' + words + chr(34) + ')')}",
                     "folder": " -x -a '(__fish_complete_directories)'", "": " -x"}[kind_of(o)] if o["value"] else ""
            rest = f"{short} -l {long_name(o)[2:]}{value} -d {quoted(brief(o))}"
            options.setdefault(rest, []).append(quoted(at) if at else "''")
    for rest, paths in options.items():
        lines.append(f"complete -c {root.of} -n {quoted(prefix + '_at ' + ' '.join(paths))}{rest}")
    words = " ".join(s.name for s in root.subcommands)
    lines.append(f"complete -c {root.of} -n '{prefix}_first help' -f -a {quoted(words)}")
    return head + "\n".join(lines) + "\n"


def completions(root):
    """The completions of a program: path -> text."""
    return {f"completion/{root.of}.bash": bash(root), f"completion/_{root.of}": zsh(root),
            f"completion/{root.of}.fish": fish(root)}


def manual_pages(root):
    """The manual pages of a program: path -> text."""
    if root.of != "callisto":
        return {f"man/{root.of}.1": filled_template(f"{root.of}.1", mdoc_parts(root.subcommands))}
    top = {c.name: c for c in root.subcommands}
    graphs = [c for c in root.subcommands if c.subject == "Graphs"]
    sharing = [c for c in root.subcommands if c.subject == "Sharing the machine"]
    of_page = {"callisto-graph": graphs, "callisto-run": sharing}
    assert sorted(c.name for cs in of_page.values() for c in cs) == sorted(top), "a subcommand has no manual page"
    made = {f"man/{page}.1": filled_template(f"{page}.1", mdoc_parts(commands)) for page, commands in of_page.items()}
    parts = mdoc_parts(root.subcommands)
    parts["commands"], parts["examples"] = [], mdoc_examples(root.examples())
    for page, commands in of_page.items():
        parts["commands"] += [f".Ss {commands[0].subject}", f".Xr {page} 1 :", ".Bl -tag -width Ds -compact"]
        for c in commands:
            parts["commands"] += [f".It Cm {c.name}", *mdoc(c.description + ".")]
        parts["commands"] += [".El"]
    return made | {"man/callisto.1": filled_template("callisto.1", parts)}


def reference(command, lab):
    """The pages of the reference that the parsers of both programs fill: path -> text."""
    tables = {"weights": weight_table(command), "memory": memory_table(command), "keys": key_tables(command)}
    return {"docs/reference/cli.md": filled_template("cli.md", markdown_parts(command)),
            "docs/reference/lab.md": filled_template("lab.md", markdown_parts(lab))} | {
        f"docs/reference/{page}.md": filled_template(f"{page}.md", tables) for page in ("weights", "memory", "cli-json")} | {
        "docs/reference/formats.md": with_rules((ROOT / "docs/reference/formats.md").read_text(), command)}


def described(*program):
    """The parser of a program; `program`: the words that run it."""
    return Command(json.loads(subprocess.run([*program, "--describe"], check=True, capture_output=True, text=True).stdout))


def write(files, folder):
    """Writes the files that have another text, and returns their names."""
    written = []
    for name, text in files.items():
        path = folder / name
        if not path.is_file() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            written.append(name)
    return written


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--into"] and len(arguments) > 2:
        root = described(*arguments[2:])
        write(manual_pages(root) | completions(root), pathlib.Path(arguments[1]))
        return
    programs = [a for a in arguments if a != "--check"]
    if len(programs) != 2:
        sys.exit(__doc__)
    pages = reference(*[described(program) for program in programs])
    if "--check" in arguments:
        differing = [name for name, text in pages.items() if not (ROOT / name).is_file() or (ROOT / name).read_text() != text]
        if differing:
            sys.exit("differs from what the parser says: " + ", ".join(differing) + "\nmake it anew by: ./x words")
        return
    print("\n".join(f"wrote {name}" for name in write(pages, ROOT)) or "nothing to write")


if __name__ == "__main__":
    main()
