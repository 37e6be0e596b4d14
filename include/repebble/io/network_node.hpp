#ifndef REPEBBLE_IO_NETWORK_NODE_HPP
#define REPEBBLE_IO_NETWORK_NODE_HPP

// Nodes and edges of a network: the fields of a graph file with their defaults.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/graph/graph_traits.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/training_vertex.hpp>

namespace repebble::inline v0::io {

/// An output of a node.
using node_output = output_ref<std::uint32_t>;

/// What a node reads as one of its arguments: an output of a node, or something that is no node.
struct node_operand {
    node_output of{};       ///< where `outside` is empty
    std::string outside{};  ///< the name of an input of the network that is no node

    friend auto operator==(node_operand const&, node_operand const&) -> bool = default;
};

/// Output `output` of the node that has this lies, or may lie, in the storage of `of`, which the node reads; or it is
/// the same value.
struct storage_use {
    std::uint32_t output = 0;  ///< of the node itself
    node_output of{};          ///< whose storage it is

    friend auto operator==(storage_use const&, storage_use const&) -> bool = default;
    friend auto operator<(storage_use const& a, storage_use const& b) -> bool {
        return std::tie(a.output, a.of.vertex, a.of.output) < std::tie(b.output, b.of.vertex, b.of.output);
    }
};

/// One operation of a network, with the fields of a graph file.
struct network_node {
    std::string name{};                       ///< for people to read
    std::string op{};                         ///< conv, matmul, relu, …
    std::int64_t time = 0;                    ///< time units of the file (own graphs: nanoseconds)
    bytes memory = 0;                         ///< bytes of all storages that the operation allocates; 0 for a view
    std::vector<bytes> outputs_memory{};      ///< bytes of each output, with the sum `memory`; empty: not given
    bytes workspace = 0;                      ///< bytes in use only while it runs
    bool recomputable = true;                 ///< false: it may never run twice
    std::uint32_t mirror = 0;                 ///< most recomputations in the file's own plan; of owners only
    std::optional<std::uint32_t> alias_of{};  ///< a view: the node that it views, or the owner of that one's storage
    repebble::pass phase = repebble::pass::forward;  ///< forward or backward
    bool bwd_needs_inputs = true;                    ///< its backward reads its inputs
    bool bwd_needs_output = true;                    ///< its backward reads its output
    /// The operands that its backward reads, by position in `reads`: instead of `bwd_needs_inputs` where given. In a
    /// network this list and the two below are ascending, each entry once.
    std::optional<std::vector<std::uint32_t>> bwd_operands{};
    /// The outputs that its backward reads: instead of `bwd_needs_output` where given.
    std::optional<std::vector<std::uint32_t>> bwd_outputs{};
    bool has_gradient = true;  ///< false: none passes it, as integers and masks; then it has no backward
    /// The outputs that have a gradient: instead of `has_gradient` where given.
    std::optional<std::vector<std::uint32_t>> gradient_outputs{};
    bool inplace = false;                         ///< it may overwrite an input as far as its own backward is concerned
    std::optional<std::uint32_t> inplace_src{};   ///< … namely the output of this node, which it reads
    std::vector<std::uint32_t> results{};         ///< outputs that stay to the end, ascending
    std::vector<std::uint32_t> must_keep{};       ///< outputs that stay to their last use, ascending
    std::vector<std::uint32_t> must_recompute{};  ///< outputs that are not kept for the backward pass, ascending
    /// What it reads, in the order of its arguments, with repetitions; none: as the edges to it are listed.
    std::optional<std::vector<node_operand>> reads{};
    bool input = false;                  ///< its outputs are present before all else runs, and are never computed
    bool donated = false;                ///< an input whose outputs are let go after their last use
    std::vector<storage_use> views{};    ///< outputs that are views, where not all are: `alias_of`
    std::vector<storage_use> mutates{};  ///< outputs that are always written over what the node reads
    /// Outputs that may be written over what the node reads last; in a network in ascending order, each once.
    std::vector<storage_use> may_overwrite{};
    /// Outputs that are values of other nodes, which it makes, too: any one of the nodes suffices. Ascending.
    std::vector<storage_use> alternative_to{};
    nlohmann::json extra = nlohmann::json::object();  ///< all other fields of the file, by name

    /// Whether all of its outputs refer to the storage of another node.
    [[nodiscard]] auto is_view() const noexcept -> bool { return alias_of.has_value(); }

    /// Number of outputs: that of `outputs_memory`; else, for a view, of its field `outputs`; else 1.
    [[nodiscard]] auto output_count() const -> std::size_t {
        if (!outputs_memory.empty()) return outputs_memory.size();
        if (!is_view()) return 1;
        auto const listed = extra.find("outputs");
        return listed == extra.end() ? 1 : listed->size();
    }
    /// The value that an output is: that of another node where the node is an alternative to it, else its own.
    [[nodiscard]] auto value_of(node_output own) const -> node_output {
        for (auto const& [output, of] : alternative_to)
            if (output == own.output) return of;
        return own;
    }
    /// Bytes of the storage owned by an output; 0 where it refers to another's.
    [[nodiscard]] auto output_memory(std::size_t output) const -> bytes {
        return outputs_memory.empty() ? memory : outputs_memory[output];
    }

    /// Replaces the id of every node that it names by number(id).
    template <class Number>
    void renumber(Number const& number) {
        if (alias_of) alias_of = number(*alias_of);
        if (inplace_src) inplace_src = number(*inplace_src);
        if (reads)
            for (auto& operand : *reads)
                if (operand.outside.empty()) operand.of.vertex = number(operand.of.vertex);
        for (auto* const uses : {&views, &mutates, &may_overwrite, &alternative_to})
            for (auto& use : *uses) use.of.vertex = number(use.of.vertex);
    }

    friend auto operator==(network_node const&, network_node const&) -> bool = default;
};

/// Node `to` reads outputs of node `from`, or, along a control edge, only runs after it.
struct network_edge {
    std::uint32_t from = 0;                ///< who computes
    std::uint32_t to = 0;                  ///< who reads
    std::vector<std::uint32_t> outputs{};  ///< the outputs read, in the order of the arguments; empty: all
    bool control = false;                  ///< nothing is read, and `outputs` is empty

    friend auto operator==(network_edge const&, network_edge const&) -> bool = default;
};

/// The fields of a node that have members in `network_node`; every other field is kept in `extra`.
inline constexpr std::array<std::string_view, 26> node_fields{
    "must_keep",        "must_recompute", "id",     "name",     "op",    "time",    "memory",      "outputs_memory",
    "workspace",        "recomputable",   "mirror", "alias_of", "phase", "inplace", "inplace_src", "bwd_needs_inputs",
    "bwd_needs_output", "result",         "input",  "donated",  "reads", "views",   "mutates",     "may_overwrite",
    "has_gradient",     "alternative_to"};

/// The fields of the file that have members in `network`, or are said by its edges or its times.
inline constexpr std::array<std::string_view, 7> network_fields{"name",      "nodes", "edges",      "edge_outputs",
                                                                "time_unit", "link",  "host_budget"};

}  // namespace repebble::inline v0::io

#endif
