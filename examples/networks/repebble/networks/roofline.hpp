#ifndef REPEBBLE_NETWORKS_ROOFLINE_HPP
#define REPEBBLE_NETWORKS_ROOFLINE_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <repebble/graph/error.hpp>
#include <repebble/networks/model.hpp>

namespace repebble::networks {

/// Times after the roofline model: an operation takes as long as its arithmetic or its memory traffic, whichever takes
/// longer. The defaults are those of an NVIDIA A100 with TF32 products.
struct roofline {
    double flops_per_second = 156e12;
    double bytes_per_second = 2e12;

    /// Nanoseconds, rounded, at least 1; 0 for a view.  Throws bad_weight where a rate is not positive.
    [[nodiscard]] auto operator()(operation const& v) const -> std::int64_t {
        if (!(flops_per_second > 0) || !(bytes_per_second > 0))
            throw bad_weight("a roofline's rates must be above 0, not " + std::to_string(flops_per_second) + " and " +
                             std::to_string(bytes_per_second));
        if (v.is_view()) return 0;
        auto const seconds = std::max(static_cast<double>(v.flops) / flops_per_second,
                                      static_cast<double>(v.traffic) / bytes_per_second);
        auto const nanoseconds = std::nearbyint(seconds * 1e9);
        if (!(nanoseconds < 0x1p62)) throw bad_weight(v.name + ": its time by the roofline does not fit in 64 bits");
        return std::max<std::int64_t>(1, static_cast<std::int64_t>(nanoseconds));
    }
};

}  // namespace repebble::networks

#endif
