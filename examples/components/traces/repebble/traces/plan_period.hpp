#ifndef REPEBBLE_TRACES_PLAN_PERIOD_HPP
#define REPEBBLE_TRACES_PLAN_PERIOD_HPP

// The automatic planner for what runs again and again, k-means for example: a schedule of one period that goes round.
// Inputs that nothing overwrites may lie on the host alone between two periods; they are copied in before they are used
// and are let go behind that, without a copy out, as the host keeps its own. The period ends in the state in which it
// began, and when its copies have ended, so that the next one can follow.
// Method: a period that begins with these inputs on the host is one of a dataflow in which an operation without time
// makes each of them, before an operation that reads the other inputs and needs all the memory beside. So they must
// leave by copies out before the period begins; these take one after another the same time in every schedule, which is
// taken off.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/replay_result.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/planner/plan_options.hpp>

namespace repebble::inline v0 {

/// A schedule of one period, after which the next one can begin.
struct periodic_plan {
    std::vector<value_index> away{};  ///< inputs on the host alone where a period begins and ends, ascending
    schedule<> steps{};               ///< of the caller's dataflow, without computing inputs
    replay_result cost{};             ///< of one period; `host_peak` counts the copies that the host keeps of `away`
    std::int64_t lower_bound{};       ///< no period between which these inputs are away has less overhead

    friend auto operator==(periodic_plan const&, periodic_plan const&) -> bool = default;
};

namespace detail {

/// The dataflow of a period that begins with some inputs on the host: operations make them before `begin` runs.
class period_dataflow {
  public:
    /// `begin` needs so many bytes beside the other inputs, which it reads.
    period_dataflow(dataflow const& from, std::vector<value_index> const& away, bytes at_begin);

    [[nodiscard]] auto flow() const -> dataflow const& { return flow_; }
    /// The steps of the period alone, in terms of the caller's dataflow, to the state in which they began.
    [[nodiscard]] auto period_of(schedule<> const& plan) const -> schedule<>;
    /// The contrary: what is away is made and leaves, then the period begins.
    [[nodiscard]] auto with_begin(schedule<> const& period) const -> schedule<>;

  private:
    void add(operation_index v, operation_index as);
    void add_begin(bytes workspace);
    void add_rest(operation_index v);
    /// A step that moves what lies on the host already, or that drops the copy there.
    [[nodiscard]] auto is_left_out(step<> const& s, bool has_begun) const -> bool;
    [[nodiscard]] auto is_away(operation_index v) const -> bool {
        return from_.is_input(v) && is_away_[from_.writes(v).front()];
    }

    dataflow const& from_;
    std::vector<value_index> const& away_;
    std::vector<bool> is_away_;                // of every value of the caller
    std::vector<operation_index> number_;      // of every operation of the caller
    std::vector<operation_index> original_{};  // the contrary; of `begin` there is none
    std::vector<value_index> value_;           // of every value of the caller
    operation_index begin_ = 0;
    dataflow_builder builder_{};
    dataflow flow_{};
};

/// Lanes on which the first copies out take no time: those of what lies on the host already.
class resumed_clock : public lanes_clock {
  public:
    resumed_clock(host_link const& via, std::size_t there) : lanes_clock(via), there_(there) {}

    auto run(lane l, std::int64_t ready, std::int64_t duration) -> std::int64_t {
        if (l != lane::offload || there_ == 0) return lanes_clock::run(l, ready, duration);
        --there_;
        return lanes_clock::run(l, ready, 0);
    }

  private:
    std::size_t there_;
};

}  // namespace detail

/// Inputs that may be away between two periods: each the only output of its operation, read and never overwritten, and
/// a result. In the order of their first readers in the order of the graph.  O(n + m).
[[nodiscard]] auto find_movable_inputs(dataflow const& flow) -> std::vector<value_index>;

/// A period of least time that was found, within a limit of bytes, over the link of the options: the state at its end
/// is that at its beginning. Of the inputs that may be away (`find_movable_inputs`) those that are used first stay, in
/// as much memory as there is beside the largest other one, or in a share of that; each of five shares is a call of
/// `plan`, with a fifth of the seconds. All other inputs and results are on the device between two periods, with all
/// that mutates them. Nothing where no period was found.  Throws bad_option where the options have no link, and as
/// `plan`.
[[nodiscard]] auto plan_period(dataflow const& flow, bytes limit, plan_options const& options)
    -> std::optional<periodic_plan>;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/traces/plan_period.ipp>
#endif

#endif
