#ifndef REPEBBLE_IMPL_PLANNER_ANNEALING_START_POOL_IPP
#define REPEBBLE_IMPL_PLANNER_ANNEALING_START_POOL_IPP

#include <repebble/planner/detail/annealing/start_pool.hpp>

#include <algorithm>
#include <cstddef>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto start_pool::take(std::vector<operation_index> last) -> std::vector<std::vector<operation_index>> {
    auto const most_starts = m_.effort.most_starts;
    std::ranges::sort(repaired_, {}, [&](auto const& c) { return std::pair(sequence_time(m_, c), c.size()); });
    auto const same = std::ranges::unique(repaired_);
    repaired_.erase(same.begin(), same.end());
    repaired_.resize(std::min(repaired_.size(), m_.effort.most_repaired_starts));
    auto all = std::exchange(repaired_, {});
    if (!multi_cut_.empty()) all.push_back(std::exchange(multi_cut_, {}));
    auto const tighter = std::exchange(tighter_, {});
    auto const more = std::min(tighter.size(), most_starts - 1 - std::min(most_starts - 1, all.size()));
    for (std::size_t k = 0; k < more; ++k) all.push_back(tighter[(2 * k + 1) * tighter.size() / (2 * more)]);
    all.push_back(std::move(last));
    return all;
}

}  // namespace repebble::inline v0::detail

#endif
