"""Kernels."""


class RankKernels:
    __slots__ = ()
