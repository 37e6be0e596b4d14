"""What the wheel and the source archive hold besides the package."""

import importlib.metadata
import importlib.util
import pathlib
import re
import tarfile

import pytest
import repebble


def test_the_wheel_has_the_licences_of_what_its_native_part_holds():
    if "site-packages" not in pathlib.Path(repebble.__file__).parts:
        pytest.skip("not installed from a wheel")
    wheel = importlib.metadata.distribution("repebble")
    texts = {path.name: wheel.locate_file(path).read_text() for path in wheel.files if ".dist-info/licenses" in str(path)}
    assert wheel.metadata["License-Expression"] == "BSL-1.0 AND BSD-3-Clause AND MIT"
    assert {name.rpartition("/")[2] for name in wheel.metadata.get_all("License-File")} == set(texts)
    assert texts["LICENSE"].startswith("Boost Software License")
    assert "Wenzel Jakob" in texts["nanobind.txt"]
    assert "Thibaut Goetghebuer-Planchon" in texts["robin_map.txt"]
    assert "Niels Lohmann" in texts["nlohmann_json.txt"]
    nanobind = pytest.importorskip("nanobind")
    held = {path.name for path in (pathlib.Path(nanobind.__file__).parent / "ext").iterdir()}
    assert held == {"robin_map"}, "what nanobind brings along has a licence, too"


def test_the_source_archive_has_every_header_that_it_includes(tmp_path):
    pytest.importorskip("scikit_build_core")
    here = pathlib.Path(__file__).parents[1]
    spec = importlib.util.spec_from_file_location("_build", here / "_build.py")
    backend = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(backend)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here)
        name = backend.build_sdist(str(tmp_path))
    assert not (here / "headers").exists()
    with tarfile.open(tmp_path / name) as archive:
        texts = {m.name.partition("/")[2]: archive.extractfile(m).read().decode()
                 for m in archive if re.search(r"\.([hi]pp|cpp)$", m.name)}  # fmt: skip
        assert {"LICENSE", "licenses/nanobind.txt", "README.md", "CMakeLists.txt", "_build.py", "PKG-INFO"} <= {
            m.name.partition("/")[2] for m in archive}  # fmt: skip
        assert not [m.name for m in archive if not (m.isfile() or m.isdir())]
    assert (here / "LICENSE").read_bytes() == (here.parents[1] / "LICENSE").read_bytes()
    held = {path[path.index("repebble/"):] for path in texts if path.startswith("headers/")}
    seen, following = set(), [path for path in texts if path.startswith("src/")]
    while following:
        text = texts[following.pop()]
        for header in set(re.findall(r"#include <(repebble/[^>]+)>", text)) - seen:
            assert header in held
            seen.add(header)
            following.append(next(path for path in texts if path.endswith("/" + header) and path.startswith("headers/")))
    assert "repebble/plan.hpp" in seen and "repebble/impl/onnx/onnx_network.ipp" in seen
