#ifndef REPEBBLE_PEBBLING_EXPAND_VIEWS_HPP
#define REPEBBLE_PEBBLING_EXPAND_VIEWS_HPP

#include <vector>

#include <repebble/graph/contract_views.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble {

namespace detail {

struct expand_views_fn {
    template <quantity Time>
    [[nodiscard]] constexpr auto operator()(dataflow<Time> const& flow, contracted_dataflow<Time> const& contracted,
                                            schedule<> const& plan) const -> schedule<> {
        schedule_builder<Time> out(flow);
        std::vector<char> resident(flow.value_count(), 0);
        auto const compute_views = [&](operation_index v, auto&& wanted) {
            for (auto const member : contracted.members[v].subspan(1)) {
                if (!wanted(member)) continue;
                out.compute(member);
                for (auto const value : flow.writes(member)) resident[value] = 1;
            }
        };
        // The views of a value die before it does: its storage is free once the value itself goes.
        auto const discard_views = [&](value_index value) {
            auto const views = contracted.member_values[value].subspan(1);
            for (auto const view : views) {
                if (resident[view] == 0) continue;
                out.discard(view);
                resident[view] = 0;
            }
        };
        for (auto const& s : plan.steps) {
            auto const owner = contracted.members[s.vertex].front();
            auto const value_of_step = [&] { return contracted.flow.writes(s.vertex)[s.output]; };
            switch (s.what) {
                case action::compute:
                    if (s.in_place) {
                        auto const over = contracted.flow.writes(s.over)[s.over_output];
                        discard_views(over);
                        out.compute_in_place(owner, s.output, contracted.original_value[over]);
                    } else {
                        out.compute(owner);
                    }
                    compute_views(s.vertex, [](operation_index) { return true; });
                    break;
                case action::discard:
                    if (s.from == pool::device) discard_views(value_of_step());
                    out.discard(contracted.original_value[value_of_step()], s.from);
                    break;
                case action::offload:
                    out.offload(contracted.original_value[value_of_step()]);
                    break;
                case action::prefetch: {
                    auto const fetched = contracted.original_value[value_of_step()];
                    out.prefetch(fetched);
                    compute_views(s.vertex, [&](operation_index member) {
                        for (auto const value : flow.writes(member))
                            for (auto const held : flow.owners(value))
                                if (held != fetched) return false;
                        return true;
                    });
                    break;
                }
            }
        }
        return std::move(out).finish();
    }
};

}  // namespace detail

/// Turns a schedule of a contracted dataflow into one of the original: every view is made right after its owner and
/// goes right before it. Same time, same peak.  O(steps · views per owner).
inline constexpr detail::expand_views_fn expand_views{};

}  // namespace repebble

#endif
