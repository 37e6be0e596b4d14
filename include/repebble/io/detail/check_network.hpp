#ifndef REPEBBLE_IO_DETAIL_CHECK_NETWORK_HPP
#define REPEBBLE_IO_DETAIL_CHECK_NETWORK_HPP

// The checks that make nodes and edges a network: weights, views, reads, sums. Each names the node at fault; the
// constructor of `network` runs them all.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/io/detail/extra_fields.hpp>
#include <repebble/io/network_node.hpp>
#include <repebble/io/read_account.hpp>

namespace repebble::inline v0::io::detail {

[[nodiscard]] inline auto node_name(std::size_t v) -> std::string { return "node " + std::to_string(v); }

[[nodiscard]] inline auto edge_name(network_edge const& e) -> std::string {
    return "edge " + std::to_string(e.from) + " -> " + std::to_string(e.to);
}

[[nodiscard]] inline auto output_name(node_output const& of) -> std::string {
    return "output " + std::to_string(of.output) + " of " + node_name(of.vertex);
}

/// Checks what a node says of its outputs: results, views, mutations, allowed overwrites.  Throws bad_graph.
inline void check_outputs(network_node const& node, std::size_t v) {
    auto const count = node.output_count();
    auto const fail = [&](std::string const& why) { repebble::detail::raise(bad_graph(node_name(v) + ": " + why)); };
    auto const check = [&](std::uint32_t output, char const* field) {
        if (output >= count)
            fail(std::string(field) + ": output " + std::to_string(output) + " is out of range: the node has " +
                 std::to_string(count));
    };
    for (auto const& [field, outputs] :
         {std::pair{"result", &node.results}, {"must_keep", &node.must_keep}, {"must_recompute", &node.must_recompute}})
        for (std::size_t k = 0; k < outputs->size(); ++k) {
            check((*outputs)[k], field);
            if (k > 0 && (*outputs)[k - 1] >= (*outputs)[k])
                fail(std::string(field) +
                     ": its outputs must be ascending, each once: " + std::to_string((*outputs)[k]));
        }
    if (node.bwd_outputs)
        for (auto const output : *node.bwd_outputs) check(output, "bwd_needs_output");
    if (node.gradient_outputs)
        for (auto const output : *node.gradient_outputs) check(output, "has_gradient");
    std::set<std::uint32_t> viewed, mutated;
    for (auto const& use : node.views) viewed.insert(use.output);
    auto const is_view = [&](std::uint32_t output) { return node.is_view() || viewed.contains(output); };
    for (auto const& [output, of] : node.views) {
        check(output, "views");
        if (node.is_view()) fail("views: the whole node is a view (alias_of " + std::to_string(*node.alias_of) + ")");
        if (node.output_memory(output) != 0)
            fail("views: output " + std::to_string(output) + " is a view of " + output_name(of) +
                 ", but its memory is " + std::to_string(node.output_memory(output)));
    }
    for (auto const& [output, over] : node.mutates) {
        check(output, "mutates");
        if (is_view(output)) fail("mutates: output " + std::to_string(output) + " is a view");
        if (!mutated.insert(output).second)
            fail("mutates: output " + std::to_string(output) + " is written over two values");
    }
    for (auto const& [output, over] : node.may_overwrite) {
        check(output, "may_overwrite");
        if (is_view(output)) fail("may_overwrite: output " + std::to_string(output) + " is a view");
    }
    for (std::size_t k = 0; k < node.alternative_to.size(); ++k) {
        auto const& [output, same] = node.alternative_to[k];
        check(output, "alternative_to");
        auto const deny = [&, own = output](bool is, std::string const& why) {
            if (is) fail("alternative_to: output " + std::to_string(own) + why);
        };
        deny(k > 0 && node.alternative_to[k - 1].output >= output, " must come after the one before it, once");
        deny(is_view(output), " is a view");
        deny(mutated.contains(output), " is written over another value");
        deny(node.output_memory(output) != 0, " is " + output_name(same) + ", which has its bytes, but its memory is " +
                                                  std::to_string(node.output_memory(output)));
        for (auto const* const marks : {&node.results, &node.must_keep, &node.must_recompute})
            deny(std::ranges::binary_search(*marks, output),
                 " is said to stay, or not to: say it of " + output_name(same));
    }
}

/// Checks that alternatives are such to outputs that others compute, and that are no alternatives themselves.  Throws
/// bad_graph.
inline void check_alternatives(std::span<network_node const> nodes) {
    for (std::size_t v = 0; v < nodes.size(); ++v)
        for (auto const& [output, same] : nodes[v].alternative_to) {
            auto const fail = [&, of = same](std::string const& why) {
                repebble::detail::raise(bad_graph(node_name(v) + ": alternative_to: " + output_name(of) + ' ' + why));
            };
            if (same.vertex >= nodes.size())
                fail("does not exist: there are " + std::to_string(nodes.size()) + " nodes");
            auto const& other = nodes[same.vertex];
            if (same.output >= other.output_count())
                fail("does not exist: the node has " + std::to_string(other.output_count()));
            if (same.vertex == v) fail("is its own");
            if (other.input) fail("is an input's, which is never computed");
            if (other.is_view() ||
                std::ranges::find(other.views, same.output, &storage_use::output) != other.views.end())
                fail("is a view");
            if (std::ranges::find(other.mutates, same.output, &storage_use::output) != other.mutates.end())
                fail("is written over another value");
            if (other.value_of(same) != same) fail("is an alternative itself, to " + output_name(other.value_of(same)));
        }
}

/// Checks that what must be recomputed can be.  Throws bad_graph.  Requires: `check_outputs`.
inline void check_policies(network_node const& node, std::size_t v) {
    for (auto const output : node.must_recompute) {
        auto const deny = [&](bool is, std::string const& why) {
            if (is)
                repebble::detail::raise(
                    bad_graph(node_name(v) + ": must_recompute: output " + std::to_string(output) + " " + why));
        };
        deny(node.input, "is an input's, which is never computed");
        deny(node.phase == pass::backward, "is of the backward phase");
        deny(!node.recomputable, "is not recomputable");
        deny(std::ranges::binary_search(node.results, output), "is a result, which stays to the end");
        deny(std::ranges::binary_search(node.must_keep, output), "is said of must_keep, too");
    }
}

/// Checks that an input is present before all else, and computes nothing.  Throws bad_graph.
inline void check_input(network_node const& node, std::size_t v) {
    auto const deny = [&](bool has, std::string const& what) {
        if (has) repebble::detail::raise(bad_graph(node_name(v) + ": is an input, and " + what));
    };
    if (node.donated && !node.input) repebble::detail::raise(bad_graph(node_name(v) + ": is donated, and is no input"));
    if (!node.input) return;
    deny(node.time != 0, "its time is " + std::to_string(node.time));
    deny(node.workspace != 0, "its workspace is " + std::to_string(node.workspace));
    deny(node.mirror != 0, "its mirror is " + std::to_string(node.mirror));
    deny(node.is_view() || !node.views.empty(), "is a view");
    deny(node.inplace || !node.mutates.empty() || !node.may_overwrite.empty(), "overwrites what it reads");
    deny(!node.alternative_to.empty(), "computes what another node does");
    deny(node.donated && !node.results.empty(), "is donated, but is a result, too");
}

/// Checks a node by itself.  Throws bad_weight for a number, bad_graph for anything else.
inline void check_node(network_node const& node, std::size_t v, extra_fields& extra) {
    auto const check = [&](std::int64_t amount, char const* what) {
        repebble::detail::check_weight(amount, [&] { return node_name(v) + ": " + what; });
    };
    if (auto const fault = extra.fault_of(node.extra); !fault.empty())
        repebble::detail::raise(bad_graph(node_name(v) + ": " + fault));
    auto const outputs = node.extra.find("outputs");
    if (node.is_view() && outputs != node.extra.end() && (!outputs->is_array() || outputs->empty()))
        repebble::detail::raise(bad_graph(node_name(v) + ": outputs of a view must be an array that is not empty"));
    check(node.time, "time");
    check(node.memory, "memory");
    check(node.workspace, "workspace");
    bytes left = node.memory;
    for (bytes const size : node.outputs_memory) {
        check(size, "outputs_memory");
        if (size > left)
            repebble::detail::raise(bad_weight(node_name(v) + ": outputs_memory has a sum above its memory, which is " +
                                               std::to_string(node.memory)));
        left -= size;
    }
    if (!node.outputs_memory.empty() && left != 0)
        repebble::detail::raise(bad_weight(node_name(v) + ": outputs_memory has the sum " +
                                           std::to_string(node.memory - left) + ", but its memory is " +
                                           std::to_string(node.memory)));
    if (node.phase != pass::forward && node.phase != pass::backward)
        repebble::detail::raise(bad_graph(node_name(v) + ": phase is neither forward nor backward"));
    if (node.mirror > 0) {
        auto const fail = [&](std::string const& why) {
            repebble::detail::raise(bad_graph(node_name(v) + ": mirror " + std::to_string(node.mirror) + ": " + why));
        };
        if (node.phase == pass::backward) fail("is of the backward phase");
        if (!node.recomputable) fail("is not recomputable");
        if (node.is_view()) fail("is a view: say it of node " + std::to_string(*node.alias_of));
    }
    check_input(node, v);
    check_outputs(node, v);
    check_policies(node, v);
    if (!node.is_view()) return;
    if (node.memory != 0)
        repebble::detail::raise(bad_graph(node_name(v) + ": is a view (alias_of " + std::to_string(*node.alias_of) +
                                          "), but its memory is " + std::to_string(node.memory)));
}

/// Checks the fields of nodes that refer to what they read.  Throws bad_graph.  O(n + m log m).
inline void check_reads(std::span<network_node const> nodes, csr_graph const& g,
                        repebble::detail::jagged_array<node_output> const& operands) {
    for (std::size_t v = 0; v < nodes.size(); ++v) {
        auto const& node = nodes[v];
        auto const fail = [&](std::string const& why) {
            repebble::detail::raise(bad_graph(node_name(v) + ": " + why));
        };
        if (node.input && !g.predecessors(v).empty())
            fail("is an input, and waits for " + node_name(g.predecessors(v).front()));
        if (auto const source = node.inplace_src;
            source && std::ranges::find(operands[v], *source, &node_output::vertex) == operands[v].end())
            fail("inplace_src " + std::to_string(*source) + " is not a node that it reads");
        if (node.bwd_operands &&
            (!node.reads || std::ranges::any_of(*node.bwd_operands, [&](auto k) { return k >= node.reads->size(); })))
            fail("bwd_needs_inputs: lists operands that are not among its field reads");
        if (node.views.empty() && node.mutates.empty() && node.may_overwrite.empty()) continue;
        std::set<std::pair<std::uint32_t, std::uint32_t>> own;
        for (auto const& of : operands[v]) own.emplace(of.vertex, of.output);
        for (auto const& [field, uses] :
             {std::pair{"views", &node.views}, {"mutates", &node.mutates}, {"may_overwrite", &node.may_overwrite}})
            for (auto const& use : *uses)
                if (!own.contains({use.of.vertex, use.of.output}))
                    fail(std::string(field) + ": " + output_name(use.of) + " is not an output that it reads");
    }
}

/// The values that each output of a network's nodes views, and the nodes that own their storages.
class network_views {
  public:
    network_views() = default;

