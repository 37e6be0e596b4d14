#ifndef REPEBBLE_IMPL_TREEWIDTH_NESTED_DISSECTION_IPP
#define REPEBBLE_IMPL_TREEWIDTH_NESTED_DISSECTION_IPP

#include <repebble/treewidth/nested_dissection.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/treewidth/detail/orders/multilevel_separator.hpp>
#include <repebble/treewidth/detail/orders/weighted_graph.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto dissection::stages() && -> std::vector<std::uint32_t> {
    std::vector<part> open(1);
    open[0].vertices.resize(g_.vertex_count());
    std::iota(open[0].vertices.begin(), open[0].vertices.end(), vertex{0});
    while (!open.empty()) {
        auto const now = std::move(open.back());
        open.pop_back();
        if (now.depth < options_.depth && now.vertices.size() >= std::max<std::size_t>(2, options_.least))
            cut(now, open);
    }
    return std::move(stages_);
}

REPEBBLE_INLINE void dissection::cut(part const& now, std::vector<part>& open) {
    auto const graph = induced_part(g_, now.vertices, number_);
    auto best = multilevel_separator(graph, options_.share, random_);
    for (std::size_t k = 1; k < options_.tries; ++k)
        if (auto other = multilevel_separator(graph, options_.share, random_); other.cost() < best.cost())
            best = std::move(other);
    if (best.weight[0] == 0 || best.weight[1] == 0) return;
    std::array<part, 2> sides{part{.depth = now.depth + 1}, part{.depth = now.depth + 1}};
    for (std::size_t k = 0; k < now.vertices.size(); ++k) {
        auto const v = now.vertices[k];
        if (best.side[k] == separation::separator)
            stages_[v] = static_cast<std::uint32_t>(options_.depth - now.depth);
        else
            sides[best.side[k]].vertices.push_back(v);
    }
    for (auto& side : sides) open.push_back(std::move(side));
}

REPEBBLE_INLINE auto dissect(undirected_graph const& g, dissection_options const& options)
    -> std::vector<std::uint32_t> {
    if (!(options.share > 0 && options.share <= 1))
        detail::raise(bad_option("a share of " + std::to_string(options.share) + " is not in (0, 1]"));
    if (options.depth >= std::numeric_limits<std::uint32_t>::max())
        detail::raise(bad_option("a depth of " + std::to_string(options.depth) + " is too large"));
    return dissection(g, options).stages();
}

}  // namespace repebble::inline v0::detail

#endif
