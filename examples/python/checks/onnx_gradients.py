"""Which forward values the gradient of each ONNX operator reads, found out from torch's autograd, row by row.

onnx_gradients.py [--check] [OPERATOR ...]. Writes tests/data/onnx/gradient_reads.json; --check compares with the file
instead. Exit status 77 without torch.

Each operator runs as the torch function that it stands for. Every tensor that autograd saves is found again by its
storage among inputs and outputs; else it is an extra one (statistics, masks, indices). A saved tensor counts as read
where a gradient changes once other numbers are put into it: torch saves some tensors for their shapes only. A row:
`inputs`, `outputs`: positions of ONNX's inputs and outputs that are read when all floating-point inputs want
gradients; `extra`: saved values that are neither, by name (some are ONNX's optional outputs: indices, masks);
`operands`: the same for the gradient of one input alone; `composed`: torch makes it of several functions, so that
values of its parts are among the extra ones; `in_place`: what it reads instead once the output overwrote the input.
"""

from __future__ import annotations

import json
import pathlib
import sys
from collections.abc import Callable
from typing import Any

try:
    import torch
except ImportError:
    print("torch is not installed: skipped")
    sys.exit(77)

import torch.nn.functional as F
from torch import Tensor

TABLE = pathlib.Path(__file__).resolve().parents[3] / "tests/data/onnx/gradient_reads.json"

# Function, inputs, and what each saved tensor is that is neither input nor output: a name, or inputs copied into it.
Row = tuple[Callable[..., Any], list[Tensor | None], tuple[str | tuple[int, ...], ...]]


def noise(*shape: int) -> Tensor:
    return torch.randn(*shape)


def positive(*shape: int) -> Tensor:
    return torch.rand(*shape) + 0.5


def inside(*shape: int) -> Tensor:
    """Numbers between -0.9 and 0.9."""
    return torch.rand(*shape) * 1.8 - 0.9


def index(limit: int, *shape: int) -> Tensor:
    return torch.randint(0, limit, shape)


ROWS: dict[str, Row] = {}
IN_PLACE: dict[str, Callable[[Tensor], Tensor]] = {
    "Celu": F.celu_,
    "Elu": F.elu_,
    "LeakyRelu": F.leaky_relu_,
    "Selu": F.selu_,
}


def row(name: str, function: Callable[..., Any], *inputs: Tensor | None, extra: tuple[Any, ...] = ()) -> None:
    """ONNX's inputs in its order (None: left out); the function returns its outputs in ONNX's order."""
    ROWS[name] = (function, list(inputs), extra)


def elementwise() -> None:
    for name, function, make in (
        ("Abs", torch.abs, noise),
        ("Acos", torch.acos, inside),
        ("Acosh", torch.acosh, lambda *s: positive(*s) + 1),
        ("Asin", torch.asin, inside),
        ("Asinh", torch.asinh, noise),
        ("Atan", torch.atan, noise),
        ("Atanh", torch.atanh, inside),
        ("Ceil", torch.ceil, noise),
        ("Celu", F.celu, noise),
        ("Cos", torch.cos, noise),
        ("Cosh", torch.cosh, noise),
        ("Elu", F.elu, noise),
        ("Erf", torch.erf, noise),
        ("Exp", torch.exp, noise),
        ("Floor", torch.floor, noise),
        ("Gelu", F.gelu, noise),
        ("HardSigmoid", F.hardsigmoid, noise),
        ("HardSwish", F.hardswish, noise),
        ("LeakyRelu", F.leaky_relu, noise),
        ("Log", torch.log, positive),
        ("Mish", F.mish, noise),
        ("Neg", torch.neg, noise),
        ("Reciprocal", torch.reciprocal, positive),
        ("Relu", torch.relu, noise),
        ("Round", torch.round, noise),
        ("Selu", F.selu, noise),
        ("Shrink", lambda x: F.softshrink(x, 0.2), noise),
        ("Sigmoid", torch.sigmoid, noise),
        ("Sign", torch.sign, noise),
        ("Sin", torch.sin, noise),
        ("Sinh", torch.sinh, noise),
        ("Softplus", F.softplus, noise),
        ("Sqrt", torch.sqrt, positive),
        ("Swish", F.silu, noise),
        ("Tan", torch.tan, inside),
        ("Tanh", torch.tanh, noise),
        ("ThresholdedRelu", lambda x: F.threshold(x, 0.3, 0.0), noise),
        ("Identity", lambda x: x.view_as(x), noise),
    ):
        row(name, function, make(3, 4))
    row("Softsign", F.softsign, noise(3, 4), extra=("denominator",))
    row("Cast", lambda x: x.double(), noise(3, 4))
    row("CastLike", lambda x, y: x.to(y.dtype), noise(3, 4), noise(2).double())
    row("Clip", lambda x, a, b: torch.clamp(x, a, b), noise(3, 4), torch.tensor(-0.5), torch.tensor(0.5))
    row("Where", lambda c, x, y: torch.where(c, x, y), index(2, 3, 4).bool(), noise(3, 4), noise(3, 4))
    row("Add", torch.add, noise(3, 4), noise(4))
    row("Sub", torch.sub, noise(3, 4), noise(4))
    row("Mul", torch.mul, noise(3, 4), noise(4))
    row("Div", torch.div, noise(3, 4), positive(4))
    row("Pow", torch.pow, positive(3, 4), noise(4))
    row("Mod", torch.fmod, noise(3, 4), positive(4))
    row("Max", torch.maximum, noise(3, 4), noise(3, 4))
    row("Min", torch.minimum, noise(3, 4), noise(3, 4))
    row("Sum", lambda *x: x[0] + x[1] + x[2], noise(3, 4), noise(3, 4), noise(3, 4))
    row("Mean", lambda *x: (x[0] + x[1] + x[2]) / 3.0, noise(3, 4), noise(3, 4), noise(3, 4))
    row("PRelu", F.prelu, noise(2, 3, 4), positive(3))
    row("Dropout", lambda x: torch.native_dropout(x, 0.5, True), noise(8, 8))


