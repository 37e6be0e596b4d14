#ifndef REPEBBLE_DECOMPOSITION_ELIMINATION_RULE_HPP
#define REPEBBLE_DECOMPOSITION_ELIMINATION_RULE_HPP

// Score and tie-breaking of greedy elimination: minimum fill, minimum degree and weighted sums of both.
// `find_elimination_order` eliminates by such a rule; `starting_orders` tries several.

#include <algorithm>
#include <cstdint>
#include <limits>

namespace repebble::inline v0 {

/// Selects one of the vertices with the least score.
enum class tie_breaking {
    newest,  ///< the one whose score changed last
    oldest,  ///< the one whose score has not changed for longest
    random   ///< by the rule's seed
};

/// The score of a vertex, of which the least is eliminated next: `fill` · (edges missing between its neighbours) +
/// `degree` · (number of neighbours). The best rule differs from graph to graph, and ties matter more than rules.
struct elimination_rule {
    std::uint32_t fill = 1;                    ///< weight of the missing edges
    std::uint32_t degree = 0;                  ///< weight of the number of neighbours
    bool per_neighbor = false;                 ///< divides the score by the number of neighbours, in steps of 1/64
    tie_breaking ties = tie_breaking::newest;  ///< which vertex is taken of those with the least score
    std::uint64_t seed = 0;                    ///< of random ties

    friend auto operator==(elimination_rule const&, elimination_rule const&) -> bool = default;

    /// The score, saturated at 64 bits.
    [[nodiscard]] constexpr auto score(std::int64_t missing, std::int64_t neighbors) const -> std::int64_t {
        __extension__ using wide = __int128;
        constexpr wide greatest = std::numeric_limits<std::int64_t>::max();
        auto const sum = wide{fill} * missing + wide{degree} * neighbors;
        return static_cast<std::int64_t>(
            std::min(per_neighbor && neighbors > 0 ? 64 * sum / neighbors : sum, greatest));
    }
};

inline constexpr elimination_rule least_fill{};
inline constexpr elimination_rule least_degree{.fill = 0, .degree = 1};
inline constexpr elimination_rule least_fill_per_neighbor{.per_neighbor = true};

}  // namespace repebble::inline v0

#endif
