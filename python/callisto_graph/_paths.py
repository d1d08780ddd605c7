"""Kernels."""


class PathKernels:
    __slots__ = ()
