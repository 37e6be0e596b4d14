#ifndef REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_SEGMENT_ARCS_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_SEGMENT_ARCS_HPP

// The arcs of the label setting: enumerates and replays the segments between lower sets that may be part of a schedule
// within a budget and below a ceiling of overhead. Segments are replayed in parallel and taken in a fixed order, so the
// arcs do not depend on the number of threads.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <repebble/detail/position_bits.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/detail/thread_team.hpp>
#include <repebble/graph/detail/deadline_observer.hpp>
#include <repebble/recompute/detail/canonical/interned_sets.hpp>
#include <repebble/recompute/detail/canonical/lagrangian_bound.hpp>
#include <repebble/recompute/detail/canonical/positional_values.hpp>
#include <repebble/recompute/detail/canonical/segment_growth.hpp>
#include <repebble/recompute/detail/canonical/segment_replay.hpp>
#include <repebble/recompute/detail/canonical/superset_source.hpp>

namespace repebble::inline v0::detail {

/// The segments between the given lower sets that survive pruning, each with its overhead, cache and peaks.
class segment_arcs {
  public:
    using index = std::uint32_t;
    using claims = interned_sets::id;

    struct arc {
        index to;
        claims claimed;  ///< claimed values after it, where it reads no claimed value
        std::int64_t overhead;
        bytes cached, forward, backward;  ///< see `segment_replay::figures`
    };
    /// Effect of a segment on the state before it.
    struct outcome {
        std::int64_t overhead;
        bytes cached;  ///< growth of the cache
        bytes peak;    ///< above the cache before it
        claims claimed;
    };
    enum class ending : std::uint8_t { reached, nothing_fits, too_many, over };

    /// Refers to both. `threads` replay segments in parallel; the arcs do not depend on their number.
    segment_arcs(positional_values const& values, superset_source const& sets, std::size_t threads)
        : values_(&values), sets_(&sets), team_(threads), replays_(team_.size(), segment_replay(values)) {}

    [[nodiscard]] auto size() const { return sets_->size(); }
    [[nodiscard]] auto full() const { return static_cast<index>(size() - 1); }
    [[nodiscard]] auto budget() const { return budget_; }
    [[nodiscard]] auto count() const { return arcs_.size(); }
    [[nodiscard]] auto from(std::size_t i) const -> std::span<arc const> {
        return {arcs_.data() + first_[i], first_[i + 1] - first_[i]};
    }
    [[nodiscard]] auto claimed_bytes(claims c) const { return table_.total(c); }

    /// Enumerates the arcs, from ∅ upwards. For every state (a lower set and its claimed values) the least overhead,
    /// the least cache and the least weighted sum of both prune. Without a `bound` it only decides whether any schedule
    /// fits, and stores no arc. Gives up beyond `limit` segments examined; long ones count more.
    template <class Observer>
    auto find(bytes budget, std::int64_t ceiling, lagrangian_bound* bound, std::size_t limit, Observer& observer)
        -> ending {
        for (auto i = beyond_.size(); i < size(); ++i) {
            if (is_over(observer)) return ending::over;
            beyond_.push_back(values_->beyond((*sets_)[i]));
        }
        budget_ = budget;
        arcs_.clear();
        first_.assign(size() + 1, 0);
        states_.assign(size(), {});
        states_.front().push_back({0, 0, std::int64_t{}, 0});
        segment_growth growth(*values_, bound);
        double const greatest = static_cast<double>(ceiling) * (1 + 1e-9);
        std::size_t examined = 0;
        bool reached = false;
        for (index i = 0; i < full(); ++i) {
            first_[i] = arcs_.size();
            if (states_[i].empty()) continue;
            if (is_over(observer)) return ending::over;
            state least{0, std::numeric_limits<bytes>::max(), std::numeric_limits<std::int64_t>::max(),
                        std::numeric_limits<double>::max()};
            for (auto const& s : states_[i]) least.improve(s.cached, s.overhead, s.both);
            double const left = bound != nullptr ? bound->after((*sets_)[i]) : 0;
            auto const may_be_useful = [&](std::int64_t overhead, double both) {
                return bound == nullptr || (overhead < ceiling && both <= greatest);
            };
            if (!may_be_useful(least.overhead, least.both + left)) continue;
            open(i);
            auto const take = [&](replayed const& r) {
                auto const j = r.to;
                auto const& f = r.figures;
                examined += r.length / short_segment;
                arc const a{
                    j, j == full() ? 0 : number(r.claimed), f.overhead, f.cached, f.forward_peak, f.backward_peak};
                bool used = false;
                for (std::size_t k = 0; k < states_[i].size(); ++k) {
                    auto const s = states_[i][k];
                    auto const o = follow(a, s.claimed);
                    if (o.peak > budget - s.cached || (bound != nullptr && !(s.overhead + o.overhead < ceiling)))
                        continue;
                    used = true;
                    if (j == full()) continue;
                    double const both = bound == nullptr ? 0
                                                         : s.both + static_cast<double>(o.overhead) +
                                                               bound->multiplier() * static_cast<double>(o.cached);
                    at(j, o.claimed).improve(s.cached + o.cached, s.overhead + o.overhead, both);
                }
                if (!used) return;
                reached = reached || j == full();
                if (bound != nullptr) arcs_.push_back(a);
            };
            offered_.clear();
            bool ended = false;
            growth.begin((*sets_)[i]);
            sets_->for_each_above(
                i, growth,
                [&] {
                    ended = ended || (examined % often == 0 && is_over(observer));
                    return !ended && ++examined <= limit && growth.working() <= budget - least.cached &&
                           may_be_useful(least.overhead + growth.overhead(), least.both + left + growth.rise());
                },
                [&](index j) { offered_.push_back(j); });
            if (ended) return ending::over;
            offered_.push_back(full());
            if (!replay_offered(
                    take, [&] { return examined <= limit; }, observer))
                return ending::over;
            if (examined > limit) return ending::too_many;
            if (reached && bound == nullptr) return ending::reached;
        }
        first_[full()] = first_[full() + 1] = arcs_.size();
        states_.clear();
        return reached ? ending::reached : ending::nothing_fits;
    }

