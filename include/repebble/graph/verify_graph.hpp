#ifndef REPEBBLE_GRAPH_VERIFY_GRAPH_HPP
#define REPEBBLE_GRAPH_VERIFY_GRAPH_HPP

// The checker of graphs and weights from outside: reports all problems as a list instead of throwing at the first. File
// readers and tests use it.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <repebble/detail/invoke_on_vertex.hpp>
#include <repebble/graph/access.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/find_cycle.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/unmet_requirement.hpp>
#include <repebble/graph/weights.hpp>

namespace repebble::inline v0 {

/// The kinds of problems of a graph and its weights.
enum class graph_problem_kind : std::uint8_t {
    index_out_of_range,  ///< the index of a vertex or of a successor is not in 0 … n-1
    duplicate_index,     ///< two vertices have the same index
    self_loop,           ///< a vertex reads itself
    cycle,               ///< vertices read each other in a cycle
    missing_output,      ///< an output does not exist, or memory(v) stands for several outputs
    bad_weight,          ///< a weight is negative, not a number, too large or not whole
    overflow,            ///< the bytes or the times of all together do not fit in 64 bits
};

/// A problem of a graph.
struct graph_problem {
    graph_problem_kind kind{};  ///< which rule is broken
    std::size_t vertex = 0;     ///< index of the vertex at fault
    std::string message;        ///< the whole problem in one sentence
    friend auto operator==(graph_problem const&, graph_problem const&) -> bool = default;
};

/// All problems of a graph: true where there are none.
struct graph_verdict {
    std::vector<graph_problem> problems{};  ///< indices and edges by vertex, then one cycle, then weights by vertex

    /// Whether the graph is valid.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return problems.empty(); }
    /// The first problem in one sentence; empty where there is none.
    [[nodiscard]] auto message() const -> std::string { return problems.empty() ? "" : problems.front().message; }
    friend auto operator==(graph_verdict const&, graph_verdict const&) -> bool = default;
};

namespace detail {

/// Collects the problems of one graph.
template <class Graph>
class graph_inspection {
  public:
    using kind = graph_problem_kind;
    std::vector<graph_problem> problems;

    constexpr explicit graph_inspection(Graph const& g) : g_(g) {}
    constexpr void edges() {
        for (auto&& vertex : vertices(g_)) found_.push_back(static_cast<vertex_t<Graph>>(vertex));
        std::size_t const n = found_.size();
        std::vector<char> taken(n, 0);
        std::vector<csr_graph::edge> edges;
        for (auto const& v : found_) {
            auto const i = vertex_index(g_, v);
            if (i >= n)
                add(kind::index_out_of_range, i, name(i) + " is out of range: the graph has " + std::to_string(n));
            else if (std::exchange(taken[i], 1) == 1)
                add(kind::duplicate_index, i, "the index of " + name(i) + " occurs twice");
            std::vector<std::size_t> row;
            for (auto&& w : successors(g_, v)) row.push_back(vertex_index(g_, static_cast<vertex_t<Graph>>(w)));
            std::ranges::sort(row);
            for (std::size_t k = 0; k < row.size(); ++k) {
                auto const edge = [&] {
                    // A negative vertex is named as it was given.
                    return "edge " + std::to_string(i) + " -> " + std::to_string(static_cast<std::ptrdiff_t>(row[k]));
                };
                if (k > 0 && row[k] == row[k - 1]) continue;  // it reads twice
                if (row[k] >= n) {
                    add(kind::index_out_of_range, i, edge() + " is out of range: the graph has " + std::to_string(n));
                } else if (row[k] == i) {
                    add(kind::self_loop, i, name(i) + " reads itself");
                } else if (i < n) {
                    edges.emplace_back(static_cast<csr_graph::vertex>(i), static_cast<csr_graph::vertex>(row[k]));
                }
            }
        }
        if (auto const cycle = find_cycle_fn{}(csr_graph(n, edges)); !cycle.empty()) {
            std::string circle;
            for (auto const v : cycle) circle += std::to_string(v) + " -> ";
            add(kind::cycle, cycle.front(), "the graph has a cycle: " + circle + std::to_string(cycle.front()));
        }
    }

