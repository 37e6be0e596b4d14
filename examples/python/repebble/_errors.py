"""The exceptions of the package, one tree below `Error`. Messages name the operation, value or number at fault."""

from __future__ import annotations

from typing import Optional


class Error(ValueError):
    """Base of all exceptions for input that can be wrong (C++: `repebble::error`)."""


class BadGraph(Error):
    """The graph is malformed: an index out of range, a view or mutation that cannot be."""


class NotADag(BadGraph):
    """The graph has a cycle."""


class BadWeight(Error):
    """A time, size or budget is negative, not a number, or too large in sum."""


class BadOption(Error):
    """An option that cannot be, such as a negative gap."""


class BadBuffer(Error):
    """A lifetime, size, alignment or offset of a buffer that cannot be."""


class BadFile(Error):
    """A file, or the text of one, is no graph file, no ONNX model or no schedule file; the message begins with its name."""


class LimitReached(Error):
    """A limit that the caller can raise was reached before an answer was found."""


class IllegalSchedule(Error):
    """A schedule breaks a rule of the game."""

    step: Optional[int] = None
    """The number of the step; that of all steps where the schedule as a whole is incomplete."""
    rule: Optional[str] = None
    """The rule that it breaks."""


class NoPlan(Error):
    """No plan within the budget: none exists (`none_exists`), or none was found."""

    def __init__(
        self,
        message: str,
        needed: int = 0,
        operation: Optional[int] = None,
        none_exists: bool = False,
        found: Optional[int] = None,
    ) -> None:
        super().__init__(message)
        self.needed = needed
        """The floor: no schedule needs less. There need not be a plan from there on."""
        self.found = found
        """The least budget for which a plan was found: the same call finds one within it. None where none was found."""
        self.operation = operation
        """The operation that needs so much; None where there is none."""
        self.none_exists = none_exists
        """Whether that is proven; else a longer search may find one."""
