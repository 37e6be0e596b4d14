"""Plans and measured times on disk. Needs no torch."""

from __future__ import annotations

import importlib
import os
import pathlib
from collections.abc import Callable
from typing import Any

import pytest
from test_torch_split import NATIVE, planning, recorded, splitting

pytestmark = pytest.mark.skipif(not NATIVE, reason="nothing is planned")

if NATIVE:
    caches = importlib.import_module("repebble.torch._cache")

OPTIONS: dict[str, Any] = {"work": 300}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int | str]:
    """The budgets that were planned for, in place of those taken from a cache."""
    budgets = []

    def plan(joint: Any, budget: int | str, **options: Any) -> Any:
        budgets.append(budget)
        return planning.plan_joint(joint, budget, **options)

    monkeypatch.setattr(caches, "plan_joint", plan)
    return budgets


def shown(planned: Any) -> tuple[Any, ...]:
    names = ("budget", "measured", "keep_all", "floor", "lower_bound", "time_least", "strategy", "steps")
    return (*(getattr(planned, name) for name in names), planned.program.calls)


@pytest.mark.parametrize("more", [{}, {"link": "1TB/s", "time_unit": "ns"}, {"fixed": 1000}, {"least": True}])
def test_a_graph_that_was_planned_is_not_planned_again(tmp_path: pathlib.Path, asked: list[Any], more: Any) -> None:
    joint, _ = recorded("unet")
    first = caches.Cache(tmp_path / "new").plan_joint(joint, "50%", **OPTIONS, **more)
    second = caches.Cache(tmp_path / "new").plan_joint(joint, "50%", **OPTIONS, **more)
    assert asked == ["50%"] and (first.cached, second.cached) == (False, True)
    assert shown(first) == shown(second)


def test_another_graph_budget_or_option_is_planned(tmp_path: pathlib.Path, asked: list[Any]) -> None:
    joint, cache = recorded("unet")[0], caches.Cache(tmp_path)
    other = type(joint).from_json(joint.to_json())
    other.between += 8
    for graph, budget, options in (
        (joint, "50%", {}),
        (joint, "51%", {}),
        (joint, "50%", {"work": 301}),
        (joint, "50%", {"must_keep": [1]}),
        (joint, "50%", {"default_peak": 6_000_000}),
        (other, "50%", {}),
    ):
        assert not cache.plan_joint(graph, budget, **{**OPTIONS, **options}).cached
    assert len(asked) == 6 and len(list(tmp_path.iterdir())) == 6


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace("1", "2"),
        lambda text: "",
        lambda text: text.upper(),
        lambda text: text + "more\n",
    ],
)
def test_a_damaged_file_is_as_if_not_there(
    tmp_path: pathlib.Path, asked: list[Any], damage: Callable[[str], str]
) -> None:
    joint, cache = recorded("unet")[0], caches.Cache(tmp_path)
    first = cache.plan_joint(joint, "50%", **OPTIONS)
    (path,) = tmp_path.iterdir()
    path.write_text(damage(path.read_text()))
    assert shown(cache.plan_joint(joint, "50%", **OPTIONS)) == shown(first) and len(asked) == 2
    assert cache.plan_joint(joint, "50%", **OPTIONS).cached  # written again


@pytest.mark.parametrize("content", [[], {}, {"steps": 3}, {"steps": [["fly", 0]]}, {"steps": [["compute", 10**6]]}])
def test_what_is_no_plan_is_as_if_not_there(tmp_path: pathlib.Path, asked: list[Any], content: Any) -> None:
    joint, cache = recorded("unet")[0], caches.Cache(tmp_path)
    cache.plan_joint(joint, "50%", **OPTIONS)
    (path,) = tmp_path.iterdir()
    cache._write(path, content)
    assert not cache.plan_joint(joint, "50%", **OPTIONS).cached


def test_a_plan_whose_compiled_peak_is_another_now_is_made_again(tmp_path: pathlib.Path) -> None:
    joint, cache = recorded("unet")[0], caches.Cache(tmp_path)

    def more_by(bytes_more: int) -> Callable[[Any], int]:
        return lambda program: splitting.measure(joint, program).peak + bytes_more

    cached = [cache.plan_joint(joint, "50%", more_by(k), **OPTIONS).cached for k in (0, 0, 512)]
    assert cached == [False, True, False]


def test_what_a_function_may_stop_is_neither_taken_nor_kept(tmp_path: pathlib.Path) -> None:
    joint, cache = recorded("unet")[0], caches.Cache(tmp_path)
    for stop in (lambda: True, lambda: False):
        assert not cache.plan_joint(joint, "50%", **OPTIONS, progress=None, stop=stop).cached
        assert not list(tmp_path.iterdir())


def test_a_folder_that_can_only_be_read_is_read(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    joint, cache = recorded("unet")[0], caches.Cache(tmp_path)
    cache.plan_joint(joint, "50%", **OPTIONS)

    def refuse(*_: Any) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "utime", refuse)
    assert cache.plan_joint(joint, "50%", **OPTIONS).cached


def test_a_failed_write_leaves_nothing_and_a_strange_entry_hinders_none(tmp_path: pathlib.Path) -> None:
    joint, cache = recorded("unet")[0], caches.Cache(tmp_path)
    cache.plan_joint(joint, "50%", **OPTIONS)
    (path,) = tmp_path.iterdir()
    path.unlink()
    path.mkdir()
    assert not cache.plan_joint(joint, "50%", **OPTIONS).cached and list(tmp_path.iterdir()) == [path]
    path.rmdir()
    (tmp_path / "plan-gone.json").symlink_to(tmp_path / "nowhere")
    cache.plan_joint(joint, "50%", **OPTIONS)
    assert cache.plan_joint(joint, "50%", **OPTIONS).cached


def test_a_folder_that_cannot_be_written_costs_no_plan(tmp_path: pathlib.Path) -> None:
    joint, _ = recorded("unet")
    (tmp_path / "file").write_text("")
    cache = caches.Cache(tmp_path / "file" / "inside")
    assert cache.plan_joint(joint, "50%", **OPTIONS).fits and cache.times() == {}
    cache.keep_times({"a": 1.0})


def test_the_plans_that_were_not_read_for_longest_go(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "_MOST_PLANS", 2)
    cache = caches.Cache(tmp_path)
    for k in range(3):
        cache._write(tmp_path / f"plan-{k}.json", {"steps": []})
        os.utime(tmp_path / f"plan-{k}.json", (k, k))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["plan-1.json", "plan-2.json"]


def test_times_add_up_and_those_that_are_there_hold(tmp_path: pathlib.Path) -> None:
    caches.Cache(tmp_path).keep_times({"a": 1.0, "b": 2.0})
    caches.Cache(tmp_path).keep_times({"b": 3.0, "c": 4.0})
    assert caches.Cache(tmp_path).times() == {"a": 1.0, "b": 2.0, "c": 4.0}


def test_the_folder_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("REPEBBLE_CACHE", raising=False)
    assert caches.usual_folder() == tmp_path / "repebble"
    monkeypatch.setenv("REPEBBLE_CACHE", str(tmp_path / "other"))
    assert caches.usual_folder() == tmp_path / "other"
    assert caches.Cache("~/plans").folder == pathlib.Path.home() / "plans"
