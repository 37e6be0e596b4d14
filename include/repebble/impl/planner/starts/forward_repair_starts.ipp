#ifndef REPEBBLE_IMPL_PLANNER_STARTS_FORWARD_REPAIR_STARTS_IPP
#define REPEBBLE_IMPL_PLANNER_STARTS_FORWARD_REPAIR_STARTS_IPP

#include <repebble/planner/detail/starts/forward_repair_starts.hpp>

#include <array>
#include <optional>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>
#include <repebble/planner/detail/starts/forward_repair.hpp>
#include <repebble/planner/detail/starts/repair_by_forcing.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE void forward_repair_starts(planning_model const& m, bytes budget, std::span<operation_index const> cuts,
                                           std::size_t rounds,
                                           function_ref<void(std::vector<operation_index> const&)> visit,
                                           function_ref<void(std::vector<operation_index>)> offer, stop_test stop) {
    auto const& e = m.effort;
    constexpr bytes all = 100;  // %
    std::array const shares{all,
                            e.repair_percent_1,
                            e.repair_percent_2,
                            e.repair_percent_3,
                            e.repair_percent_4,
                            e.repair_percent_5,
                            e.repair_percent_6,
                            e.repair_percent_7,
                            e.repair_percent_8,
                            e.repair_percent_9};
    auto const most_steps = step_limit(m);
    for (auto const at : cuts) {
        first_run_cut const cut(m, at);
        for (auto const share : shares) {
            if (rounds == 0 || stop()) return;
            std::optional<std::vector<operation_index>> plain;
            auto made = repair_by_forcing(
                cut, budget, budget / all * share + budget % all * share / all, most_steps, rounds,
                [&](std::vector<operation_index> const& computations) { plain = computations; }, stop);
            if (!made) break;
            visit(*plain);
            if (*made == *plain) plain.reset();
            for (auto* start : {&made, &plain})
                if (*start)
                    if (auto repaired = forward_repair(m, std::move(**start), budget, most_steps, rounds, stop))
                        offer(std::move(*repaired));
        }
    }
}

}  // namespace repebble::inline v0::detail

#endif
