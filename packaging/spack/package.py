# Spack's recipe: copy it to a repository's packages/callisto/package.py.
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
from spack_repo.builtin.build_systems.python import PythonExtension

from spack.package import *


class Callisto(CMakePackage, PythonExtension):
    """Parallel loops without batch sizes, graph analytics on all cores, and programs that share
    a machine."""

    homepage = "https://github.com/callisto-rts/callisto"
    git = "https://github.com/callisto-rts/callisto.git"

    license("Apache-2.0", checked_by="callisto-rts")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("shared", default=True, description="Build the library shared")
    variant("app", default=True, description="Build the command callisto")
    variant("openmp", default=True, description="Build the runtime for OpenMP programs")
    variant("mpi", default=False, description="Build callisto::global's transport over MPI")
    variant("python", default=False, description="Build the Python package callisto-graph")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hwloc@2:")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("libarchive")
    depends_on("expat")
    depends_on("fmt@9:")
    depends_on("xxhash")
    depends_on("cli11", when="+app")
    depends_on("tomlplusplus", when="+app")
    # Manual pages and completions are made by a script.
    depends_on("python@3.9:", type="build", when="+app")
    depends_on("nlohmann-json")
    depends_on("mpi", when="+mpi")
    extends("python@3.10:", when="+python")
    depends_on("py-nanobind@2.4:", type="build", when="+python")
    depends_on("py-numpy@1.24:", type=("build", "run"), when="+python")

    generator("ninja")

    def cmake_args(self):
        python_args = []
        if self.spec.satisfies("+python"):
            python_args = [self.define("CALLISTO_PYTHON", self.spec["python"].command.path)]
        return python_args + [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("CALLISTO_BUILD_APP", "app"),
            self.define_from_variant("CALLISTO_BUILD_OPENMP", "openmp"),
            self.define_from_variant("CALLISTO_BUILD_PYTHON", "python"),
            self.define("CALLISTO_BUILD_TESTS", self.run_tests),
            self.define("CALLISTO_BUILD_BENCH", False),
        ]

    @run_after("install")
    def install_python(self):
        if self.spec.satisfies("+python"):
            cmake = self.spec["cmake"].command
            built = self.builder.build_directory
            cmake("--install", built, "--component", "python", "--prefix", python_platlib)
            for name in ("callisto_graph", "_callisto_graph_info"):
                install_tree(join_path("python", name), join_path(python_platlib, name))
