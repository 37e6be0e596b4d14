#ifndef REPEBBLE_IMPL_LOWER_SETS_POSITIONAL_PROBLEM_IPP
#define REPEBBLE_IMPL_LOWER_SETS_POSITIONAL_PROBLEM_IPP

#include <repebble/lower_sets/positional_problem.hpp>

#include <utility>

#include <repebble/detail/paced_stop.hpp>
#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE positional_problem::positional_problem(lower_set_problem const& problem,
                                                       std::vector<csr_graph::vertex> order, detail::stop_test stop)
    : vertices_(std::move(order)), words_(detail::position_bits::words_for(vertices_.size())) {
    constexpr auto none = static_cast<position>(-1);
    std::vector<position> at(problem.vertex_count(), none);
    for (position i = 0; i < vertices_.size(); ++i) at[vertices_[i]] = i;
    std::vector<csr_graph::edge> edges;
    for (position i = 0; i < vertices_.size(); ++i) {
        auto const v = vertices_[i];
        time_.push_back(problem.time[v]);
        memory_.push_back(problem.memory[v]);
        pinned_.push_back(problem.pinned.contains(v) ? 1 : 0);
        for (auto const w : problem.graph.successors(v))
            if (at[w] != none) edges.emplace_back(i, at[w]);
    }
    graph_ = csr_graph(size(), edges);
    detail::paced_stop over(stop);
    for (auto* const rows : {&successors_, &predecessors_, &descendants_, &ancestors_})
        if (!over.after(size() * words_)) rows->assign(size() * words_, 0);
    for (std::size_t i = 0; i < size() && !over.after(words_); ++i) {
        for (auto const w : graph_.successors(i)) detail::position_bits::insert(row(successors_, i), w);
        detail::position_bits::insert(row(ancestors_, i), i);
        for (auto const u : graph_.predecessors(i)) {
            detail::position_bits::insert(row(predecessors_, i), u);
            detail::position_bits::add(row(ancestors_, i), ancestors(u), words_);
        }
    }
    for (std::size_t i = size(); i-- > 0 && !over.after(words_);) {
        detail::position_bits::insert(row(descendants_, i), i);
        for (auto const w : graph_.successors(i))
            detail::position_bits::add(row(descendants_, i), descendants(w), words_);
    }
}

REPEBBLE_INLINE auto positional_problem::is_sealed(std::size_t x) const -> bool {
    bool sealed = true;
    for (std::size_t k = 0; sealed && k < words_; ++k)
        detail::position_bits::for_each_of_word(ancestors(x)[k], k, [&](std::size_t u) {
            sealed = sealed && (u == x || detail::position_bits::is_subset(successors(u), ancestors(x), words_));
        });
    return sealed;
}

REPEBBLE_INLINE auto positional_problem::without_time() const -> positional_problem {
    auto timeless = *this;
    timeless.time_.assign(size(), std::int64_t{});
    return timeless;
}

}  // namespace repebble::inline v0

#endif
