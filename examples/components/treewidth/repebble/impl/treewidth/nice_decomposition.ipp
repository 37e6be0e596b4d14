#ifndef REPEBBLE_IMPL_TREEWIDTH_NICE_DECOMPOSITION_IPP
#define REPEBBLE_IMPL_TREEWIDTH_NICE_DECOMPOSITION_IPP

#include <repebble/treewidth/nice_decomposition.hpp>

#include <utility>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto nice_decomposition::width() const -> std::size_t {
    std::vector<std::size_t> open;
    std::size_t largest = 1;
    for (auto const& node : nodes) switch (node.kind) {
            case nice_kind::leaf:
                open.push_back(0);
                break;
            case nice_kind::introduce:
                largest = std::max(largest, ++open.back());
                break;
            case nice_kind::forget:
                --open.back();
                break;
            case nice_kind::join:
                open.pop_back();
        }
    return largest - 1;
}

}  // namespace repebble::inline v0

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto nice_builder::run() && -> nice_decomposition {
    if (made_.bags.empty()) {
        put(nice_kind::leaf);
        return std::move(nice_);
    }
    struct open_bag {
        std::uint32_t bag;
        std::size_t next, left = 0;  // the next child; the last node of the child before it
    };
    std::vector<open_bag> open{{0, first_child_[0]}};
    while (true) {
        auto& [at, next, left] = open.back();
        if (next < end_of_children(at)) {
            auto const child = order_[next];
            open.push_back({child, first_child_[child]});
            continue;
        }
        if (next == first_child_[at]) {
            put(nice_kind::leaf);
            change({}, made_.bags[at]);
        }
        auto const bag = at;
        open.pop_back();
        if (open.empty()) break;
        auto& above = open.back();
        change(made_.bags[bag], made_.bags[above.bag]);
        if (above.next++ != first_child_[above.bag]) put(nice_kind::join, 0, above.left);
        above.left = nice_.nodes.size() - 1;
    }
    change(made_.bags[0], {});
    return std::move(nice_);
}

REPEBBLE_INLINE auto nice_builder::vertices_of(tree_decomposition const& made) -> std::size_t {
    std::size_t count = 0;
    for (auto const& bag : made.bags)
        for (auto const v : bag) count = std::max(count, v + std::size_t{1});
    return count;
}

REPEBBLE_INLINE void nice_builder::find_children() {
    auto const count = made_.bags.size();
    order_ = tree_.order();
    first_child_.assign(count, 0);
    child_count_.assign(count, 0);
    std::vector<std::uint32_t> below(count, 1);
    for (auto k = count; k-- > 1;) {
        auto const p = tree_.parents()[order_[k]];
        below[p] += below[order_[k]];
        first_child_[p] = k;
        ++child_count_[p];
    }
    for (std::size_t b = 0; b < count; ++b) {
        auto const children = std::span(order_).subspan(first_child_[b], child_count_[b]);
        if (!children.empty())
            std::swap(children[0], *std::ranges::max_element(children, {}, [&](auto c) { return below[c]; }));
    }
}

REPEBBLE_INLINE void nice_builder::put_difference(nice_kind kind, std::span<vertex const> all,
                                                  std::span<vertex const> without) {
    for (auto other = without.begin(); auto const v : all) {
        while (other != without.end() && *other < v) ++other;
        if (other == without.end() || *other != v) put(kind, v);
    }
}

}  // namespace repebble::inline v0::detail

#endif
