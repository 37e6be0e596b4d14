#ifndef REPEBBLE_GRAPH_WEIGHTS_HPP
#define REPEBBLE_GRAPH_WEIGHTS_HPP

// Weights on vertices: the callables that give time, memory, workspace, recomputability and results, the concepts that constrain
// them, and the aggregate that bundles them.

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <repebble/detail/invoke_on_vertex.hpp>
#include <repebble/graph/concepts.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// A callable that gives every vertex a number: a time, or bytes. Called as by std::invoke, so that
/// `&node::bytes` works where the vertex is a node.
template <class F, class Graph>
concept vertex_weight =
    std::invocable<F const&, vertex_t<Graph> const&> &&
    std::is_arithmetic_v<std::remove_cvref_t<std::invoke_result_t<F const&, vertex_t<Graph> const&>>>;

/// A callable that gives every output of every vertex its bytes.
template <class F, class Graph>
concept output_weight =
    std::invocable<F const&, vertex_t<Graph> const&, std::uint32_t> &&
    std::is_arithmetic_v<std::remove_cvref_t<std::invoke_result_t<F const&, vertex_t<Graph> const&, std::uint32_t>>>;

/// Bytes per vertex, or, where vertices have several outputs, per output.
template <class F, class Graph>
concept memory_weight = vertex_weight<F, Graph> || output_weight<F, Graph>;

/// Says of every vertex, or of every output, whether it is a result.
template <class F, class Graph>
concept result_predicate =
    std::predicate<F const&, vertex_t<Graph> const&> || std::predicate<F const&, vertex_t<Graph> const&, std::uint32_t>;

/// 1 for every vertex and every output.
struct unit_weight {
    template <class... Arguments>
    [[nodiscard]] constexpr auto operator()(Arguments const&...) const noexcept -> int {
        return 1;
    }
};

/// 0 for every vertex.
struct zero_weight {
    template <class Vertex>
    [[nodiscard]] constexpr auto operator()(Vertex const&) const noexcept -> int {
        return 0;
    }
};

/// True for every vertex.
struct always {
    template <class... Arguments>
    [[nodiscard]] constexpr auto operator()(Arguments const&...) const noexcept -> bool {
        return true;
    }
};

/// False for every vertex and every output.
struct never {
    template <class... Arguments>
    [[nodiscard]] constexpr auto operator()(Arguments const&...) const noexcept -> bool {
        return false;
    }
};

/// The weights of a graph. All members are callables on vertices.
template <class Time = unit_weight, class Memory = unit_weight, class Workspace = zero_weight,
          class Recomputable = always, class Result = never>
struct weights {
    Time time{};                  ///< time units that the operation takes
    Memory memory{};              ///< bytes of its output; of output j where it is callable with (v, j)
    Workspace workspace{};        ///< bytes in use only while it runs
    Recomputable recomputable{};  ///< false: the operation may never run twice
    Result result{};              ///< true: its output stays resident to the end; output j where called with (v, j)
};

template <class T>
weights(T) -> weights<T>;
template <class T, class M>
weights(T, M) -> weights<T, M>;
template <class T, class M, class W>
weights(T, M, W) -> weights<T, M, W>;
template <class T, class M, class W, class R>
weights(T, M, W, R) -> weights<T, M, W, R>;
template <class T, class M, class W, class R, class O>
weights(T, M, W, R, O) -> weights<T, M, W, R, O>;

/// `W` is a `weights` whose members all apply to the vertices of `Graph`.
template <class W, class Graph>
concept weights_for = requires(W const& w, vertex_t<Graph> const& v) {
    requires vertex_weight<decltype(w.time), Graph>;
    requires memory_weight<decltype(w.memory), Graph>;
    requires vertex_weight<decltype(w.workspace), Graph>;
    { detail::call(w.recomputable, v) } -> std::convertible_to<bool>;
    requires result_predicate<decltype(w.result), Graph>;
};

}  // namespace repebble::inline v0

#endif
