from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import load
import os
import re


class Repebble(ConanFile):
    name = "repebble"
    description = "Plans what the training of a neural network keeps in memory and what it computes again"
    license = "BSL-1.0"
    topics = ("neural-networks", "memory", "recomputation", "checkpointing", "header-only")
    package_type = "header-library"
    settings = "os", "compiler", "build_type", "arch"
    # The packages that repebble::json needs, and repebble::networks and others with it, and that repebble::views needs; the headers
    # are there in any case.
    options = {"with_json": [True, False], "with_views": [True, False]}
    default_options = {"with_json": False, "with_views": False}
    exports_sources = "CMakeLists.txt", "LICENSE", ".cmake/*", "include/*", "examples/components/*", "examples/networks/*"
    no_copy_source = True
    test_package_folder = "tests/package"

    def set_version(self):
        project = load(self, os.path.join(self.recipe_folder, "CMakeLists.txt"))
        self.version = re.search(r"project\(repebble VERSION ([0-9.]+)", project)[1]

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("boost/[>=1.74]", options={"header_only": True})
        if self.options.with_json:
            self.requires("nlohmann_json/[>=3.10 <4]")
            self.requires("zlib/[>=1.2 <2]")
        if self.options.with_views:
            self.requires("range-v3/[>=0.12]")

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        self.info.clear()

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False
        toolchain.cache_variables["REPEBBLE_BUILD_TESTS"] = False
        toolchain.cache_variables["REPEBBLE_BUILD_EXAMPLES"] = False
        toolchain.generate()

    def build(self):
        CMake(self).configure()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # Who uses CMake gets the package that the project installs, with its components, and not one made up here.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("share", "cmake", "repebble")]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
