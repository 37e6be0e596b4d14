#ifndef REPEBBLE_RECOMPUTE_CHAIN_SEARCH_HPP
#define REPEBBLE_RECOMPUTE_CHAIN_SEARCH_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include <repebble/detail/never.hpp>
#include <repebble/recompute/hold_chain.hpp>

namespace repebble::detail {

/// Branch and bound over what is held at several moments. Prices climb along subgradients (Held, Karp 1971) with
/// Polyak's steps towards `enough`, the overhead of a known plan; every bound is that of whole prices, and so exact.
/// Bytes are counted in units, as by `hold_network`.
class chain_search {
  public:
    /// `stop()` ends the climb, not before the first step.
    /// Requires: each moment's operation runs after that of the one before, in every schedule.
    template <class Stop = never>
    chain_search(std::vector<hold_cut> cuts, bytes budget, bytes unit, std::int64_t enough, std::size_t climbs,
                 Stop&& stop = {})
        : cuts_(std::move(cuts)), budget_(budget), unit_(unit), enough_(enough) {
        auto const& m = cuts_.front().model();
        auto const k = static_cast<double>(cuts_.size());
        double all = 1, room = static_cast<double>(budget);
        for (auto const s : m.sizes) all += static_cast<double>(s / unit);
        for (auto const& c : cuts_) room = std::min(room, static_cast<double>(c.room(budget) / unit));
        time_ = static_cast<double>(std::max<std::int64_t>(1, m.time_once));
        scale_ = static_cast<std::int64_t>(
            std::clamp(0x1p56 / (time_ * k * std::max(1.0, all / std::max(1.0, room))), 1.0, 0x1p30));
        highest_ = static_cast<std::int64_t>(0x1p58 / (all * k));
        if (time_ * k * static_cast<double>(scale_) > 0x1p58) {
            undivided_ = 0;  // too large for whole prices
            return;
        }
        look({}, std::vector<double>(cuts_.size(), 0.0), 0, climbs, stop);
    }

    /// No schedule within the budget takes less than this above everything once; at most `enough`.
    [[nodiscard]] auto bound() const -> std::int64_t {
        return std::min({parts_.empty() ? none : parts_.top().bound, least_, undivided_, enough_});
    }
    /// No schedule is within the budget.
    [[nodiscard]] auto infeasible() const -> bool {
        return parts_.empty() && !enough_reached_ && least_ == none && undivided_ == none;
    }
    [[nodiscard]] auto is_solved() const -> bool { return parts_.empty() || parts_.top().bound >= target(); }
    /// Maximum flows that were computed.
    [[nodiscard]] auto flows() const noexcept -> std::size_t { return flows_; }

    /// Divides parts until `stop()` says so.
    template <class Stop>
    void divide(Stop&& stop) {
        constexpr std::size_t climbs = 12;
        while (!is_solved() && !stop()) {
            auto part = parts_.top();
            parts_.pop();
            for (bool const held : {true, false}) {
                auto decisions = part.decisions;
                decisions.push_back({part.next.moment, part.next.value, held});
                look(std::move(decisions), part.prices, part.bound, climbs, stop);
            }
        }
    }

  private:
    static constexpr auto none = std::numeric_limits<std::int64_t>::max();

    struct part {
        std::int64_t bound;
        hold_chain::hold next;  // to decide on
        std::vector<double> prices;
        std::vector<chain_decision> decisions;
        friend auto operator<(part const& a, part const& b) -> bool {
            return a.bound != b.bound ? a.bound > b.bound : a.decisions.size() < b.decisions.size();
        }
    };

    [[nodiscard]] auto target() const -> std::int64_t { return std::min({least_, enough_, undivided_}); }

