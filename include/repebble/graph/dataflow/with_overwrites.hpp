#ifndef REPEBBLE_GRAPH_DATAFLOW_WITH_OVERWRITES_HPP
#define REPEBBLE_GRAPH_DATAFLOW_WITH_OVERWRITES_HPP

// Allowed overwrites added to a dataflow by a rule: so that planners count on steps in place, which `write_in_place`
// adds to a finished schedule only.

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>

namespace repebble::inline v0 {

/// A predicate: may operation v write its output number `output` over the value `over`, which it reads, as far as the
/// operation itself is concerned? Later readers of the value are checked separately. `always` allows everything.
template <class F>
concept overwrite_rule = requires(F const& may_overwrite, operation_index v, std::uint32_t output, value_index over) {
    { may_overwrite(v, output, over) } -> std::convertible_to<bool>;
};

namespace detail {

struct with_overwrites_fn {
    template <overwrite_rule Rule>
    [[nodiscard]] constexpr auto operator()(dataflow flow, Rule const& may_overwrite) const -> dataflow {
        jagged_array<overwrite> allowed;
        std::vector<overwrite> row;
        for (operation_index v = 0; v < flow.operation_count(); ++v) {
            row.assign(flow.allowed_overwrites(v).begin(), flow.allowed_overwrites(v).end());
            for (std::uint32_t j = 0; j < flow.writes(v).size(); ++j)
                for (auto const over : flow.reads(v)) {
                    bool const new_pair = std::ranges::find(row, overwrite{j, over}) == row.end();
                    if (!flow.is_view(flow.writes(v)[j]) && new_pair && may_overwrite(v, j, over))
                        row.push_back({j, over});
                }
            allowed.append(row);
        }
        flow.allowed_ = std::move(allowed);
        return flow;
    }
};

}  // namespace detail

/// The same dataflow with more allowed overwrites: those of the outputs that own their storage over the values which
/// their operations read, where the rule says so.  O(outputs · reads · overwrites of each operation).
inline constexpr detail::with_overwrites_fn with_overwrites{};

}  // namespace repebble::inline v0

#endif