def matrices() -> None:
    row("MatMul", torch.matmul, noise(2, 3, 4), noise(2, 4, 5))
    row("Gemm", lambda a, b, c: torch.addmm(c, a, b), noise(3, 4), noise(4, 5), noise(5))
    row("Einsum", lambda a, b: torch.einsum("bij,bjk->bik", a, b), noise(2, 3, 4), noise(2, 4, 5))
    row("Det", torch.linalg.det, noise(2, 3, 3), extra=("lu", "pivots"))

    def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.FLASH_ATTENTION):
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    row("Attention", attention, noise(2, 2, 8, 4), noise(2, 2, 8, 4), noise(2, 2, 8, 4), extra=("log_sum_exp",))

    def rotary(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)

    row("RotaryEmbedding", rotary, noise(2, 2, 6, 8), noise(6, 4), noise(6, 4))


def convolutions() -> None:
    row("Conv", F.conv2d, noise(2, 3, 6, 6), noise(4, 3, 3, 3), noise(4))
    row("ConvTranspose", F.conv_transpose2d, noise(2, 3, 6, 6), noise(3, 4, 3, 3), noise(4))
    row("AveragePool", lambda x: F.avg_pool2d(x, 2), noise(2, 3, 6, 6))
    row("GlobalAveragePool", lambda x: F.adaptive_avg_pool2d(x, 1), noise(2, 3, 6, 6))
    row("GlobalMaxPool", lambda x: F.adaptive_max_pool2d(x, 1), noise(2, 3, 6, 6), extra=("indices",))
    row("MaxPool", lambda x: F.max_pool2d(x, 2, return_indices=True), noise(2, 3, 6, 6))
    row("LpPool", lambda x: F.lp_pool2d(x, 2, 2), noise(2, 3, 6, 6), extra=("parts",) * 4)
    pooled, places = F.max_pool2d(noise(2, 3, 6, 6), 2, return_indices=True)
    row("MaxUnpool", lambda x, i: F.max_unpool2d(x, i, [2, 2]), pooled, places)
    row("GridSample", lambda x, g: F.grid_sample(x, g, align_corners=False), noise(2, 3, 6, 6), inside(2, 4, 4, 2))
    row("AffineGrid", lambda t: F.affine_grid(t, [2, 3, 4, 4], align_corners=False), noise(2, 2, 3), extra=("grid",))
    row("Resize", lambda x: F.interpolate(x, scale_factor=2.0, mode="bilinear"), noise(2, 3, 6, 6))
    row("Upsample", lambda x: F.interpolate(x, scale_factor=2.0), noise(2, 3, 6, 6))
    row("Col2Im", lambda x: F.fold(x, (6, 6), 3, padding=1), noise(2, 27, 36))
    row("DepthToSpace", lambda x: F.pixel_shuffle(x, 2), noise(2, 8, 3, 3))
    row("SpaceToDepth", lambda x: F.pixel_unshuffle(x, 2), noise(2, 2, 6, 6))
    try:
        from torchvision import ops  # type: ignore[import-untyped]
    except ImportError:
        return
    x, boxes, batch = noise(1, 3, 9, 9), torch.tensor([[0.5, 0.5, 6.5, 6.5], [1.0, 2.0, 7.0, 8.0]]), torch.zeros(2, 1)
    offset, mask = noise(1, 18, 7, 7), positive(1, 9, 7, 7)
    row(
        "DeformConv",
        lambda x, w, o, b, m: ops.deform_conv2d(x, o, w, b, mask=m),
        *(x, noise(4, 3, 3, 3), offset, noise(4), mask),
    )
    row(
        "RoiAlign",
        lambda x, r, i: ops.roi_align(x, torch.cat([i.float()[:, None], r], 1), 3),
        *(x, boxes, index(1, 2)),
        extra=((1, 2),),
    )
    row("MaxRoiPool", lambda x, r: ops.roi_pool(x, r, 3), x, torch.cat([batch, boxes], 1), extra=("argmax",))


