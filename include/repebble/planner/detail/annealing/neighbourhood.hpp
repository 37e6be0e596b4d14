#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_NEIGHBOURHOOD_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_NEIGHBOURHOOD_HPP

// The neighbourhood of the annealer: random moves on a sequence, each a few insertions, removals and shifts of steps in
// a journal, so that a rejected move is undone exactly. Three kinds: insert a recomputation (a value is discarded
// between two uses), remove one (the value is kept instead), shift a step.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <repebble/detail/split_mix.hpp>
#include <repebble/planner/detail/annealing/move_rules.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/sequences/memory_profile.hpp>
#include <repebble/planner/detail/sequences/mutable_sequence.hpp>

namespace repebble::inline v0::detail {

/// A bag of steps. O(1) expected for each operation.
class random_bag {
  public:
    using step_id = memory_profile::node;

    /// Adds the step, if it is not in the bag.
    void put(step_id i) {
        if (is_in_.size() <= i) is_in_.resize(i + 1, 0);
        if (is_in_[i] != 0) return;
        is_in_[i] = 1;
        steps_.push_back(i);
    }
    /// Returns a random step with is_valid(step), or memory_profile::none where so many draws met none.
    template <class IsValid>
    [[nodiscard]] auto draw(split_mix& random, std::size_t draws, IsValid&& is_valid) -> step_id {
        for (std::size_t attempt = 0; attempt < draws && !steps_.empty(); ++attempt) {
            auto const at = random.below(steps_.size());
            auto const i = steps_[at];
            if (is_valid(i)) return i;
            is_in_[i] = 0;
            steps_[at] = steps_.back();
            steps_.pop_back();
        }
        return memory_profile::none;
    }

  private:
    std::vector<step_id> steps_;
    std::vector<std::uint8_t> is_in_;  // by step
};

/// Whether step i may be moved before step `to` without a change of the computation that any other step reads.  O(uses
/// of its inputs and outputs).
[[nodiscard]] auto may_shift(planning_model const& m, mutable_sequence const& s, mutable_sequence::step_id i,
                             mutable_sequence::step_id to) -> bool;

/// Returns the first reader of the outputs of step i; none where no step reads them.
[[nodiscard]] auto first_reader(planning_model const& m, mutable_sequence const& s, mutable_sequence::step_id i)
    -> mutable_sequence::step_id;

/// Returns the last step that computes an input of step i; none where it has no inputs.
[[nodiscard]] auto last_source(planning_model const& m, mutable_sequence const& s, mutable_sequence::step_id i)
    -> mutable_sequence::step_id;

/// Random moves on one sequence, each of which can be undone.
class neighbourhood {
  public:
    neighbourhood(planning_model const& m, std::span<operation_index const> start, bytes budget, std::uint64_t seed,
                  move_rules const& rules = {});

    [[nodiscard]] auto now() const noexcept -> mutable_sequence const& { return now_; }
    [[nodiscard]] auto random() noexcept -> split_mix& { return random_; }

    /// Makes one random move; returns whether the sequence changed. `at_peak`: prefers recomputations across the peak.
    /// A move whose time exceeds `most` is undone at once.
    auto make(bool at_peak, double most) -> bool;
    /// Undoes the last move.
    void undo();

  private:
    using step_id = mutable_sequence::step_id;
    static constexpr step_id none = mutable_sequence::none;

    struct edit {
        enum class kind : std::uint8_t { inserted, removed, shifted } what;
        step_id step;       // inserted, shifted: the step
        operation_index v;  // removed: its operation
        step_id before;     // removed, shifted: the step that came after it
    };

    [[nodiscard]] auto random_step() -> step_id;

    auto insert(operation_index v, step_id before) -> step_id;
    void remove(step_id i);

    /// Discards a value before one of its uses and recomputes it there, if time permits.
    void insert_recomputation(bool at_peak);
    /// Whether another operation computes an output of v, too.
    [[nodiscard]] auto has_alternative(operation_index v) const -> bool {
        return std::ranges::any_of(model_.writes[v], [&](auto x) { return model_.producers[x].size() > 1; });
    }
    /// An operation that computes x before step i: one of the alternatives, if its inputs are computed by then or are
    /// made by what can run behind `source`, which computes x, or else `usual`.
    [[nodiscard]] auto any_producer(value_index x, operation_index usual, step_id i, step_id source) -> operation_index;
    /// A step before i computes x.
    [[nodiscard]] auto is_computed(value_index x, step_id i) const -> bool {
        auto const steps = now_.producers(x);
        return !steps.empty() && now_.before(steps.front(), i);
    }
    /// The first recomputable producer of y that can run behind the source, if there is one.
    [[nodiscard]] auto producer_behind(value_index y, step_id source) const -> std::optional<operation_index>;
    /// Makes the inputs of v that no step before i computes, behind the source.
    void compute_behind(operation_index v, step_id i, step_id source);
    /// Whether v may be recomputed for its output x.
    [[nodiscard]] auto may_recompute(operation_index v, value_index x) const -> bool {
        return model_.operations[v].recomputable && model_.sizes[x] > 0 && v != rules_.tabu;
    }
    [[nodiscard]] auto takes_too_much(operation_index v) const -> bool {
        return static_cast<double>(now_.time() + model_.operations[v].time) > most_time_;
    }
    void recompute_before(operation_index v, step_id i, std::size_t depth);
    /// … and some of what it reads: v is at step q.
    void recompute_inputs(operation_index v, step_id q, std::size_t depth);

    /// Removes the next computation after step i of its k-th input. Returns false where there is none, or where it must
    /// stay.
    auto remove_next(step_id i, std::size_t k) -> bool;

    /// Keeps a value instead of recomputing it; recomputations that served only this are removed, too.
    void remove_recomputation();
    void remove_with_unused_inputs(step_id first);
    [[nodiscard]] auto is_unused(step_id s) const -> bool;

    /// Shifts one step: a little, or as far as dependencies allow.
    void shift_step();
    void try_shift(step_id i, step_id to);

    planning_model const& model_;
    effort const& effort_;
    move_rules rules_;
    mutable_sequence now_;
    split_mix random_;
    std::vector<edit> journal_;              // edits of the last move
    double most_time_ = 0;                   // largest time that the move may lead to
    bool too_slow_ = false;                  // the move exceeds that time
    random_bag repeats_;                     // steps that recompute
    std::vector<step_id> waiting_;           // steps for whose inputs recompute_before looks
    std::vector<step_id> unused_, sources_;  // stacks of remove_with_unused_inputs
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/annealing/neighbourhood.ipp>
#endif

#endif
