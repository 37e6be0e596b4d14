"""From a function to equations without calls, and the joint graph that the planner and `_fusion` read.

`trace` inlines calls, `jax.checkpoint` among them, drops what is the identity (barriers, names, stop_gradient), unites
equal equations, and leaves out what no result needs. Each equation is a node with the same number, each variable a tensor.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterable
from typing import Any

import jax
from jax import lax
from jax.extend import core, source_info_util

from .._devices import DEVICES
from .._errors import BadOption
from ..torch._fusion import Fused
from ..torch._joint import Joint, Node

Times = str | tuple[float, float] | Callable[[core.JaxprEqn], float]

#: Calls, and the parameter that holds what they call.
_CALLS = {
    "jit": "jaxpr",
    "pjit": "jaxpr",
    "closed_call": "call_jaxpr",
    "core_call": "call_jaxpr",
    "remat2": "jaxpr",
    "checkpoint": "jaxpr",
    "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr",
}
_IDENTITIES = ("name", "stop_gradient", "optimization_barrier")
_VIEWS = ("reshape", "squeeze", "expand_dims")
_STATEFUL = ("rng_uniform",)
#: What XLA's loops compute where it is read, at little cost.
_CHEAP = frozenset(
    "abs add add_any and broadcast_in_dim ceil clamp convert_element_type copy copy_p eq floor ge gt imag integer_pow iota "
    "is_finite le lt max min mul ne neg not or pad real rev round select_n shift_left shift_right_arithmetic "
    "shift_right_logical sign slice square sub transpose xor bitcast_convert_type reduce_precision".split()
)
#: What they compute where it is read once.
_DEAR = frozenset(
    "acos acosh asin asinh atan atan2 atanh cbrt cos cosh digamma div erf erf_inv erfc exp exp2 expm1 lgamma log log1p "
    "logistic nextafter pow rem rsqrt sin sinh sqrt tan tanh".split()
)
#: What reads pointwise values without having them in memory.
_REDUCTIONS = frozenset(
    "reduce_sum reduce_max reduce_min reduce_prod reduce_and reduce_or argmax argmin concatenate".split()
)


@dataclasses.dataclass
class Traced:
    """A function as equations, and its joint graph: node k is equation k, tensor t is variable t."""

    equations: list[core.JaxprEqn]
    variables: list[core.Var]
    results: list[int | core.Literal]  # tensors, or numbers that the function returns whatever it gets
    arguments: list[int]  # tensors
    constants: dict[int, Any]  # tensors that the function closes over
    names: dict[str, list[int]]  # nodes by the names of jax.ad_checkpoint.checkpoint_name
    debug_info: core.DebugInfo
    joint: Joint
    fused: Fused


def trace(
    closed: core.ClosedJaxpr, times: Times, marked: Iterable[str] = (), forward: tuple[int, int] | None = None
) -> Traced:
    """The equations and the joint graph of what `jax.make_jaxpr` gives.

    times: as `plan` takes them. marked: names whose values lie in memory, so that they can be kept or computed again.
    forward: how many arguments and results are those of the forward pass, where that is known: they come first.
    """
    flat = _Flat()
    arguments = [core.Var(v.aval) for v in closed.jaxpr.invars]
    results = flat.inline(closed.jaxpr, closed.consts, arguments)
    equations = _needed(flat.equations, results)
    inputs = [*arguments, *flat.constants]
    variables = [*inputs, *(v for e in equations for v in e.outvars)]
    number = {v: t for t, v in enumerate(variables)}
    read = {v for e in equations for v in e.invars if isinstance(v, core.Var)} | {
        v for v in results if isinstance(v, core.Var)
    }
    index_of = {v: k for k, e in enumerate(equations) for v in e.outvars}
    names = {n: [index_of[v] for v in vs if v in index_of] for n, vs in flat.names.items()}
    unless = {k for name in marked for k in names.get(name, ())}
    fusing, views = _kinds(equations, unless)
    storage_of = [*range(len(variables))]
    nodes: list[Node] = []
    later = range(forward[0], len(arguments)) if forward else range(0)
    backward: set[core.Var] = {variables[t] for t in later}
    for k, equation in enumerate(equations):
        sources = [v for v in equation.invars if isinstance(v, core.Var)]
        late = any(v in backward for v in sources)
        late = late or not forward and "transpose(" in str(equation.source_info.name_stack)
        backward |= {*equation.outvars} if late else set()
        if k in views:
            storage_of[number[equation.outvars[0]]] = storage_of[number[sources[0]]] if sources else -1
        ordered = equation.effects or equation.primitive.name in _STATEFUL
        nodes.append(
            Node(
                f"{equation.primitive.name} {k} of {source_of(equation)}",
                tuple(dict.fromkeys(number[v] for v in sources)),
                tuple(number[v] for v in equation.outvars if v in read),
                time_of(equation, times),
                "view" if k in views else "ordered" if ordered else "compute",
                backward=late,
            )
        )
    outputs = [number[v] if isinstance(v, core.Var) else v for v in results]
    computed = [t for t in outputs if isinstance(t, int) and t >= len(inputs)]
    early = {t for t in outputs[: forward[1]] if isinstance(t, int)} if forward else {*computed}
    first = {
        variables[t]: t
        for t in computed
        if t in early and variables[t] not in backward and (forward or not aval_of(variables[t]).shape)
    }
    joint = Joint(
        nodes,
        storage_of,
        [bytes_of_aval(v.aval) for v in variables],
        [t for t in range(len(inputs)) if t not in later],
        [*later],
        [*first.values()],
        [],
        [t for t in dict.fromkeys(computed) if variables[t] not in first],
        [],
    )
    readers: dict[core.Var, int] = {}
    for equation in equations:
        for v in {v for v in equation.invars if isinstance(v, core.Var)}:
            readers[v] = readers.get(v, 0) + 1
    inlined = {
        k
        for k, e in enumerate(equations)
        if k not in unless and (e.primitive.name in _CHEAP or (e.primitive.name in _DEAR and readers.get(e.outvars[0]) == 1))
    }
    traced = Traced(
        equations,
        variables,
        outputs,
        [*range(len(arguments))],
        {len(arguments) + k: c for k, c in enumerate(flat.constants.values())},
        names,
        closed.jaxpr.debug_info.with_unknown_names(),
        joint,
        None,  # type: ignore[arg-type]
    )
    traced.fused = Fused(joint, inlined, fusing, lambda kernel: _kernel_time(traced, kernel, times))
    return traced


class _Flat:
    """Equations in order, each variable written once."""

    def __init__(self) -> None:
        self.equations: list[core.JaxprEqn] = []
        self.constants: dict[core.Var, Any] = {}
        self.names: dict[str, list[core.Var]] = {}
        self._seen: dict[Any, list[core.Var]] = {}
        self._constant_of: dict[int, core.Var] = {}

    def inline(self, jaxpr: core.Jaxpr, constants: Iterable[Any], arguments: Iterable[Any]) -> list[Any]:
        """Appends the equations of a jaxpr; returns its results as variables and literals."""
        atoms: dict[core.Var, Any] = dict(zip(jaxpr.constvars, map(self._constant, constants)))
        atoms.update(zip(jaxpr.invars, arguments))

        def atom(v: Any) -> Any:
            return v if isinstance(v, core.Literal) else atoms[v]

        for equation in jaxpr.eqns:
            atoms.update(zip(equation.outvars, self._equation(equation, [*map(atom, equation.invars)])))
        return [*map(atom, jaxpr.outvars)]

    def _constant(self, value: Any) -> core.Var:
        if id(value) not in self._constant_of:
            self._constant_of[id(value)] = core.Var(jax.typeof(value))
            self.constants[self._constant_of[id(value)]] = value
        return self._constant_of[id(value)]

    def _equation(self, equation: core.JaxprEqn, inputs: list[Any]) -> list[Any]:
        name = equation.primitive.name
        if name in _IDENTITIES:
            if name == "name" and isinstance(inputs[0], core.Var):
                self.names.setdefault(equation.params["name"], []).append(inputs[0])
            return inputs
        if name in _CALLS:
            inner = equation.params[_CALLS[name]]
            closed = isinstance(inner, core.ClosedJaxpr)
            return self.inline(inner.jaxpr if closed else inner, inner.consts if closed else (), inputs)
        if name == "split":  # slices can be computed where they are read
            return self._slices(equation, inputs[0])
        return self._append(equation, inputs)

    def _append(self, equation: core.JaxprEqn, inputs: list[Any]) -> list[core.Var]:
        key = _key(equation, inputs)
        if key is not None and key in self._seen:
            return self._seen[key]
        outputs = [core.Var(v.aval) for v in equation.outvars]
        self.equations.append(equation.replace(invars=inputs, outvars=outputs))
        if key is not None:
            self._seen[key] = outputs
        return outputs

    def _slices(self, split: core.JaxprEqn, whole: Any) -> list[core.Var]:
        axis, begin, found = split.params["axis"], 0, []
        for size in map(int, split.params["sizes"]):
            part = functools.partial(lax.slice_in_dim, start_index=begin, limit_index=begin + size, axis=axis)
            (slice_,) = jax.make_jaxpr(part)(_shape(whole.aval)).jaxpr.eqns
            found += self._append(slice_.replace(source_info=split.source_info), [whole])
            begin += size
        return found


def _shape(aval: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=getattr(aval, "weak_type", False))


def _key(equation: core.JaxprEqn, inputs: list[Any]) -> Any:
    """Equal for equations that compute the same; None where one must not stand for another."""
    if equation.effects or equation.primitive.name in _STATEFUL:
        return None
    parts = [v if isinstance(v, core.Var) else (str(v.aval), repr(v.val)) for v in inputs]
    key = (equation.primitive, tuple(equation.params.items()), tuple(parts))
    try:
        hash(key)
    except TypeError:
        return None
    return key


def _needed(equations: list[core.JaxprEqn], results: list[Any]) -> list[core.JaxprEqn]:
    """The equations that results or effects need."""
    live = {v for v in results if isinstance(v, core.Var)}
    found = []
    for equation in reversed(equations):
        if equation.effects or any(v in live for v in equation.outvars):
            found.append(equation)
            live |= {v for v in equation.invars if isinstance(v, core.Var)}
    return found[::-1]


def _kinds(equations: list[core.JaxprEqn], unless: set[int]) -> tuple[set[int], set[int]]:
    """Nodes that compute what they read in their own loops, and nodes that need no memory."""
    readers: dict[core.Var, list[int]] = {}
    fusing, views = set(), set()
    for k in range(len(equations) - 1, -1, -1):
        equation, name = equations[k], equations[k].primitive.name
        inside = all(r in fusing or r in views for v in equation.outvars for r in readers.get(v, ()))
        source = equation.invars[0] if equation.invars else None
        small = not any(isinstance(v, core.Var) and aval_of(v).shape for v in equation.invars)
        if k in unless:
            pass
        elif name in _VIEWS and isinstance(source, core.Var):
            views.add(k)
        elif name in ("broadcast_in_dim", "iota") and len(equation.invars) < 2 and equation.outvars[0] in readers:
            same = source is not None and aval_of(source).size == aval_of(equation.outvars[0]).size
            if inside or small or same:
                views.add(k)
        if name in _CHEAP or name in _DEAR or name in _REDUCTIONS:
            fusing.add(k)
        for v in equation.invars:
            if isinstance(v, core.Var):
                readers.setdefault(v, []).append(k)
    return fusing, views


def source_of(equation: core.JaxprEqn) -> str:
    """File, line and function of the user's code that an equation comes from."""
    return str(source_info_util.summarize(equation.source_info)).rpartition("/")[2]


