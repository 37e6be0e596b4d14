"""What ranks tell each other while they plan: by the store, with a timeout, never by a collective. Knows no torch."""

from __future__ import annotations

import collections
import contextlib
import hashlib
import itertools
import math
import pickle
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from .._errors import Error

Group = tuple[int, ...]  # its ranks

_MOST_NAMED = 8  # ranks in an error
_met: collections.Counter[Group] = collections.Counter()  # meetings of each group that a rank has had or missed


class Talk:
    """Values by name in a store."""

    def __init__(self, store: Any, seconds: float) -> None:
        self.store, self.seconds = store, seconds

    def say(self, name: str, value: Any) -> None:
        self.store.set(name, pickle.dumps(value))

    def hear(self, name: str, seconds: float | None = None) -> Any:
        """What was said, or raised where that is an exception. Raises _Silence where nothing is said in time."""
        seconds = self.seconds if seconds is None else seconds
        end = time.monotonic() + seconds
        try:  # a store that is given less than a millisecond may wait for ever
            self.store.wait([name], timedelta(milliseconds=math.ceil(1000 * seconds)))
        except Exception as error:
            if time.monotonic() < end:
                raise Error(f"the process group's store has failed: {type(error).__name__}: {error}") from None
            raise _Silence(f"nothing was heard of {name} within {seconds} s: {error}") from None
        value = pickle.loads(self.store.get(name))
        if isinstance(value, Exception):
            raise value
        return value


class _Silence(Error):
    pass


class Meeting:
    """Ranks that compile one graph: those of the groups of its collectives, those of these ranks' groups, and so on.

    As a context it tells the others of an error in it, in place of what they wait for. Each rank does the same calls.
    """

    def __init__(self, store: Any, rank: int, groups: Sequence[Group], seconds: float) -> None:
        self.talk, self.rank = Talk(store, seconds), rank
        self.places = [(group, self._join(group)) for group in groups]
        self.rounds = 0

    def __enter__(self) -> Meeting:
        return self

    def __exit__(self, _: Any, error: BaseException | None, __: Any) -> None:
        if error is not None:
            with contextlib.suppress(Exception):  # a store that has failed: the error itself goes on
                self._say(f"{type(error).__name__}: {error}", failed=True)
                for place in self.places:
                    self.talk.say(_given_up(*place), None)

    def compare(self, what: str, lines: list[str]) -> None:
        """Raises Error on every rank where lines or groups of one of them are others, with the first difference."""
        texts = self._exchange(what, hashlib.sha256("\n".join(lines).encode()).hexdigest())
        if len(set(texts.values())) > 1:
            texts = self._exchange(f"{what}, in words", lines)
        least = min(texts)
        differ = [r for r in sorted(texts) if texts[r] != texts[least]]
        if differ:
            pairs = itertools.zip_longest(texts[differ[0]], texts[least], fillvalue="nothing more")
            its, other = next(pair for pair in pairs if pair[0] != pair[1])
            raise Error(f"{_named(differ)} another {what} than rank {least}: {its!r}, not {other!r}")
        for r, places in sorted(self.groups.items()):
            for k, (mine, its) in enumerate(zip(self.places, places)):
                if r in mine[0] and mine != its:
                    raise Error(f"rank {r} has ranks {its[0]} in group {k} of its {what}, rank {self.rank} {mine[0]}")

    def share(self, what: str, value: Any) -> Any:
        """The value of the least rank."""
        said = self._exchange(what, value if self.rank == min(self.groups) else None)
        return said[min(said)]

    def end(self) -> None:
        """Raises Error on every rank where one has not come so far."""
        self._exchange("end", None)

    def _join(self, group: Group) -> int:
        """The number of the group's next meeting. Skips meetings that the others gave up without this rank."""
        number = _met[group]
        while self.talk.store.check([_given_up(group, number)]):
            number += 1
        _met[group] = number + 1
        return number

    def _say(self, value: Any, failed: bool = False) -> None:
        for group, number in self.places:
            self.talk.say(_key(group, number, self.rounds, self.rank), (failed, value, self.places))

    def _exchange(self, what: str, value: Any) -> dict[int, Any]:
        """What each rank says in this round. Raises Error where one says an error, or nothing in time."""
        self._say(value)
        said, silent = {self.rank: (False, value, self.places)}, set()
        waiting = [(place, r) for place in self.places for r in place[0]]
        end = time.monotonic() + self.talk.seconds
        for (group, number), r in waiting:  # which grows
            if r in said or r in silent:
                continue
            key, left = _key(group, number, self.rounds, r), end - time.monotonic()
            try:
                if left <= 0 and not self.talk.store.check([key]):
                    raise _Silence
                said[r] = self.talk.hear(key, left if left > 0 else None)
            except _Silence:
                silent.add(r)
                continue
            waiting += [(place, other) for place in said[r][2] for other in place[0]]
        self.rounds += 1
        for r in sorted(said):
            if said[r][0]:
                raise Error(f"rank {r} has given up: {said[r][1]}")
        if silent:
            raise Error(
                f"nothing was heard of {_named(sorted(silent), '')} within {self.talk.seconds} s, while a graph was "
                f"compiled whose collectives may run again: its {what}"
            )
        self.groups = {r: places for r, (_, _, places) in said.items()}
        return {r: value for r, (_, value, _) in said.items()}


def _key(group: Group, number: int, rounds: int, rank: int) -> str:
    return f"ranks {group}, graph {number}, round {rounds}, rank {rank}"


def _given_up(group: Group, number: int) -> str:
    return f"ranks {group}, graph {number}, given up"


def _named(ranks: list[int], verb: str = " has") -> str:
    names = ", ".join(map(str, ranks[:_MOST_NAMED])) + (", ..." if len(ranks) > _MOST_NAMED else "")
    return f"rank {names}{verb}" if len(ranks) == 1 else f"ranks {names}{' have' if verb else ''}"
