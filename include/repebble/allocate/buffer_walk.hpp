#ifndef REPEBBLE_ALLOCATE_BUFFER_WALK_HPP
#define REPEBBLE_ALLOCATE_BUFFER_WALK_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0::detail {

/// Walks through the steps of a legal schedule and follows every value to the buffers in which it lies, which have the
/// numbers that `lifetimes` gives them: in the order in which they begin, of one computation first those of its
/// outputs, then its workspace.  O(values per step) per step.
template <quantity Time>
class buffer_walk {
  public:
    using buffer_index = std::size_t;
    static constexpr buffer_index none = std::numeric_limits<buffer_index>::max();

    /// What a computation does to buffers.
    struct computation {
        buffer_index first_new = 0;     ///< it begins the buffers from here to `buffer_count()`
        buffer_index workspace = none;  ///< one of them
        buffer_index overwritten = none;
    };

    explicit buffer_walk(dataflow<Time> const& flow) : flow_(flow), held_(flow.owner_slots(), none) {}

    /// The buffers of a value that is resident: one for each of its owners.
    [[nodiscard]] auto buffers_of(value_index value) const -> std::span<buffer_index const> {
        return std::span(held_).subspan(flow_.owner_start(value), flow_.owners(value).size());
    }
    [[nodiscard]] auto buffer_count() const noexcept -> std::size_t { return count_; }

    auto compute(step<> const& s) -> computation {
        auto const v = s.vertex;
        auto const outputs = flow_.writes(v);
        computation done{.first_new = count_};
        fresh_.clear();
        for (std::uint32_t j = 0; j < outputs.size(); ++j) {
            if (flow_.is_view(outputs[j])) continue;
            bool const over = s.in_place && j == s.output;
            if (over) done.overwritten = held_[flow_.owner_start(flow_.writes(s.over)[s.over_output])];
            fresh_.push_back(over ? done.overwritten : count_++);
        }
        if (flow_.workspace(v) > 0) done.workspace = count_++;
        auto next = fresh_.begin();
        for (auto const value : outputs) {
            if (flow_.is_view(value))
                look_at_owners(value, v);
            else
                held_[flow_.owner_start(value)] = *next++;
        }
        return done;
    }
    /// Returns the buffer that it begins.
    auto prefetch(value_index value) -> buffer_index { return held_[flow_.owner_start(value)] = count_++; }

  private:
    /// A view lies where its owners lie for the operation that makes it.
    void look_at_owners(value_index view, operation_index v) {
        seen_.clear();
        for (auto const owner : flow_.owners(view)) seen_.push_back(held_[*flow_.slot_seen(v, owner)]);
        for (std::size_t k = 0; k < seen_.size(); ++k) held_[flow_.owner_start(view) + k] = seen_[k];
    }

    dataflow<Time> const& flow_;
    std::vector<buffer_index> held_;  // per (value, owner)
    std::vector<buffer_index> fresh_{}, seen_{};
    std::size_t count_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
