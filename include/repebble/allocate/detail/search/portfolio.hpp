#ifndef REPEBBLE_ALLOCATE_DETAIL_SEARCH_PORTFOLIO_HPP
#define REPEBBLE_ALLOCATE_DETAIL_SEARCH_PORTFOLIO_HPP

// The portfolio of offset planners behind `assign_offsets`: greedy placement in some twenty priority orders, then, for
// up to 2000 shapes, exact search at targets between the proven bound and the best height, and ejection search; for
// more, best fit on a skyline, search for an order, ejection search and exact search at the bound in turn. Every phase
// shares one budget of work and one deadline. Invariant: the best plan is valid at any time after the first greedy
// plan; the lower bound is proven.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/allocate/detail/search/ejection_search.hpp>
#include <repebble/allocate/detail/search/offset_search.hpp>
#include <repebble/allocate/detail/search/skyline_fit.hpp>
#include <repebble/allocate/detail/search/squeaky_wheel.hpp>
#include <repebble/allocate/detail/shapes/compact_shapes.hpp>
#include <repebble/allocate/detail/shapes/occupied_bytes.hpp>
#include <repebble/allocate/fit_offsets.hpp>
#include <repebble/allocate/placement_order.hpp>
#include <repebble/detail/wall_clock.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// Runs the planners one after the other and keeps the best plan. Ends when the plan is good enough or proven least,
/// when the capacity is proven infeasible, or when the work or the time is used up.
class offset_portfolio {
  public:
    using clock = wall_clock;

    struct limits {
        std::optional<bytes> capacity{};  ///< height that suffices; nullopt: minimise
        std::int64_t work = 0;            ///< pieces to inspect, after the greedy planners
        clock::time_point begin = clock::now();
        std::optional<clock::time_point> deadline{};
        std::function<bool()> const* stop = nullptr;  ///< asked now and then; true ends the search
    };

    offset_portfolio(compact_shapes const& c, limits const& until)
        : c_(c),
          until_(until),
          lower_bound_(c.lower_bound),
          granule_(std::gcd(c.lower_bound, granule_of(c))),
          loads_(loads_of(c)),
          occupied_(c.sections()) {}

    void run() {
        if (c_.count() == 0) return;
        place_greedily();
        if (done()) return;
        ejection_search ejection(c_);
        if (c_.count() <= 2000)
            search_and_eject(ejection);
        else
            eject_and_search(ejection);
    }

    [[nodiscard]] auto best() const -> shape_offsets const& { return best_; }
    /// The proven lower bound on the height.
    [[nodiscard]] auto lower_bound() const { return lower_bound_; }

  private:
    [[nodiscard]] auto good_enough() const -> bool {
        return planned_ && (best_.height <= lower_bound_ || (until_.capacity && best_.height <= *until_.capacity));
    }
    [[nodiscard]] auto infeasible() const -> bool { return until_.capacity && lower_bound_ > *until_.capacity; }
    [[nodiscard]] auto out_of_time() const -> bool {
        stopped_ = stopped_ || (until_.stop != nullptr && (*until_.stop)());
        return stopped_ || (until_.deadline && clock::now() >= *until_.deadline);
    }
    [[nodiscard]] auto done() const -> bool { return planned_ && (good_enough() || infeasible() || out_of_time()); }

    /// Keeps a plan if it is lower than the best so far.
    auto keep(shape_offsets found) -> bool {
        if (planned_ && found.height >= best_.height) return false;
        best_ = std::move(found);
        planned_ = true;
        return true;
    }
    [[nodiscard]] auto with_height(std::vector<bytes> offsets) const -> shape_offsets {
        bytes height = 0;
        for (std::size_t s = 0; s < c_.count(); ++s) height = std::max(height, offsets[s] + c_.size[s]);
        return {std::move(offsets), height};
    }
    /// A height between the bound and the best one: the bound plus a share of the gap, at most one granule below the
    /// best.
    [[nodiscard]] auto target(double share) const -> bytes {
        auto const gap = best_.height - lower_bound_;
        auto const steps = gap / granule_;
        auto const kept = std::min(steps - 1, static_cast<bytes>(share * static_cast<double>(steps)));
        return lower_bound_ + std::max<bytes>(kept, 0) * granule_;
    }

