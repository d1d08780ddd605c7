#!/usr/bin/env python3
"""Times processes that each train a model at the same time, without thread settings: as they are, and under
`callisto run`. Prints a table in Markdown: medians of rounds in turns, seconds by the clock from the first process's
start to the last one's end, and of the longest training alone. Models must be the same both ways.

    trainings.py [--callisto PATH] [--processes 4] [--rounds 5] [PACKAGE...]

PACKAGE: of sklearn, lightgbm, xgboost, torch; by default all that this Python has.
"""

import argparse
import importlib
import os
import statistics
import subprocess
import sys
import tempfile
import time

folder = os.path.dirname(os.path.abspath(__file__))
built = os.path.join(os.path.dirname(os.path.dirname(folder)), "build/release/bin/callisto")

DATA = """
import sys, time
import numpy as np
random = np.random.default_rng(1)
X = random.normal(size=(60_000, 30)).astype(np.float32)
y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * random.normal(size=len(X)) > 0).astype(int)
{fit}
begin = time.perf_counter()
made = train()
took = time.perf_counter() - begin
np.save(sys.argv[1], made)
print(took)
"""

#: By package: what is trained, and the program of it.
TRAINED = {
    "sklearn": ("scikit-learn {}, `HistGradientBoostingClassifier`, 60 iterations", """
from sklearn.ensemble import HistGradientBoostingClassifier
train = lambda: HistGradientBoostingClassifier(max_iter=60, random_state=1).fit(X, y).predict_proba(X[:1000])
"""),
    "lightgbm": ("LightGBM {}, `LGBMClassifier`, 60 iterations", """
import lightgbm
model = lightgbm.LGBMClassifier(n_estimators=60, random_state=1, verbose=-1)
train = lambda: model.fit(X, y).predict_proba(X[:1000])
"""),
    "xgboost": ("XGBoost {}, `hist`, 60 rounds", """
import xgboost
train = lambda: xgboost.XGBClassifier(n_estimators=60, tree_method="hist", random_state=1).fit(X, y).predict_proba(X[:1000])
"""),
    "torch": ("PyTorch {}, three layers, 2 epochs", """
import torch
torch.manual_seed(1)
net = torch.nn.Sequential(torch.nn.Linear(30, 128), torch.nn.ReLU(), torch.nn.Linear(128, 128), torch.nn.ReLU(),
                          torch.nn.Linear(128, 1))
def train():
    rows, targets = torch.tensor(X), torch.tensor(y, dtype=torch.float32)[:, None]
    steps = torch.optim.Adam(net.parameters())
    for epoch in range(2):
        for i in range(0, len(rows), 500):
            steps.zero_grad()
            torch.nn.functional.binary_cross_entropy_with_logits(net(rows[i:i + 500]), targets[i:i + 500]).backward()
            steps.step()
    return net(rows[:1000]).detach().numpy()
"""),
}


def together(command, processes, where):
    """Returns (seconds from the first start to the last end, seconds of the longest training, a model)."""
    begin = time.perf_counter()
    running = [subprocess.Popen([*command, os.path.join(where, f"{i}.npy")], stdout=subprocess.PIPE, text=True)
               for i in range(processes)]
    ended = [process.communicate()[0] for process in running]
    took = time.perf_counter() - begin
    if any(process.returncode for process in running):
        sys.exit(f"trainings: {' '.join(command[-3:])[:80]} ... failed (its error is above)")
    with open(os.path.join(where, "0.npy"), "rb") as file:
        return took, max(map(float, ended)), file.read()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--callisto", default=built, help="the command [build/release/bin/callisto]")
    options.add_argument("--processes", type=int, default=4)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("packages", nargs="*", metavar="PACKAGE")
    given = options.parse_args()
    if not os.access(given.callisto, os.X_OK):
        sys.exit(f"trainings: {given.callisto} is no program: expected the command callisto (./x build)")
    for package in given.packages:
        if package not in TRAINED:
            sys.exit(f"trainings: no package '{package}' here: expected some of {', '.join(TRAINED)}")
    print(f"{given.processes} processes at once, {os.cpu_count()} contexts, medians of {given.rounds} rounds in turns\n")
    print("| trained | stock, s | Callisto, s | times | training: stock | Callisto | times |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for package in given.packages or TRAINED:
        try:
            version = importlib.import_module(package).__version__
        except ImportError:
            print(f"trainings: {package} left out: this Python has none", file=sys.stderr)
            continue
        title, fit = TRAINED[package]
        plain = [sys.executable, "-c", DATA.format(fit=fit)]
        ways = {"stock": plain, "Callisto": [given.callisto, "run", "--", *plain]}
        found = {way: [] for way in ways}
        with tempfile.TemporaryDirectory() as where:
            for _ in range(given.rounds):
                for way, command in ways.items():
                    found[way].append(together(command, given.processes, where))
        if len({model for runs in found.values() for *_, model in runs}) != 1:
            print(f"trainings: {package}: the models differ in bits", file=sys.stderr)
        columns = []
        for part in 0, 1:
            stock, ours = (statistics.median(run[part] for run in found[way]) for way in ways)
            columns += [f"{stock:.1f}", f"{ours:.1f}", f"{stock / ours:.1f}"]
        print(f"| {title.format(version)} | {' | '.join(columns)} |", flush=True)


if __name__ == "__main__":
    main()
