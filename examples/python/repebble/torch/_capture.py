"""The joint graph of AOTAutograd, read into the planner's terms."""

from __future__ import annotations

import fnmatch
import operator
from typing import Any

import torch
from torch import fx
from torch._functorch import partitioners
from torch._functorch._aot_autograd import descriptors
from torch.utils import _pytree as pytree

from . import _collectives, _times
from ._fusion import Fused
from ._joint import IN_ORDER, UNSEEN, Joint, Node

_COPY = torch.ops.aten.copy_.default
#: What inductor computes where it is read, beside what torch tags as pointwise.
_POINTWISE = {
    f"{library}.{name}"
    for library, names in {
        "aten": "arange.start_step constant_pad_nd.default embedding.default flip.default full.default full_like.default"
        " gather.default index.Tensor scalar_tensor.default select_scatter.default slice_scatter.default",
        "prims": "inductor_lookup_seed.default inductor_random.default iota.default",
    }.items()
    for name in names.split()
}


class Captured:
    """A joint graph, and the nodes of torch that its numbers stand for."""

    def __init__(
        self,
        module: fx.GraphModule,
        num_fwd_outputs: int,
        times: _times.Times = "a100",
        count_gradients: bool = False,
        interconnect: str = _times.INTERCONNECT,
    ) -> None:
        self.module = module
        self.times, self.interconnect = times, interconnect
        self.groups: list[tuple[int, ...]] = []  # ranks of the collectives' process groups, as they first appear
        self.tensor_nodes: list[fx.Node] = []  # of each tensor: a node that yields one, getitems among them
        self.roots: list[fx.Node] = []  # of each entry of `joint.nodes`
        self._tensor: dict[fx.Node, int] = {}
        self._storages: dict[Any, int] = {}
        self._sizes: list[int] = []
        self._storage_of: list[int] = []
        self._constants: list[torch.Tensor] = []
        placeholders = module.graph.find_nodes(op="placeholder")
        late = {p for p in placeholders if partitioners._is_tangent(p) or partitioners._is_bwd_seed_offset(p)}
        for node in (*placeholders, *module.graph.find_nodes(op="get_attr")):
            self._add_tensor(node)
        nodes = self._nodes(late, times)
        outputs, gradients, descs, _ = partitioners._extract_fwd_bwd_outputs(module, num_fwd_outputs=num_fwd_outputs)
        update = [isinstance(d, descriptors.InputMutationAOTOutput) for d in descs]
        numbers = [self._tensor.get(x, -1) if isinstance(x, fx.Node) else -1 for x in outputs]
        self.joint = Joint(
            nodes,
            self._storage_of,
            self._sizes,
            inputs=[self._tensor[n] for n in (*placeholders, *module.graph.find_nodes(op="get_attr")) if n not in late],
            tangents=[self._tensor[n] for n in late_in_order(placeholders, late)],
            results=[-1 if u else x for u, x in zip(update, numbers)],
            updates=[x if u else -1 for u, x in zip(update, numbers)],
            gradients=[self._tensor.get(x, -1) if isinstance(x, fx.Node) else -1 for x in gradients],
            mutated=self._mutated(placeholders, descs, nodes),
            state_size=_state_size(placeholders),
            count_gradients=count_gradients,
        )

    def fused(self) -> Fused:
        """The joint graph as kernels of a compiler such as inductor."""
        tags = [getattr(root.target, "tags", ()) for root in self.roots]
        pointwise = {k for k, t in enumerate(tags) if torch.Tag.pointwise in t}
        fusing = pointwise | {k for k, t in enumerate(tags) if torch.Tag.reduction in t}
        fusing |= {k for k, root in enumerate(self.roots) if root.target is torch.ops.aten.cat.default}
        pointwise |= {k for k, root in enumerate(self.roots) if str(root.target) in _POINTWISE}
        fusing = {k for k in fusing if self.joint.nodes[k].kind == "compute"}
        return Fused(
            self.joint, pointwise, fusing, lambda k: _times.kernel_time([self.roots[i] for i in k], self.times)
        )

    def lines(self) -> list[str]:
        """The joint graph in words that are the same on all ranks which run the same collectives: without constants and
        names, which may tell ranks apart, and with groups by number."""
        joint = self.joint
        lists = {k: getattr(joint, k) for k in ("inputs", "tangents", "results", "updates", "gradients", "mutated")}
        found = [f"{len(x)} {kind}" for kind, x in lists.items()]
        for k, (node, root) in enumerate(zip(joint.nodes, self.roots)):
            ranks = _collectives.ranks_of(root)
            group = f" in group {self.groups.index(ranks)} of {len(ranks)} ranks" if ranks else ""
            places = [
                f"{t} of {joint.sizes[joint.storage_of[t]] if joint.storage_of[t] >= 0 else 0}" for t in node.writes
            ]
            name = fx.node._get_qualified_name(root.target)  # without the address of a Python function
            found.append(f"operation {k}: {name}{group} reads {node.reads}, writes {', '.join(places)} bytes")
        found += [f"{kind}: {x}" for kind, x in {**lists, "handed": joint.handed, "between": joint.between}.items()]
        found += [f"storage {s}: {size} bytes" for s, size in enumerate(joint.sizes)]
        return [*found, f"storages: {joint.storage_of}", f"kinds: {[n.kind for n in joint.nodes]}"]

    def inner(self, indices: list[int]) -> list[int]:
        """The placeholders of arguments: one for each, or of a DTensor one for each of its parts."""
        roots = [_root(p.meta.get("desc", p)) for p in self.module.graph.find_nodes(op="placeholder")]
        arguments = list(dict.fromkeys(roots))
        wanted = {arguments[i] for i in indices}
        return [k for k, root in enumerate(roots) if root in wanted]

    def named(self, pattern: str, marked: str) -> set[str]:
        """Names of the nodes that a pattern matches.

        It is the path of a module, or the name of an operator such as "aten.mm", with `*` for any letters, or
        "checkpoint": what torch.utils.checkpoint has marked to be `marked`, SAVE or RECOMPUTE.
        """
        return {n.name for n in self.roots if _matches(n, pattern, marked)}

    def _add_tensor(self, node: fx.Node) -> int:
        value = node.meta.get("val")
        if value is None and node.op == "get_attr":
            value = operator.attrgetter(str(node.target))(self.module)
            self._constants += [value] if isinstance(value, torch.Tensor) else []
        number = self._tensor[node] = len(self.tensor_nodes)
        self.tensor_nodes.append(node)
        self._storage_of.append(self._storage(value) if isinstance(value, torch.Tensor) else -1)
        return number

    def _storage(self, value: torch.Tensor) -> int:
        try:
            key, size = value.untyped_storage()._cdata, _times.storage_bytes(value)
        except (NotImplementedError, RuntimeError):  # no storage of its own, such as a sparse tensor: by itself
            key, size = ("object", id(value)), _times.tensor_bytes(value)
        if key not in self._storages:
            self._storages[key] = len(self._sizes)
            self._sizes.append(size)
        return self._storages[key]

    def _nodes(self, late: set[fx.Node], times: _times.Times) -> list[Node]:
        nodes: list[Node] = []
        backward: dict[fx.Node, bool] = {n: True for n in late}
        for node in self.module.graph.nodes:
            if node.op != "call_function":
                continue
            backward[node] = any(backward.get(n, False) for n in node.all_input_nodes)
            if node.target is operator.getitem and isinstance(_times.value_of(node.args[0]), (tuple, list)):
                continue
            leaves = leaves_of(node)
            reads = tuple(dict.fromkeys(self._tensor[n] for n in node.all_input_nodes if n in self._tensor))
            if _collectives.is_wait(node.target):  # on fake tensors it is a copy, in truth what it has waited for
                for waited, value in zip(_times.tensors(node.args), _times.tensors(node)):
                    self._storages[value.untyped_storage()._cdata] = self._storage(waited)
            before = {self._storage_of[t] for t in reads} - {-1}
            known = set(self._storages.values())
            writes = tuple(self._add_tensor(leaf) for leaf in leaves)
            kind = self._kind(node, before, writes)
            unread = self._unread(node, known) if kind not in UNSEEN else 0
            time = _times.node_time(node, times, self.interconnect) if kind not in UNSEEN else 0.0
            late_node = backward[node] or (kind in IN_ORDER and partitioners._has_tag_is_backward(node))
            ranks = _collectives.ranks_of(node)
            if ranks and ranks not in self.groups:
                self.groups.append(ranks)
            nodes.append(Node(node.name, reads, writes, time, kind, unread, late_node))
            self.roots.append(node)
        return nodes

    def _unread(self, node: fx.Node, known: set[int]) -> int:
        """Bytes of outputs that no node reads."""
        written = {self._storage(v) for v in _times.tensors(leaves_of(node))}
        spare = {self._storage(v): _times.storage_bytes(v) for v in _times.tensors(node)}
        return sum(size for s, size in spare.items() if s not in written and s not in known)

    def _kind(self, node: fx.Node, before: set[int], writes: tuple[int, ...]) -> str:
        schema = getattr(node.target, "_schema", None)
        if schema is not None and schema.is_mutable:
            if (
                node.target is _COPY
                and node.args[0].op == "placeholder"
                and not partitioners._must_be_in_backward(node)
            ):
                return "store"
            return "ordered"
        if str(node.target) == "prims.inductor_seeds.default":
            return "ordered"  # a few bytes, from which inductor's random numbers are made again
        if _is_random(node):
            return "random"
        if _calls_random(node):
            return "ordered"
        if _collectives.is_gather(node):
            return "gather"
        if _collectives.ends_one(node):
            return "wait"
        if _collectives.is_one(node.target) or node.is_impure(impure_random=False) or node.meta.get("unbacked_bindings"):
            return "ordered"
        if (
            node.target is torch.ops.higher_order.with_effects
            or node.target is torch.ops.aten._local_scalar_dense.default
        ):
            return "ordered"
        storages = {self._storage_of[t] for t in writes}
        if storages and storages <= {-1}:
            return "scalar"
        if storages and storages <= before | {-1}:
            return "view"
        return "compute"

    def _mutated(self, placeholders: list[fx.Node], descs: list[Any], nodes: list[Node]) -> list[int]:
        targets = {d.mutated_input for d in descs if isinstance(d, descriptors.InputMutationAOTOutput)}
        found = {self._storage_of[self._tensor[p]] for p in placeholders if p.meta.get("desc") in targets}
        found |= {self._storage_of[n.reads[0]] for n in nodes if n.kind == "store"}
        return sorted(found - {-1})


