#ifndef REPEBBLE_RECOMPUTE_MOMENTS_SEARCH_HPP
#define REPEBBLE_RECOMPUTE_MOMENTS_SEARCH_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>
#include <utility>
#include <variant>
#include <vector>

#include <repebble/detail/unstopped.hpp>
#include <repebble/recompute/chain_decisions.hpp>
#include <repebble/recompute/hold_cut.hpp>
#include <repebble/recompute/hold_moments.hpp>
#include <repebble/recompute/moments_ascent.hpp>
#include <repebble/recompute/moments_decisions.hpp>
#include <repebble/recompute/moments_loss.hpp>

namespace repebble::detail {

/// Branch and bound over what is held at several moments, and what runs again between two of them. Prices climb along
/// subgradients (Held, Karp 1971) with Polyak's steps towards `enough`, the overhead of a known plan; every bound is
/// that of whole prices, and so exact. Where the relaxation pays for one run of what must run more often (`loss_of`),
/// parts are divided by whether the one that costs most runs in that interval: where it does, that is paid for; where
/// it does not, a value that is made of it has to be held, or is not there either, which decides the values behind it
/// one after the other. Other parts are divided at the largest value that is held by half. Where all is decided nothing
/// is lost, so that the bound is the optimum of the moments; a split of the costs (`moments_ascent`) may say more.
/// Bytes are counted in units, as by `hold_network`.
class moments_search {
  public:
    /// `stop()` ends the climb, not before the first step.
    /// Requires: each moment's operation runs after that of the one before, in every schedule.
    template <class Stop = unstopped>
    moments_search(std::vector<hold_cut> cuts, bytes budget, bytes unit, std::int64_t enough, std::size_t climbs,
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

    [[nodiscard]] auto cuts() const noexcept -> std::vector<hold_cut> const& { return cuts_; }
    /// A faster plan is known.
    void lower(std::int64_t enough) { enough_ = std::min(enough_, enough); }

    /// No schedule within the budget takes less than this above everything once; at most `enough`.
    [[nodiscard]] auto bound() const -> std::int64_t {
        auto const divided = std::min({parts_.empty() ? none : parts_.top().bound, least_, undivided_, enough_});
        return std::max(divided, std::min(split_bound_, enough_));
    }
    /// No schedule is within the budget.
    [[nodiscard]] auto infeasible() const -> bool {
        return parts_.empty() && !enough_reached_ && least_ == none && undivided_ == none;
    }
    [[nodiscard]] auto is_solved() const -> bool { return parts_.empty() || bound() >= target(); }
    /// What dividing may still add is little beside what is missing.
    [[nodiscard]] auto is_settled() const -> bool {
        constexpr std::int64_t little = 50;
        return is_solved() || (least_ != none && least_ - bound() <= (enough_ - bound()) / little);
    }
    /// For each moment, of the fastest choice that fits at all of them, in units; empty where none was met.
    [[nodiscard]] auto best() const noexcept -> std::vector<hold_choice> const& { return best_; }
    /// What the relaxation's first choice takes in all: more than the bound where dividing parts will raise that.
    [[nodiscard]] auto promise() const noexcept -> std::int64_t { return promise_; }
    /// Maximum flows that were computed.
    [[nodiscard]] auto flows() const noexcept -> std::size_t { return flows_; }

    /// Raises the bound by a split of the costs (`moments_ascent`), if that says more, in as many steps at most.
    template <class Stop>
    void split_costs(std::size_t steps, Stop&& stop) {
        if (cuts_.size() < 2 || prices_.empty() || is_solved() || stop()) return;
        moments_decisions const decided(cuts_, budget_, unit_, {});
        moments_ascent ascent(decided, scale_, highest_);
        auto const before = flows_;
        auto const value = ascent.climb(prices_, static_cast<double>(target()), steps, [&] {
            flows_ = before + ascent.flows();
            return stop();
        });
        flows_ = before + ascent.flows();
        if (!value) parts_ = {};
        if (value && *value > 0) split_bound_ = std::max(split_bound_, (*value + scale_ - 1) / scale_);
    }
    /// Divides parts until `stop()` says so.
    template <class Stop>
    void divide(Stop&& stop) {
        constexpr std::size_t climbs = 6;
        while (!is_solved() && !stop()) {
            auto part = parts_.top();
            parts_.pop();
            for (bool const yes : {true, false}) {
                auto decisions = part.decisions;
                if (auto const* hold = std::get_if<chain_hold>(&part.next)) {
                    decisions.holds.push_back({hold->moment, hold->value, yes});
                } else {
                    auto const& run = std::get<interval_run>(part.next);
                    decisions.runs.push_back({run.interval, run.operation, yes});
                }
                look(std::move(decisions), part.prices, part.bound, climbs, stop);
            }
        }
    }

  private:
    static constexpr auto none = std::numeric_limits<std::int64_t>::max();

    struct part {
        std::int64_t bound;
        std::variant<chain_hold, interval_run> next;  // to decide on
        std::vector<double> prices;
        chain_decisions decisions;
        friend auto operator<(part const& a, part const& b) -> bool {
            return a.bound != b.bound ? a.bound > b.bound : a.decisions.size() < b.decisions.size();
        }
    };

    [[nodiscard]] auto target() const -> std::int64_t { return std::min({least_, enough_, undivided_}); }

    /// What a climb came to, where it did not end the part.
    struct summit {
        std::int64_t bound;
        double value;
        std::vector<double> prices;
        hold_moments::answer choice;
        std::vector<double> often;  // how often each hold is chosen, the last times above all
    };

    template <class Stop>
    void look(chain_decisions decisions, std::vector<double> prices, std::int64_t bound, std::size_t climbs,
              Stop&& stop) {
        constexpr double worth_it = 0.05;  // of what is missing: what is lost by one value
        moments_decisions const decided(cuts_, budget_, unit_, decisions);
        for (std::size_t i = 0; i < cuts_.size(); ++i)
            if (decided.room(i) < 0) return;  // nothing is like that
        hold_moments const chain(decided, scale_);
        auto found = climb(decided, chain, std::move(prices), bound, climbs, stop);
        if (!found) return;
        if (decisions.empty()) prices_ = found->prices;
        auto const lost = loss_of(decided, chain, found->choice);
        if (decisions.empty()) promise_ = static_cast<std::int64_t>(found->value) + lost.time;
        std::optional<std::variant<chain_hold, interval_run>> next;
        if (auto const hold = to_decide(chain, found->often)) next = *hold;
        auto const worth = worth_it * static_cast<double>(target() - found->bound);
        if (lost.because && static_cast<double>(lost.most) >= worth) next = *lost.because;
        if (lost.again && lost.most_again >= lost.most && static_cast<double>(lost.most_again) >= worth)
            next = *lost.again;
        if (lost.open) next = *lost.open;
        if (next) {
            parts_.push({found->bound, *next, std::move(found->prices), std::move(decisions)});
        } else {
            undivided_ = std::min(undivided_, found->bound);
        }
    }
    /// Nothing where no choice is left, or the bound is high enough.
    template <class Stop>
    auto climb(moments_decisions const& decided, hold_moments const& chain, std::vector<double> prices,
               std::int64_t bound, std::size_t climbs, Stop&& stop) -> std::optional<summit> {
        constexpr double memory = 0.8;  // of what was chosen before
        auto const k = cuts_.size();
        summit top{bound, -std::numeric_limits<double>::infinity(), {}, {}, std::vector(chain.holds().size(), 0.0)};
        if (chain.holds().empty()) prices.assign(k, 0);  // there is nothing to pay for
        std::vector<double> slope(k);
        std::vector<std::int64_t> whole(k);
        double weight = 0, patience = 1;
        for (std::size_t step = 0; step < climbs && (step == 0 || !stop()); ++step) {
            for (std::size_t i = 0; i < k; ++i) whole[i] = decided.unit_price(i, prices[i], scale_, highest_);
            auto choice = chain.solve(whole);
            ++flows_;
            if (!choice.feasible) return std::nullopt;
            auto above = choice.value, time = choice.value;
            bool fits = true;
            for (std::size_t i = 0; i < k; ++i) {
                above -= whole[i] * decided.room(i);
                time -= whole[i] * choice.used[i];
                fits = fits && choice.used[i] <= decided.room(i);
                slope[i] = static_cast<double>(choice.used[i]) / decided.positive_room(i) - 1;
                if (slope[i] < 0 && prices[i] <= 0) slope[i] = 0;
            }
            if (fits) offer(time / scale_ + loss_of(decided, chain, choice).time, chain, choice);
            if (above > 0) top.bound = std::max(top.bound, (above + scale_ - 1) / scale_);
            if (top.bound >= target()) {
                enough_reached_ = enough_reached_ || top.bound >= enough_;
                return std::nullopt;
            }
            weight = weight * memory + 1;
            for (std::size_t h = 0; h < top.often.size(); ++h)
                top.often[h] = top.often[h] * memory + (choice.is_held[h] ? 1 : 0);

            auto const value = static_cast<double>(above) / static_cast<double>(scale_);
            if (value > top.value) {
                top.value = value;
                top.prices = prices;
                top.choice = std::move(choice);
            } else {
                patience *= 0.9;
            }
            auto const steep = std::inner_product(slope.begin(), slope.end(), slope.begin(), 0.0);
            if (steep <= 0) break;
            auto const missing = std::max(1.0, std::min(static_cast<double>(target()) - value, time_ / 8));
            for (std::size_t i = 0; i < k; ++i)
                prices[i] = std::clamp(prices[i] + patience * missing / steep * slope[i], 0.0, 2 * time_);
        }
        for (auto& o : top.often) o /= weight;
        return top;
    }
    void offer(std::int64_t time, hold_moments const& chain, hold_moments::answer const& choice) {
        if (time >= least_) return;
        least_ = time;
        best_ = chain.choices(choice);
    }
    /// The one that is held by half, of the largest.
    [[nodiscard]] auto to_decide(hold_moments const& chain, std::vector<double> const& often) const
        -> std::optional<chain_hold> {
        std::optional<chain_hold> next;
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
    std::int64_t promise_ = 0;
    std::int64_t least_ = none;      // of choices that fit at every moment
    std::vector<hold_choice> best_;  // the one that takes that
    std::int64_t undivided_ = none;  // bound of parts in which nothing is to decide
    std::int64_t split_bound_ = 0;   // of all parts
    std::vector<double> prices_;     // the best for all parts
    std::size_t flows_ = 0;
    std::priority_queue<part> parts_;
};

}  // namespace repebble::detail

#endif
