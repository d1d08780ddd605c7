"""Which functions the backend has, and what it takes before a call is worth a conversion."""

import functools
import inspect

import networkx

#: By name: (function, arcs from which a graph that is not yet converted is worth it, test of the arguments).
FUNCTIONS = {}

#: NetworkX's version, such as (3, 6). Answers follow it where versions differ.
VERSION = tuple(int(part) for part in networkx.__version__.split(".")[:2])

#: Functions that look at a graph's edges only once or twice take about as long as a conversion in NetworkX.
ONCE = None


def function(arcs=2000, check=None, name=None):
    """Registers a function of NetworkX. `arcs`: number of ends of edges from which a cold call is faster than NetworkX's;
    ONCE: only graphs that are converted already. `check`: called with the arguments, returns why not, or True."""

    def register(implementation):
        FUNCTIONS[name or implementation.__name__] = (implementation, arcs, check)
        return implementation

    return register


def adapted(implementation, theirs):
    """Returns a form of a function for a newer NetworkX, with the parameters `theirs`: it takes those that the function
    lacks as long as they have their defaults, and leaves other calls to NetworkX."""
    known = inspect.signature(implementation).parameters
    newer = {name: parameter.default for name, parameter in theirs.items() if name not in known}
    if not newer:
        return implementation

    @functools.wraps(implementation)
    def call(*args, **kwargs):
        for name, default in newer.items():
            if kwargs.pop(name, default) is not default:
                raise NotImplementedError(f"the argument {name} is left to networkx")
        return implementation(*args, **kwargs)

    return call
