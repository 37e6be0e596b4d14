#ifndef REPEBBLE_IMPL_TREEWIDTH_SAFE_REDUCTIONS_IPP
#define REPEBBLE_IMPL_TREEWIDTH_SAFE_REDUCTIONS_IPP

#include <repebble/treewidth/detail/exact/safe_reductions.hpp>

#include <algorithm>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto safe_reduction::run() -> reduced_graph {
    do {
        while (queued_count_ > 0) {
            auto const v = queue_.pop([&](vertex u) { return left_.degree(u); });
            queued_[v] = 0;
            --queued_count_;
            if (!left_.is_removed(v)) reduce_at(v);
        }
    } while (raise_low());
    made_.low = low_;
    take_kernel();
    return std::move(made_);
}

REPEBBLE_INLINE void safe_reduction::enqueue(vertex v) {
    queued_count_ += 1U - queued_[v];
    queued_[v] = 1;
    queue_.put(v, left_.degree(v));
}

REPEBBLE_INLINE auto safe_reduction::raise_low() -> bool {
    auto least = n_;
    for (vertex v = 0; v < n_; ++v)
        if (!left_.is_removed(v)) least = std::min<std::size_t>(least, left_.degree(v));
    if (left_.vertex_count() > 0) low_ = std::max(low_, least);
    if (low_ == tried_low_) return false;
    for (vertex v = 0; v < n_; ++v)
        if (!left_.is_removed(v) && left_.degree(v) > tried_low_ && left_.degree(v) <= low_) enqueue(v);
    tried_low_ = low_;
    return queued_count_ > 0;
}

REPEBBLE_INLINE void safe_reduction::reduce_at(vertex v) {
    auto const d = left_.degree(v);
    if (!is_almost_simplicial(v)) {
        if (d == 3 && low_ >= 3 && !reduce_buddy(v) && !reduce_cube(v))
            for (auto const w : copy_of(v))
                if (left_.degree(w) == 3 && reduce_cube(w)) return;
        return;
    }
    if (missing_.empty())
        low_ = std::max<std::size_t>(low_, d);
    else if (d > low_)
        return;
    eliminate(v);
}

REPEBBLE_INLINE auto safe_reduction::is_almost_simplicial(vertex v) -> bool {
    missing_.clear();
    auto const all = left_.neighbors(v);
    auto const d = all.size();
    if (d < 2) return true;
    if (d > low_ && std::ranges::any_of(all, [&](vertex w) { return left_.degree(w) < d; })) return false;
    if (d == 2) {
        auto const a = all[0], b = all[1];
        if (!left_.are_neighbors(a, b)) missing_.emplace_back(a, b);
        return true;
    }
    neighbourhood_.assign(all.begin(), all.end());
    std::ranges::sort(neighbourhood_, {}, [&](vertex w) { return std::pair(left_.degree(w), w); });
    if (left_.degree(neighbourhood_[1]) + 2 <= d) return false;
    lacks_.assign(d, 0);
    std::size_t lacking = 0, sum = 0;  // neighbours that lack two or more; all lacks
    left_.count_among(neighbourhood_, [&](std::size_t k, std::size_t count) {
        auto const lacks = d - 1 - count;
        lacks_[k] = lacks;
        sum += lacks;
        return lacks < 2 || ++lacking < 2;
    });
    auto const centre_lacks = std::ranges::max_element(lacks_);
    if (lacking > 1 || sum != 2 * *centre_lacks) return false;
    auto const centre = static_cast<std::size_t>(centre_lacks - lacks_.begin());
    for (std::size_t k = 0; k < d; ++k)
        if (k != centre && lacks_[k] > 0) missing_.emplace_back(neighbourhood_[centre], neighbourhood_[k]);
    return true;
}

REPEBBLE_INLINE auto safe_reduction::reduce_buddy(vertex v) -> bool {
    auto const mine = copy_of(v);
    auto const from = *std::ranges::min_element(mine, {}, [&](vertex w) { return left_.degree(w); });
    for (auto const buddy : left_.neighbors(from)) {
        if (buddy == v || left_.degree(buddy) != 3) continue;
        auto const its = left_.neighbors(buddy);
        if (!std::ranges::is_permutation(its, mine)) continue;
        eliminate_any(v);
        return true;
    }
    return false;
}

REPEBBLE_INLINE auto safe_reduction::reduce_cube(vertex v) -> bool {
    auto const mine = copy_of(v);
    std::vector<vertex> others;
    for (auto const w : mine) {
        if (left_.degree(w) != 3) return false;
        for (auto const x : left_.neighbors(w))
            if (x != v) others.push_back(x);
    }
    std::ranges::sort(others);
    for (std::size_t k = 0; k < 6; k += 2)
        if (others[k] != others[k + 1] || (k > 0 && others[k] == others[k - 1])) return false;
    for (auto const w : mine)
        if (std::ranges::binary_search(others, w)) return false;
    for (auto const w : mine) eliminate_any(w);
    return true;
}

REPEBBLE_INLINE void safe_reduction::eliminate_any(vertex v) {
    auto const all = left_.neighbors(v);
    neighbourhood_.assign(all.begin(), all.end());
    missing_.clear();
    for (std::size_t k = 0; k < neighbourhood_.size(); ++k)
        for (auto i = k + 1; i < neighbourhood_.size(); ++i)
            if (!left_.are_neighbors(neighbourhood_[k], neighbourhood_[i]))
                missing_.emplace_back(neighbourhood_[k], neighbourhood_[i]);
    eliminate(v);
}

REPEBBLE_INLINE void safe_reduction::eliminate(vertex v) {
    made_.eliminated.push_back(v);
    auto const all = left_.neighbors(v);
    neighbourhood_.assign(all.begin(), all.end());
    left_.remove(v);
    for (auto const& [a, b] : missing_) left_.connect(a, b);
    for (auto const w : neighbourhood_) enqueue(w);
    for (auto const& [a, b] : missing_)  // common neighbours may have become almost simplicial
        for (auto const w : left_.neighbors(left_.degree(a) < left_.degree(b) ? a : b))
            if (left_.degree(w) <= low_) enqueue(w);
}

REPEBBLE_INLINE void safe_reduction::take_kernel() {
    auto const any_order_is_optimal = left_.vertex_count() <= low_ + 1;
    for (vertex v = 0; v < n_; ++v)
        if (!left_.is_removed(v)) (any_order_is_optimal ? made_.eliminated : made_.names).push_back(v);
    made_.kernel = left_.induced(made_.names);
}

}  // namespace repebble::inline v0::detail

#endif
