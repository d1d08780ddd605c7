"""Which functions the backend has, and what it takes before a call is worth a conversion."""

#: By name: (function, arcs from which a graph that is not yet converted is worth it, test of the arguments).
FUNCTIONS = {}

#: Functions that look at a graph's edges only once or twice take about as long as a conversion in NetworkX.
ONCE = None


def function(arcs=2000, check=None, name=None):
    """Registers a function of NetworkX. `arcs`: number of ends of edges from which a cold call is faster than NetworkX's;
    ONCE: only graphs that are converted already. `check`: called with the arguments, returns why not, or True."""

    def register(implementation):
        FUNCTIONS[name or implementation.__name__] = (implementation, arcs, check)
        return implementation

    return register
