#ifndef REPEBBLE_PEBBLING_UNROLL_HPP
#define REPEBBLE_PEBBLING_UNROLL_HPP

// Unrolling: the computations of a schedule as a dataflow of its own, without recomputation. For frameworks that
// execute graphs instead of schedules.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// A dataflow in which every computation of a schedule is an operation of its own, which reads and writes instances of
/// the original's values. No operation runs twice; index order is the order of the schedule.
template <quantity Time>
struct unrolled_dataflow {
    dataflow<Time> flow;                      ///< an operation for each computation
    std::vector<operation_index> origin{};    ///< of every operation: the original one
    std::vector<std::uint32_t> repetition{};  ///< of every operation: the run of the original, from 0

    friend auto operator==(unrolled_dataflow const&, unrolled_dataflow const&) -> bool = default;
};

namespace detail {

/// Builds an unrolled dataflow, one computation after another.
template <quantity Time>
class unroller {
  public:
    explicit unroller(dataflow<Time> const& flow)
        : flow_(flow), latest_(flow.value_count(), no_value), runs_(flow.operation_count(), 0) {}

    void run(operation_index v) {
        auto const position = out_.origin.size();
        if (v >= flow_.operation_count())
            detail::raise(bad_graph("computation " + std::to_string(position) + ": operation " + std::to_string(v) +
                                    " is out of range: there are " + std::to_string(flow_.operation_count())));
        auto const copy = builder_.add_operation(flow_.time(v), flow_.workspace(v), flow_.recomputable(v));
        out_.origin.push_back(v);
        out_.repetition.push_back(runs_[v]++);
        for (auto const value : flow_.reads(v)) {
            if (latest_[value] == no_value)
                detail::raise(bad_graph("computation " + std::to_string(position) + " reads value " +
                                        std::to_string(value) + ", which is not computed before"));
            builder_.add_read(copy, latest_[value]);
        }
        std::vector<value_index> written;
        for (auto const value : flow_.writes(v)) written.push_back(write(v, copy, value));
        for (std::size_t j = 0; j < written.size(); ++j) latest_[flow_.writes(v)[j]] = written[j];
    }

    [[nodiscard]] auto finish() && -> unrolled_dataflow<Time> {
        out_.flow = std::move(builder_).build();
        return std::move(out_);
    }

  private:
    /// A view refers to those instances of its owners to which the values read by v refer.
    auto write(operation_index v, operation_index copy, value_index value) -> value_index {
        std::vector<value_index> owners;
        if (flow_.is_view(value))
            for (auto const owner : flow_.owners(value)) owners.push_back(seen(v, owner));
        auto const made =
            owners.empty() ? builder_.add_value(copy, flow_.size(value)) : builder_.add_view(copy, owners);
        if (owners.empty()) owners.push_back(made);
        owners_.push_back(std::move(owners));
        return made;
    }
    [[nodiscard]] auto seen(operation_index v, value_index owner) const -> value_index {
        for (auto const value : flow_.reads(v))
            for (std::size_t k = 0; k < flow_.owners(value).size(); ++k)
                if (flow_.owners(value)[k] == owner) return owners_[latest_[value]][k];
        detail::raise(bad_graph("operation " + std::to_string(v) + " writes a view of value " + std::to_string(owner) +
                                ", which it does not read"));
    }

    dataflow<Time> const& flow_;
    dataflow_builder<Time> builder_;
    unrolled_dataflow<Time> out_;
    std::vector<value_index> latest_;               // of every value: its latest instance
    std::vector<std::uint32_t> runs_;               // of every operation, so far
    std::vector<std::vector<value_index>> owners_;  // of every instance: the instances of the value's owners
};

struct unroll_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, std::span<operation_index const> computations) const
        -> unrolled_dataflow<Time> {
        unroller<Time> out(flow);
        for (auto const v : computations) out.run(v);
        return std::move(out).finish();
    }
    template <quantity Time>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, schedule<> const& plan) const -> unrolled_dataflow<Time> {
        unroller<Time> out(flow);
        for (auto const& s : plan.steps)
            if (s.what == action::compute) out.run(s.vertex);
        return std::move(out).finish();
    }
};

}  // namespace detail

/// The computations of a schedule, or of a sequence, as a dataflow of its own: each reads the latest instance of each
/// value. Only computations count: `liveness` of the result adds the earliest discards, and where the schedule had
/// these, too, without copies between pools or steps in place, both replay to the same peak.  O(steps · log steps).
/// Throws bad_graph where a computation reads a value that was never computed.
inline constexpr detail::unroll_fn unroll{};

}  // namespace repebble::inline v0

#endif
