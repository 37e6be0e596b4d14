#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MIR_INEQUALITY_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MIR_INEQUALITY_HPP

// Mixed integer rounding (Marchand, Wolsey 2001) of the capacity constraint at one cut, with complemented variables:
// valid inequalities that fractional solutions violate. `separate_mir` applies it at each cut.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// A valid inequality at a cut: the sizes given here of the values kept there, without inputs, sum to at most
/// `capacity`.
struct mir_inequality {
    std::size_t cut = 0;
    bytes capacity = 0;
    std::vector<bytes> sizes{};  ///< of every value
    friend auto operator==(mir_inequality const&, mir_inequality const&) -> bool = default;
};

/// A value with its fraction in the relaxed solution.
struct kept_share {
    value_index value;
    bytes size;
    double share;
};

/// The rounding for one divisor: a size counts as its whole parts and the remainder above that of the capacity. Values
/// kept by more than a half are complemented. All is scaled to integers, and no value counts for more than its size.
class rounded_capacity {
  public:
    rounded_capacity(std::span<kept_share const> parts, bytes capacity, bytes divisor)
        : parts_(parts), divisor_(divisor) {
        for (auto const& p : parts)
            if (is_turned(p)) capacity -= p.size;
        rest_ = rest(capacity);
        most_ = whole(capacity) * (divisor_ - rest_);
    }
    /// Violation of the inequality, as a share of its capacity.  O(parts).
    [[nodiscard]] auto excess() const -> double {
        if (rest_ == 0) return 0;  // it is no stronger than the bytes
        auto kept = 0.0, capacity = static_cast<double>(most_), all = capacity;
        for (auto const& p : parts_) {
            auto const c = static_cast<double>(counted(is_turned(p) ? -p.size : p.size));
            kept += c * (is_turned(p) ? 1 - p.share : p.share);
            if (is_turned(p)) all -= c;
        }
        return (kept - capacity) / std::max(1.0, all);
    }
    [[nodiscard]] auto row(std::size_t cut, std::size_t values) const -> mir_inequality {
        mir_inequality out{cut, most_, std::vector<bytes>(values, 0)};
        for (auto const& p : parts_) {
            auto const c = is_turned(p) ? -counted(-p.size) : counted(p.size);
            out.sizes[p.value] = c;
            if (is_turned(p)) out.capacity += c;
        }
        return out;
    }

  private:
    [[nodiscard]] static auto is_turned(kept_share const& p) -> bool { return p.share > 0.5; }
    [[nodiscard]] auto rest(bytes size) const -> bytes { return (size % divisor_ + divisor_) % divisor_; }
    [[nodiscard]] auto whole(bytes size) const -> bytes { return (size - rest(size)) / divisor_; }
    [[nodiscard]] auto counted(bytes size) const -> bytes {
        return whole(size) * (divisor_ - rest_) + std::max<bytes>(0, rest(size) - rest_);
    }

    std::span<kept_share const> parts_;
    bytes divisor_, rest_ = 0, most_ = 0;
};

/// Returns the most violated inequality; nothing where none is violated by much.  O(parts · fractional sizes).
/// Requires: 0 <= capacity; that and the sum of all sizes are below 2^60.
[[nodiscard]] inline auto violated_mir(std::span<kept_share const> parts, bytes capacity, std::size_t cut,
                                       std::size_t values) -> std::optional<mir_inequality> {
    constexpr double near = 0.03, worth_it = 1e-3;
    std::vector<bytes> divisors;
    for (auto const& p : parts)
        if (p.share > near && p.share < 1 - near)
            for (bytes const divided_by : {1, 2, 3, 4, 8})
                if (p.size / divided_by > 1) divisors.push_back(p.size / divided_by);
    std::ranges::sort(divisors);
    auto const same = std::ranges::unique(divisors);
    divisors.erase(same.begin(), same.end());
    std::optional<rounded_capacity> best;
    double most = worth_it;
    for (auto const d : divisors) {
        rounded_capacity const rounded(parts, capacity, d);
        auto const excess = rounded.excess();
        if (excess <= most) continue;
        most = excess;
        best = rounded;
    }
    if (!best) return std::nullopt;
    return best->row(cut, values);
}

}  // namespace repebble::inline v0::detail

#endif
