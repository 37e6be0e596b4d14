#ifndef REPEBBLE_PLANNER_DETAIL_SEQUENCES_MUTABLE_SEQUENCE_HPP
#define REPEBBLE_PLANNER_DETAIL_SEQUENCES_MUTABLE_SEQUENCE_HPP

// A sequence of operations under local changes: insertion, removal and shift of a step, each undone by its inverse,
// with time, memory profile and use-def links kept up to date. The annealer's neighbourhood edits it. Invariant: every
// reader reads the last computation of its input before it, so links are a function of the sequence alone.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>
#include <repebble/planner/detail/sequences/memory_profile.hpp>

namespace repebble::inline v0::detail {

/// The steps of a `mutable_sequence` with their use-def links. Numbers of removed steps are reused for the same
/// operation.
class step_links {
  public:
    using step_id = memory_profile::node;

    struct output {
        std::vector<step_id> readers;
        step_id last = memory_profile::none;  ///< last reader in the sequence; the step itself where there is none
    };
    struct step {
        operation_index operation = 0;
        std::vector<step_id> sources;  ///< by input: the step that computed it
        std::vector<output> outputs;
    };

    /// Refers to the model, which must outlive it.
    explicit step_links(planning_model const& m) : model_(&m), unused_(m.operation_count()) {}

    auto add(operation_index v) -> step_id;
    void remove(step_id i) { unused_[steps_[i].operation].push_back(i); }

    /// Exclusive limit of the numbers of steps.
    [[nodiscard]] auto size() const noexcept -> std::size_t { return steps_.size(); }
    [[nodiscard]] auto operator[](step_id i) -> step& { return steps_[i]; }
    [[nodiscard]] auto operator[](step_id i) const -> step const& { return steps_[i]; }

    /// Index of value x among the outputs of its producer v.
    [[nodiscard]] auto output_number(operation_index v, value_index x) const -> std::size_t {
        auto const all = model_->writes[v];
        return static_cast<std::size_t>(std::ranges::find(all, x) - all.begin());
    }
    [[nodiscard]] auto output_of(step_id i, value_index x) -> output& {
        return steps_[i].outputs[output_number(steps_[i].operation, x)];
    }
    [[nodiscard]] auto output_of(step_id i, value_index x) const -> output const& {
        return steps_[i].outputs[output_number(steps_[i].operation, x)];
    }
    /// The step from which step i reads value x.
    [[nodiscard]] auto source_of(step_id i, value_index x) -> step_id& {
        auto const all = model_->reads[steps_[i].operation];
        return steps_[i].sources[static_cast<std::size_t>(std::ranges::lower_bound(all, x) - all.begin())];
    }

    [[nodiscard]] auto source_of(step_id i, value_index x) const -> step_id {
        auto const all = model_->reads[steps_[i].operation];
        return steps_[i].sources[static_cast<std::size_t>(std::ranges::lower_bound(all, x) - all.begin())];
    }

  private:
    planning_model const* model_;
    std::vector<step> steps_;
    std::vector<std::vector<step_id>> unused_;  // by operation: numbers of removed steps
};

/// Returns the last step before `end` (none: of all) that reads this output of step `source`; `source` where there is
/// none. O(readers).
[[nodiscard]] auto last_reader(memory_profile const& profile, step_links::output const& read,
                               memory_profile::node source, memory_profile::node end = memory_profile::none)
    -> memory_profile::node;

/// A sequence of operations under change, with its time and its resident bytes by liveness (`sequence_loads`). A run of
/// an operation is called a step and keeps its number until it is removed. Refers to the model, which must outlive it.
class mutable_sequence {
  public:
    using step_id = memory_profile::node;
    static constexpr step_id none = memory_profile::none;

    mutable_sequence(planning_model const& m, bytes budget)
        : model_(&m),
          profile_(budget),
          steps_(m),
          producers_(m.value_count()),
          runs_(m.operation_count(), 0),
          in_place_(m.has_overwrites()) {}
    /// Requires: every step comes after producers of its inputs.
    mutable_sequence(planning_model const& m, std::span<operation_index const> sequence,
                     bytes budget = std::numeric_limits<bytes>::max() / 2);