def normalizations() -> None:
    def batch(x: Tensor, scale: Tensor, bias: Tensor, mean: Tensor, variance: Tensor) -> Tensor:
        return F.batch_norm(x, mean.detach().clone(), variance.detach().clone(), scale, bias, training=True)

    statistics = ("mean", "inverse_deviation")
    row("BatchNormalization", batch, noise(4, 3, 5, 5), positive(3), noise(3), noise(3), positive(3), extra=statistics)
    row("InstanceNormalization", lambda x, s, b: F.instance_norm(x, None, None, s, b), noise(4, 3, 5, 5), positive(3),
        noise(3), extra=(*statistics, (1,)))  # fmt: skip
    row("GroupNormalization", lambda x, s, b: F.group_norm(x, 2, s, b), noise(4, 6, 5, 5), positive(6), noise(6),
        extra=statistics)  # fmt: skip
    row("LayerNormalization", lambda x, s, b: torch.native_layer_norm(x, [8], s, b, 1e-5), noise(4, 5, 8), positive(8),
        noise(8))  # fmt: skip
    row("RMSNormalization", lambda x, s: F.rms_norm(x, [8], s, 1e-5), noise(4, 5, 8), positive(8),
        extra=("parts",) * 2)  # fmt: skip
    row("LRN", lambda x: F.local_response_norm(x, 3), positive(2, 6, 4, 4), extra=("parts",) * 2)
    row("LpNormalization", lambda x: x / torch.linalg.vector_norm(x, 2, -1, keepdim=True), noise(4, 8), extra=("norm",))
    row("MeanVarianceNormalization",
        lambda x: (x - x.mean((0, 2, 3), keepdim=True)) / x.std((0, 2, 3), correction=0, keepdim=True),
        noise(2, 3, 4, 4), extra=("centred", "deviation"))  # fmt: skip


def reductions() -> None:
    row("ReduceSum", lambda x: x.sum(-1), noise(3, 4))
    row("ReduceMean", lambda x: x.mean(-1), noise(3, 4))
    row("ReduceMax", lambda x: x.amax(-1), noise(3, 4))
    row("ReduceMin", lambda x: x.amin(-1), noise(3, 4))
    row("ReduceProd", lambda x: x.prod(-1), positive(3, 4))
    row("ReduceL1", lambda x: torch.linalg.vector_norm(x, 1, -1), noise(3, 4))
    row("ReduceL2", lambda x: torch.linalg.vector_norm(x, 2, -1), noise(3, 4))
    row("ReduceLogSum", lambda x: x.sum(-1).log(), positive(3, 4), extra=("sum",))
    row("ReduceLogSumExp", lambda x: x.logsumexp(-1), noise(3, 4))
    row("ReduceSumSquare", lambda x: x.square().sum(-1), noise(3, 4))
    row("CumSum", lambda x: x.cumsum(-1), noise(3, 4))
    row("CumProd", lambda x: x.cumprod(-1), positive(3, 4))
    row("Softmax", lambda x: x.softmax(-1), noise(3, 4))
    row("LogSoftmax", lambda x: x.log_softmax(-1), noise(3, 4))
    row("TopK", lambda x: x.topk(2), noise(3, 6))

    def entropy(x: Tensor, labels: Tensor, weight: Tensor | None = None) -> tuple[Tensor, Tensor]:
        logarithm = x.log_softmax(-1)
        return F.nll_loss(logarithm, labels, weight), logarithm

    row("SoftmaxCrossEntropyLoss", entropy, noise(5, 7), index(7, 5))
    row("NegativeLogLikelihoodLoss", F.nll_loss, noise(5, 7), index(7, 5))