    /// order: a topological order.  O(n + outputs + operands + owners of all views).  Throws bad_graph where an
    /// `alias_of` names neither a node that the view reads nor the owner of a storage that it reads; limit_reached.
    /// Requires: views are read.
    network_views(std::span<network_node const> nodes, repebble::detail::jagged_array<node_output> const& operands,
                  std::span<std::uint32_t const> order, read_account const& account) {
        for (auto const& node : nodes) start_.push_back(start_.back() + node.output_count());
        owners_.resize(start_.back());
        std::vector<std::pair<std::size_t, node_output>> viewed;
        for (auto const v : order) {
            auto const add = [&](std::uint32_t output, node_output const& of) {
                viewed.emplace_back(start_[v] + output, of);
                auto& owners = owners_[start_[v] + output];
                auto const more = owners_of(of);
                account.spend(1 + more.size(), 64 + 8 * more.size(), [&] { return node_name(v); });
                owners.insert(owners.end(), more.begin(), more.end());
            };
            for (auto const& [output, of] : nodes[v].views) add(output, of);
            if (nodes[v].is_view()) {
                auto const found = viewed_by(nodes, operands, v, account);
                for (std::uint32_t j = 0; j < start_[v + 1] - start_[v]; ++j)
                    for (auto const& of : found) add(j, of);
            }
            for (auto i = start_[v]; i < start_[v + 1]; ++i) repebble::detail::sort_unique(owners_[i]);
        }
        viewed_ = {start_.back(), viewed};
    }

