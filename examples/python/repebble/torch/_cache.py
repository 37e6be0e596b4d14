"""Plans and measured times on disk: what was planned or measured before is taken from there. Knows no torch."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import pathlib
import threading
from collections.abc import Callable
from typing import Any

from .. import __version__
from ._joint import Joint
from ._planning import Planned, keep_all_program, measured_program, plan_joint
from ._split import Program

_MOST_PLANS = 1000  # files in a folder; those that were not read for longest go
_KEPT = ("budget", "floor", "lower_bound", "time_least", "strategy")  # of a plan, beside its steps
_TIMES = "times.json"
_TRIVIAL = ("keep_all", "default")  # strategies that take no time where they fit


def usual_folder() -> pathlib.Path | None:
    """The folder that $REPEBBLE_CACHE names, or `repebble` among the user's caches; None for a user without a home."""
    if named := os.environ.get("REPEBBLE_CACHE"):
        return pathlib.Path(named)
    try:
        return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "repebble"
    except RuntimeError:
        return None


class Cache:
    """A folder with a file for each plan, and one of times. What is damaged or cannot be written is as if not there."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = pathlib.Path(folder).expanduser()

    def plan_joint(
        self, joint: Joint, budget: int | str, compiled_peak: Callable[[Program], int] | None = None, **options: Any
    ) -> Planned:
        """As `_planning.plan_joint`. A plan of the same graph with the same options is taken, if its peak is the same.

        What a function may stop is neither taken nor kept.
        """
        if any(map(callable, options.values())):
            return plan_joint(joint, budget, compiled_peak=compiled_peak, **options)
        asked = [repr(budget), sorted((k, repr(v)) for k, v in options.items()), joint.to_json()]
        path = self.folder / f"plan-{_digest(json.dumps([_planner(), bool(compiled_peak), *asked]))}.json"
        if found := _read(path):
            try:
                if planned := _planned_of(found, joint, compiled_peak, options):
                    with contextlib.suppress(OSError):  # another user's
                        os.utime(path)
                    return planned
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
                pass  # written by hand
        planned = plan_joint(joint, budget, compiled_peak=compiled_peak, **options)
        if planned.strategy not in _TRIVIAL or not planned.fits:
            measured = {k: getattr(planned.measured, k) for k in ("peak", "time", "overhead")}
            self._write(path, {**measured, **{k: getattr(planned, k) for k in _KEPT}, "steps": planned.steps})
        return planned

    def times(self) -> dict[str, float]:
        """Nanoseconds by what was measured."""
        found = _read(self.folder / _TIMES)
        return {k: float(v) for k, v in found.items() if isinstance(v, (int, float))} if found else {}

    def keep_times(self, times: dict[str, float]) -> None:
        """Adds times. Another process that adds at the same moment may win: what is lost is measured again."""
        if times.keys() - (there := self.times()).keys():
            self._write(self.folder / _TIMES, times | there)

    def _write(self, path: pathlib.Path, content: dict[str, Any]) -> None:
        text = json.dumps(content, separators=(",", ":"))
        new = self.folder / f"{path.name}.{os.getpid()}-{threading.get_ident()}.new"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._make_room()
            new.write_text(f"{_digest(text)}\n{text}\n", encoding="utf-8")
            new.replace(path)
        except OSError:  # read-only, full, or changed by another process
            with contextlib.suppress(OSError):
                new.unlink()

    def _make_room(self) -> None:
        plans = list(self.folder.glob("plan-*.json"))
        if len(plans) < _MOST_PLANS:
            return
        read = {}
        for plan in plans:
            with contextlib.suppress(OSError):
                read[plan] = plan.stat().st_mtime
        for old in sorted(read, key=read.__getitem__)[: len(plans) - _MOST_PLANS + 1]:
            with contextlib.suppress(OSError):
                old.unlink()


def _planned_of(
    found: dict[str, Any], joint: Joint, compiled_peak: Callable[[Program], int] | None, options: dict[str, Any]
) -> Planned | None:
    steps = [(str(action), int(number)) for action, number in found["steps"]]
    times = (found["time"], found["overhead"]) if options.get("link") is not None else None
    program, measured = measured_program(joint, steps, times, compiled_peak)
    if measured.peak != found["peak"]:  # a compiler that has changed
        return None
    _, keep_all = keep_all_program(joint, options.get("default_peak"))
    kept = {name: found[name] for name in _KEPT}
    return Planned(program, measured=measured, keep_all=keep_all, steps=steps, cached=True, **kept)


def _read(path: pathlib.Path) -> dict[str, Any] | None:
    """What `_write` wrote, whole."""
    try:
        digest, text, _ = path.read_text(encoding="utf-8").split("\n")
        found = json.loads(text) if digest == _digest(text) else None
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@functools.cache
def _planner() -> str:
    """The planner that plans are made by: another one may make others."""
    from .. import _core

    files = [pathlib.Path(_core.__file__), *sorted(pathlib.Path(__file__).parent.glob("*.py"))]
    return f"{__version__} {hashlib.sha256(b''.join(f.read_bytes() for f in files)).hexdigest()}"
