"""Networks in a few lines each, for checks of repebble.jax: each is a loss and its arguments, parameters first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

Parameters = dict[str, Any]
Wrap = Callable[[Callable[..., Array]], Callable[..., Array]]  # what is done to each block, such as jax.checkpoint


class Keys:
    """Random keys, one after another."""

    def __init__(self, seed: int) -> None:
        self.key = jax.random.key(seed)

    def weights(self, *shape: int) -> Array:
        """Weights for products and convolutions: the last dimension is that of the outputs."""
        self.key, one = jax.random.split(self.key)
        inputs = 1
        for size in shape[:-1]:
            inputs *= size
        return jax.random.normal(one, shape) * inputs**-0.5


def plain(block: Callable[..., Array]) -> Callable[..., Array]:
    """A block as it is."""
    return block


def layer_norm(x: Array, gain: Array, bias: Array) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    return centred * lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * gain + bias


def dropout(x: Array, key: Array) -> Array:
    return jnp.where(jax.random.bernoulli(key, 0.9, x.shape), x / 0.9, 0)


def attention(x: Array, p: Parameters, heads: int) -> Array:
    batch, length, width = x.shape
    q, k, v = (
        part.reshape(batch, length, heads, width // heads).transpose(0, 2, 1, 3)
        for part in jnp.split(layer_norm(x, p["g1"], p["b1"]) @ p["qkv"], 3, -1)
    )
    scores = q @ k.transpose(0, 1, 3, 2) * (width // heads) ** -0.5
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
    return (jax.nn.softmax(scores) @ v).transpose(0, 2, 1, 3).reshape(x.shape) @ p["out"]


def transformer_block(x: Array, p: Parameters, key: Array) -> Array:
    first, second = jax.random.split(key)
    x = x + dropout(attention(x, p, 4), first)
    return x + dropout(jax.nn.gelu(layer_norm(x, p["g2"], p["b2"]) @ p["up"]) @ p["down"], second)


def cross_entropy(logits: Array, labels: Array) -> Array:
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1).mean()


def gpt_loss(p: Parameters, x: Array, y: Array, key: Array, wrap: Wrap = plain) -> Array:
    h = p["embed"][x] + p["position"]
    for block, one in zip(p["blocks"], jax.random.split(key, len(p["blocks"]))):
        h = wrap(transformer_block)(h, block, one)
    return cross_entropy(h @ p["embed"].T, y)


def scanned_loss(p: Parameters, x: Array, y: Array, key: Array, wrap: Wrap = plain) -> Array:
    """As gpt_loss, with all blocks in one scan."""

    def step(h: Array, given: tuple[Parameters, Array]) -> tuple[Array, None]:
        return wrap(transformer_block)(h, *given), None

    blocks = jax.tree.map(lambda *arrays: jnp.stack(arrays), *p["blocks"])
    h, _ = lax.scan(step, p["embed"][x] + p["position"], (blocks, jax.random.split(key, len(p["blocks"]))))
    return cross_entropy(h @ p["embed"].T, y)


def gpt(layers: int = 4, width: int = 64, words: int = 256, length: int = 64, batch: int = 8) -> tuple[Any, tuple[Any, ...]]:
    """Pre-norm transformer with dropout."""
    keys = Keys(0)
    blocks = [
        {
            "g1": jnp.ones(width),
            "b1": jnp.zeros(width),
            "qkv": keys.weights(width, 3 * width),
            "out": keys.weights(width, width),
            "g2": jnp.ones(width),
            "b2": jnp.zeros(width),
            "up": keys.weights(width, 4 * width),
            "down": keys.weights(4 * width, width),
        }
        for _ in range(layers)
    ]
    parameters = {"embed": keys.weights(words, width), "position": keys.weights(length, width), "blocks": blocks}
    text = jax.random.randint(jax.random.key(1), (batch, length + 1), 0, words)
    return gpt_loss, (parameters, text[:, :-1], text[:, 1:], jax.random.key(2))


def scanned_gpt() -> tuple[Any, tuple[Any, ...]]:
    """The transformer with twice the blocks, in one scan."""
    return scanned_loss, gpt(8)[1]


def convolution(x: Array, weights: Array, stride: int = 1) -> Array:
    numbers = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(x, weights, (stride, stride), "SAME", dimension_numbers=numbers)


def batch_norm(x: Array, gain: Array, bias: Array) -> Array:
    centred = x - x.mean((0, 1, 2))
    return centred * lax.rsqrt((centred**2).mean((0, 1, 2)) + 1e-5) * gain + bias


def residual_block(x: Array, p: Parameters) -> Array:
    stride = 2 if "skip" in p else 1
    h = jax.nn.relu(batch_norm(convolution(x, p["first"], stride), p["g1"], p["b1"]))
    h = batch_norm(convolution(h, p["second"]), p["g2"], p["b2"])
    if "skip" in p:
        x = batch_norm(convolution(x, p["skip"], stride), p["g3"], p["b3"])
    return jax.nn.relu(h + x)


def resnet_loss(p: Parameters, x: Array, y: Array, wrap: Wrap = plain) -> Array:
    h = jax.nn.relu(batch_norm(convolution(x, p["stem"]), p["gain"], p["bias"]))
    for block in p["blocks"]:
        h = wrap(residual_block)(h, block)
    return cross_entropy(h.mean((1, 2)) @ p["head"], y)


def resnet(width: int = 16, depths: tuple[int, ...] = (2, 2, 2), batch: int = 16) -> tuple[Any, tuple[Any, ...]]:
    """He et al. 2015 for images of 32 x 32, with batch norm."""
    keys, blocks, inputs = Keys(0), [], width
    for stage, depth in enumerate(depths):
        for number in range(depth):
            outputs = width << stage
            block = {"first": keys.weights(3, 3, inputs, outputs), "second": keys.weights(3, 3, outputs, outputs)}
            block |= {"g1": jnp.ones(outputs), "b1": jnp.zeros(outputs), "g2": jnp.ones(outputs), "b2": jnp.zeros(outputs)}
            if stage and not number:
                block |= {"skip": keys.weights(1, 1, inputs, outputs), "g3": jnp.ones(outputs), "b3": jnp.zeros(outputs)}
            blocks.append(block)
            inputs = outputs
    parameters = {
        "stem": keys.weights(3, 3, 3, width),
        "gain": jnp.ones(width),
        "bias": jnp.zeros(width),
        "blocks": blocks,
        "head": keys.weights(inputs, 10),
    }
    images = jax.random.normal(jax.random.key(1), (batch, 32, 32, 3))
    return resnet_loss, (parameters, images, jax.random.randint(jax.random.key(2), (batch,), 0, 10))


#: Networks, each made anew by a call.
NETWORKS: dict[str, Callable[[], tuple[Any, tuple[Any, ...]]]] = {"gpt": gpt, "scanned_gpt": scanned_gpt, "resnet": resnet}