def layout() -> None:
    row("Reshape", lambda x: x.reshape(4, 3), noise(3, 4))
    row("Flatten", lambda x: x.flatten(1), noise(3, 2, 2))
    row("Squeeze", lambda x: x.squeeze(1), noise(3, 1, 4))
    row("Unsqueeze", lambda x: x.unsqueeze(1), noise(3, 4))
    row("Transpose", lambda x: x.t().contiguous(), noise(3, 4))
    row("Concat", lambda *x: torch.cat(x, 1), noise(3, 4), noise(3, 2))
    row("Split", lambda x: x.split(2, 1), noise(3, 4))
    row("Slice", lambda x: x[:, 1:3].clone(), noise(3, 4))
    row("Pad", lambda x: F.pad(x, (1, 2)), noise(3, 4))
    row("Expand", lambda x: x.expand(5, 3, 4).contiguous(), noise(3, 4))
    row("Tile", lambda x: x.repeat(2, 3), noise(3, 4))
    row("Trilu", torch.tril, noise(4, 4))
    row("DFT", lambda x: torch.view_as_real(torch.fft.fft(torch.view_as_complex(x))), noise(3, 8, 2))
    row("Gather", lambda x, i: F.embedding(i, x), noise(9, 4), index(9, 2, 3))
    row("GatherElements", lambda x, i: torch.gather(x, 1, i), noise(3, 4), index(4, 3, 4))
    row("GatherND", lambda x, i: x[i.unbind(-1)], noise(5, 4), index(4, 3, 2))
    row("ScatterElements", lambda x, i, u: x.scatter(1, i, u), noise(3, 4), index(4, 3, 2), noise(3, 2))
    row("ScatterND", lambda x, i, u: x.index_put(i.unbind(-1), u), noise(5, 4), index(5, 3, 1), noise(3, 4))
    row("Compress", lambda x, c: x[c], noise(6, 4), torch.tensor([True, False, True, True, False, True]))
    row(
        "ReverseSequence",
        lambda x, n: torch.cat([x[: int(n[0])].flip(0), x[int(n[0]) :]]),
        noise(6, 4),
        torch.tensor([3]),
    )


def recurrent() -> None:
    def run(kind: str, gates: int) -> Callable[..., Any]:
        def call(x: Tensor, w: Tensor, r: Tensor, b: Tensor) -> Any:
            hidden = torch.zeros(1, x.shape[1], r.shape[-1])
            state = (hidden, hidden.clone()) if kind == "lstm" else hidden
            function = getattr(torch, {"rnn": "rnn_tanh"}.get(kind, kind))
            halves = b[0].chunk(2)
            got = function(x, state, [w[0], r[0], *halves], True, 1, 0.0, True, False, False)
            return (got[0].unsqueeze(1), *got[1:])  # ONNX has an axis of directions

        return call

    for name, gates in (("RNN", 1), ("GRU", 3), ("LSTM", 4)):
        row(name, run(name.lower(), gates), noise(5, 2, 3), noise(1, 4 * gates, 3), noise(1, 4 * gates, 4),
            noise(1, 8 * gates), extra=("steps",) * 200)  # fmt: skip


def tensors(value: Any) -> list[Tensor]:
    return [value] if isinstance(value, Tensor) else [t for v in value for t in tensors(v)]


