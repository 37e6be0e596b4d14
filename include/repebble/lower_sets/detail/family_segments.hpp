#ifndef REPEBBLE_LOWER_SETS_DETAIL_FAMILY_SEGMENTS_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_FAMILY_SEGMENTS_HPP

// The segments between the sets of a family of lower sets, as the dynamic programs of detail/passes read them. Used by
// solve_lower_sets.hpp, all_lower_sets.hpp and solve_lower_sets.hpp.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/lower_set_curve.hpp>
#include <repebble/lower_sets/lower_set_family.hpp>
#include <repebble/lower_sets/segment_cost.hpp>

namespace repebble::inline v0::detail {

/// The segments between the sets of a family, less the dominated ones, as the passes read them (backward_pass.hpp).
class family_segments {
  public:
    family_segments(std::shared_ptr<lower_set_family const> family, lower_set_options const& options,
                    stop_test stop = never_stop{})
        : family_(std::move(family)), keep_last_(options.keep_last), least_(options.goal == objective::time) {
        if (least_) splits_ = family_->free_splits(stop);
        for (std::uint32_t i = 0; i < family_->size(); ++i) nodes_.push_back(i);
    }

    [[nodiscard]] auto size() const { return family_->size(); }
    [[nodiscard]] auto vertex_count() const { return family_->problem().vertex_count(); }
    [[nodiscard]] auto time() const { return family_->time(family_->full()); }
    /// T(V ∖ L_i).
    [[nodiscard]] auto time_left(std::size_t i) const { return time() - family_->time(i); }
    [[nodiscard]] auto least_before(std::size_t i) const { return spent{std::int64_t{}, family_->boundary_memory(i)}; }
    [[nodiscard]] auto make(std::size_t i) const -> vertex_set { return (*family_)[i]; }
    [[nodiscard]] auto nodes() const -> std::span<std::uint32_t const> { return nodes_; }
    [[nodiscard]] auto is_serial(std::size_t) const -> bool { return false; }
    [[nodiscard]] auto has_serial() const -> bool { return false; }
    template <class F>
    void for_each_from(std::size_t i, F&& f) const {
        family_->for_each_superset(i, [&](std::size_t j) {
            if (!is_dominated(i, j)) f(static_cast<std::uint32_t>(j), [&] { return family_->cost(i, j, keep_last_); });
        });
    }

  private:
    // Splits do not dominate for the greatest overhead, nor where they would shorten a last segment that is kept.
    [[nodiscard]] auto is_dominated(std::size_t i, std::size_t j) const -> bool {
        if (!least_ || (keep_last_ && j == family_->full())) return false;
        for (auto const s : splits_[j])
            if (s > i && family_->is_subset(i, s)) return true;
        return false;
    }

    std::shared_ptr<lower_set_family const> family_;
    bool keep_last_;
    bool least_;
    jagged_array<std::uint32_t> splits_;
    std::vector<std::uint32_t> nodes_;
};

}  // namespace repebble::inline v0::detail

#endif
