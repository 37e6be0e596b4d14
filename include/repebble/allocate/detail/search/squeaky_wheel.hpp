#ifndef REPEBBLE_ALLOCATE_DETAIL_SEARCH_SQUEAKY_WHEEL_HPP
#define REPEBBLE_ALLOCATE_DETAIL_SEARCH_SQUEAKY_WHEEL_HPP

// Squeaky-wheel optimisation (Joslin, Clements, JAIR 10, 1999) of the order in which first fit places shapes: those
// that end too high move to random places nearer to the front, and first fit runs again, from the best order if it has
// not helped for a while. The portfolio uses it for many shapes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/allocate/detail/shapes/compact_shapes.hpp>
#include <repebble/allocate/detail/shapes/occupied_bytes.hpp>
#include <repebble/allocate/fit_offsets.hpp>
#include <repebble/detail/function_ref.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// Plans by first fit, each in an order that corrects an earlier one.
class squeaky_wheel {
  public:
    squeaky_wheel(compact_shapes const& c, std::vector<std::uint32_t> order) : c_(c), order_(std::move(order)) {
        places_.resize(order_.size());
        for (std::size_t i = 0; i < order_.size(); ++i) places_[order_[i]] = static_cast<double>(i);
        best_ = places_;
    }

    /// The plan of the present order. Then each shape that ends above a random height between `bound` and the lowest
    /// plan moves to a random place before its own.
    auto run(occupied_bytes& occupied, bytes bound, stop_test stop) -> shape_offsets {
        auto plan = place_in_order(c_, occupied, order_, fit_rule::first, std::numeric_limits<bytes>::max(), stop);
        ++failures_;
        if (plan.height <= least_) {
            if (plan.height < least_) failures_ = 0;
            least_ = plan.height;
            best_ = places_;
        } else if (failures_ % patience == 0) {
            places_ = best_;
        }
        auto const gap = static_cast<double>(std::max<bytes>(least_ - bound, 0));
        auto const height = std::min(bound + static_cast<bytes>(draw() * gap), least_ - 1);
        for (std::size_t s = 0; s < c_.count(); ++s)
            if (plan.offsets[s] + c_.size[s] > height) places_[s] *= draw();
        std::stable_sort(order_.begin(), order_.end(), [&](auto a, auto b) { return places_[a] < places_[b]; });
        return plan;
    }

  private:
    /// A random number of [0, 1).
    [[nodiscard]] auto draw() -> double {
        random_ = random_ * 6364136223846793005U + 1442695040888963407U;
        return static_cast<double>(random_ >> 11) * 0x1p-53;
    }

    compact_shapes const& c_;
    std::vector<std::uint32_t> order_;
    std::vector<double> places_{}, best_{};  // per shape: increases along the order, and along that of the lowest plan
    bytes least_ = std::numeric_limits<bytes>::max();  // height of the lowest plan
    int failures_ = 0;
    std::uint64_t random_ = 1;

    static constexpr int patience = 10;  // plans before the search returns to the best order
};

}  // namespace repebble::inline v0::detail

#endif
