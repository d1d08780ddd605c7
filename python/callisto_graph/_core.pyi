"""The extension module. Its functions are for the package alone, whose Python files give them types."""

from typing import Any

__version__: str

class Graph:
    vertices: int
    arcs: int
    directed: bool
    weighted: bool
    named: bool
    has_labels: bool
    nbytes: int
    def __getattr__(self, name: str) -> Any: ...

class ArrowColumn:
    def __init__(self, values: Any, name: str) -> None: ...
    def __len__(self) -> int: ...
    def holds_texts(self) -> bool: ...
    def to_array(self) -> Any: ...

def __getattr__(name: str) -> Any: ...