def _matches(node: fx.Node, pattern: str, marked: str) -> bool:
    if pattern == "checkpoint":
        return str(getattr(node.meta.get("recompute"), "name", "")).endswith(marked)
    paths = [path for path, _ in (node.meta.get("nn_module_stack") or {}).values()]  # such as L['self'].layers.0
    name = str(node.target)
    names = (name, name.rpartition(".")[0], *(path.rpartition("]")[2].lstrip(".") for path in paths))
    return any(fnmatch.fnmatchcase(n, pattern) for n in names)


def late_in_order(placeholders: list[fx.Node], late: set[fx.Node]) -> list[fx.Node]:
    """The placeholders that come with the backward pass, in order."""
    return [p for p in placeholders if p in late]


def leaves_of(node: fx.Node) -> list[fx.Node]:
    """The nodes that yield the single results of a node: itself, or the getitems of its tuple that are used."""
    if not isinstance(node.meta.get("val"), (tuple, list)):
        return [node] if node.meta.get("val") is not None else []
    found = []
    for user in node.users:
        if user.target is operator.getitem and user.args[0] is node:
            found += leaves_of(user)
    return found


def _is_seeded(target: Any) -> bool:
    """True where a tag of the operator says that it draws random numbers."""
    return torch.Tag.nondeterministic_seeded in getattr(target, "tags", ())


