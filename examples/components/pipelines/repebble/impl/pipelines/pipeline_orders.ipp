#ifndef REPEBBLE_IMPL_PIPELINES_PIPELINE_ORDERS_IPP
#define REPEBBLE_IMPL_PIPELINES_PIPELINE_ORDERS_IPP

#include <repebble/pipelines/pipeline_orders.hpp>

#include <algorithm>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto make_one_forward_one_backward(pipeline const& p, one_forward_one_backward_options const& options)
    -> std::optional<pass_orders> {
    auto const ranks = p.ranks, m = p.microbatches, chunks = p.stages.size() / std::max<std::size_t>(ranks, 1);
    if (p.stages.empty() || p.stages.size() % ranks != 0 || (chunks > 1 && m % ranks != 0)) return std::nullopt;
    for (std::size_t s = 0; s < p.stages.size(); ++s)
        if (p.stages[s].rank != rank_in_loop(s, ranks)) return std::nullopt;
    pass_orders orders(ranks);
    auto const group = chunks == 1 ? m : ranks;  // microbatches that go through a stage before the next stage's turn
    for (std::size_t r = 0; r < ranks; ++r) {
        auto const pass = [&](pass_kind kind, std::size_t i) {
            auto const chunk = i / group % chunks;
            auto const in_turn = kind == pass_kind::forward ? chunk : chunks - 1 - chunk;
            return pipeline_pass{kind, static_cast<std::uint32_t>(in_turn * ranks + r),
                                 static_cast<std::uint32_t>(i / (group * chunks) * group + i % group)};
        };
        auto const all = m * chunks, behind = ranks - 1 - r;
        auto const first = chunks == 1
                               ? std::min(options.slope * behind + 1, std::max<std::size_t>(options.most_in_flight, 1))
                               : 2 * behind + (chunks - 1) * ranks + 1;
        std::size_t forward = 0;
        for (std::size_t back = 0; back < all; ++back) {
            for (; forward < std::min(all, back + first); ++forward)
                orders[r].push_back(pass(pass_kind::forward, forward));
            orders[r].push_back(pass(options.backward, back));
        }
    }
    return orders;
}

REPEBBLE_INLINE auto make_one_at_a_time(pipeline const& p) -> pass_orders {
    pass_orders orders(p.ranks);
    for (std::uint32_t k = 0; k < p.microbatches; ++k) {
        for (std::uint32_t s = 0; s < p.stages.size(); ++s)
            orders[p.stages[s].rank].push_back({pass_kind::forward, s, k});
        for (auto s = static_cast<std::uint32_t>(p.stages.size()); s-- > 0;)
            orders[p.stages[s].rank].push_back({pass_kind::backward, s, k});
    }
    return orders;
}

}  // namespace repebble::inline v0

#endif
