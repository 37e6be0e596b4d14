#ifndef REPEBBLE_GRAPH_DATAFLOW_WHOLE_TIMES_HPP
#define REPEBBLE_GRAPH_DATAFLOW_WHOLE_TIMES_HPP

// Floating times as whole multiples of a unit, rounded down, so that a search that counts in whole times (the automatic
// planner) serves both, and its lower bound in whole times is one in floating times, too.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>

namespace repebble::inline v0 {

/// A dataflow with whole times, and how many floating time units one of them is.
struct whole_dataflow {
    dataflow<> flow;  ///< with whole times
    double unit = 1;  ///< floating time units that one whole unit is
};

namespace detail {

struct whole_times_fn {
    [[nodiscard]] auto operator()(dataflow<double> const& flow) const -> whole_dataflow {
        constexpr int bits = 40;  // of the time of everything once
        constexpr double most = 0x1p44;
        whole_dataflow whole;
        if (auto const once = flow.time_once(); once > 0)
            whole.unit = std::max(std::exp2(std::ceil(std::log2(once)) - bits), 0x1p-1022);
        auto& copy = whole.flow;
        copy.operations_.reserve(flow.operations_.size());
        for (auto const& o : flow.operations_)
            copy.operations_.push_back({static_cast<std::int64_t>(std::min(o.time / whole.unit, most)), o.workspace,
                                        o.recomputable, o.is_input});
        copy.sizes_ = flow.sizes_;
        copy.reads_ = flow.reads_;
        copy.operands_ = flow.operands_;
        copy.writes_ = flow.writes_;
        copy.output_numbers_ = flow.output_numbers_;
        copy.control_ = flow.control_;
        copy.results_ = flow.results_;
        copy.mutations_ = flow.mutations_;
        copy.ended_ = flow.ended_;
        copy.allowed_ = flow.allowed_;
        copy.owners_ = flow.owners_;
        copy.producers_ = flow.producers_;
        copy.readers_ = flow.readers_;
        copy.order_ = flow.order_;
        copy.graph_ = flow.graph_;
        copy.time_once_ = dataflow_builder<std::int64_t>::cheapest_total(copy);
        return whole;
    }
};

}  // namespace detail

/// The same dataflow in whole times: the time of everything once is about 2⁴⁰ of them, each operation's is rounded
/// down, and is 2⁴⁴ at most.  O(n + m).
inline constexpr detail::whole_times_fn whole_times{};

}  // namespace repebble::inline v0

#endif
