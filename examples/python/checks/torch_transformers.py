"""Do models of transformers train as they come, bit for bit, within the bytes of a budget for the whole step?

torch_transformers.py [MODEL[@BUDGET] ...]: all of MODELS at 60%, 40% and 0%, which takes the least that is found, where
none is named. Small models with random weights; no graph is asked to be whole. Exit status 77, which ctest takes for
skipped, without torch or transformers.
"""

from __future__ import annotations

import copy
import sys
import time
from collections.abc import Callable
from typing import Any

try:
    import torch
    import transformers as hf
except ImportError:
    print("torch or transformers is not installed: skipped")
    sys.exit(77)

import repebble.torch as budgeted
from repebble.torch._step import StepPlan
from torch_models import run_checks

VOCABULARY = 97


def texts(*names: str, batch: int = 4, length: int = 48) -> dict[str, torch.Tensor]:
    """Random texts by argument."""
    return {name: torch.randint(3, VOCABULARY, (batch, length)) for name in names}


def language(name: str, **config: Any) -> Callable[[], tuple[torch.nn.Module, dict[str, Any]]]:
    """A model of words, by the name of its class."""

    def make() -> tuple[torch.nn.Module, dict[str, Any]]:
        model = getattr(hf, name)
        settings = model.config_class(vocab_size=VOCABULARY, use_cache=False, **config)
        return model(settings), texts("input_ids", "labels")

    return make


WIDE = {"hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4}
LLAMA = {**WIDE, "num_key_value_heads": 2, "intermediate_size": 128, "max_position_embeddings": 64}
DECODER = {"decoder_start_token_id": 1, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}


def vit() -> tuple[torch.nn.Module, dict[str, Any]]:
    config = hf.ViTConfig(**WIDE, intermediate_size=128, image_size=64, patch_size=8, num_labels=10)
    data = {"pixel_values": torch.randn(4, 3, 64, 64), "labels": torch.randint(0, 10, (4,))}
    return hf.ViTForImageClassification(config), data


def whisper() -> tuple[torch.nn.Module, dict[str, Any]]:
    sizes = {"layers": 3, "attention_heads": 4}
    layers = {f"{side}_{what}": n for side in ("encoder", "decoder") for what, n in sizes.items()}
    config = hf.WhisperConfig(
        vocab_size=VOCABULARY, d_model=64, encoder_ffn_dim=128, decoder_ffn_dim=128, max_source_positions=60,
        max_target_positions=64, num_mel_bins=16, **layers, **DECODER,
    )  # fmt: skip
    return hf.WhisperForConditionalGeneration(config), {"input_features": torch.randn(4, 16, 120), **texts("labels")}


MODELS: dict[str, Callable[[], tuple[torch.nn.Module, dict[str, Any]]]] = {
    "gpt2": language("GPT2LMHeadModel", n_layer=4, n_embd=64, n_head=4, n_positions=64),
    "llama": language("LlamaForCausalLM", **LLAMA),
    "bert": language("BertForMaskedLM", **WIDE, intermediate_size=128),
    "t5": language("T5ForConditionalGeneration", d_model=64, d_kv=16, d_ff=128, num_layers=3, num_heads=4, **DECODER),
    "vit": vit,
    "mixtral": language("MixtralForCausalLM", **LLAMA, num_local_experts=4),
    "whisper": whisper,
}
BROKEN = "gpt2, graph break"  # the head and the loss are a graph of their own


def make(name: str) -> tuple[torch.nn.Module, dict[str, Any]]:
    """A model and its data; the same whenever it is called."""
    torch.manual_seed(0)
    model, data = MODELS["gpt2" if name == BROKEN else name]()
    if name == BROKEN:
        model.transformer.register_forward_hook(lambda *_: torch._dynamo.graph_break())
    return model.train(), data


def train(call: Any, model: torch.nn.Module, data: dict[str, Any]) -> list[torch.Tensor]:
    """Loss and gradients of a step."""
    torch.manual_seed(1)
    model.zero_grad(set_to_none=True)
    loss = call(**data).loss
    loss.backward()
    return [loss.detach(), *(p.grad for p in model.parameters() if p.grad is not None)]


def equals(mine: list[torch.Tensor], theirs: list[torch.Tensor]) -> bool:
    return len(mine) == len(theirs) and all(map(torch.equal, mine, theirs))


def check(name: str, budget: str, **options: Any) -> bool:
    """Prints a row and tells whether all is as promised."""
    model, data = make(name)
    eager = copy.deepcopy(model)
    torch._dynamo.reset()
    backend = budgeted.backend(budget, **options)
    compiled = torch.compile(model, backend=backend)
    begin = time.perf_counter()
    train(compiled, model, data)  # a step of several graphs is planned when all of these are known
    mine = train(compiled, model, data)
    seconds = time.perf_counter() - begin
    like = "eager" if equals(mine, train(eager, eager, data)) else ""
    if not like:
        torch._dynamo.reset()
        plain = torch.compile(eager, backend="aot_eager")
        like = "aot_eager" if equals(mine, train(plain, eager, data)) else "NOTHING"
    del mine
    model.zero_grad(set_to_none=True)
    with budgeted.StorageCounter([data, list(model.parameters()), list(model.buffers())]) as counter:
        loss = compiled(**data).loss
        loss.backward()
    measured = counter.peak([p.grad for p in model.parameters() if p.grad is not None])
    first = backend.reports[0].planned  # a step of one graph is that graph
    step = backend.step or StepPlan([first], first.budget, first.measured.peak, first.keep_all.peak)
    time_once = sum(r.planned.measured.time - r.planned.measured.overhead for r in backend.reports)
    overhead = sum(r.planned.measured.overhead for r in backend.reports) / time_once
    least = next((r.planned.floor for r in backend.reports if r.planned.floor), 0)  # that is proven of the first graph
    good = like != "NOTHING" and measured <= max(step.takes, step.budget) and (step.fits or budget != "60%")
    print(
        f"{name:18} {budget:>5} {len(backend.reports):3} {step.everything:12,} {step.budget:12,} {step.takes:12,} "
        f"{measured:12,} {100 * step.takes / step.everything:5.1f} % {least:12,} "
        f"{100 * overhead:8.2f} % {seconds:6.1f} s {like}{'' if good else '  BROKEN'}",
        flush=True,
    )
    return good


def main(arguments: list[str], **options: Any) -> int:
    torch.set_num_threads(1)
    print(
        f"{'model':18} {'':>5} {'n':>3} {'keep all':>12} {'budget':>12} {'planned':>12} {'measured':>12} {'':>7} "
        f"{'floor':>12} {'overhead':>10}"
    )
    default = [f"{name}@{budget}" for name in (*MODELS, BROKEN) for budget in ("60%", "40%", "0%")]
    return run_checks(check, default, arguments, **options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