    /// A height to reach, or the capacity if that is higher.
    [[nodiscard]] auto enough(bytes height) const -> bytes {
        return until_.capacity ? std::max(*until_.capacity, height) : height;
    }

    void place_greedily() {
        int planners = 0;
        auto const plan = [&](placement_order const& order, fit_rule rule) {
            if (done()) return;
            auto const begin = clock::now();
            if (++planners > 2 && until_.deadline &&
                begin + slowest_ > until_.begin + 0.6 * (*until_.deadline - until_.begin))
                return;
            auto const give_up = planned_ ? best_.height : std::numeric_limits<bytes>::max();
            constexpr std::size_t sure = 600;  // questions of the first plan, before 16 shapes each, with the answer no
            std::size_t asked = 0;
            auto const stop = [&] { return (planned_ || ++asked > sure) && out_of_time(); };
            if (keep(place_in_order(c_, occupied_, ordered(c_, loads_, order), rule, give_up, stop)) &&
                rule == fit_rule::first)
                best_order_ = order;
            slowest_ = std::max(slowest_, clock::now() - begin);
        };
        // The two orders that win most often come early. One pass over very many shapes takes seconds.
        static constexpr placement_order mixed{.lifetime = 0.25, .load = 3}, by_load{.lifetime = 0.5, .load = 30};
        if (c_.count() > 300'000) {
            plan(mixed, fit_rule::first);
            ++planners;
        }
        for (auto const& order : {largest_first, earliest_first, mixed, by_load, greatest_area_first, longest_first,
                                  placement_order{.longer_first = true}})
            plan(order, fit_rule::first);
        auto const count = static_cast<std::int64_t>(c_.count());
        if (count <= 20'000 || (count <= 100'000 && count * 600 <= until_.work))  // little effort skips these
            for (auto const lifetime : {0.25, 0.5, 1.0, 0.0})
                for (auto const load : {3.0, 30.0, 0.0, 10.0})
                    plan({.lifetime = lifetime, .load = load}, fit_rule::first);
        for (auto const& order :
             {largest_first, earliest_first, greatest_area_first, longest_first, placement_order{.longer_first = true}})
            plan(order, fit_rule::best);
    }

    /// One run of the ejection search towards a height, with a part of the plan left in place at first; keeps an
    /// improvement.
    auto lower(ejection_search& ejection, bytes height, double part, std::int64_t work) -> bool {
        auto from = best_;
        until_.work -= static_cast<std::int64_t>(c_.count()) + 100;  // cost of the setup
        work = std::min(work, until_.work);
        if (work <= 0) return false;
        until_.work -= work;
        auto const found = ejection.run(from.offsets, height, part, work, [&] { return out_of_time(); });
        until_.work += std::max<std::int64_t>(work, 0);
        if (!found) return false;
        return keep(with_height(std::move(from.offsets)));
    }
    [[nodiscard]] auto exhausted() const -> bool { return done() || until_.work <= 0; }

    /// Search for an order, until it has failed many times or taken half of what remains. Far above the bound first
    /// fit is what fails, not its order.
    void improve_order(squeaky_wheel& orders) {
        if (best_.height - lower_bound_ > lower_bound_ / 16) return;
        constexpr int patience = 40;
        auto const least_work = until_.work / 2;
        auto const begin = clock::now();
        for (int failures = 0; failures < patience && !done() && until_.work > least_work; ++failures) {
            if (until_.deadline && clock::now() + slowest_ - begin > 0.5 * (*until_.deadline - begin)) return;
            until_.work -= 40 * static_cast<std::int64_t>(c_.count());
            if (keep(orders.run(occupied_, enough(lower_bound_), [&] { return out_of_time(); }))) failures = 0;
        }
    }

    /// Fills skylines, each with other priorities, until that has failed many times or taken much of what remains; not
    /// again where it gained nothing.
    void fill_skylines(skyline_fit& valleys) {
        if (!skylines_help_ || !skyline_fit::supports(c_)) return;
        if (c_.count() > 300'000) return;  // a run over more takes many seconds
        skylines_help_ = false;
        constexpr int patience = 12;
        auto const least_work = until_.work / 2;
        auto const begin = clock::now();
        for (int failures = 0; failures < patience && !done() && until_.work > least_work; ++failures) {
            auto const before = valleys.work();
            auto const spent = [&] { return (valleys.work() - before) / 16; };
            auto const stop = [&] {
                return until_.work - spent() <= least_work || out_of_time() ||
                       (until_.deadline && clock::now() - begin > 0.5 * (*until_.deadline - begin));
            };
            if (stop()) return;
            search_options options{.noise = skylines_ < 2 ? 0 : 0.05, .seed = skylines_};
            if (skylines_++ % 2 == 1) options.try_first = search_options::shape::greatest_area;
            auto found = valleys.run(enough(lower_bound_), branching_priorities(c_, options), best_.height, stop);
            until_.work -= spent();
            if (!found || !keep(std::move(*found))) continue;
            failures = 0;
            skylines_help_ = true;
        }
    }

    /// Fills skylines and searches for an order, then ejection, and after each series of attempts the exact search at
    /// the bound, if a run that places all shapes and hardly backtracks is expected to take a third of what remains; or
    /// most of it when ejection has failed twice.
    void eject_and_search(ejection_search& ejection) {
        std::optional<offset_search> search;
        int failures = 0;  // attempts since the last improvement
        std::size_t runs = 0;
        auto const explore_bound = [&] {
            if (exhausted() || !is_affordable(failures < 2 ? 0.35 : 0.6)) return;
            if (!search) search.emplace(c_);
            auto variant = search_variants[(runs + 1) % search_variants.size()];  // the second finds plans most often
            variant.noise = runs < search_variants.size() ? 0 : 0.05;
            variant.seed = runs++;
            explore(*search, enough(lower_bound_), variant, c_.count() + c_.count() / 2);
        };
        struct attempt {
            double share;  // of the gap above the bound, as the target
            double part;   // of the arena, left in place at first
        };
        // With few shapes many must be taken out to find another plan; with many the highest suffice.
        static constexpr std::array few{attempt{0.6, 0.7}, attempt{0.8, 1},   attempt{0.9, 0.7},
                                        attempt{0.6, 1},   attempt{0.8, 0.7}, attempt{0.9, 1}};
        static constexpr std::array many{attempt{0.8, 1},   attempt{0.6, 1},   attempt{0.9, 1},
                                         attempt{0.8, 0.7}, attempt{0.6, 0.7}, attempt{0.9, 0.7}};
        squeaky_wheel orders(c_, ordered(c_, loads_, best_order_));
        skyline_fit valleys(c_);
        fill_skylines(valleys);
        improve_order(orders);
        auto budget = std::max<std::int64_t>(20'000'000, static_cast<std::int64_t>(c_.count()) * 50);
        for (double tightening = 1; !exhausted() && best_.height - lower_bound_ >= granule_;
             tightening /= 2, budget += std::min(budget, until_.work))
            for (auto const& [share, part] : c_.count() > 50'000 ? many : few) {
                auto const next = [&] { return enough(target(1 - (1 - share) * tightening)); };
                ++failures;
                while (!exhausted() && lower(ejection, next(), part, budget)) failures = 0;
                improve_order(orders);
                fill_skylines(valleys);
                explore_bound();
            }
    }

    static constexpr std::array search_variants{
        search_options{.slack_weight = 4},
        search_options{.slack_weight = 16},
        search_options{.lowest_first = true},
        search_options{.slack_weight = 1},
        search_options{.slack_weight = 16, .try_first = search_options::shape::greatest_area},
        search_options{.slack_weight = 64},
        search_options{.slack_weight = 0, .try_first = search_options::shape::greatest_area}};

    void search_and_eject(ejection_search& ejection) {
        offset_search search(c_);
        lower_bound_ = rounded_up(lower_bound_);
        auto share = 0.5;
        for (std::uint64_t round = 0; !exhausted(); ++round) {
            auto const budget = (std::uint64_t{200} + 2 * c_.count()) << std::min<std::uint64_t>(round, 40);
            for (auto variant : search_variants) {
                if (exhausted()) return;
                variant.noise = round == 0 ? 0 : 0.05;
                variant.seed = round;
                explore(search, lower_bound_, variant, budget);
                if (exhausted()) return;
                auto const height = until_.capacity ? *until_.capacity : target(share);
                if (height > lower_bound_ && explore(search, height, variant, budget)) share = 0.5;
            }
            share = (1 + share) / 2;
            if (exhausted()) return;
            auto const height = until_.capacity ? *until_.capacity : target(0.8);
            lower(ejection, height, round % 2 == 0 ? 0.7 : 1, static_cast<std::int64_t>(budget) * 1000);
        }
    }
    /// Whether a run of the exact search without backtracking is expected to take at most a share of the remaining work
    /// and time: it inspects, for each shape and each of its sections, the shapes there once or twice.
    [[nodiscard]] auto is_affordable(double share) const -> bool {
        double length = 0;
        for (auto const& p : c_.pieces) length += p.last - p.first;
        auto const work = 0.2 * length * length / static_cast<double>(c_.sections());
        constexpr double seconds = 20e-9;  // of a unit of work
        return work < share * static_cast<double>(until_.work) &&
               (!until_.deadline || work * seconds < share * (*until_.deadline - clock::now()).count());
    }
    /// One run of the exact search at a height: keeps the plan that it finds, or raises the bound.
    auto explore(offset_search& search, bytes height, search_options const& variant, std::uint64_t budget) -> bool {
        if (height >= best_.height) return false;
        auto const before = search.work();
        auto const inspected_before = search.inspections();
        // Half of the remaining work, in inspections.
        auto const share = static_cast<std::uint64_t>(std::min(until_.work, most_work)) * 64;
        auto const end = search.run(
            height, variant, budget, [&] { return out_of_time(); }, share);
        auto const spent = (search.work() - before) / 8;
        auto const inspected = static_cast<std::int64_t>((search.inspections() - inspected_before) / 128);
        until_.work -= std::max(spent, inspected);
        if (end == search_end::impossible) lower_bound_ = std::max(lower_bound_, rounded_up(height + 1));
        if (end != search_end::found) return false;
        return keep(with_height(search.offsets()));
    }
    [[nodiscard]] auto rounded_up(bytes height) const -> bytes { return aligned(height, granule_); }

    static constexpr auto most_work = std::numeric_limits<std::int64_t>::max() / 128;

    compact_shapes const& c_;
    limits until_;
    bytes lower_bound_;
    bytes granule_;  // divides the bound and the height of every plan of supported shapes
    std::vector<bytes> loads_;
    occupied_bytes occupied_;                            // of the greedy plan that is being made
    mutable bool stopped_ = false;
    clock::duration slowest_ = clock::duration::zero();  // of the greedy plans
    placement_order best_order_{};                       // of those by first fit
    std::uint64_t skylines_ = 0;                         // filled so far
    bool skylines_help_ = true;                          // as far as is known
    bool planned_ = false;
    shape_offsets best_{};
};

}  // namespace repebble::inline v0::detail

#endif