    /// The values that an output views; none where it owns its storage.
    [[nodiscard]] auto viewed(node_output const& of) const -> std::span<node_output const> {
        return viewed_[start_[of.vertex] + of.output];
    }
    /// The nodes that own the storages of an output: its own, or those that its views lead to; ascending.
    [[nodiscard]] auto owners_of(node_output const& of) const -> std::vector<std::uint32_t> {
        auto const& owners = owners_[start_[of.vertex] + of.output];
        return owners.empty() ? std::vector{of.vertex} : owners;
    }

    friend auto operator==(network_views const&, network_views const&) -> bool = default;

  private:
    /// The operands of v that its `alias_of` means: those of that node, or else those that lie in its
    /// storage.
    [[nodiscard]] auto viewed_by(std::span<network_node const> nodes,
                                 repebble::detail::jagged_array<node_output> const& operands, std::uint32_t v,
                                 read_account const& account) const -> std::vector<node_output> {
        auto const target = *nodes[v].alias_of;
        auto const fail = [&](std::string const& why) {
            repebble::detail::raise(bad_graph(node_name(v) + ": alias_of " + std::to_string(target) + ": " + why));
        };
        if (target >= nodes.size()) fail("out of range: there are " + std::to_string(nodes.size()) + " nodes");
        if (target == v) fail("a node cannot be a view of itself");
        auto const storages = nodes[target].is_view() ? owners_of({target, 0}) : std::vector{target};
        std::vector<node_output> direct, other;
        for (auto const& of : operands[v]) {
            if (of.vertex == target) {
                direct.push_back(of);
                continue;
            }
            auto const owners = owners_of(of);
            account.spend(owners.size() * storages.size(), 0, [&] { return node_name(v); });
            if (std::ranges::find_first_of(owners, storages) != owners.end()) other.push_back(of);
        }
        if (direct.empty() && other.empty()) fail("it reads neither that node nor a view of it");
        return direct.empty() ? other : direct;
    }

    std::vector<std::size_t> start_ = {0};            // of each node: its first output among all
    std::vector<std::vector<std::uint32_t>> owners_;  // of each output: none where it owns its storage
    repebble::detail::jagged_array<node_output> viewed_;
};

/// Checks that all times and all bytes together fit in 64 bits.  Throws bad_weight, naming the node at which the sum
/// overflows.  O(n).  Requires: all numbers have been checked for their sign.
inline void check_sums(std::span<network_node const> nodes) {
    std::int64_t time = 0;
    bytes memory = 0;
    auto const add = [](std::int64_t& sum, std::int64_t amount, char const* what, std::size_t v) {
        if (amount > std::numeric_limits<std::int64_t>::max() - sum)
            repebble::detail::raise(bad_weight(node_name(v) + ": the sum of " + what + " overflows 64 bits here"));
        sum += amount;
    };
    for (std::size_t v = 0; v < nodes.size(); ++v) {
        add(time, nodes[v].time, "all times", v);
        add(memory, nodes[v].memory, "all bytes", v);
        add(memory, nodes[v].workspace, "all bytes", v);
    }
}

}  // namespace repebble::inline v0::io::detail

#endif
