#ifndef REPEBBLE_IMPL_PIPELINES_BLOCK_ORDER_IPP
#define REPEBBLE_IMPL_PIPELINES_BLOCK_ORDER_IPP

#include <repebble/pipelines/detail/block_order.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

/// The group of the step from a stage to the next.
[[nodiscard]] inline auto block_group(pipeline const& p, std::size_t stage) -> std::size_t {
    return 2 * (stage / p.ranks) + ((stage + 1) % p.ranks == 0 ? 1 : 0);
}

REPEBBLE_INLINE auto block_groups(pipeline const& p) -> std::size_t {
    return p.stages.size() < 2 ? 0 : block_group(p, p.stages.size() - 2) + 1;
}

REPEBBLE_INLINE auto make_block_order(pipeline const& p, pass_block const& block) -> pass_orders {
    auto const count = p.stages.size();
    std::vector<double> forward(count, 0), back(count, 0);
    for (std::size_t s = 0; s + 1 < count; ++s)
        forward[s + 1] = forward[s] + block.forward[block_group(p, s)] *
                                          static_cast<double>(p.stages[s].forward + p.stages[s].transfer);
    back[count - 1] = forward[count - 1] + block.turn * static_cast<double>(p.stages[count - 1].forward);
    for (std::size_t s = count - 1; s-- > 0;)
        back[s] = back[s + 1] + block.backward[block_group(p, s)] *
                                    static_cast<double>(p.stages[s + 1].input_gradient + p.stages[s].transfer);
    std::vector<std::int64_t> work(p.ranks, 0);
    for (auto const& stage : p.stages) work[stage.rank] += time_once(stage);
    auto const period = block.period * static_cast<double>(std::ranges::max(work));

    using timed = std::pair<double, pipeline_pass>;
    // Passes at one time in an order in which what is read comes first.
    auto const before = [](timed const& a, timed const& b) {
        if (a.first < b.first || b.first < a.first) return a.first < b.first;
        if (a.second.kind != b.second.kind) return a.second.kind < b.second.kind;
        if (a.second.stage != b.second.stage)
            return (a.second.stage < b.second.stage) == (a.second.kind == pass_kind::forward);
        return a.second.microbatch < b.second.microbatch;
    };
    std::vector<std::vector<timed>> lists(p.ranks);
    for (std::uint32_t s = 0; s < count; ++s)
        for (std::uint32_t k = 0; k < p.microbatches; ++k) {
            auto const start = period * k;
            auto& list = lists[p.stages[s].rank];
            list.push_back({start + forward[s], {pass_kind::forward, s, k}});
            list.push_back({start + back[s], {pass_kind::input_gradient, s, k}});
        }
    pass_orders orders(p.ranks);
    for (std::size_t r = 0; r < p.ranks; ++r) {
        std::ranges::sort(lists[r], before);
        for (auto const& [time, pass] : lists[r]) orders[r].push_back(pass);
    }
    return orders;
}

}  // namespace repebble::inline v0::detail

#endif
