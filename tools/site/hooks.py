"""Hooks of mkdocs for Callisto's site.

1. The navigation has a section for each folder of docs/, in Diataxis order; pages stand in it by their headings.
2. README.md and the other Markdown files of the repository are pages, too.
3. Links are written for the repository. A link to a page becomes a link to that page of the site. A link to any other
   file or folder becomes a link to a page that shows the file or lists the folder; in the notebook and in READMEs of
   folders it becomes text.
4. Each subcommand has a page: reference/cli.md is cut at its headings.
5. The search knows what users look for: neither the notebook, nor RFCs, nor pages of folders.
6. What no browser of today loads is left out: the theme's fonts. Pages of folders and of the notebook have a menu of
   sections alone, as the whole menu is most of such a page.
"""
import html
import json
import os
import pathlib
import posixpath
import re
import shutil
import subprocess

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECTIONS = [("Tutorials", "tutorial"), ("How-to", "how-to"), ("Reference", "reference"), ("Explanation", "explanation"),
            ("Results", "results"), ("RFCs", "rfcs"), ("Notebook", "notebook")]
FIRST = ["first-graph", "first-loop", "two-programs", "from-openmp", "from-onetbb", "from-networkx-and-igraph",
         "nest-loops", "profile-loops", "run-openmp-programs", "share-a-machine", "operate-a-shared-machine", "cli",
         "lab", "cli-json", "environment", "schedules", "formats", "how-a-loop-runs", "co-scheduling", "activations",
         "preemption", "openmp-runtime"]
ROOMS = ["app", "graph", "openmp", "loop", "workers", "distributor", "cosched", "machine"]
PROJECT = ["ARCHITECTURE.md", "CONTRIBUTING.md", "GOVERNANCE.md", "SECURITY.md", "CHANGELOG.md", "docs/style.md"]
FRONT = ["README.md", *PROJECT]
MENU = re.compile(r'(<div class="wy-menu wy-menu-vertical"[^>]*>)(.*?)(</div>\s*</div>\s*</nav>)', re.DOTALL)
SECTION = re.compile(r'<span class="caption-text">([^<]*)</span></p>\s*<ul[^>]*>\s*<li[^>]*>\s*<a[^>]* href="([^"]*)"')
SHORT_CODE = re.compile(r"<code>(?=[^<]*[- ])(?=[^<]{1,24}<)([^<]*)")  # is not to be broken behind a hyphen
LINK = re.compile(r"(\]\(\s*<?)([^)\s>#]+)(#[^)\s>]*)?(>?\s*\))")
COMMAND = "docs/reference/cli.md"
SUBCOMMAND = re.compile(r"^### callisto ([\w-]+)\n", re.MULTILINE)
CUT = ROOT / "build" / "site-pages"  # where the pages of subcommands are made
tracked = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, text=True,
                         stdout=subprocess.PIPE, check=False).stdout.split("\n")
if len(tracked) < 2:  # not a clone
    tracked = [p.relative_to(ROOT).as_posix() for p in ROOT.rglob("*") if p.is_file() and "build" not in p.parts]
first_pages = {}  # what a link to a section's folder leads to
NO_PAGE = "](no page)"  # in the place of a link of which only the text stays
shown = set()  # files and folders that pages link to, by their path in the repository


def site_path(repository_path):
    """Returns the path of a Markdown file among the pages of the site."""
    if repository_path == "docs/README.md":
        return "about-these-pages.md"
    if repository_path.startswith("docs/"):
        return repository_path[len("docs/"):]
    return "index.md" if repository_path == "README.md" else "source/" + repository_path


def repository_path(site):
    """Returns the inverse of site_path()."""
    if site == "about-these-pages.md":
        return "docs/README.md"
    if site in ("index.md", "README.md"):
        return "README.md"
    return site[len("source/"):] if site.startswith("source/") else "docs/" + site


def title_of(path):
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.startswith("# "):
            return re.sub(r"[`*]", "", line[2:]).strip()
    return path.stem


