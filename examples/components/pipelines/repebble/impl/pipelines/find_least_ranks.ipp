#ifndef REPEBBLE_IMPL_PIPELINES_FIND_LEAST_RANKS_IPP
#define REPEBBLE_IMPL_PIPELINES_FIND_LEAST_RANKS_IPP

#include <repebble/pipelines/find_least_ranks.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/optional_budget.hpp>

namespace repebble::inline v0::detail {

/// What a rank needs whose stages are added in the order of the row: their constants, and the most bytes of one
/// microbatch by choices of least bytes, while the stages before keep theirs.
struct filled_rank {
    bytes constant = 0, kept = 0, most = 0;
    std::int64_t time = 0;

    void add(pipeline_stage const& s) {
        auto const& c = s.choices.back();
        constant += s.constant;
        most = std::max(most, kept + std::max(bytes_in_forward(c), bytes_in_backward(c)));
        kept += c.kept;
        time += time_once(s);
    }
    [[nodiscard]] auto is_within(bytes budget, std::int64_t longest) const -> bool {
        return constant + most <= budget && time <= longest;
    }
};

/// The first stage of each rank, each filled as far as bytes and time go; nothing where a stage alone does not fit.
[[nodiscard]] inline auto fill_ranks(std::span<pipeline_stage const> row, bytes budget, std::int64_t longest)
    -> std::optional<std::vector<std::size_t>> {
    std::vector<std::size_t> begins;
    filled_rank rank;
    for (std::size_t s = 0; s < row.size(); ++s) {
        auto more = rank;
        more.add(row[s]);
        if (begins.empty() || !more.is_within(budget, longest)) {
            begins.push_back(s);
            more = {};
            more.add(row[s]);
            if (!more.is_within(budget, longest)) return std::nullopt;
        }
        rank = more;
    }
    return begins;
}

/// The choice of a row from one of each stage: what the stages before keep is there while one runs.
[[nodiscard]] inline auto choice_of_row(std::span<pipeline_stage const> row, std::vector<std::size_t> const& at)
    -> stage_choice {
    stage_choice made;
    for (std::size_t s = 0; s < row.size(); ++s) {
        auto const& c = row[s].choices[at[s]];
        made.recomputation += c.recomputation;
        made.in_forward = std::max(made.in_forward, made.kept + bytes_in_forward(c));
        made.in_backward = std::max(made.in_backward, made.kept + bytes_in_backward(c));
        made.kept += c.kept;
    }
    return made;
}

/// The stage whose next choice takes least time for each byte that it keeps less; nothing where all have their last.
[[nodiscard]] inline auto cheapest_step(std::span<pipeline_stage const> row, std::vector<std::size_t> const& at)
    -> std::optional<std::size_t> {
    std::optional<std::size_t> best;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < row.size(); ++s) {
        if (at[s] + 1 == row[s].choices.size()) continue;
        auto const &now = row[s].choices[at[s]], &next = row[s].choices[at[s] + 1];
        auto const price = static_cast<double>(next.recomputation - now.recomputation) /
                           static_cast<double>(std::max<bytes>(now.kept - next.kept, 1));
        if (!best || price < least) best = s, least = price;
    }
    return best;
}

/// The least number of ranks of so many bytes for stages that lie anywhere.
[[nodiscard]] inline auto least_ranks_anywhere(std::span<pipeline_stage const> stages, bytes budget) -> std::size_t {
    bytes sum = 0;
    std::size_t large = 0;
    for (auto const& s : stages) {
        auto const size = s.constant + s.choices.back().kept;
        sum += size;
        large += size > budget / 2 && size > budget - size;
    }
    auto const by_sum = sum == 0 ? 1 : static_cast<std::size_t>((sum - 1) / budget + 1);
    return std::max(by_sum, large);
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto merge_stages(std::span<pipeline_stage const> row) -> pipeline_stage {
    if (row.size() == 1) return row.front();
    pipeline_stage made{.rank = row.front().rank, .transfer = row.back().transfer};
    made.choices.clear();
    for (auto const& s : row) {
        made.forward += s.forward;
        made.input_gradient += s.input_gradient + s.weight_gradient;
        made.constant += s.constant;
    }
    std::vector<std::size_t> at(row.size(), 0);
    for (std::optional<std::size_t> step = 0; step; step = detail::cheapest_step(row, at)) {
        if (!made.choices.empty()) ++at[*step];
        made.choices.push_back(detail::choice_of_row(row, at));
    }
    return made;
}

REPEBBLE_INLINE auto cut_row(std::span<pipeline_stage const> row, bytes budget, std::optional<std::size_t> ranks)
    -> std::optional<std::vector<std::size_t>> {
    auto best = detail::fill_ranks(row, budget, std::numeric_limits<std::int64_t>::max());
    if (!best || (ranks && best->size() > *ranks)) return std::nullopt;
    auto const most = ranks.value_or(best->size());
    std::int64_t low = -1, high = 0;
    for (auto const& s : row) high += detail::time_once(s);
    while (low + 1 < high) {
        auto const middle = std::midpoint(low, high);
        auto cut = detail::fill_ranks(row, budget, middle);
        bool const fits = cut && cut->size() <= most;
        (fits ? high : low) = middle;
        if (fits) best = std::move(cut);
    }
    return best;
}

REPEBBLE_INLINE auto find_least_ranks(pipeline const& p, bytes budget, pipeline_options const& options) -> least_ranks {
    check_pipeline(p);
    budget = detail::budget_in_bytes(budget);
    std::span<pipeline_stage const> const row(p.stages);
    least_ranks made;
    for (std::size_t s = 0; s < row.size() && !made.too_large; ++s)
        if (!cut_row(row.subspan(s, 1), budget)) made.too_large = s;
    if (made.too_large) return made;
    auto begins = cut_row(row, budget).value();
    made.ranks = begins.size();
    made.lower_bound = detail::least_ranks_anywhere(row, budget);
    made.placed = {.ranks = made.ranks, .microbatches = p.microbatches};
    begins.push_back(row.size());
    for (std::size_t r = 0; r < made.ranks; ++r) {
        made.placed.stages.push_back(merge_stages(row.subspan(begins[r], begins[r + 1] - begins[r])));
        made.placed.stages.back().rank = r;
    }
    made.plan = plan_pipeline(made.placed, std::vector<bytes>(made.ranks, budget), options);
    return made;
}

}  // namespace repebble::inline v0

#endif