def _is_random(node: fx.Node) -> bool:
    """Whether a node reads the generator's state; attention without dropout does not."""
    if not _is_seeded(node.target):
        return False
    for place, argument in enumerate(getattr(getattr(node.target, "_schema", None), "arguments", ())):
        if argument.name == "dropout_p":
            given = node.args[place] if place < len(node.args) else node.kwargs.get("dropout_p", argument.default_value)
            return bool(given != 0)  # what is not known yet is a node
    return True


def _calls_random(node: fx.Node) -> bool:
    """Whether a higher-order operator, which has no tags, is given an operator or a graph that draws random numbers."""
    if not isinstance(node.target, torch._ops.HigherOrderOperator):
        return False
    for given in pytree.tree_leaves((node.args, node.kwargs)):
        if isinstance(given, fx.Node) and given.op == "get_attr":
            given = operator.attrgetter(str(given.target))(node.graph.owning_module)
        if isinstance(given, fx.GraphModule) and any(_is_random(n) or _calls_random(n) for n in given.graph.nodes):
            return True
        if _is_seeded(given):
            return True
    return False


def _root(desc: Any) -> Any:
    """Of which argument a placeholder is a part."""
    return _root(desc.base) if isinstance(desc, descriptors.SubclassGetAttrAOTInput) else desc


def _state_size(placeholders: list[fx.Node]) -> int:
    devices = {v.device.type for v in _times.tensors(list(placeholders))}
    return int(torch.cuda.get_rng_state().numel()) if "cuda" in devices else int(torch.get_rng_state().numel())
