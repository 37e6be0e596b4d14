"""Networks in a few lines each, for checks and tables of repebble.torch: each returns its loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Loss(nn.Module):
    """A network with its cross entropy."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        out = self.network(x)
        return F.cross_entropy(out.flatten(0, -2) if out.dim() == 3 else out, y.flatten() if out.dim() == 3 else y)


def conv(inputs: int, outputs: int, kernel: int = 3, stride: int = 1, groups: int = 1) -> nn.Sequential:
    """A convolution and its batch norm."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)
    )


class Residual(nn.Module):
    """A block of ResNet; a bottleneck where expansion is 4."""

    def __init__(self, inputs: int, width: int, stride: int, expansion: int) -> None:
        super().__init__()
        outputs = width * expansion
        layers = (
            [conv(inputs, width, 1), nn.ReLU(), conv(width, width, 3, stride), nn.ReLU(), conv(width, outputs, 1)]
            if expansion == 4
            else [conv(inputs, width, 3, stride), nn.ReLU(), conv(width, width)]
        )
        self.body = nn.Sequential(*layers)
        self.skip = nn.Identity() if stride == 1 and inputs == outputs else conv(inputs, outputs, 1, stride)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.body(x) + self.skip(x))


def resnet(depths: list[int], expansion: int, width: int = 64, classes: int = 1000, pool: bool = True) -> nn.Module:
    """He et al. 2015; without `pool` the stem is that for small images, as for CIFAR."""
    stem = [conv(3, width, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)] if pool else [conv(3, width), nn.ReLU()]
    layers: list[nn.Module] = [*stem]
    inputs = width
    for stage, depth in enumerate(depths):
        for block in range(depth):
            layers.append(Residual(inputs, width << stage, 2 if stage and not block else 1, expansion))
            inputs = (width << stage) * expansion
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, classes))


class UNet(nn.Module):
    """Ronneberger et al. 2015, with batch norm and padding."""

    def __init__(self, width: int = 32, depth: int = 3, classes: int = 2) -> None:
        super().__init__()

        def pair(i: int, o: int) -> nn.Sequential:
            return nn.Sequential(conv(i, o), nn.ReLU(), conv(o, o), nn.ReLU())

        widths = [width << k for k in range(depth + 1)]
        self.down = nn.ModuleList(pair(i, o) for i, o in zip([3, *widths], widths))
        self.up = nn.ModuleList(nn.ConvTranspose2d(2 * w, w, 2, 2) for w in reversed(widths[:-1]))
        self.merge = nn.ModuleList(pair(2 * w, w) for w in reversed(widths[:-1]))
        self.head = nn.Conv2d(width, classes, 1)

    def forward(self, x: Tensor) -> Tensor:
        skips: list[Tensor] = []
        for level, block in enumerate(self.down):
            x = block(F.max_pool2d(x, 2) if level else x)
            skips.append(x)
        skips.pop()
        for up, merge in zip(self.up, self.merge):
            x = merge(torch.cat([skips.pop(), up(x)], 1))
        return self.head(x)


class Attention(nn.Module):
    """Causal self-attention by SDPA."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.out, self.drop = nn.Linear(width, 3 * width), nn.Linear(width, width), nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        q, k, v = (z.view(b, t, self.heads, -1).transpose(1, 2) for z in self.qkv(x).split(c, 2))
        return self.drop(
            self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, c))
        )


class GPT(nn.Module):
    """Radford et al. 2019, with `layer` as what follows each attention."""

    def __init__(
        self,
        layers: int = 6,
        width: int = 256,
        heads: int = 8,
        vocabulary: int = 1000,
        length: int = 256,
        dropout: float = 0.1,
        mixture: Callable[[int], nn.Module] | None = None,
    ) -> None:
        super().__init__()

        def mlp() -> nn.Module:
            return (
                mixture(width)
                if mixture
                else nn.Sequential(
                    nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(dropout)
                )
            )

        self.token, self.place = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.drop = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(
            nn.ModuleList([nn.LayerNorm(width), Attention(width, heads, dropout), nn.LayerNorm(width), mlp()])
            for _ in range(layers)
        )
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        h = self.drop(self.token(x) + self.place(torch.arange(x.shape[1], device=x.device)))
        for norm, attention, other, mlp in self.blocks:
            h = h + attention(norm(h))
            h = h + mlp(other(h))
        return self.head(self.norm(h))


