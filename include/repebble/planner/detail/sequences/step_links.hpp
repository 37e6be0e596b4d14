#ifndef REPEBBLE_PLANNER_DETAIL_SEQUENCES_STEP_LINKS_HPP
#define REPEBBLE_PLANNER_DETAIL_SEQUENCES_STEP_LINKS_HPP

// Use-def links between the steps of a `mutable_sequence`: which step computed each input, and which steps read each
// output. Numbers of removed steps are reused, so that links stay small integers.

#include <algorithm>
#include <cstddef>
#include <vector>

#include <repebble/planner/detail/model/planning_model.hpp>
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

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/sequences/step_links.ipp>
#endif

#endif
