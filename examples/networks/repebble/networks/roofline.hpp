#ifndef REPEBBLE_NETWORKS_ROOFLINE_HPP
#define REPEBBLE_NETWORKS_ROOFLINE_HPP

#include <cstdint>

#include <repebble/io/roofline.hpp>
#include <repebble/networks/model.hpp>

namespace repebble::networks {

/// Times of a model's operations after the roofline model, by default of an NVIDIA A100 with TF32 products.
struct roofline {
    double flops_per_second = io::roofline{}.flops_per_second;
    double bytes_per_second = io::roofline{}.bytes_per_second;

    /// Nanoseconds, rounded, at least 1; 0 for a view.  Throws as io::roofline does.
    [[nodiscard]] auto operator()(operation const& v) const -> std::int64_t {
        if (v.is_view()) return 0;
        return io::roofline{flops_per_second, bytes_per_second}.time_of(v.flops, v.traffic, v.name);
    }
};

}  // namespace repebble::networks

#endif