    template <class Stop>
    void look(std::vector<chain_decision> decisions, std::vector<double> prices, std::int64_t bound, std::size_t climbs,
              Stop&& stop) {
        constexpr double memory = 0.8;  // of what was held before
        hold_chain const chain(cuts_, budget_, unit_, decisions, scale_);
        auto const k = cuts_.size();
        std::vector<double> room(k);
        for (std::size_t i = 0; i < k; ++i) {
            if (chain.room(i) < 0) return;  // nothing is like that
            room[i] = static_cast<double>(std::max<bytes>(1, chain.room(i)));
        }
        std::vector<double> often(chain.holds().size(), 0.0), best_prices = prices, slope(k);
        std::vector<std::int64_t> whole(k);
        double weight = 0, patience = 1, best_value = -1;
        for (std::size_t climb = 0; climb < climbs && (climb == 0 || !stop()); ++climb) {
            for (std::size_t i = 0; i < k; ++i)
                whole[i] = static_cast<std::int64_t>(
                    std::min(prices[i] * static_cast<double>(scale_) / room[i], static_cast<double>(highest_)));
            auto const found = chain.solve(whole);
            ++flows_;
            if (!found.feasible) return;
            auto above = found.value, time = found.value;
            bool fits = true;
            for (std::size_t i = 0; i < k; ++i) {
                above -= whole[i] * chain.room(i);
                time -= whole[i] * found.used[i];
                fits = fits && found.used[i] <= chain.room(i);
            }
            if (fits) least_ = std::min(least_, time / scale_);
            if (above > 0) bound = std::max(bound, (above + scale_ - 1) / scale_);
            if (bound >= target()) {
                enough_reached_ = enough_reached_ || bound >= enough_;
                return;
            }
            auto const value = static_cast<double>(above) / static_cast<double>(scale_);
            if (value > best_value) {
                best_value = value;
                best_prices = prices;
            } else {
                patience *= 0.9;
            }
            weight = weight * memory + 1;
            for (std::size_t h = 0; h < often.size(); ++h) often[h] = often[h] * memory + (found.is_held[h] ? 1 : 0);
            for (std::size_t i = 0; i < k; ++i) {
                slope[i] = static_cast<double>(found.used[i]) / room[i] - 1;
                if (slope[i] < 0 && prices[i] <= 0) slope[i] = 0;
            }
            auto const steep = std::inner_product(slope.begin(), slope.end(), slope.begin(), 0.0);
            if (steep <= 0) break;
            auto const missing = std::max(1.0, std::min(static_cast<double>(target()) - value, time_ / 8));
            for (std::size_t i = 0; i < k; ++i)
                prices[i] = std::clamp(prices[i] + patience * missing / steep * slope[i], 0.0, 2 * time_);
        }
        for (auto& o : often) o /= weight;
        if (auto const next = to_decide(chain, often)) {
            parts_.push({bound, *next, std::move(best_prices), std::move(decisions)});
        } else {
            undivided_ = std::min(undivided_, bound);
        }
    }
    /// The one that is held by half, of the largest.
    [[nodiscard]] auto to_decide(hold_chain const& chain, std::vector<double> const& often) const
        -> std::optional<hold_chain::hold> {
        std::optional<hold_chain::hold> next;
        double most = -1;
        for (std::size_t h = 0; h < often.size(); ++h) {
            auto const size = static_cast<double>(cuts_.front().model().sizes[chain.holds()[h].value]);
            auto const worth = size * often[h] * (1.001 - often[h]);
            if (worth <= most) continue;
            most = worth;
            next = chain.holds()[h];
        }
        return next;
    }

    std::vector<hold_cut> cuts_;
    bytes budget_, unit_;
    std::int64_t enough_, scale_ = 1, highest_ = 1;
    double time_ = 1;
    bool enough_reached_ = false;
    std::int64_t least_ = none;      // of choices that fit at every moment
    std::int64_t undivided_ = none;  // bound of parts in which nothing is to decide
    std::size_t flows_ = 0;
    std::priority_queue<part> parts_;
};

}  // namespace repebble::detail

#endif
