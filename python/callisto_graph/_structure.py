"""Kernels."""


class StructureKernels:
    __slots__ = ()