def aval_of(atom: Any) -> Any:
    """Shape and type, which jax's own types do not tell."""
    return atom.aval


def bytes_of_aval(aval: Any) -> int:
    """Bytes of an array; of a key of random numbers, those of its words."""
    count = math.prod(getattr(aval, "shape", ()))
    return int(count) * int(getattr(getattr(aval, "dtype", None), "itemsize", 8) or 8)


def check_times(times: Any) -> None:
    """Raises BadOption where these are no times."""
    pair = isinstance(times, tuple) and len(times) == 2 and all(isinstance(x, (int, float)) and x > 0 for x in times)
    if not (pair or callable(times) or (isinstance(times, str) and times in DEVICES)):
        named = ", ".join(DEVICES)
        raise BadOption(f"times are those of a device ({named}), FLOP/s and bytes/s, or a function, not {times!r}")


def _roofline(operations: float, traffic: float, times: Any) -> float:
    flops_per_second, bytes_per_second = DEVICES[times] if isinstance(times, str) else times
    return max(1.0, round(1e9 * max(operations / flops_per_second, traffic / bytes_per_second)))


def time_of(equation: core.JaxprEqn, times: Times) -> float:
    """Nanoseconds of an equation."""
    if callable(times):
        return float(times(equation))
    return _roofline(flops(equation), _traffic(equation), times)


