#ifndef REPEBBLE_IMPL_PIPELINES_CHOICE_FITTER_IPP
#define REPEBBLE_IMPL_PIPELINES_CHOICE_FITTER_IPP

#include <repebble/pipelines/detail/choice_fitter.hpp>

#include <algorithm>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto choice_fitter::find_cheapest(pipeline_pass const& pass, bytes missing) const
    -> std::optional<change> {
    std::optional<change> best;
    auto const consider = [&](std::optional<rank_memory::resident> const& of, std::uint32_t item, std::uint32_t stage,
                              auto&& bytes_of) {
        if (prices_.locked == item) return;
        auto const& choices = p_->stages[stage].choices;
        auto const now = (*choices_)[item];
        auto const slack = prices_.slack.empty() ? 0 : prices_.slack[item];
        for (auto to = now + 1; to < choices.size(); ++to) {
            auto const freed = bytes_of(choices[now]) - bytes_of(choices[to]);
            if (freed <= 0) continue;
            auto const longer = choices[to].recomputation - choices[now].recomputation;
            auto const price = static_cast<double>(std::max<std::int64_t>(0, longer - slack)) /
                               static_cast<double>(std::min(freed, missing));
            if (!best || price < best->price) best = change{of, item, to, price};
        }
    };
    auto const own = static_cast<std::uint32_t>(pass.stage * p_->microbatches + pass.microbatch);
    for (auto const& r : memory_.residents())
        if (r.item != own)
            consider(r, r.item, r.name.stage, [&](stage_choice const& c) { return resting_bytes(c, r.phase); });
    auto const resident = std::ranges::find(memory_.residents(), own, &rank_memory::resident::item);
    consider(resident == memory_.residents().end() ? std::nullopt : std::optional(*resident), own, pass.stage,
             [&](stage_choice const& c) { return bytes_in(c, pass.kind); });
    return best;
}

REPEBBLE_INLINE auto choice_fitter::run(pipeline_pass const& pass) -> bool {
    for (;;) {
        auto const missing = memory_.during(pass, *choices_) - budget_;
        if (missing <= 0) break;
        auto const cheapest = find_cheapest(pass, missing);
        if (!cheapest) return false;
        auto& choice = (*choices_)[cheapest->item];
        if (cheapest->of) memory_.change(*cheapest->of, choice, cheapest->to);
        choice = cheapest->to;
    }
    memory_.run(pass, *choices_);
    return true;
}

REPEBBLE_INLINE auto fit_rank(pipeline const& p, std::size_t rank, std::span<pipeline_pass const> order, bytes budget,
                              std::vector<std::uint32_t>& choices, choice_prices const& prices) -> bool {
    choice_fitter fitter(p, rank, budget, choices, prices);
    return std::ranges::all_of(order, [&](auto const& pass) { return fitter.run(pass); });
}

}  // namespace repebble::inline v0::detail

#endif