def on_config(config):
    nav = [{"Callisto": "index.md"}]
    for name, folder in SECTIONS:
        pages = sorted((ROOT / "docs" / folder).glob("*.md"),
                       key=lambda p: (p.stem != "README", FIRST.index(p.stem) if p.stem in FIRST else 99, p.stem))
        if folder == "notebook" and pages[0].stem == "README":
            pages = pages[:1]  # lists the others
        entries = [{title_of(page): f"{folder}/{page.name}"} for page in pages]
        if folder == "reference":
            entries.append({"C++ API": "api/index.html"})
        if entries:
            nav.append({name: entries})
            first_pages[folder] = f"{folder}/{pages[0].name}"
    rooms = [*(f"callisto/{room}/README.md" for room in ROOMS), "lab/README.md"]
    nav.append({"Rooms of the code": [{title_of(ROOT / p): site_path(p)} for p in rooms if (ROOT / p).exists()]})
    if not nav[-1]["Rooms of the code"]:
        nav.pop()
    nav.append({"Project": [{title_of(ROOT / p): site_path(p)} for p in PROJECT if (ROOT / p).exists()]})
    config["nav"] = nav
    return config


class outside(File):
    """A Markdown file outside of docs/, or with another name on the site."""

    def __init__(self, at, config, file=None):
        super().__init__(site_path(at), str(ROOT / "docs"), config["site_dir"], config["use_directory_urls"])
        self.abs_src_path = str(file or ROOT / at)


def sections_of(text):
    """Returns {subcommand: its section} of reference/cli.md, and the text with links in the place of the sections."""
    sections = {}
    starts = [*SUBCOMMAND.finditer(text)]
    rest, done = "", 0
    for number, start in enumerate(starts):
        end = re.compile(r"^##? ", re.MULTILINE).search(text, start.end())
        end = min([end.start() if end else len(text)] + [s.start() for s in starts[number + 1:number + 2]])
        name, body = start[1], text[start.end():end]
        sections[name] = f"# callisto {name}\n{body}"
        words = next((line for line in body.split("\n") if line.strip()), "")
        rest += text[done:start.start()] + f"- [callisto {name}](cli/{name}.md): {words}\n"
        done = end
        if end < len(text) and not any(s.start() == end for s in starts):
            rest += "\n"
    return sections, rest + text[done:]


def page_of_subcommand(section, names):
    """Returns a section as a page one folder below: links lead up, or to the pages of other subcommands."""
    def moved(found):
        before, target, anchor, after = found.groups()
        return found[0] if re.match(r"[a-z]+:", target) else f"{before}../{target}{anchor or ''}{after}"
    text = LINK.sub(moved, section)
    return re.sub(r"\]\(#([^)]+)\)", lambda m: f"]({m[1][9:]}.md)" if m[1][9:] in names and m[1].startswith("callisto-")
                  else f"](../cli.md#{m[1]})", text)


def on_files(files, config):
    for file in [f for f in files if f.src_path in ("README.md", "Doxyfile", "api.dox")]:
        files.remove(file)
    for at in tracked:
        if at.endswith(".md") and (ROOT / at).exists() and (not at.startswith("docs/") or at == "docs/README.md"):
            files.append(outside(at, config))
    sections, _ = sections_of((ROOT / COMMAND).read_text(encoding="utf-8"))
    CUT.mkdir(parents=True, exist_ok=True)
    for name, section in sections.items():
        page = CUT / f"{name}.md"
        page.write_text(page_of_subcommand(section, sections), encoding="utf-8")
        files.append(outside(f"docs/reference/cli/{name}.md", config, page))
    return files


def with_lists_apart(markdown):
    """Puts an empty line before each list that follows a paragraph: Python-Markdown needs it, GitHub does not."""
    out, fenced = [], False
    for line in markdown.split("\n"):
        before = out[-1] if out else ""
        if re.match(r"(- |1\. )", line) and not fenced and before and not re.match(r"(- |\d+\. |\s)", before):
            out.append("")
        fenced ^= line.lstrip().startswith("```")
        out.append(line)
    return "\n".join(out)


