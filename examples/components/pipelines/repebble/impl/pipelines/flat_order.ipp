#ifndef REPEBBLE_IMPL_PIPELINES_FLAT_ORDER_IPP
#define REPEBBLE_IMPL_PIPELINES_FLAT_ORDER_IPP

#include <repebble/pipelines/detail/flat_order.hpp>

#include <algorithm>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE flat_order::flat_order(pipeline const& p, pass_orders const& orders) : p_(&p) {
    for (auto const& of_rank : orders) {
        begins_.push_back(passes_.size());
        for (auto const& name : of_rank) {
            auto const& stage = p.stages[name.stage];
            timed_pass made{.name = name,
                            .item = static_cast<std::uint32_t>(name.stage * p.microbatches + name.microbatch),
                            .first_on_rank = passes_.size() == begins_.back()};
            made.recomputes = name.kind == pass_kind::input_gradient || name.kind == pass_kind::backward;
            if (name.kind == pass_kind::forward) made.duration = stage.forward;
            if (made.recomputes) made.duration = stage.input_gradient;
            if (name.kind == pass_kind::weight_gradient || name.kind == pass_kind::backward)
                made.duration += stage.weight_gradient;
            passes_.push_back(made);
        }
    }
    begins_.push_back(passes_.size());
    find_data();
    sort();
}

REPEBBLE_INLINE void flat_order::find_data() {
    auto const items = p_->stages.size() * p_->microbatches;
    std::vector<std::uint32_t> forward(items, none), back(items, none);
    for (std::uint32_t i = 0; i < passes_.size(); ++i) {
        if (passes_[i].name.kind == pass_kind::forward) forward[passes_[i].item] = i;
        if (passes_[i].recomputes) back[passes_[i].item] = i;
    }
    auto const m = static_cast<std::uint32_t>(p_->microbatches);
    for (auto& pass : passes_) {
        auto const s = pass.name.stage;
        if (pass.name.kind == pass_kind::weight_gradient) {
            pass.data = back[pass.item];
        } else if (pass.name.kind == pass_kind::forward) {
            if (s == 0) continue;
            pass.data = forward[pass.item - m];
            pass.lag = p_->stages[s - 1].transfer;
        } else if (s + 1 == p_->stages.size()) {
            pass.data = forward[pass.item];
        } else {
            pass.data = back[pass.item + m];
            pass.lag = p_->stages[s].transfer;
        }
    }
}

REPEBBLE_INLINE void flat_order::sort() {
    std::vector<std::uint32_t> heads(begins_.begin(), begins_.end() - 1), reader(passes_.size(), none);
    // A pass has at most two readers: the next stage's, and on its own rank the gradients of weights, which wait in
    // vain only where they stand before it. So one rank to be woken is enough for passes of another rank.
    std::vector<bool> done(passes_.size(), false);
    std::vector<std::uint32_t> rank_of(passes_.size());
    for (std::size_t r = 0; r + 1 < begins_.size(); ++r)
        std::fill(rank_of.begin() + static_cast<std::ptrdiff_t>(begins_[r]),
                  rank_of.begin() + static_cast<std::ptrdiff_t>(begins_[r + 1]), static_cast<std::uint32_t>(r));
    for (std::uint32_t i = 0; i < passes_.size(); ++i)
        if (auto const d = passes_[i].data; d != none && rank_of[d] != rank_of[i]) reader[d] = rank_of[i];
    std::vector<std::uint32_t> awake(heads.size());
    for (std::uint32_t r = 0; r < awake.size(); ++r) awake[r] = r;
    while (!awake.empty()) {
        auto const r = awake.back();
        awake.pop_back();
        for (auto& i = heads[r]; i < begins_[r + 1]; ++i) {
            auto const d = passes_[i].data;
            // Only the forward pass of the first stage reads nothing.
            bool const reads = passes_[i].name.kind != pass_kind::forward || passes_[i].name.stage > 0;
            if (reads && (d == none || !done[d])) break;
            done[i] = true;
            topological_.push_back(i);
            if (reader[i] != none) awake.push_back(reader[i]);
        }
    }
}

REPEBBLE_INLINE auto flat_order::recomputed(std::span<std::uint32_t const> choices) const -> std::vector<std::int64_t> {
    std::vector<std::int64_t> again(passes_.size(), 0);
    for (std::size_t i = 0; i < passes_.size(); ++i)
        if (auto const& pass = passes_[i]; pass.recomputes)
            again[i] = p_->stages[pass.name.stage].choices[choices[pass.item]].recomputation;
    return again;
}

REPEBBLE_INLINE auto flat_order::ends(std::span<std::int64_t const> again) const -> std::vector<std::int64_t> {
    std::vector<std::int64_t> ends(passes_.size(), 0);
    for (auto const i : topological_) {
        auto const& pass = passes_[i];
        auto const free = (pass.first_on_rank ? 0 : ends[i - 1]) + again[i];
        ends[i] = std::max(free, pass.data == none ? 0 : ends[pass.data] + pass.lag) + pass.duration;
    }
    return ends;
}

REPEBBLE_INLINE auto flat_order::tails(std::span<std::int64_t const> again) const -> std::vector<std::int64_t> {
    std::vector<std::int64_t> tails(passes_.size(), 0);
    for (std::size_t k = topological_.size(); k-- > 0;) {
        auto const i = topological_[k];
        auto const& pass = passes_[i];
        auto const from_here = tails[i] + pass.duration;
        if (!pass.first_on_rank) tails[i - 1] = std::max(tails[i - 1], from_here + again[i]);
        if (pass.data != none) tails[pass.data] = std::max(tails[pass.data], from_here + pass.lag);
    }
    return tails;
}

REPEBBLE_INLINE auto flat_order::slacks(std::span<std::int64_t const> again, std::span<std::int64_t const> ends) const
    -> std::vector<std::int64_t> {
    std::vector<std::int64_t> slacks(p_->stages.size() * p_->microbatches, 0);
    auto const after = tails(again);
    auto const makespan = ends.empty() ? 0 : std::ranges::max(ends);
    for (std::size_t i = 0; i < passes_.size(); ++i)
        if (auto const& pass = passes_[i]; pass.recomputes)
            slacks[pass.item] = makespan - after[i] - pass.duration - again[i] - (pass.first_on_rank ? 0 : ends[i - 1]);
    return slacks;
}

}  // namespace repebble::inline v0::detail

#endif