    /// Sets the lower set from which `follow` starts.
    void open(std::size_t i) {
        lower_ = (*sets_)[i];
        replays_.front().open(lower_);
    }
    /// Returns the outcome of a segment from the opened set in a state with the given claimed values.
    auto follow(arc const& a, claims claimed) -> outcome {
        auto const unclaimed = replays_.front().open_bytes() - table_.total(claimed);
        if (claimed == 0) return {a.overhead, a.cached, std::max(unclaimed + a.forward, a.backward), a.claimed};
        auto const& values = table_.values(claimed);
        auto const upper = (*sets_)[a.to];
        bool const reads = std::any_of(values.begin(), values.end(),
                                       [&](value_index x) { return values_->is_read_in(x, upper, lower_); });
        if (reads) {
            auto const f = run(a.to, values);
            return {f.overhead, f.cached, std::max(unclaimed + f.forward_peak, f.backward_peak),
                    a.to == full() ? 0 : number(replays_.front().claimed_after())};
        }
        outcome o{a.overhead, a.cached, std::max(unclaimed + a.forward, a.backward), 0};
        if (a.to == full()) return o;
        joined_ = table_.values(a.claimed);
        for (auto const x : values)
            if (values_->is_read_beyond(x, upper) && !values_->gradient_reads_in(upper, x)) joined_.push_back(x);
        sort_unique(joined_);
        o.claimed = number(joined_);
        return o;
    }
    /// Peak above the cache at the opened set, with no claimed values.
    [[nodiscard]] auto peak(arc const& a) const {
        return std::max(replays_.front().open_bytes() + a.forward, a.backward);
    }

  private:
    static constexpr std::size_t often = 256;
    static constexpr std::size_t short_segment = 16;  // operations; longer segments count more
    static constexpr std::size_t batch = 4096;        // segments replayed in one batch
    static constexpr std::size_t per_task = 32;

    struct replayed {
        index to = 0;
        typename segment_replay::figures figures;
        std::size_t length = 0;
        std::vector<value_index> claimed;  // after the segment
    };

    struct state {
        claims claimed;
        bytes cached;
        std::int64_t overhead;
        double both;  // overhead and multiplier · cache

        void improve(bytes c, std::int64_t t, double sum) {
            cached = std::min(cached, c);
            overhead = std::min(overhead, t);
            both = std::min(both, sum);
        }
    };

    auto at(index set, claims claimed) -> state& {
        for (auto& s : states_[set])
            if (s.claimed == claimed) return s;
        states_[set].push_back({claimed, std::numeric_limits<bytes>::max(), std::numeric_limits<std::int64_t>::max(),
                                std::numeric_limits<double>::max()});
        return states_[set].back();
    }
    auto run(index to, std::span<value_index const> claimed, std::size_t worker = 0) -> segment_replay::figures {
        return replays_[worker].run((*sets_)[to], beyond_[to], claimed);
    }
    /// Replays the segments from the opened set to all offered sets, with no claimed values, and calls take(r) for each
    /// in order; calls goes_on() between batches. Returns false where the observer ends it.
    template <class Take, class GoesOn, class Observer>
    [[nodiscard]] auto replay_offered(Take const& take, GoesOn const& goes_on, Observer& observer) -> bool {
        for (std::size_t worker = 1; worker < team_.size(); ++worker) replays_[worker].open(lower_);
        for (std::size_t first = 0; first < offered_.size() && goes_on(); first += batch) {
            if (is_over(observer)) return false;
            auto const count = std::min(batch, offered_.size() - first);
            replayed_.resize(std::max(replayed_.size(), count));
            auto const replay = [&](std::size_t k, std::size_t worker) {
                auto& r = replayed_[k];
                r.to = offered_[first + k];
                r.figures = run(r.to, {}, worker);
                r.length = replays_[worker].length();
                if (r.to != full()) r.claimed = replays_[worker].claimed_after();
            };
            team_.for_each((count + per_task - 1) / per_task, [&](std::size_t piece, std::size_t worker) {
                for (auto k = piece * per_task; k < std::min(count, (piece + 1) * per_task); ++k) replay(k, worker);
            });
            for (std::size_t k = 0; k < count; ++k) take(replayed_[k]);
        }
        return true;
    }
    auto number(std::vector<value_index> const& values) -> claims {
        bytes total = 0;
        for (auto const x : values) total += values_->bytes_of(x);
        return table_.find(values, total);
    }

    positional_values const* values_;
    superset_source const* sets_;
    thread_team team_;
    std::vector<segment_replay> replays_;  // per worker
    interned_sets table_;
    std::vector<bytes> beyond_;  // per set
    bytes budget_ = 0;
    position_bits::word const* lower_ = nullptr;
    std::vector<arc> arcs_;
    std::vector<std::size_t> first_;  // per set
    std::vector<std::vector<state>> states_;
    std::vector<value_index> joined_;
    std::vector<index> offered_;
    std::vector<replayed> replayed_;
};

}  // namespace repebble::inline v0::detail

#endif