def on_page_markdown(markdown, page, config, files):
    here = repository_path(page.file.src_path)
    # What is for those with a clone has no need of pages that show its files.
    without_sources = here.startswith(("docs/notebook/", "docs/rfcs/")) or not here.startswith("docs/") and here not in FRONT
    if here == "README.md":
        markdown = re.sub(r'\b(src|srcset)="docs/', r'\1="', markdown)
    if here == COMMAND:
        _, markdown = sections_of(markdown)

    def replaced(found):
        before, target, anchor, after = found.groups()
        if re.match(r"[a-z]+:", target):
            return found.group(0)
        at = posixpath.normpath(posixpath.join(posixpath.dirname(here), target))
        if at == COMMAND and (anchor or "").startswith("#callisto-"):
            at, anchor = f"docs/reference/cli/{anchor[len('#callisto-'):]}.md", ""
        if (CUT / posixpath.basename(at)).exists() and at.startswith("docs/reference/cli/"):
            return before + posixpath.relpath(at[len("docs/"):], posixpath.dirname(page.file.src_path)) + (anchor or "") + after
        if (ROOT / at).is_dir() and (ROOT / at / "README.md").exists():
            at += "/README.md"
        section = posixpath.relpath(at, "docs")
        if section in first_pages:
            to = first_pages[section]
        elif at.endswith(".md") and (ROOT / at).exists():
            to = site_path(at)
        elif at.startswith("docs/") and not (ROOT / at).is_dir():
            to = at[len("docs/"):]
        elif (ROOT / at).exists():
            if without_sources:
                return NO_PAGE
            shown.add(at)
            to = "source/" + at + ".html"
        else:
            return found.group(0)
        return before + posixpath.relpath(to, posixpath.dirname(page.file.src_path) or ".") + (anchor or "") + after

    # C++ lambdas in fenced code look like links; what they would lead to does not exist, so they stay as they are.
    return re.sub(r"\[([^\[\]]*)" + re.escape(NO_PAGE), r"\1", LINK.sub(replaced, with_lists_apart(markdown)))


def add_missing_scripts(folder):
    """Adds the scripts that the theme's pages name and Debian's mkdocs 1.4 has under other names, or not at all."""
    jquery = folder / "jquery-3.6.0.min.js"
    others = sorted(folder.glob("jquery-*.min.js"))
    if not jquery.exists() and others:
        shutil.copyfile(others[-1], jquery)
    for name in ("html5shiv.min.js", "theme_extra.js"):
        if folder.exists() and not (folder / name).exists():
            (folder / name).write_text("", encoding="utf-8")


def menu_of_sections(menu):
    """Returns a menu in which each section is one line, which leads to the section's first page."""
    rows = "".join(f'<li class="toctree-l1"><a class="reference internal" href="{to}">{name}</a></li>\n'
                   for name, to in SECTION.findall(menu))
    return f"<ul>\n{rows}</ul>\n"


def on_post_page(output, page, config):
    """Shortens the menu of pages that are not for users, and takes away the blanks that the theme's templates leave, half of a page, but not those of code."""
    if not is_for_users(page.url):
        output = MENU.sub(lambda menu: menu[1] + menu_of_sections(menu[2]) + menu[3], output)
    parts = re.split(r"(<pre\b.*?</pre>)", output, flags=re.DOTALL)
    return "".join(part if part.startswith("<pre") else SHORT_CODE.sub(r'<code class="short">\1', re.sub(r"\s*\n\s*", "\n", part))
                   for part in parts)


def without_unused_fonts(site):
    """Removes fonts: the pages use the system's (site.css), and icons are of one file."""
    # The theme's versions have them at different places.
    for font in [*(site / "css" / "fonts").glob("*"), *(site / "fonts").glob("*")]:
        if font.name != "fontawesome-webfont.woff2":
            font.unlink()


def is_for_users(location):
    """True if the search shall find a page or section of a page."""
    page = location.split("#")[0]
    if page.startswith("source/"):
        return page.removeprefix("source/").replace(".html", ".md") in PROJECT
    return not page.startswith(("notebook/", "rfcs/"))


def with_index_for_users(site):
    """Cuts the index of the search down to what users look for."""
    at = site / "search" / "search_index.json"
    if at.exists():
        index = json.loads(at.read_text(encoding="utf-8"))
        index["docs"] = [entry for entry in index["docs"] if is_for_users(entry["location"])]
        at.write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def on_post_build(config):
    """Writes the pages of files and folders that were linked to, and what the theme lacks; removes what it has too much."""
    add_missing_scripts(pathlib.Path(config["site_dir"]) / "js")
    without_unused_fonts(pathlib.Path(config["site_dir"]))
    with_index_for_users(pathlib.Path(config["site_dir"]))
    for at in sorted(shown):
        source, to = ROOT / at, pathlib.Path(config["site_dir"]) / "source" / (at + ".html")
        to.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            inside = sorted({f[len(at) + 1:].split("/")[0] for f in tracked if f.startswith(at + "/")})
            body = "\n".join(html.escape(name) for name in inside)
        else:
            body = html.escape(source.read_text(encoding="utf-8", errors="replace"), quote=False)
        up = posixpath.relpath(".", posixpath.dirname("source/" + at))
        to.write_text(f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(at)}</title><link rel="stylesheet" href="{up}/site.css"></head>
<body class="source"><p><a href="{up}/index.html">Callisto</a> / {html.escape(at)}</p>
<pre>{body}</pre></body></html>
""", encoding="utf-8")
