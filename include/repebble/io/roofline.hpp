#ifndef REPEBBLE_IO_ROOFLINE_HPP
#define REPEBBLE_IO_ROOFLINE_HPP

// Times of operations by their arithmetic and their memory traffic. For networks by name and for ONNX models.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <repebble/detail/raise.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::io {

/// A device by the roofline model: an operation takes as long as its arithmetic or its memory traffic, whichever takes
/// longer. The defaults are those of an NVIDIA A100 with TF32 products.
struct roofline {
    double flops_per_second = 156e12;  ///< of its arithmetic
    double bytes_per_second = 2e12;    ///< of its memory

    /// Nanoseconds of an operation that is no view, rounded, at least 1.  O(1).
    /// Throws bad_weight where a rate is not positive or, naming the operation, the time does not fit in 64 bits.
    [[nodiscard]] auto time_of(std::int64_t flops, bytes traffic, std::string const& name) const -> std::int64_t {
        if (!(flops_per_second > 0) || !(bytes_per_second > 0))
            repebble::detail::raise(bad_weight("a roofline's rates must be above 0, not " +
                                               std::to_string(flops_per_second) + " and " +
                                               std::to_string(bytes_per_second)));
        auto const seconds =
            std::max(static_cast<double>(flops) / flops_per_second, static_cast<double>(traffic) / bytes_per_second);
        auto const nanoseconds = std::nearbyint(seconds * 1e9);
        if (!(nanoseconds < 0x1p62))
            repebble::detail::raise(bad_weight(name + ": its time by the roofline does not fit in 64 bits"));
        return std::max<std::int64_t>(1, static_cast<std::int64_t>(nanoseconds));
    }

    friend auto operator==(roofline const&, roofline const&) -> bool = default;
};

}  // namespace repebble::inline v0::io

#endif
