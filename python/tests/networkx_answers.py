"""A pytest plugin for NetworkX's own suite: counts the calls that the backend answers. Writes them at the end to the file
that CALLISTO_NETWORKX_ANSWERS names, a function and its number a line."""

import collections
import os
import random
import sys

answered = collections.Counter()

#: NetworkX repeats one test on 500 random graphs, by seeds from 0 to 9; each size and density stays with two seeds.
REPEATED, SEEDS = "test_use_bounds_on_off_consistency", (0, 1)


def pytest_collection_modifyitems(items):
    items[:] = [item for item in items
                if getattr(item, "originalname", "") != REPEATED or item.callspec.params["seed"] in SEEDS]


def pytest_runtest_setup(item):
    """Functions that choose at random make the same choices in each run."""
    random.seed(0)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(0)


def pytest_configure(config):
    from callisto_graph import nx as backend

    def counting(name, function):
        def counted(*args, **kwargs):
            made = function(*args, **kwargs)
            answered[name] += 1
            return made

        return counted

    for name in backend.FUNCTIONS:
        setattr(backend, name, counting(name, getattr(backend, name)))


def pytest_sessionfinish(session, exitstatus):
    path = os.environ.get("CALLISTO_NETWORKX_ANSWERS")
    if path:
        with open(path, "w") as file:
            file.writelines(f"{name} {count}\n" for name, count in sorted(answered.items()))