class Mixture(nn.Module):
    """A mixture of experts: the best `top` of them for each token, by index operations over a fixed capacity."""

    def __init__(self, width: int, experts: int = 4, top: int = 2) -> None:
        super().__init__()
        self.gate, self.top = nn.Linear(width, experts), top
        self.up = nn.Parameter(torch.randn(experts, width, 2 * width) * 0.02)
        self.down = nn.Parameter(torch.randn(experts, 2 * width, width) * 0.02)

    def forward(self, x: Tensor) -> Tensor:
        flat = x.reshape(-1, x.shape[-1])
        weight, expert = self.gate(flat).softmax(-1).topk(self.top, -1)
        order = expert.flatten().argsort(stable=True)
        rows = order // self.top
        capacity = rows.shape[0] // self.up.shape[0]
        chosen = flat[rows].view(self.up.shape[0], capacity, -1)
        out = torch.bmm(F.gelu(torch.bmm(chosen, self.up)), self.down).flatten(0, 1)
        return torch.zeros_like(flat).index_add(0, rows, out * weight.flatten()[order, None]).view_as(x)


class WindowBlock(nn.Module):
    """A block of Swin: attention within shifted windows, with a table of relative positions."""

    def __init__(self, width: int, heads: int, window: int, shift: int) -> None:
        super().__init__()
        self.heads, self.window, self.shift = heads, window, shift
        self.norm, self.other = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.table = nn.Parameter(torch.randn((2 * window - 1) ** 2, heads) * 0.02)
        at = torch.stack(torch.meshgrid(torch.arange(window), torch.arange(window), indexing="ij")).flatten(1)
        offset = (at[:, :, None] - at[:, None]) + window - 1
        self.register_buffer("index", offset[0] * (2 * window - 1) + offset[1])

    def forward(self, x: Tensor) -> Tensor:
        b, h, w, c = x.shape
        k, s = self.window, self.shift
        z = torch.roll(self.norm(x), (-s, -s), (1, 2)).view(b, h // k, k, w // k, k, c)
        z = z.permute(0, 1, 3, 2, 4, 5).reshape(-1, k * k, c)
        q, key, v = self.qkv(z).view(-1, k * k, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        bias = self.table[self.index.flatten()].view(k * k, k * k, -1).permute(2, 0, 1)
        z = (
            ((q @ key.transpose(-2, -1) * (c // self.heads) ** -0.5 + bias).softmax(-1) @ v)
            .transpose(1, 2)
            .reshape(z.shape)
        )
        z = self.out(z).view(b, h // k, w // k, k, k, c).permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, c)
        x = x + torch.roll(z, (s, s), (1, 2))
        return x + self.mlp(self.other(x))


class Swin(nn.Module):
    """Liu et al. 2021, two stages."""

    def __init__(self, width: int = 32, window: int = 4, classes: int = 10) -> None:
        super().__init__()
        self.embed = nn.Conv2d(3, width, 4, 4)
        self.first = nn.Sequential(*(WindowBlock(width, 4, window, s) for s in (0, window // 2)))
        self.merge = nn.Linear(4 * width, 2 * width)
        self.second = nn.Sequential(*(WindowBlock(2 * width, 4, window, s) for s in (0, window // 2)))
        self.head = nn.Linear(2 * width, classes)

    def forward(self, x: Tensor) -> Tensor:
        x = self.first(self.embed(x).permute(0, 2, 3, 1))
        x = torch.cat([x[:, i::2, j::2] for i in (0, 1) for j in (0, 1)], -1)
        return self.head(self.second(self.merge(x)).mean((1, 2)))


class Inverted(nn.Module):
    """A block of MobileNet: expand, depthwise, squeeze and excite, project."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        wide = 4 * inputs
        self.expand, self.depth = conv(inputs, wide, 1), conv(wide, wide, 3, stride, wide)
        self.squeeze, self.excite = nn.Conv2d(wide, wide // 4, 1), nn.Conv2d(wide // 4, wide, 1)
        self.project, self.same = conv(wide, outputs, 1), stride == 1 and inputs == outputs

    def forward(self, x: Tensor) -> Tensor:
        z = F.hardswish(self.depth(F.hardswish(self.expand(x), inplace=True)), inplace=True)
        z = self.project(z * F.hardsigmoid(self.excite(F.relu(self.squeeze(z.mean((2, 3), keepdim=True))))))
        return x + z if self.same else z


def mobilenet(width: int = 16, classes: int = 10) -> nn.Module:
    """Howard et al. 2019, shortened."""
    w = width
    blocks = [(w, w, 1), (w, 2 * w, 2), (2 * w, 2 * w, 1), (2 * w, 4 * w, 2), (4 * w, 4 * w, 1)]
    return nn.Sequential(
        conv(3, w, 3, 2),
        nn.Hardswish(),
        *(Inverted(*b) for b in blocks),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.Linear(4 * w, classes),
    )


class LSTM(nn.Module):
    """Layers of LSTM cells, unrolled over time."""

    def __init__(self, layers: int = 2, width: int = 64, vocabulary: int = 100) -> None:
        super().__init__()
        self.embed, self.head = nn.Embedding(vocabulary, width), nn.Linear(width, vocabulary)
        self.cells = nn.ModuleList(nn.LSTMCell(width, width) for _ in range(layers))
        self.drop = nn.Dropout(0.1)

    def forward(self, x: Tensor) -> Tensor:
        outputs = list(self.embed(x).unbind(1))
        for cell in self.cells:
            state = None
            for t, z in enumerate(outputs):
                state = cell(z, state)
                outputs[t] = self.drop(state[0])
        return self.head(torch.stack(outputs, 1))


def images(batch: int, size: int, classes: int) -> tuple[Tensor, Tensor]:
    """Random images with labels."""
    return torch.randn(batch, 3, size, size), torch.randint(0, classes, (batch,))


def words(batch: int, length: int, vocabulary: int) -> tuple[Tensor, Tensor]:
    """Random texts with labels."""
    return torch.randint(0, vocabulary, (batch, length)), torch.randint(0, vocabulary, (batch, length))


#: Small networks with their data, each made anew by a call.
SMALL: dict[str, Callable[[], tuple[nn.Module, tuple[Any, ...]]]] = {
    "resnet18": lambda: (Loss(resnet([2, 2, 2, 2], 1, 16, 10, pool=False)), images(4, 32, 10)),
    "resnet18_pool": lambda: (Loss(resnet([2, 2, 2, 2], 1, 16, 10)), images(4, 64, 10)),
    "resnet50": lambda: (Loss(resnet([3, 4, 6, 3], 4, 16, 10)), images(4, 64, 10)),
    "unet": lambda: (Loss(UNet(8, 3)), (torch.randn(2, 3, 64, 64), torch.randint(0, 2, (2, 64, 64)))),
    "gpt": lambda: (Loss(GPT(4, 64, 4, 100, 64)), words(2, 64, 100)),
    "swin": lambda: (Loss(Swin()), images(2, 64, 10)),
    "mobilenet": lambda: (Loss(mobilenet()), images(2, 64, 10)),
    "lstm": lambda: (Loss(LSTM()), words(48, 12, 100)),
    "mixture": lambda: (Loss(GPT(2, 64, 4, 100, 64, mixture=Mixture)), words(2, 64, 100)),
}


def run_checks(check: Callable[..., bool], default: Sequence[str], arguments: Sequence[str], **options: Any) -> int:
    """The exit status of a check of networks, each NETWORK or NETWORK@BUDGET; of the default ones where none is named."""
    pairs = [a.split("@") if "@" in a else (a, "60%") for a in arguments or default]
    return 0 if all([check(name, budget, **options) for name, budget in pairs]) else 1
