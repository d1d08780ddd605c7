"""Runs the sessions of the pages for Python users with the libraries that are there, without pytest, for libraries.py.
A line that needs a library that is not there is skipped, and told."""

import doctest
import importlib.util
import os
import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
PAGES = ["docs/tutorial/first-graph-in-python.md", "docs/how-to/python-recipes.md",
         "docs/how-to/watch-a-graph-that-changes.md"]

#: What lines of the pages may need besides numpy.
LIBRARIES = ("pandas", "polars", "scipy")


def is_there(library):
    return importlib.util.find_spec(library) is not None


def missing_library(error):
    """Returns the library that a line needs, by its import or by what to_frame() says; None if the error is another."""
    found = re.match(r"No module named '(\w+)'|(\w+) is not installed: pip install", str(error))
    name = found and (found[1] or found[2])
    return name if name in LIBRARIES and not is_there(name) else None


def for_these_libraries(page, text):
    """Returns the tutorial as its note on other libraries than pandas says; other pages as they are."""
    if page != PAGES[0] or is_there("pandas"):
        return text
    if is_there("polars"):
        return text.replace("import pandas as pd", "import polars as pd")
    if is_there("pyarrow"):
        return text.replace("import pandas as pd", "import pyarrow as pd").replace("pd.DataFrame(", "pd.table(")
    return text.replace(">>> import pandas as pd\n", "").replace("pd.DataFrame(", "dict(")


class Runner(doctest.DocTestRunner):
    """Keeps exceptions, which tell what is missing."""

    def __init__(self):
        super().__init__(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        self.error = None

    def report_unexpected_exception(self, out, test, example, exc_info):
        self.error = exc_info[1]
        super().report_unexpected_exception(out, test, example, exc_info)


def run_page(page):
    """Returns (lines that ran, skipped lines with their library). Raises AssertionError for a line that failed."""
    text = for_these_libraries(page, (root / page).read_text(encoding="utf-8"))
    names, ran, skipped = {}, 0, []
    for block in re.findall(r"```pycon\n(.*?)```", text, re.DOTALL):
        for example in doctest.DocTestParser().get_examples(block):
            test = doctest.DocTest([example], names, page, page, 0, None)
            told, runner = [], Runner()
            failed = runner.run(test, out=told.append, clear_globs=False).failed
            names = test.globs
            if not failed:
                ran += 1
                continue
            library = missing_library(runner.error) if isinstance(runner.error, ImportError) else None
            assert library, f"{page}: " + "".join(told)
            skipped.append((example.source.strip(), library))
            if example.source.startswith(("import", "from")):
                break  # the block is about that library
    return ran, skipped


def main():
    os.chdir(root)
    for page in PAGES:
        ran, skipped = run_page(page)
        print(f"{page}: {ran} lines ran" + "".join(f"\n  without {name}: {line}" for line, name in skipped))
        assert ran > 7


if __name__ == "__main__":
    sys.exit(main())