def _traffic(equation: core.JaxprEqn) -> int:
    """Bytes that are read and written: of a scan, constants and what is carried in each step, slices once."""
    sizes = [bytes_of_aval(v.aval) for v in (*equation.invars, *equation.outvars)]
    if equation.primitive.name != "scan":
        return sum(sizes)
    constants, carried, inputs = equation.params["num_consts"], equation.params["num_carry"], len(equation.invars)
    each = sum(sizes[: constants + carried]) + sum(sizes[inputs : inputs + carried])
    return sum(sizes) + (repeats(equation) - 1) * each


def _kernel_time(traced: Traced, kernel: tuple[int, ...], times: Times) -> float:
    """Nanoseconds of equations that run as one kernel, the last of which gives its results."""
    equations = [traced.equations[k] for k in kernel]
    if callable(times):
        return sum(float(times(e)) for e in equations)
    made = {v for e in equations for v in e.outvars}
    outside = {v for e in equations for v in e.invars if isinstance(v, core.Var) and v not in made}
    traffic = sum(bytes_of_aval(v.aval) for v in (*outside, *equations[-1].outvars))
    return _roofline(sum(map(flops, equations)), traffic, times)


def repeats(equation: core.JaxprEqn) -> int:
    """How often what an equation holds inside runs, as far as it is known."""
    return int(equation.params.get("length", 1)) if equation.primitive.name == "scan" else 1


def flops(equation: core.JaxprEqn) -> float:
    """Arithmetic of products and convolutions, those inside loops among them; of others one for each element."""
    params, out = equation.params, equation.outvars[0].aval if equation.outvars else None
    size = float(math.prod(getattr(out, "shape", ())))
    shapes: list[Any] = [getattr(v.aval, "shape", ()) for v in equation.invars]
    if equation.primitive.name == "dot_general":
        (contracted, _), _ = params["dimension_numbers"]
        return 2 * size * float(math.prod(shapes[0][d] for d in contracted))
    if equation.primitive.name == "conv_general_dilated":
        kernel, numbers = shapes[1], params["dimension_numbers"]
        return 2 * size * float(math.prod(kernel)) / int(kernel[numbers.rhs_spec[0]])
    inner = [*core.jaxprs_in_params(params)]
    if inner:
        each = [sum(map(flops, jaxpr.eqns)) for jaxpr in inner]
        return repeats(equation) * (max(each) if equation.primitive.name == "cond" else sum(each))
    return size
