#ifndef REPEBBLE_DECOMPOSITION_ELIMINATION_RULE_HPP
#define REPEBBLE_DECOMPOSITION_ELIMINATION_RULE_HPP

#include <algorithm>
#include <cstdint>
#include <limits>

namespace repebble::inline v0 {

/// Of vertices that a rule finds equal, which one is eliminated.
enum class tie_breaking {
    newest,  ///< the one whose score changed last
    oldest,  ///< the one whose score has not changed for longest
    random   ///< by the rule's seed
};

/// Which vertex is eliminated next: one for which `fill` · (edges missing between its neighbours) + `degree` · (how
/// many neighbours it has) is least. Which rule is best differs from graph to graph, and ties decide more than rules
/// do.
struct elimination_rule {
    std::uint32_t fill = 1;
    std::uint32_t degree = 0;
    bool per_neighbor = false;  ///< the sum is divided by the number of neighbours, in steps of 1/64
    tie_breaking ties = tie_breaking::newest;
    std::uint64_t seed = 0;  ///< of random ties

    friend auto operator==(elimination_rule const&, elimination_rule const&) -> bool = default;

    /// What is too large for 64 bits is as large as can be.
    [[nodiscard]] constexpr auto score(std::int64_t missing, std::int64_t neighbors) const -> std::int64_t {
        __extension__ using wide = __int128;
        constexpr wide most = std::numeric_limits<std::int64_t>::max();
        auto const sum = wide{fill} * missing + wide{degree} * neighbors;
        return static_cast<std::int64_t>(std::min(per_neighbor && neighbors > 0 ? 64 * sum / neighbors : sum, most));
    }
};

inline constexpr elimination_rule least_fill{};
inline constexpr elimination_rule least_degree{.fill = 0, .degree = 1};
inline constexpr elimination_rule least_fill_per_neighbor{.per_neighbor = true};

}  // namespace repebble::inline v0

#endif
