"""Networks by name, ONNX models and graph files as graphs."""

from __future__ import annotations

import gzip
import io
import json
import os
import zlib
from collections.abc import Mapping
from typing import Any, Optional, Union

from . import _core
from ._errors import BadFile, BadOption, LimitReached
from ._graph import Graph
from ._graph_file import graph_file
from ._limits import count
from ._link import digits_of
from ._tables import flag, real, shown, text

Path = Union[str, "os.PathLike[str]"]

_MOST_UNPACKED = 1 << 28  # bytes that any packed file may mean


def network(
    name: str,
    *,
    batch: Optional[int] = None,
    resolution: Optional[int] = None,
    classes: Optional[int] = None,
    channels: Optional[int] = None,
    length: Optional[int] = None,
    dtype: str = "float32",
    device: str = "a100",
    flops_per_second: Optional[float] = None,
    bytes_per_second: Optional[float] = None,
) -> Graph:
    """A network by its name, such as "resnet50" or "gpt2": its forward pass, as the program `plan` has it.

    `make_training_graph` adds the gradients; `network_names()` says all names. Sizes that are left out are the network's
    own: batch; resolution, classes and channels of networks for images; length of networks for sequences.
    dtype: of its values, "float32" or "bfloat16".
    device: its times are nanoseconds by the roofline of that machine: "1080ti", "a100", "h100" or "gh200";
        flops_per_second, bytes_per_second: instead of that machine's.

    Every output of an operation is a value, statistics and masks among them. Parameters are no values, and inputs have no
    bytes: they lie in memory whatever the plan. An operation's `op` is its kind; its `extra` has shapes, attributes and
    figures.

    Raises BadGraph where there is no such network or it has no such size; BadOption.
    """
    return _graph_of(
        _core.network(
            name=text(name, "the name of a network", BadOption),
            batch=_count(batch, "batch"),
            resolution=_count(resolution, "resolution"),
            classes=_count(classes, "classes"),
            channels=_count(channels, "channels"),
            length=_count(length, "length"),
            dtype=text(dtype, "dtype", BadOption),
            **_roofline(device, flops_per_second, bytes_per_second),
        )
    )


def network_names() -> list[str]:
    """The names that `network` knows; those with <9k+2> or <3k+2> stand for any such number of layers."""
    return [name.split(" ")[0] for name in _core.network_names().split(", ")]


def read_graph(path: Path, *, time_unit: Optional[str] = None) -> Graph:
    """The graph in a graph file, packed by gzip or not: `plan` and other exporters write such files.

    time_unit: "s", "ms", "us" or "ns", the unit of the times of a file that does not say its own. Where it is known,
    times are in nanoseconds. What the file asks of a plan is in `options` of the graph: `plan(graph, "60%",
    **graph.options)`.

    A node is an operation, and each of its outputs a value, in the order of the file; nodes that are inputs are values
    that no operation writes, whose bytes count with `inputs=True` only. What a graph has no words for, such as counts of
    mirrors and permissions to write in place, is left out; other fields of a node are the operation's `extra`.

    Raises OSError where there is no such file, BadFile, BadGraph, NotADag or BadWeight, naming the file and the node or
    line; LimitReached where the text means more than a file may take.
    """
    digits_of(None, time_unit)
    name, data = read_unpacked(path)
    return _graph_of(_core.parse_graph_file(data, name, time_unit or ""))


def write_graph(path: Path, graph: Any, **options: Any) -> None:
    """Writes a graph file, packed by gzip where the name ends in .gz: of `graph_file`, which takes the options.

    A `Graph` has a name and options of its own, which are taken where no others are given.

    Raises as `graph_file`; OSError where the file cannot be written.
    """
    if isinstance(graph, Graph):
        options = {"name": graph.name, **graph.options, **options}
    write_packed(path, json.dumps(graph_file(graph, **options), indent=0).encode())