    template <class Weights>
    constexpr void weigh(Weights const& w) {
        std::int64_t time = 0;
        bytes memory = 0;
        for (auto const& v : found_) {
            auto const i = vertex_index(g_, v);
            add_time(time, detail::call(w.time, v), i);
            add_bytes(memory, detail::call(w.workspace, v), "workspace", i);
            auto const outputs = static_cast<std::uint32_t>(output_count(g_, v));
            for (auto&& reader : successors(g_, v)) {
                vertex_t<Graph> const u = reader;
                if (vertex_index(g_, u) >= found_.size()) continue;
                for (auto&& j : outputs_read(g_, v, u))
                    if (std::cmp_less(j, 0) || std::cmp_greater_equal(j, outputs))
                        add(kind::missing_output, i, name(i) + " has no output " + std::to_string(j) + " to be read");
            }
            for (std::uint32_t j = 0; j < outputs; ++j) {
                auto const same = value_of(g_, v, j);
                auto const u = vertex_index(g_, same.vertex);
                if ((u != i && u >= found_.size()) || same.output >= output_count(g_, same.vertex))
                    add(kind::missing_output, i,
                        name(i) + ": output " + std::to_string(j) + " is said to be output " +
                            std::to_string(same.output) + " of vertex " + std::to_string(u));
                if (is_view(g_, v) || u != i || same.output != j) continue;  // the bytes count elsewhere
                if constexpr (output_weight<decltype(w.memory), Graph>)
                    add_bytes(memory, detail::call(w.memory, v, j), "memory", i);
                else if (outputs == 1)
                    add_bytes(memory, detail::call(w.memory, v), "memory", i);
                else if (j == 0)
                    add(kind::missing_output, i, name(i) + " has several outputs: memory must take (v, output)");
            }
        }
    }

  private:
    constexpr void add(kind what, std::size_t vertex, std::string message) {
        problems.push_back({what, vertex, std::move(message)});
    }
    [[nodiscard]] static constexpr auto name(std::size_t i) -> std::string { return "vertex " + std::to_string(i); }

    /// Floating-point times have no sum that can overflow: their unit is chosen by it.
    template <class Raw>
    constexpr void add_time(std::int64_t& total, Raw raw, std::size_t i) {
        if (is_faulty(detail::fault_of_quantity(raw), raw, "time", i)) return;
        if constexpr (std::integral<Raw>) add_up(total, static_cast<std::int64_t>(raw), i, "times of all operations");
    }
    template <class Raw>
    constexpr void add_bytes(bytes& total, Raw raw, char const* what, std::size_t i) {
        if (!is_faulty(detail::fault_of_bytes(raw), raw, what, i))
            add_up(total, static_cast<bytes>(raw), i, "bytes of all");
    }
    template <class Raw>
    constexpr auto is_faulty(char const* fault, Raw raw, char const* what, std::size_t i) -> bool {
        if (fault == nullptr) return false;
        add(kind::bad_weight, i, std::string(what) + " of " + name(i) + " is " + fault + ": " + std::to_string(raw));
        return true;
    }
    /// Adds one weight to a total, which stays unchanged where the sum is not valid.
    constexpr void add_up(std::int64_t& total, std::int64_t weight, std::size_t i, char const* sum) {
        if (auto const more = detail::sum_of(total, weight))
            total = *more;
        else
            add(kind::overflow, i, name(i) + ": " + detail::overflow_message(total, weight, sum));
    }

    Graph const& g_;
    std::vector<vertex_t<Graph>> found_;
};

struct verify_graph_fn : takes_graph {
    using takes_graph::operator();

    template <computation_graph Graph, weights_for<Graph>... Weights>
        requires(sizeof...(Weights) <= 1)
    [[nodiscard]] constexpr auto operator()(Graph const& g, Weights const&... w) const -> graph_verdict {
        graph_inspection<Graph> inspection(g);
        inspection.edges();
        (inspection.weigh(w), ...);
        return {std::move(inspection.problems)};
    }
};

struct require_valid_fn : takes_graph {
    using takes_graph::operator();

    template <computation_graph Graph, weights_for<Graph>... Weights>
        requires(sizeof...(Weights) <= 1)
    constexpr void operator()(Graph const& g, Weights const&... w) const {
        auto const problems = verify_graph_fn{}(g, w...).problems;
        if (problems.empty()) return;
        auto const& [what, vertex, message] = problems.front();
        using kind = graph_problem_kind;
        if (what == kind::cycle || what == kind::self_loop) detail::raise(not_a_dag(message));
        if (what == kind::bad_weight || what == kind::overflow) detail::raise(bad_weight(message));
        detail::raise(bad_graph(message));
    }
};

/// Throws the first problem that `verify_graph` finds, as not_a_dag, bad_graph or bad_weight.
inline constexpr require_valid_fn require_valid{};

}  // namespace detail

/// Finds all problems of the indices and edges of a graph and, where they are given, of its weights (and the outputs
/// that they belong to). Duplicate edges are reported although the algorithms accept them: they are rarely meant. It
/// does not throw, whatever the graph or the weights.  O(n + m log m + outputs).
inline constexpr detail::verify_graph_fn verify_graph{};

}  // namespace repebble::inline v0

#endif
