"""Packages with an OpenMP library of their own in one process with the kernels: both give what they give alone."""

import os
import subprocess
import sys

import pytest

TRAIN = {
    "sklearn": """
from sklearn.ensemble import HistGradientBoostingClassifier
model = lambda: HistGradientBoostingClassifier(max_iter=5, random_state=1).fit(X, y).predict_proba(X)[:, 1]
""",
    "torch": """
import torch
def model():
    torch.manual_seed(1)
    with torch.no_grad():
        net = torch.nn.Sequential(torch.nn.Linear(10, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
        return net(torch.tensor(X, dtype=torch.float32)).numpy()[:, 0]
""",
    "xgboost": """
import xgboost
model = lambda: xgboost.XGBClassifier(n_estimators=5, random_state=1).fit(X, y).predict_proba(X)[:, 1]
""",
    "lightgbm": """
import lightgbm
model = lambda: lightgbm.LGBMClassifier(n_estimators=5, random_state=1, verbose=-1).fit(X, y).predict_proba(X)[:, 1]
""",
}

SCRIPT = """
import sys
import numpy as np
random = np.random.default_rng(1)
X = random.normal(size=(4000, 10))
y = (X[:, 0] + X[:, 1] ** 2 > 1).astype(int)
{train}
import callisto_graph as cl
alone = model()
g = cl.kronecker(12, 16, seed=1)
ranks = np.asarray(g.pagerank())
for _ in range(3):
    assert np.array_equal(model(), alone)
    assert np.allclose(np.asarray(g.pagerank()), ranks, atol=1e-9)
np.save(sys.argv[1], alone)
"""


@pytest.mark.all
@pytest.mark.parametrize("package", TRAIN)
@pytest.mark.parametrize("preloaded", [False, True])
def test_training_and_kernels(package, preloaded, tmp_path):
    pytest.importorskip(package)
    environment = dict(os.environ)
    if preloaded:
        library = os.environ.get("CALLISTO_LIBGOMP", "")
        if not os.path.exists(library):
            pytest.skip("CALLISTO_LIBGOMP names no libgomp.so.1 of Callisto")
        environment["LD_PRELOAD"] = library
    script = SCRIPT.format(train=TRAIN[package])
    done = subprocess.run([sys.executable, "-c", script, tmp_path / "made.npy"], env=environment, capture_output=True,
                          text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-4000:]