def read_onnx(
    model: Any,
    *,
    dimensions: Optional[Mapping[str, int]] = None,
    batch: Optional[int] = None,
    training: bool = True,
    device: str = "a100",
    flops_per_second: Optional[float] = None,
    bytes_per_second: Optional[float] = None,
) -> Graph:
    """The graph of an ONNX model: an operation for each node that runs in every run, views for reshapes and the like.

    model: the path of a file, packed by gzip or not; its bytes; or an `onnx.ModelProto`. No package of ONNX is needed.
    dimensions: extents that the file leaves open, by name, or of an axis of a value, such as {"images[0]": 8}.
    batch: the first extent of each input, where it is open.
    training: whether operations have what their gradients read, and dropouts and batch norms work as in training.
    device, flops_per_second, bytes_per_second: as of `network`.

    Raises OSError, BadFile where the file is no ONNX model, and BadGraph, naming the node, where a size is not known.
    """
    if isinstance(model, (str, os.PathLike)):
        name, data = name_of(model), None
        with open(model, "rb") as file:
            is_packed = file.read(2) == b"\x1f\x8b"
            if is_packed or name != os.fsdecode(model):
                file.seek(0)
                data = unpacked(file.read(), name)
    else:
        name = "model"
        data = bytes(model) if isinstance(model, (bytes, bytearray, memoryview)) else _serialised(model)
    extents = dimensions if dimensions is not None else {}
    if not isinstance(extents, Mapping):
        raise BadOption(f"dimensions is no mapping from names to extents: {shown(dimensions)}")
    return _graph_of(
        _core.read_onnx(
            name,
            data,
            {text(key, "a dimension", BadOption): count(n, f"dimension {key}") for key, n in extents.items()},
            _count(batch, "batch"),
            flag(training, "training"),
            **_roofline(device, flops_per_second, bytes_per_second),
        )
    )


def _graph_of(rows: dict[str, Any]) -> Graph:
    return Graph(rows, name=rows["name"], options=rows["options"], extra=rows["extra"])


def _count(given: Optional[int], name: str) -> Optional[int]:
    return None if given is None else count(given, name)


def _roofline(device: str, flops_per_second: Optional[float], bytes_per_second: Optional[float]) -> dict[str, Any]:
    rates = {"flops_per_second": flops_per_second, "bytes_per_second": bytes_per_second}
    given = {name: None if rate is None else real(rate, name) for name, rate in rates.items()}
    return {"device": text(device, "device", BadOption), **given}


def _serialised(model: Any) -> bytes:
    serialise = getattr(model, "SerializeToString", None)
    if not callable(serialise):
        raise BadOption(f"a model is a path, bytes or an onnx.ModelProto, not {shown(model)}")
    return bytes(serialise())


def name_of(path: Path) -> str:
    """The name of a file for messages, in Unicode."""
    return os.fsdecode(path).encode(errors="replace").decode()


def read_unpacked(path: Path) -> tuple[str, bytes]:
    """The name of a file for messages, and its bytes without gzip. Raises OSError, and as `unpacked`."""
    name = name_of(path)
    with open(path, "rb") as file:
        return name, unpacked(file.read(), name)


def write_packed(path: Path, data: bytes) -> None:
    """Writes a file, packed by gzip where its name ends in .gz. Raises OSError."""
    packed = gzip.compress(data, mtime=0) if os.fsdecode(path).endswith(".gz") else data
    with open(path, "wb") as file:
        file.write(packed)


def unpacked(data: bytes, name: str) -> bytes:
    """Bytes without gzip. Raises BadFile where they are damaged, LimitReached where they mean too many."""
    if data[:2] != b"\x1f\x8b":
        return data
    most = _MOST_UNPACKED + 256 * len(data)
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            plain = packed.read(most + 1)
    except (OSError, EOFError, zlib.error) as e:
        raise BadFile(f"{name}: damaged gzip data: {e}") from None
    if len(plain) > most:
        raise LimitReached(f"{name}: gzip data of more than {most} bytes")
    return plain
