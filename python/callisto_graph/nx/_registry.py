"""Which functions the backend has, and how arguments of their calls are bound."""

import functools
import inspect
import sys

import networkx

#: By name: (function, test of the arguments).
FUNCTIONS = {}

#: NetworkX's version, such as (3, 6). Answers follow it where versions differ.
VERSION = tuple(int(part) for part in networkx.__version__.split(".")[:2])


def function(check=None, name=None):
    """Registers a function of NetworkX. `check`: called with the call's arguments of the names of its own parameters,
    returns why not, or True."""

    def register(implementation):
        FUNCTIONS[name or implementation.__name__] = (implementation, check)
        return implementation

    return register


class Binding:
    """Binds the arguments of calls to the names of the parameters of NetworkX's function.

    NetworkX passes some defaults by position, some by keyword, and leaves out others: how many arguments there are says
    nothing about a call."""

    def __init__(self, parameters, wanted):
        """`parameters`: those of NetworkX's function. `wanted`: names of those to bind, beside the graph."""
        names = [name for name, p in parameters.items() if p.kind is not p.KEYWORD_ONLY]
        self.graph = names[0]
        self._wanted = [(name, names.index(name) if name in names else sys.maxsize, parameters[name].default)
                        for name in wanted if name in parameters and name != self.graph]
        self._newer = [name for name in wanted if name not in parameters and name != "G"]

    def graph_of(self, args, kwargs):
        """Returns the graph of a call."""
        return args[0] if args else kwargs[self.graph]

    def __call__(self, args, kwargs):
        """Returns the wanted arguments by name, with defaults for those that the call leaves out."""
        made = {name: args[at] if at < len(args) else kwargs.get(name, default) for name, at, default in self._wanted}
        for name in self._newer:
            if name in kwargs:
                made[name] = kwargs[name]
        return made


def adapted(implementation, theirs):
    """Returns a form of a function with the parameters `theirs`, those of another NetworkX: it takes those that the
    implementation lacks as long as they have their defaults, and leaves other calls to NetworkX."""
    known = tuple(inspect.signature(implementation).parameters)
    if tuple(theirs) == known[:len(theirs)]:
        return implementation
    newer = {name: parameter.default for name, parameter in theirs.items() if name not in known}

    @functools.wraps(implementation)
    def call(*args, **kwargs):
        if len(args) > len(theirs):
            raise TypeError(f"{implementation.__name__}() takes {len(theirs)} arguments")
        given = {**dict(zip(theirs, args)), **kwargs}
        for name, default in newer.items():
            if given.pop(name, default) is not default:
                raise NotImplementedError(f"the argument {name} is left to networkx")
        return implementation(**given)

    return call