    [[nodiscard]] auto size() const noexcept -> std::size_t { return profile_.size(); }
    [[nodiscard]] auto time() const noexcept -> std::int64_t { return time_; }
    [[nodiscard]] auto peak() const -> bytes { return profile_.peak(); }
    /// Sum over all steps of the bytes beyond the budget.
    [[nodiscard]] auto excess() const -> bytes { return profile_.excess(); }
    [[nodiscard]] auto peak_step() const -> step_id { return profile_.peak_step(); }
    [[nodiscard]] auto resident_bytes(step_id i) const -> bytes { return profile_.resident_bytes(i); }
    [[nodiscard]] auto operation(step_id i) const -> operation_index { return steps_[i].operation; }
    [[nodiscard]] auto contains(step_id i) const -> bool { return i < steps_.size() && profile_.contains(i); }
    [[nodiscard]] auto first() const -> step_id { return profile_.first(); }
    [[nodiscard]] auto next(step_id i) const -> step_id { return profile_.next(i); }
    [[nodiscard]] auto previous(step_id i) const -> step_id { return profile_.previous(i); }
    [[nodiscard]] auto before(step_id i, step_id j) const -> bool {
        return profile_.position(i) < profile_.position(j);
    }
    /// Exclusive limit of the numbers of steps.
    [[nodiscard]] auto step_limit() const noexcept -> std::size_t { return steps_.size(); }

    /// The step that computed the k-th input of step i.
    [[nodiscard]] auto source(step_id i, std::size_t k) const -> step_id { return steps_[i].sources[k]; }
    /// The readers of output j of step i, in no order; and the last of them, or i where there is none.
    [[nodiscard]] auto readers(step_id i, std::size_t j) const -> std::span<step_id const> {
        return steps_[i].outputs[j].readers;
    }
    [[nodiscard]] auto last_use(step_id i, std::size_t j) const -> step_id { return steps_[i].outputs[j].last; }
    /// Index of value x among the outputs of its producer v.
    [[nodiscard]] auto output_number(operation_index v, value_index x) const -> std::size_t {
        return steps_.output_number(v, x);
    }
    /// The steps that compute the value, in the order of the sequence.
    [[nodiscard]] auto producers(value_index x) const -> std::span<step_id const> { return producers_[x]; }
    /// The last use before step i of its k-th input: another reader of the same computation, or that computation.
    [[nodiscard]] auto previous_use(step_id i, std::size_t k) const -> step_id {
        auto const x = model_->reads[steps_[i].operation][k];
        auto const source = steps_[i].sources[k];
        return last_reader(profile_, steps_.output_of(source, x), source, i);
    }

    /// Inserts a run of v before step `before` (none: at the end).  Requires: its inputs are computed before that.
    auto insert(operation_index v, step_id before) -> step_id;

    /// Whether the sequence without step i still computes all that is required.
    [[nodiscard]] auto is_removable(step_id i) const -> bool;
    /// Requires: is_removable(i).
    void remove(step_id i);

    /// Moves step i before step `to` (none: at the end).  Requires: no other step changes the computation that it reads
    /// (`may_shift`).
    void shift(step_id i, step_id to);

    [[nodiscard]] auto operations() const -> std::vector<operation_index>;

  private:
    /// Sinks, but for those all of whose values others may compute.
    [[nodiscard]] auto must_run(operation_index v) const -> bool;
    auto new_step(operation_index v) -> step_id;
    /// Appends a step whose resident bytes are known.
    void append(operation_index v, bytes resident);
    /// Inserts the step into the profile: its own bytes and those that are resident beside it.
    void place(step_id i, step_id before);
    void erase(step_id i) {
        profile_.erase(i);
        if (in_place_) spared_[i] = 0;
    }
    /// The bytes that step i spares by writing over a value whose last use it is, less those of an illegal step.
    [[nodiscard]] auto spared_by(step_id i) const -> bytes;
    /// Step i may have become or ceased to be the last use of a value.
    void touch(step_id i) {
        if (in_place_) touched_.push_back(i);
    }
    /// Brings up to date what the touched steps spare.
    void settle();
    /// Gives output j of the new step i the later readers of the computation before it.
    void adopt_readers(step_id i, std::size_t j, value_index x);
    void return_readers(step_id i, std::size_t j, value_index x);
    void attach_reads(step_id i);
    void detach_reads(step_id i);

    planning_model const* model_;
    memory_profile profile_;
    step_links steps_;
    std::vector<std::vector<step_id>> producers_;  // by value: the steps that compute it, in order
    std::vector<std::uint32_t> runs_;              // by operation: its number of steps
    std::int64_t time_ = 0;
    bool in_place_;              // whether some step may write in place
    std::vector<bytes> spared_;  // by step: the bytes that it spares in place
    std::vector<step_id> touched_;
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/sequences/mutable_sequence.ipp>
#endif

#endif
