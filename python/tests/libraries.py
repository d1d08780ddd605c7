"""Runs the pages and the columns in clean environments that have one library of columns alone, or none: what a user has
just installed; the estimators in one with scikit-learn. Exits 77 with a reason if pip reaches no index.

    python libraries.py FOLDER     FOLDER: where the environments are made, and kept
"""

import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

here = Path(__file__).resolve().parent

#: By name: what is installed beside numpy.
ENVIRONMENTS = {
    "none": [],
    "pandas-3": ["pandas>=3,<4"],
    "pandas-2": ["pandas>=2,<3"],
    "polars": ["polars"],
    "pyarrow": ["pyarrow"],
    "scikit-learn": ["scipy", "scikit-learn"],
}
#: What runs there.
SCRIPTS = {"scikit-learn": ("estimators.py",)}


def closure(names):
    """Returns the distributions of these names that this Python has, with all that they require here."""
    found, wanted = {}, list(names)
    while wanted:
        name = re.sub(r"[-_.]+", "-", wanted.pop()).lower()
        if name in found:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        wanted += [re.match(r"[\w.-]+", line)[0] for line in found[name].requires or ()
                   if "extra" not in line and "win32" not in line]
    return found.values()


def is_here(requirement):
    """Returns True if this Python has a package in the version that is asked for: "name>=first,<last"."""
    name, _, first = requirement.partition(">=")
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return not first or version.split(".")[0] == first.split(",")[0]


def link(distributions, site):
    """Shows the files of these distributions, and nothing else of this Python, to another environment."""
    for distribution in distributions:
        for top in {Path(file).parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}:
            target = Path(distribution.locate_file(top))
            if target.exists() and not (site / top).exists():
                (site / top).symlink_to(target.resolve())


def made(folder, packages):
    """Returns the Python of an environment with these packages, which is made if it is not there. What this Python has
    is linked; pip fetches the rest. None if it cannot."""
    python, complete = folder / "bin" / "python", folder / ".complete"
    wanted = " ".join([sys.version, *packages])
    if complete.exists() and complete.read_text() == wanted:
        return python
    subprocess.run([sys.executable, "-m", "venv", "--clear", "--without-pip", folder], check=True)
    site = next(folder.glob("lib/python*/site-packages"))
    here_already = [re.split("[<>=]", package)[0] for package in ["numpy", *packages] if is_here(package)]
    link(closure(here_already), site)
    missing = [package for package in ["numpy", *packages] if not is_here(package)]
    if missing:
        pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--disable-pip-version-check",
               "--no-compile", "--retries", "1"]
        installed = subprocess.run([*pip, *missing], capture_output=True, text=True)
        if installed.returncode:
            last = (installed.stderr.strip().splitlines() or ["no reason given"])[-1]
            print(f"libraries: pip could not install {' '.join(missing)}: {last}")
            return None
    complete.write_text(wanted)
    return python


def main():
    if len(sys.argv) != 2:
        sys.exit("libraries: expected a folder for the environments")
    all_made = True
    for name, packages in ENVIRONMENTS.items():
        if name == "pandas-3" and sys.version_info < (3, 11):
            print("pandas-3: skipped, it needs Python 3.11")
            continue
        python = made(Path(sys.argv[1]) / f"{name}-{sys.version_info[0]}.{sys.version_info[1]}", packages)
        if python is None:
            all_made = False
            continue
        # What pip did not compile is compiled once, where it is imported; nothing is written beside the sources.
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(python.parent.parent / "compiled")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        if name != "pandas-2":
            environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        for script in SCRIPTS.get(name, ("columns_everywhere.py", "pages_alone.py")):
            done = subprocess.run([python, here / script], env=environment)
            if done.returncode:
                sys.exit(f"libraries: {script} failed in the environment {name}: {python}")
            print(f"{name}: {script} passed", flush=True)
    return 0 if all_made else 77


if __name__ == "__main__":
    sys.exit(main())