def storage(tensor: Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


class Trial:
    """A forward pass whose saved tensors are kept by number; `poisoned` are replaced when gradients ask for them."""

    def __init__(self, function: Callable[..., Any], inputs: list[Tensor | None], wanted: list[int]):
        torch.manual_seed(7)
        self.inputs = [
            None if t is None else t.detach().clone().requires_grad_(i in wanted) for i, t in enumerate(inputs)
        ]
        self.wanted, self.saved, self.poisoned = wanted, [], -1  # type: tuple[list[int], list[Tensor], int]
        with torch.autograd.graph.saved_tensors_hooks(self.pack, self.unpack):
            self.outputs = tensors(function(*self.inputs))

    def pack(self, tensor: Tensor) -> int:
        self.saved.append(tensor.detach())
        return len(self.saved) - 1

    def unpack(self, number: int) -> Tensor:
        tensor = self.saved[number]
        if storage(tensor) != self.poisoned:
            return tensor
        if not tensor.dtype.is_floating_point and tensor.dtype != torch.bool:
            return (tensor == 0).to(tensor.dtype)
        return ~tensor if tensor.dtype == torch.bool else self.poison(tensor)

    def gradients(self, poisoned: int = -1, kind: int = 0) -> list[Tensor | None]:
        self.poisoned = poisoned
        self.poison = (lambda t: torch.full_like(t, float("nan")), lambda t: -3.0 * t + 1.7, torch.zeros_like)[kind]
        torch.manual_seed(8)
        results = [o for o in self.outputs if o.requires_grad]
        wanted = [t for i, t in enumerate(self.inputs) if i in self.wanted and t is not None]
        return list(
            torch.autograd.grad(
                results, wanted, [torch.randn_like(r) for r in results], retain_graph=True, allow_unused=True
            )
        )

    def reads(self) -> list[int]:
        """Storages of saved tensors of which the gradients depend."""
        right, found = self.gradients(), []
        for number in dict.fromkeys(map(storage, self.saved)):
            for kind in range(3):
                try:
                    changed = self.gradients(number, kind)
                except (RuntimeError, IndexError):  # an index that does not exist: it is read
                    found.append(number)
                    break
                if any(
                    a is not None and b is not None and not torch.equal(a, b)
                    for a, b in zip(right, changed, strict=True)
                ):
                    found.append(number)
                    break
        return found


def size_of(trial: Trial, number: int) -> int:
    return max(t.numel() for t in trial.saved if storage(t) == number)


def saving_functions(trial: Trial) -> int:
    """How many functions of the forward pass save something for their gradients."""
    seen, open_ = set(), [o.grad_fn for o in trial.outputs if o.grad_fn is not None]
    while open_:
        node = open_.pop()
        if node not in seen:
            seen.add(node)
            open_ += [n for n, _ in node.next_functions if n is not None]
    return sum(any(name.startswith("_raw_saved_") for name in dir(node)) for node in seen)


def reads_of(name: str, wanted: list[int], function: Callable[..., Any], whole: bool = False) -> dict[str, Any] | None:
    """The row of an operator for the gradients of these inputs; nothing where there are none."""
    _, inputs, extra = ROWS[name]
    trial = Trial(function, inputs, wanted)
    if not any(o.requires_grad for o in trial.outputs) or all(g is None for g in trial.gradients()):
        return None
    read = trial.reads()
    first = {storage(t): i for i, t in enumerate(trial.inputs) if t is not None}
    then = {storage(t): i for i, t in enumerate(trial.outputs) if storage(t) not in first}
    others = [s for s in read if s not in first and s not in then and size_of(trial, s) > 1]
    assert len(others) <= len(extra), f"{name}: {len(others)} extra tensors are read, {len(extra)} have names"
    copied = [i for e in extra[: len(others)] if isinstance(e, tuple) for i in e]
    result = {
        "inputs": sorted({*copied, *(first[s] for s in read if s in first)}),
        "outputs": sorted({then[s] for s in read if s in then}),
        "extra": sorted({e for e in extra[: len(others)] if isinstance(e, str)}),
    }
    return result | {"composed": True} if whole and saving_functions(trial) > 1 else result


def table(names: list[str]) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    for name in sorted(names):
        function, inputs, _ = ROWS[name]
        floats = [i for i, t in enumerate(inputs) if t is not None and t.dtype.is_floating_point]
        rows[name] = reads_of(name, floats, function, True) or {"inputs": [], "outputs": [], "extra": []}
        if name in IN_PLACE:
            rows[name]["in_place"] = reads_of(name, [0], lambda x, name=name: IN_PLACE[name](x.clone()))
        operands = {str(i): reads_of(name, [i], function) for i in floats}
        rows[name]["operands"] = {i: r for i, r in operands.items() if r is not None}
    return rows


def text_of(rows: dict[str, Any]) -> str:
    return "{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items()) + "\n}\n"


def main() -> int:
    torch.manual_seed(1)
    for part in (elementwise, matrices, convolutions, normalizations, reductions, layout, recurrent):
        part()
    names = [a for a in sys.argv[1:] if not a.startswith("--")]
    rows = table(names or list(ROWS))
    if names:
        print(text_of(rows), end="")
        return 0
    if "--check" not in sys.argv:
        TABLE.write_text(text_of(rows))
        print(f"{len(rows)} operators")
        return 0
    old = json.loads(TABLE.read_text())
    wrong = [name for name in sorted({*rows, *old}) if rows.get(name) != old.get(name)]
    print(f"{len(rows)} operators, {len(wrong)} differ from the table" + "".join(f"\n{n}" for n in wrong))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
