#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_PROPAGATION_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_PROPAGATION_HPP

// Propagation of branching decisions over a chain of cuts: the capacity that is left at each cut, values that are
// excluded since they do not fit or cannot exist, values that must be kept, operations that certainly run in an
// interval or never do. Interval i lies between cuts i - 1 and i, the last one behind the last cut; there is no
// interval 0. Bytes are counted in units, rounded down.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// A value that may be kept at one cut of a chain.
struct checkpoint_decision {
    std::size_t cut = 0;
    value_index value = 0;
};

/// The value is kept at the cut, or is excluded.
struct branching_decision {
    std::size_t cut = 0;
    value_index value = 0;
    bool kept = true;
};

/// An operation that may be recomputed in an interval of a chain (`propagation`).
struct interval_run {
    std::size_t interval = 0;
    operation_index operation = 0;
};

/// The operation runs in the interval, or does not.  Requires: it has run before the interval in every schedule.
struct run_decision {
    std::size_t interval = 0;
    operation_index operation = 0;
    bool runs = true;
};

struct branching_decisions {
    std::vector<branching_decision> checkpoints{};
    std::vector<run_decision> runs{};
    [[nodiscard]] auto size() const noexcept -> std::size_t { return checkpoints.size() + runs.size(); }
    [[nodiscard]] auto empty() const noexcept -> bool { return size() == 0; }
};

/// The consequences of decisions. A value that is neither computed in an interval nor kept at its beginning does not
/// exist there, and its readers do not run; where a reader certainly runs, the value is kept.
class propagation {
  public:
    /// Propagates to the fixed point.  O(cuts · (n + m)) for each round.  Requires: each cut's operation runs after
    /// that of the one before, in every schedule.
    propagation(std::span<first_run_cut const> cuts, bytes budget, bytes unit, branching_decisions const& decisions);

