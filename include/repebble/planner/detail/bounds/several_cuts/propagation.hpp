#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_PROPAGATION_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_PROPAGATION_HPP

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

/// What decisions on the moments of a chain say: how many bytes are left at each, what cannot be held beside that, what
/// certainly runs between two of them, and what does not: a value that is neither made in an interval nor held at its
/// beginning is not there, nor runs what reads it; and what certainly reads it has it held. Interval i lies between
/// moments i - 1 and i, the last one behind the last moment; there is no interval 0. Bytes are counted in units,
/// rounded down.
class propagation {
  public:
    /// O(moments · (n + m)) for each round in which something follows.  Requires: each moment's operation runs after
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
            l.left = cuts[i].room(budget);
            l.room = l.left < 0 ? -1 : l.left / unit;
            l.decided.assign(model().value_count(), decision::none);
        }
        for (auto const& d : decisions.holds) {
            if (d.held) {
                hold(d.moment, d.value);
            } else {
                layers_[d.moment].decided[d.value] = decision::not_held;
            }
        }
        for (auto const& d : decisions.runs) {
            if (d.runs) {
                forced_[d.interval].push_back(d.operation);
            } else {
                never(d.interval, d.operation);
            }
        }
        for (bool goes_on = true; goes_on;) {
            for (std::size_t i = 0; i < cuts.size(); ++i) note_too_large(i);
            for (std::size_t i = 1; i <= cuts.size(); ++i) note_certain(i);
            goes_on = false;
            if (!decisions.runs.empty())
                for (std::size_t i = 1; i <= cuts.size(); ++i) goes_on = note_never(i) || goes_on;
        }
    }

    [[nodiscard]] auto model() const noexcept -> planning_model const& { return cuts_.front().model(); }
    [[nodiscard]] auto cuts() const noexcept -> std::span<first_run_cut const> { return cuts_; }
    /// In units.
    [[nodiscard]] auto size(value_index x) const -> bytes { return model().sizes[x] / unit_; }
    /// Units that are left at the moment; below 0 where the decisions do not fit.
    [[nodiscard]] auto room(std::size_t moment) const -> bytes { return layers_[moment].room; }
    [[nodiscard]] auto is_held(std::size_t moment, value_index x) const -> bool {
        return layers_[moment].decided[x] == decision::held;
    }
    [[nodiscard]] auto is_not_held(std::size_t moment, value_index x) const -> bool {
        return layers_[moment].decided[x] == decision::not_held;
    }
    /// Whether bytes are paid for where the value is held there, or it cannot be held.
    [[nodiscard]] auto is_priced(std::size_t moment, value_index x) const -> bool {
        bool const never = is_not_held(moment, x);
        return (size(x) > 0 || never) && !is_held(moment, x) && !cuts_[moment].is_read_here(x);
    }
    /// Whether holding it there is a choice that takes bytes.
    [[nodiscard]] auto is_paid_for(std::size_t moment, value_index x) const -> bool {
        return model().producers[x].size() == 1 && !cuts_[moment].comes_after(x) && is_priced(moment, x) &&
               !is_not_held(moment, x);
    }
    /// Whether it does not run in the interval, by decision or what follows.
    [[nodiscard]] auto is_never(std::size_t interval, operation_index p) const -> bool {
        return !never_[interval].empty() && never_[interval][p];
    }
    /// Whether the operation may run again after the moment.
    [[nodiscard]] auto may_run_after(std::size_t moment, operation_index p) const -> bool {
        for (auto interval = moment + 1; interval <= cuts_.size(); ++interval)
            if (!is_never(interval, p)) return true;
        return false;
    }
    /// Whether it is not decided yet that the value is held there, or not.
    [[nodiscard]] auto is_open(std::size_t moment, value_index x) const -> bool {
        return layers_[moment].decided[x] == decision::none && may_be_held(moment, x);
    }
    /// Of every operation, whether it runs in the interval in every schedule of these decisions.
    [[nodiscard]] auto certain_runs(std::size_t interval) const -> std::vector<bool> const& {
        return certain_[interval];
    }
    /// Whether an operation that runs after the moment has run before beyond what the moments before tell: once, or
    /// once more between the moment before and this one.
    [[nodiscard]] auto is_charged(std::size_t moment, operation_index p) const -> bool {
        if (is_certain(moment, p)) return true;
        if (!cuts_[moment].is_before(p)) return false;
        for (std::size_t i = 0; i < moment; ++i)
            if (cuts_[i].is_before(p) || is_certain(i, p)) return false;
        return true;
    }
    /// Calls see(x) for what is certainly read in the interval, and for what is there behind it by decision.
    template <class See>
    void for_each_wanted(std::size_t interval, See&& see) const {
        auto const& m = model();
        bool const last = interval == cuts_.size();
        for (operation_index v = 0; v < m.operation_count(); ++v)
            if (is_first_here(interval, v) || is_certain(interval, v))
                for (auto const x : m.reads[v]) see(x);
        if (last) return;
        for (value_index x = 0; x < m.value_count(); ++x)
            if (is_held(interval, x)) see(x);
    }
    /// Runs in the interval what makes a value that is wanted there, and before it what makes what that reads, as far
    /// as missing(y), of what may be held at the beginning. Calls ran_now(p) for what is new in `ran`.
    template <class Missing, class RanNow>
    void run_for(std::size_t interval, value_index x, std::vector<bool>& ran, Missing&& missing,
                 RanNow&& ran_now) const {
        auto const& m = model();
        auto const& cut = cuts_[interval - 1];
        std::vector<value_index> wanted;
        auto const want = [&](value_index y) {
            if (cut.comes_after(y) || cut.is_read_here(y) || m.producers[y].size() != 1 || !missing(y)) return;
            auto const p = m.producers[y].front();
            if (ran[p]) return;
            ran[p] = true;
            ran_now(p);
            wanted.insert(wanted.end(), m.reads[p].begin(), m.reads[p].end());
        };
        want(x);
        while (!wanted.empty()) {
            auto const y = wanted.back();
            wanted.pop_back();
            want(y);
        }
    }

  private:
    enum class decision : std::uint8_t { none, held, not_held };
    struct layer {
        bytes room = 0, left = 0;  // in units; in bytes
        std::vector<decision> decided{};
    };

    [[nodiscard]] auto is_certain(std::size_t interval, operation_index p) const -> bool {
        return !certain_[interval].empty() && certain_[interval][p];
    }
    [[nodiscard]] auto is_first_here(std::size_t interval, operation_index v) const -> bool {
        return cuts_[interval - 1].is_after(v) &&
               (interval == cuts_.size() || cuts_[interval].is_before(v) || cuts_[interval].at() == v);
    }
    /// Whether it takes room there, or may.
    [[nodiscard]] auto may_be_held(std::size_t i, value_index x) const -> bool {
        return model().producers[x].size() == 1 && model().sizes[x] > 0 && !cuts_[i].is_read_here(x) &&
               !cuts_[i].comes_after(x);
    }
    void hold(std::size_t i, value_index x) {
        auto& l = layers_[i];
        l.decided[x] = decision::held;
        l.left -= model().sizes[x];
        l.room -= size(x);
    }
    void never(std::size_t interval, operation_index p) {
        if (never_[interval].empty()) never_[interval].assign(model().operation_count(), false);
        never_[interval][p] = true;
    }
    void note_too_large(std::size_t i) {
        auto& l = layers_[i];
        if (l.left < 0) l.room = -1;
        if (l.room < 0) return;
        for (value_index x = 0; x < model().value_count(); ++x)
            if (l.decided[x] == decision::none && !cuts_[i].is_read_here(x) &&
                (model().sizes[x] > l.left || size(x) > l.room))
                l.decided[x] = decision::not_held;
    }
    void note_certain(std::size_t interval) {
        std::vector<bool> ran(model().operation_count(), false);
        auto const is_missing = [&](value_index y) { return is_not_held(interval - 1, y); };
        auto const make = [&](value_index x) { run_for(interval, x, ran, is_missing, [](operation_index) {}); };
        for_each_wanted(interval, make);
        for (auto const p : forced_[interval]) {
            if (ran[p]) continue;
            ran[p] = true;
            std::ranges::for_each(model().reads[p], make);
        }
        certain_[interval] = std::move(ran);
    }
    /// What follows from what does not run in the interval.  Returns whether something does that was not known.
    auto note_never(std::size_t interval) -> bool {
        if (never_[interval].empty()) return false;
        auto const i = interval - 1;
        bool changed = false;
        auto const contradict = [&] { layers_[i].room = layers_[i].left = -1; };
        for (operation_index p = 0; p < model().operation_count(); ++p)
            if (is_never(interval, p) && is_certain(interval, p)) contradict();
        for_each_wanted(interval, [&](value_index x) {
            if (layers_[i].room < 0 || !may_be_held(i, x) || is_held(i, x)) return;
            if (!is_never(interval, model().producers[x].front())) return;
            if (is_not_held(i, x)) return contradict();
            hold(i, x);
            changed = true;
        });
        if (layers_[i].room < 0) return false;
        std::vector<operation_index> open;
        for (operation_index p = 0; p < model().operation_count(); ++p)
            if (is_never(interval, p)) open.push_back(p);
        while (!open.empty()) {
            auto const p = open.back();
            open.pop_back();
            for (auto const x : model().writes[p]) {
                if (!is_not_held(i, x) || !may_be_held(i, x)) continue;
                if (interval < cuts_.size() && is_open(interval, x)) {
                    layers_[interval].decided[x] = decision::not_held;
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
    std::vector<std::vector<bool>> certain_;            // of every interval
    std::vector<std::vector<bool>> never_;              // of every interval; empty where nothing is known
    std::vector<std::vector<operation_index>> forced_;  // of every interval, by decision
};

}  // namespace repebble::inline v0::detail

#endif
