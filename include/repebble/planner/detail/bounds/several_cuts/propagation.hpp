#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_PROPAGATION_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_PROPAGATION_HPP

// Propagation of branching decisions over a chain of cuts: the capacity that is left at each cut, values that are
// excluded since they do not fit or cannot exist, values that must be kept, operations that certainly run in an
// interval or never do. Interval i lies between cuts i - 1 and i, the last one behind the last cut; there is no
// interval 0. Bytes are counted in units, rounded down.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/bounds/several_cuts/branching_decisions.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// The consequences of decisions. A value that is neither computed in an interval nor kept at its beginning does not
/// exist there, and its readers do not run; where a reader certainly runs, the value is kept.
class propagation {
  public:
    /// Propagates to the fixed point.  O(cuts · (n + m)) for each round.  Requires: each cut's operation runs after
    /// that of the one before, in every schedule.
    propagation(std::span<first_run_cut const> cuts, bytes budget, bytes unit, branching_decisions const& decisions)
        : cuts_(cuts),
          unit_(unit),
          layers_(cuts.size()),
          certain_(cuts.size() + 1),
          never_(cuts.size() + 1),
          forced_(cuts.size() + 1) {
        for (std::size_t i = 0; i < cuts.size(); ++i) {
            auto& l = layers_[i];
            l.left = cuts[i].capacity(budget);
            l.capacity = l.left < 0 ? -1 : l.left / unit;
            l.decided.assign(model().value_count(), decision::none);
        }
        for (auto const& d : decisions.checkpoints) {
            if (d.kept) {
                keep(d.cut, d.value);
            } else {
                layers_[d.cut].decided[d.value] = decision::excluded;
            }
        }
        for (auto const& d : decisions.runs) {
            if (d.runs) {
                forced_[d.interval].push_back(d.operation);
            } else {
                never(d.interval, d.operation);
            }
        }
        for (bool changed_any = true; changed_any;) {
            for (std::size_t i = 0; i < cuts.size(); ++i) note_too_large(i);
            for (std::size_t i = 1; i <= cuts.size(); ++i) note_certain(i);
            changed_any = false;
            if (!decisions.runs.empty())
                for (std::size_t i = 1; i <= cuts.size(); ++i) changed_any = note_never(i) || changed_any;
        }
    }

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
    [[nodiscard]] auto is_charged(std::size_t cut, operation_index p) const -> bool {
        if (is_certain(cut, p)) return true;
        if (!cuts_[cut].is_before(p)) return false;
        for (std::size_t i = 0; i < cut; ++i)
            if (cuts_[i].is_before(p) || is_certain(i, p)) return false;
        return true;
    }
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
    void keep(std::size_t i, value_index x) {
        auto& l = layers_[i];
        l.decided[x] = decision::kept;
        l.left -= model().sizes[x];
        l.capacity -= size(x);
    }
    void never(std::size_t interval, operation_index p) {
        if (never_[interval].empty()) never_[interval].assign(model().operation_count(), false);
        never_[interval][p] = true;
    }
    void note_too_large(std::size_t i) {
        auto& l = layers_[i];
        if (l.left < 0) l.capacity = -1;
        if (l.capacity < 0) return;
        for (value_index x = 0; x < model().value_count(); ++x)
            if (l.decided[x] == decision::none && !cuts_[i].is_input(x) &&
                (model().sizes[x] > l.left || size(x) > l.capacity))
                l.decided[x] = decision::excluded;
    }
    void note_certain(std::size_t interval) {
        std::vector<bool> ran(model().operation_count(), false);
        auto const is_missing = [&](value_index y) { return is_excluded(interval - 1, y); };
        auto const make = [&](value_index x) { run_for(interval, x, ran, is_missing, [](operation_index) {}); };
        for_each_required(interval, make);
        for (auto const p : forced_[interval]) {
            if (ran[p]) continue;
            ran[p] = true;
            std::ranges::for_each(model().reads[p], make);
        }
        certain_[interval] = std::move(ran);
    }
    /// Propagates from operations that cannot run in the interval.  Returns whether anything new follows.
    auto note_never(std::size_t interval) -> bool {
        if (never_[interval].empty()) return false;
        auto const i = interval - 1;
        bool changed = false;
        auto const contradict = [&] { layers_[i].capacity = layers_[i].left = -1; };
        for (operation_index p = 0; p < model().operation_count(); ++p)
            if (is_never(interval, p) && is_certain(interval, p)) contradict();
        for_each_required(interval, [&](value_index x) {
            if (layers_[i].capacity < 0 || !may_be_held(i, x) || is_kept(i, x)) return;
            if (!is_never(interval, model().producers[x].front())) return;
            if (is_excluded(i, x)) return contradict();
            keep(i, x);
            changed = true;
        });
        if (layers_[i].capacity < 0) return false;
        std::vector<operation_index> open;
        for (operation_index p = 0; p < model().operation_count(); ++p)
            if (is_never(interval, p)) open.push_back(p);
        while (!open.empty()) {
            auto const p = open.back();
            open.pop_back();
            for (auto const x : model().writes[p]) {
                if (!is_excluded(i, x) || !may_be_held(i, x)) continue;
                if (interval < cuts_.size() && is_open(interval, x)) {
                    layers_[interval].decided[x] = decision::excluded;
                    changed = true;
                }
                for (auto const q : model().readers[x]) {
                    if (is_never(interval, q)) continue;
                    never(interval, q);
                    open.push_back(q);
                    changed = true;
                }
            }
        }
        return changed;
    }

    std::span<first_run_cut const> cuts_;
    bytes unit_;
    std::vector<layer> layers_;
    std::vector<std::vector<bool>> certain_;            // by interval
    std::vector<std::vector<bool>> never_;              // by interval; empty where nothing is known
    std::vector<std::vector<operation_index>> forced_;  // by interval: runs by decision
};

}  // namespace repebble::inline v0::detail

#endif
