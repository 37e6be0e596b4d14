#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MIR_INEQUALITY_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MIR_INEQUALITY_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// What is held at a moment of a chain, beside what its operation reads, is within `room` also when it is counted by
/// these sizes.
struct mir_inequality {
    std::size_t moment = 0;
    bytes room = 0;
    std::vector<bytes> sizes{};  ///< of every value
    friend auto operator==(mir_inequality const&, mir_inequality const&) -> bool = default;
};

/// What the relaxation holds by a share, and how large it is.
struct kept_share {
    value_index value;
    bytes size;
    double share;
};

/// Mixed integer rounding (Marchand, Wolsey 2001) of "the sizes of what is held are at most so many": with a divisor
/// every size counts as its whole parts, and as what the rest is above that of the room. Where more than half is held,
/// what is not held is counted instead. All is multiplied so that it is whole, and nothing counts for more than its
/// size.
class rounded_capacity {
  public:
    rounded_capacity(std::span<kept_share const> parts, bytes room, bytes divisor) : parts_(parts), divisor_(divisor) {
        for (auto const& p : parts)
            if (is_turned(p)) room -= p.size;
        rest_ = rest(room);
        most_ = whole(room) * (divisor_ - rest_);
    }
    /// By how much of the room what is held is too much.  O(parts).
    [[nodiscard]] auto excess() const -> double {
        if (rest_ == 0) return 0;  // it says no more than the bytes do
        auto held = 0.0, room = static_cast<double>(most_), all = room;
        for (auto const& p : parts_) {
            auto const c = static_cast<double>(counted(is_turned(p) ? -p.size : p.size));
            held += c * (is_turned(p) ? 1 - p.share : p.share);
            if (is_turned(p)) all -= c;
        }
        return (held - room) / std::max(1.0, all);
    }
    [[nodiscard]] auto row(std::size_t moment, std::size_t values) const -> mir_inequality {
        mir_inequality out{moment, most_, std::vector<bytes>(values, 0)};
        for (auto const& p : parts_) {
            auto const c = is_turned(p) ? -counted(-p.size) : counted(p.size);
            out.sizes[p.value] = c;
            if (is_turned(p)) out.room += c;
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

/// The row that these shares exceed most; nothing where none is exceeded by much.  O(parts · sizes of what is held by a
/// share).
/// Requires: 0 <= room; that and the sum of all sizes are below 2^60.
[[nodiscard]] inline auto violated_mir(std::span<kept_share const> parts, bytes room, std::size_t moment,
                                       std::size_t values) -> std::optional<mir_inequality> {
    constexpr double near = 0.03, worth_it = 1e-3;
    std::vector<bytes> divisors;
    for (auto const& p : parts)
        if (p.share > near && p.share < 1 - near)
            for (bytes const parts_of : {1, 2, 3, 4, 8})
                if (p.size / parts_of > 1) divisors.push_back(p.size / parts_of);
    std::ranges::sort(divisors);
    auto const same = std::ranges::unique(divisors);
    divisors.erase(same.begin(), same.end());
    std::optional<rounded_capacity> best;
    double most = worth_it;
    for (auto const d : divisors) {
        rounded_capacity const rounded(parts, room, d);
        auto const excess = rounded.excess();
        if (excess <= most) continue;
        most = excess;
        best = rounded;
    }
    if (!best) return std::nullopt;
    return best->row(moment, values);
}

}  // namespace repebble::inline v0::detail

#endif
