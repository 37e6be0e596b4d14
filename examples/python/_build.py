"""The build backend: scikit-build-core's, whose source archive has of the project what the package is compiled from."""

import contextlib
import pathlib
import shutil

from scikit_build_core import build as _backend
from scikit_build_core.build import *  # noqa: F403

_HERE = pathlib.Path(__file__).parent
_FOLDERS = ("include", "examples/networks", "examples/components/onnx", "examples/components/pipelines",
            "examples/components/treewidth")


@contextlib.contextmanager
def _headers_beside():
    """Lays headers, bodies and the file of CMake that compiles these beside the package for a while, unless this is a source
    archive, which has them."""
    beside = _HERE / "headers"
    if (_HERE / "PKG-INFO").exists():
        yield
        return
    if not (_HERE.parents[1] / "include/repebble/plan.hpp").exists():
        raise SystemExit(f"repebble: there are no headers in {_HERE.parents[1]}; build from a whole copy of the project")
    shutil.rmtree(beside, ignore_errors=True)
    try:
        for folder in _FOLDERS:
            for header in sorted((_HERE.parents[1] / folder / "repebble").rglob("*.[hi]pp")):
                to = beside / folder / "repebble" / header.relative_to(_HERE.parents[1] / folder / "repebble")
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(header, to)
        cmake = beside / ".cmake/compiled.cmake"
        cmake.parent.mkdir()
        shutil.copyfile(_HERE.parents[1] / ".cmake/compiled.cmake", cmake)
        yield
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def build_sdist(sdist_directory, config_settings=None):
    """As PEP 517 says."""
    with _headers_beside():
        return _backend.build_sdist(sdist_directory, config_settings)
