"""Conan 2's recipe: `conan create packaging/conan --version 0.1.0`."""

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy
from conan.tools.gnu import PkgConfigDeps
from conan.tools.scm import Git


class Callisto(ConanFile):
    name = "callisto"
    license = "Apache-2.0"
    url = homepage = "https://github.com/callisto-rts/callisto"
    description = "Parallel loops without batch sizes, graph analytics on all cores, and programs that share a machine"
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False]}
    # Those three are opened when they are needed.
    default_options = {"shared": False, "hwloc/*:shared": True, "libarchive/*:shared": True, "expat/*:shared": True}
    requires = ("hwloc/[>=2.9]", "zlib/[>=1.2.11 <2]", "zstd/[>=1.5]", "libarchive/[>=3.6]", "expat/[>=2.5]",
                "fmt/[>=9]", "xxhash/[>=0.8]", "nlohmann_json/[>=3.11]")
    tool_requires = "cmake/[>=3.25]", "ninja/[>=1.11]"

    def layout(self):
        cmake_layout(self)

    def source(self):
        Git(self).fetch_commit(url=f"{self.url}.git", commit=f"v{self.version}")

    def generate(self):
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()
        toolchain = CMakeToolchain(self, generator="Ninja")
        for part in ("APP", "OPENMP", "TESTS", "BENCH", "EXAMPLES"):
            toolchain.cache_variables[f"CALLISTO_BUILD_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, f"{self.package_folder}/licenses")

    def package_info(self):
        self.cpp_info.libs = ["callisto"]
        self.cpp_info.system_libs = ["pthread", "dl"]
