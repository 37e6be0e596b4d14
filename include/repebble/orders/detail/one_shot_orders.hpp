#ifndef REPEBBLE_ORDERS_DETAIL_ONE_SHOT_ORDERS_HPP
#define REPEBBLE_ORDERS_DETAIL_ONE_SHOT_ORDERS_HPP

// Orders of a one-shot game: their peak, and the way back to the dataflow with views. `find_least_peak_order` and
// `liu_order` use it.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/detail/contract_views.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/orders/detail/one_shot_game.hpp>

namespace repebble::inline v0::detail {

/// Whether a value has several producers, of which any one will do.  O(values).
[[nodiscard]] inline auto has_alternatives(dataflow const& flow) -> bool {
    for (std::size_t value = 0; value < flow.value_count(); ++value)
        if (flow.producers(value).size() > 1) return true;
    return false;
}

/// The peak of an order, and the first operation that has it, if one has.
struct order_peak {
    bytes size = 0;
    std::optional<operation_index> at{};
};

/// The peak of an order, in which inputs are left out.  O(n + m).
[[nodiscard]] inline auto peak_of(one_shot_game const& game, std::span<operation_index const> order) -> order_peak {
    auto set = game.start();
    order_peak peak{std::max(game.start_peak(), game.start_bytes())};
    auto resident = game.start_bytes();
    for (auto const v : order) {
        auto const step = game.forward(std::as_const(set).words(), resident, v);
        if (step.during > peak.size) peak = {step.during, v};
        resident = step.after;
        set.insert(v);
    }
    return peak;
}

/// A dataflow whose views are merged, and the way back. Refers to the original.
class flow_without_views {
  public:
    explicit flow_without_views(dataflow const& flow) : flow_(flow) {
        if (holds_view(flow)) contracted_ = contract_views(flow);
    }
    [[nodiscard]] auto flow() const -> dataflow const& { return contracted_ ? contracted_->flow() : flow_; }
    /// An order of the original: inputs first, and each view right after the operation into which it is merged.
    /// order: of all operations of `flow` but inputs.  O(n).
    [[nodiscard]] auto original(std::span<operation_index const> order) const -> std::vector<operation_index> {
        std::vector<operation_index> all;
        all.reserve(flow_.operation_count());
        for (auto const v : flow().order())
            if (flow().is_input(v)) all.push_back(contracted_ ? contracted_->members[v].front() : v);
        if (!contracted_) {
            all.insert(all.end(), order.begin(), order.end());
            return all;
        }
        auto const append = [&](std::span<operation_index const> members) {
            all.insert(all.end(), members.begin(), members.end());
        };
        for (auto const v : flow().order())
            if (flow().is_input(v)) append(contracted_->members[v].subspan(1));
        for (auto const v : order) append(contracted_->members[v]);
        return all;
    }

  private:
    dataflow const& flow_;
    std::optional<contracted_dataflow> contracted_{};
};

}  // namespace repebble::inline v0::detail

#endif
