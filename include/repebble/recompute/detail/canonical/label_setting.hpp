#ifndef REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_LABEL_SETTING_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_LABEL_SETTING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <repebble/detail/deadline_observer.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/recompute/detail/canonical/completion_bound.hpp>
#include <repebble/recompute/detail/canonical/interned_sets.hpp>

namespace repebble::inline v0::detail {

/// Sequences of lower sets grown from ∅: of each state, a lower set and what is claimed there, those of which none has
/// both more overhead and more cached than another.
template <quantity Time, class Arcs>
class label_setting {
  public:
    struct found {
        Time overhead{};
        bytes peak = 0;
        std::vector<std::uint32_t> sets;  ///< L_1 … V
    };
    struct result {
        std::optional<found> best;  ///< the least overhead below the ceiling that was found
        bool complete = true;       ///< the limit was not reached
        Time bound{};               ///< where it is complete: nothing has less overhead
    };

    /// Refers to all of them.
    label_setting(Arcs& arcs, completion_bound<Time> const& rooms) : arcs_(&arcs), rooms_(&rooms) {}

    /// `slack`: of labels whose overheads are no further apart the one of more overhead and less cached may do for
    /// both; it remembers what it stands for, and so what may have been lost. Stops at `limit` labels.
    template <class Observer>
    auto extend(Time ceiling, Time slack, std::size_t limit, Observer& observer) -> result {
        ceiling_ = ceiling;
        slack_ = slack;
        done_.clear();
        waiting_.assign(arcs_->size(), {});
        waiting_[0].push_back({0, {{Time{}, Time{}, 0, 0, none, 0}}, no_limit});
        result r{{}, true, ceiling};
        bound_ = ceiling;
        std::optional<label> best;
        for (std::uint32_t i = 0; i < arcs_->full() && r.complete; ++i) {
            if (waiting_[i].empty()) continue;
            end_if_over(observer);
            arcs_->open(i);
            for (auto& group : waiting_[i]) {
                reduce(group);
                outcomes_.assign(arcs_->from(i).size(), std::nullopt);
                for (auto const& l : group.labels) {
                    if (!leads_on(i, group.claimed, l)) continue;
                    if (done_.size() >= limit) {
                        r.complete = false;
                        break;
                    }
                    done_.push_back(l);
                    grow(i, group.claimed, best);
                }
            }
            waiting_[i] = {};
        }
        if (best) r.best = trace(*best);
        r.bound = std::min(bound_, ceiling_);
        return r;
    }

  private:
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();
    static constexpr auto no_limit = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t few = 256;
    static constexpr double rounding = 1e-15;  // of times beyond 2⁵³

    struct label {
        Time overhead;
        Time stands_for;  // the least overhead of those for which it does
        bytes cached, peak;
        std::uint32_t parent, set;

        void takes_over(label const& other) { stands_for = std::min(stands_for, other.stands_for); }
    };
    struct group {
        interned_sets::id claimed;
        std::vector<label> labels;
        std::size_t enough = few;  // labels, before they are reduced
    };

    /// Whether something below the ceiling may come of it; if not, what may have come of those for which it stands
    /// counts.
    auto leads_on(std::size_t set, interned_sets::id claimed, label const& l) -> bool {
        bytes const cached = l.cached - arcs_->claimed_bytes(claimed);
        if (l.overhead < ceiling_ && rooms_->has(set, ceiling_ - l.overhead, cached)) return true;
        if (l.stands_for < l.overhead) {
            double const least = static_cast<double>(l.stands_for) + rooms_->bound(set, cached);
            if (least < static_cast<double>(bound_)) bound_ = static_cast<Time>(least * (1 - rounding));
        }
        return false;
    }

    void reduce(group& g) {
        auto& labels = g.labels;
        std::sort(labels.data(), labels.data() + labels.size(), [](label const& a, label const& b) {
            if (a.overhead != b.overhead) return a.overhead < b.overhead;
            return a.cached != b.cached ? a.cached < b.cached : a.parent < b.parent;
        });
        std::size_t kept = 0;
        for (auto const& l : labels) {
            if (kept > 0 && labels[kept - 1].cached <= l.cached) {
                labels[kept - 1].takes_over(l);
                continue;
            }
            labels[kept++] = l;
        }
        labels.resize(kept);
        if (!(slack_ > Time{})) return;
        auto out = labels.size();  // from the last, which has the least cached
        for (std::size_t k = labels.size(); k-- > 0;) {
            if (out < labels.size() && !(labels[out].overhead - labels[k].overhead > slack_)) {
                labels[out].takes_over(labels[k]);
            } else {
                labels[--out] = labels[k];
            }
        }
        labels.erase(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(out));
    }

    void grow(std::uint32_t i, interned_sets::id claimed, std::optional<label>& best) {
        auto const self = static_cast<std::uint32_t>(done_.size() - 1);
        auto const l = done_.back();
        auto const arcs = arcs_->from(i);
        for (std::size_t k = 0; k < arcs.size(); ++k) {
            auto const& a = arcs[k];
            if (claimed == 0 && arcs_->peak(a) > arcs_->budget() - l.cached) continue;
            if (!outcomes_[k]) outcomes_[k] = arcs_->follow(a, claimed);
            auto const& o = *outcomes_[k];
            if (o.peak > arcs_->budget() - l.cached) continue;
            label const next{l.overhead + o.overhead,
                             l.stands_for + o.overhead,
                             l.cached + o.cached,
                             std::max(l.peak, l.cached + o.peak),
                             self,
                             a.to};
            if (a.to == arcs_->full()) {
                bound_ = std::min(bound_, next.stands_for);
                if (!(next.overhead < ceiling_)) continue;
                best = next;
                ceiling_ = next.overhead;
                continue;
            }
            if (!leads_on(a.to, o.claimed, next)) continue;
            auto& there = waiting_[a.to];
            auto at = std::find_if(there.begin(), there.end(), [&](group const& g) { return g.claimed == o.claimed; });
            if (at == there.end()) at = there.insert(there.end(), {o.claimed, {}});
            at->labels.push_back(next);
            if (at->labels.size() < at->enough) continue;
            reduce(*at);
            at->enough = 2 * at->labels.size() + few;
        }
    }

    [[nodiscard]] auto trace(label const& last) const -> found {
        found f{last.overhead, last.peak, {last.set}};
        for (auto k = last.parent; k != none && done_[k].parent != none; k = done_[k].parent)
            f.sets.push_back(done_[k].set);
        std::reverse(f.sets.begin(), f.sets.end());
        return f;
    }

    Arcs* arcs_;
    completion_bound<Time> const* rooms_;
    Time ceiling_{};
    Time slack_{};
    Time bound_{};
    std::vector<label> done_;
    std::vector<std::vector<group>> waiting_;                      // per set
    std::vector<std::optional<typename Arcs::outcome>> outcomes_;  // of the segments from a state, as far as known
};

}  // namespace repebble::inline v0::detail

#endif
