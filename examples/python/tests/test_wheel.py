"""What the wheel holds besides the package."""

import importlib.metadata
import pathlib

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
    nanobind = pytest.importorskip("nanobind")
    held = {path.name for path in (pathlib.Path(nanobind.__file__).parent / "ext").iterdir()}
    assert held == {"robin_map"}, "what nanobind brings along has a licence, too"