    [[nodiscard]] auto model() const noexcept -> planning_model const& { return cuts_.front().model(); }
    [[nodiscard]] auto cuts() const noexcept -> std::span<first_run_cut const> { return cuts_; }
    /// Size in units.
    [[nodiscard]] auto size(value_index x) const -> bytes { return model().sizes[x] / unit_; }
    /// Units that are left at the cut; negative where the decisions do not fit.
    [[nodiscard]] auto capacity(std::size_t cut) const -> bytes { return layers_[cut].capacity; }
    [[nodiscard]] auto is_kept(std::size_t cut, value_index x) const -> bool {
        return layers_[cut].decided[x] == decision::kept;
    }
    [[nodiscard]] auto is_excluded(std::size_t cut, value_index x) const -> bool {
        return layers_[cut].decided[x] == decision::excluded;
    }
    /// Whether the relaxation has a node for the value at the cut: it takes capacity there, or is excluded.
    [[nodiscard]] auto has_node(std::size_t cut, value_index x) const -> bool {
        bool const never = is_excluded(cut, x);
        return (size(x) > 0 || never) && !is_kept(cut, x) && !cuts_[cut].is_input(x);
    }
    /// Whether keeping the value at the cut is an open choice that takes capacity.
    [[nodiscard]] auto is_candidate(std::size_t cut, value_index x) const -> bool {
        return model().producers[x].size() == 1 && !cuts_[cut].is_produced_after(x) && has_node(cut, x) &&
               !is_excluded(cut, x);
    }
    /// Whether the operation cannot run in the interval.
    [[nodiscard]] auto is_never(std::size_t interval, operation_index p) const -> bool {
        return !never_[interval].empty() && never_[interval][p];
    }
    /// Whether the operation may be recomputed after the cut.
    [[nodiscard]] auto may_run_after(std::size_t cut, operation_index p) const -> bool {
        for (auto interval = cut + 1; interval <= cuts_.size(); ++interval)
            if (!is_never(interval, p)) return true;
        return false;
    }
    /// Whether the checkpoint is undecided.
    [[nodiscard]] auto is_open(std::size_t cut, value_index x) const -> bool {
        return layers_[cut].decided[x] == decision::none && may_be_held(cut, x);
    }
    /// By operation: whether it runs in the interval in every schedule under these decisions.
    [[nodiscard]] auto certain_runs(std::size_t interval) const -> std::vector<bool> const& {
        return certain_[interval];
    }
    /// Whether a run after the cut is counted in addition to earlier ones: for the first time, or once more since the
    /// cut before.
    [[nodiscard]] auto is_charged(std::size_t cut, operation_index p) const -> bool;
    /// Calls visit(x) for the values that are certainly read in the interval, or kept at its end by decision.
    template <class See>
    void for_each_required(std::size_t interval, See&& visit) const {
        auto const& m = model();
        bool const last = interval == cuts_.size();
        for (operation_index v = 0; v < m.operation_count(); ++v)
            if (is_first_here(interval, v) || is_certain(interval, v))
                for (auto const x : m.reads[v]) visit(x);
        if (last) return;
        for (value_index x = 0; x < m.value_count(); ++x)
            if (is_kept(interval, x)) visit(x);
    }
    /// Marks in `ran` the producer of x in the interval, and recursively those of its inputs with missing(y), of the
    /// values that may be kept at its beginning. Calls ran_now(p) for each new one.
    template <class Missing, class RanNow>
    void run_for(std::size_t interval, value_index x, std::vector<bool>& ran, Missing&& missing,
                 RanNow&& ran_now) const {
        auto const& m = model();
        auto const& cut = cuts_[interval - 1];
        std::vector<value_index> pending;
        auto const require = [&](value_index y) {
            if (cut.is_produced_after(y) || cut.is_input(y) || m.producers[y].size() != 1 || !missing(y)) return;
            auto const p = m.producers[y].front();
            if (ran[p]) return;
            ran[p] = true;
            ran_now(p);
            pending.insert(pending.end(), m.reads[p].begin(), m.reads[p].end());
        };
        require(x);
        while (!pending.empty()) {
            auto const y = pending.back();
            pending.pop_back();
            require(y);
        }
    }

  private:
    enum class decision : std::uint8_t { none, kept, excluded };
    struct layer {
        bytes capacity = 0, left = 0;  // left in units; left in bytes
        std::vector<decision> decided{};
    };

    [[nodiscard]] auto is_certain(std::size_t interval, operation_index p) const -> bool {
        return !certain_[interval].empty() && certain_[interval][p];
    }
    [[nodiscard]] auto is_first_here(std::size_t interval, operation_index v) const -> bool {
        return cuts_[interval - 1].is_after(v) &&
               (interval == cuts_.size() || cuts_[interval].is_before(v) || cuts_[interval].at() == v);
    }
    /// Whether the value takes capacity at the cut, if it is kept.
    [[nodiscard]] auto may_be_held(std::size_t i, value_index x) const -> bool {
        return model().producers[x].size() == 1 && model().sizes[x] > 0 && !cuts_[i].is_input(x) &&
               !cuts_[i].is_produced_after(x);
    }
    void keep(std::size_t i, value_index x);
    void never(std::size_t interval, operation_index p) {
        if (never_[interval].empty()) never_[interval].assign(model().operation_count(), false);
        never_[interval][p] = true;
    }
    void note_too_large(std::size_t i);
    void note_certain(std::size_t interval);
    /// Propagates from operations that cannot run in the interval.  Returns whether anything new follows.
    auto note_never(std::size_t interval) -> bool;

    std::span<first_run_cut const> cuts_;
    bytes unit_;
    std::vector<layer> layers_;
    std::vector<std::vector<bool>> certain_;            // by interval
    std::vector<std::vector<bool>> never_;              // by interval; empty where nothing is known
    std::vector<std::vector<operation_index>> forced_;  // by interval: runs by decision
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/bounds/several_cuts/propagation.ipp>
#endif

#endif
