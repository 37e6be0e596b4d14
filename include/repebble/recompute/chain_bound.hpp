#ifndef REPEBBLE_RECOMPUTE_CHAIN_BOUND_HPP
#define REPEBBLE_RECOMPUTE_CHAIN_BOUND_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/recompute/chain_search.hpp>
#include <repebble/recompute/hold_search.hpp>

namespace repebble::detail {

/// What several moments together say of the time of schedules within a budget: to the first moment those are added that
/// raise the bound most, one after the other.
class chain_bound {
  public:
    /// `moments`: operations that run in every schedule, the best alone first. `enough`: overhead of a known plan, or
    /// more than any is allowed.  Computes about as many `flows` over the model for one moment.  Requires: some moment.
    template <class Stop>
    chain_bound(search_model const& m, bytes budget, std::span<operation_index const> moments, std::int64_t enough,
                std::size_t flows, Stop&& stop) {
        constexpr std::size_t most_moments = 4, root_climbs = 30;
        std::vector<hold_cut> chain{hold_cut(m, moments.front())};
        std::size_t spent = 0;
        auto const over = [&] { return spent > flows || stop(); };
        std::int64_t root = chain_search(chain, budget, 1, enough, root_climbs, stop).bound();
        while (chain.size() < most_moments && bound_ < enough && !over()) {
            std::optional<std::vector<hold_cut>> next;
            for (auto const v : moments.subspan(1)) {
                if (root >= enough || over()) break;
                auto longer = with_moment(chain, m, v);
                if (!longer) continue;
                chain_search const tried(*longer, budget, 1, enough, root_climbs, stop);
                spent += tried.flows() * longer->size();
                if (tried.bound() <= root) continue;
                root = tried.bound();
                next = std::move(longer);
            }
            if (!next) break;
            chain = std::move(*next);
            bytes unit = 1;
            for (auto const u : byte_units(m, 100)) {
                if (root >= enough || over()) break;
                chain_search const tried(chain, budget, u, enough, root_climbs, stop);
                spent += tried.flows() * chain.size();
                if (tried.bound() <= root) continue;
                root = tried.bound();
                unit = u;
            }
            chain_search search(chain, budget, unit, enough, 2 * root_climbs, stop);
            auto const before = spent;
            search.divide([&] {
                spent = before + search.flows() * chain.size();
                return over();
            });
            infeasible_ = infeasible_ || search.infeasible();
            bound_ = std::max({bound_, root, search.bound()});
        }
    }

    [[nodiscard]] auto bound() const noexcept -> std::int64_t { return bound_; }
    [[nodiscard]] auto infeasible() const noexcept -> bool { return infeasible_; }

  private:
    /// Nothing where schedules differ in which of the moments comes first.
    static auto with_moment(std::vector<hold_cut> const& chain, search_model const& m, operation_index v)
        -> std::optional<std::vector<hold_cut>> {
        std::size_t at = 0;
        for (auto const& cut : chain) {
            if (cut.at() == v || (!cut.is_before(v) && !cut.is_after(v))) return std::nullopt;
            if (cut.is_after(v)) ++at;
        }
        auto longer = chain;
        longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(at), hold_cut(m, v));
        return longer;
    }

    std::int64_t bound_ = 0;
    bool infeasible_ = false;
};

}  // namespace repebble::detail

#endif
