#ifndef REPEBBLE_PLANNER_DETAIL_SEQUENCES_STEP_LINKS_HPP
#define REPEBBLE_PLANNER_DETAIL_SEQUENCES_STEP_LINKS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/sequences/memory_profile.hpp>

namespace repebble::inline v0::detail {

/// The steps of an `mutable_sequence`: who reads what of whom. Numbers of steps that went are given again.
class step_links {
  public:
    using step_id = memory_profile::node;

    struct output {
        std::vector<step_id> readers;
        step_id last = memory_profile::none;  ///< of those; else the step itself
    };
    struct step {
        operation_index operation = 0;
        std::vector<step_id> sources;  ///< of every value that it reads
        std::vector<output> outputs;
    };

    /// Refers to the model, which must outlive it.
    explicit step_links(planning_model const& m) : model_(&m), unused_(m.operation_count()) {}

    auto add(operation_index v) -> step_id {
        if (!unused_[v].empty()) {
            auto const i = unused_[v].back();
            unused_[v].pop_back();
            return i;
        }
        steps_.push_back({v, std::vector<step_id>(model_->reads[v].size(), memory_profile::none),
                          std::vector<output>(model_->writes[v].size())});
        return static_cast<step_id>(steps_.size() - 1);
    }
    void remove(step_id i) { unused_[steps_[i].operation].push_back(i); }

    /// Steps have numbers below this.
    [[nodiscard]] auto size() const noexcept -> std::size_t { return steps_.size(); }
    [[nodiscard]] auto operator[](step_id i) -> step& { return steps_[i]; }
    [[nodiscard]] auto operator[](step_id i) const -> step const& { return steps_[i]; }

    /// The position among the outputs of its producer v.
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
    /// Where step i reads the value from.
    [[nodiscard]] auto source_of(step_id i, value_index x) -> step_id& {
        auto const all = model_->reads[steps_[i].operation];
        return steps_[i].sources[static_cast<std::size_t>(std::ranges::lower_bound(all, x) - all.begin())];
    }

  private:
    planning_model const* model_;
    std::vector<step> steps_;
    std::vector<std::vector<step_id>> unused_;  // of every operation: numbers of steps that are not there
};

/// The last that reads what step `source` computed, before step `end` (none: at all); `source` where nobody does.
[[nodiscard]] inline auto last_reader(memory_profile const& profile, step_links::output const& read,
                                      memory_profile::node source, memory_profile::node end = memory_profile::none)
    -> memory_profile::node {
    auto last = source;
    auto most = profile.position(source);
    auto const limit = end == memory_profile::none ? std::numeric_limits<std::uint64_t>::max() : profile.position(end);
    for (auto const r : read.readers) {
        auto const at = profile.position(r);
        if (at >= limit || at <= most) continue;
        most = at;
        last = r;
    }
    return last;
}

}  // namespace repebble::inline v0::detail

#endif
