#ifndef REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_LABEL_SETTING_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_LABEL_SETTING_HPP

// Label setting for a resource-constrained shortest path from ∅ to V: resources are overhead and cached bytes, a state
// is a lower set and its claimed values. Exact with slack 0; with slack it keeps what was merged as a bound. Prunes by
// completion_bound.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <repebble/graph/detail/deadline_observer.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/recompute/detail/canonical/completion_bound.hpp>
#include <repebble/recompute/detail/canonical/interned_sets.hpp>

namespace repebble::inline v0::detail {

/// Extends labels (partial sequences of lower sets) in the order of the sets. Of each state it keeps the Pareto front
/// by overhead and cached bytes.
///
/// A schedule is a path ∅ = L_0 ⊂ L_1 ⊂ … ⊂ V. Its arc from the state (L_i, claimed values) adds o to the overhead, g
/// to the cache k, and peaks p above it: the path fits the budget B if k + p ≤ B at each arc, and its overhead is Σ o.
/// A label of a state has the sums (o, k) of a path that leads there. Label a dominates label b of the same state where
/// o_a ≤ o_b and k_a ≤ k_b: o, g and p of what follows depend on the state alone, so each continuation that fits after
/// b fits after a, since k_a + p ≤ k_b + p ≤ B, with no more overhead. So the Pareto front of each state suffices
/// (Martins 1984). Arcs lead to larger sets, which come later in the order: when a set is taken up, no label of it is
/// to come, and each is extended once (label setting; Desrochers, Soumis 1988).
///
/// With slack δ, labels whose overheads are within δ are merged into the one with the least cache, which may go on
/// wherever they may. It keeps the least overhead r ≤ o that it represents. Each path is represented at every set: by a
/// label with r no more than the path's overhead so far and no more cache, or, where that cannot be completed below the
/// ceiling, by r plus the completion bound. So the least of the r of labels that reach V, of those sums and of the
/// ceiling is a lower bound on the overhead of all paths: it says what the slack may have cost.
template <class Arcs>
class label_setting {
  public:
    struct found {
        std::int64_t overhead{};
        bytes peak = 0;
        std::vector<std::uint32_t> sets;  ///< L_1 … V
    };
    struct result {
        std::optional<found> best{};  ///< least overhead found below the ceiling
        bool complete = true;         ///< whether the limit was not reached
        bool over = false;            ///< the observer ended it: the other members must not be used
        std::int64_t bound{};         ///< if complete: lower bound on the overhead
    };

    /// Refers to both.
    label_setting(Arcs& arcs, completion_bound const& completion) : arcs_(&arcs), completion_(&completion) {}

    /// `slack`: a label may represent others of the same state with less overhead by at most `slack` and more cache; it
    /// records the least overhead that it represents, which keeps `bound` valid. Stops at `limit` labels.
    template <class Observer>
    auto extend(std::int64_t ceiling, std::int64_t slack, std::size_t limit, Observer& observer) -> result {
        ceiling_ = ceiling;
        slack_ = slack;
        done_.clear();
        waiting_.assign(arcs_->size(), {});
        waiting_[0].push_back({0, {{std::int64_t{}, std::int64_t{}, 0, 0, none, 0}}, no_limit});
        result r{.bound = ceiling};
        bound_ = ceiling;
        std::optional<label> best;
        for (std::uint32_t i = 0; i < arcs_->full() && r.complete; ++i) {
            if (waiting_[i].empty()) continue;
            if (is_over(observer)) return {.complete = false, .over = true};
            arcs_->open(i);
            for (auto& state : waiting_[i]) {
                reduce(state);
                outcomes_.assign(arcs_->from(i).size(), std::nullopt);
                for (auto const& l : state.labels) {
                    if (!may_complete(i, state.claimed, l)) continue;
                    if (done_.size() >= limit) {
                        r.complete = false;
                        break;
                    }
                    done_.push_back(l);
                    extend_label(i, state.claimed, best);
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
        std::int64_t overhead;
        std::int64_t represents;  // the least overhead of the labels that it represents
        bytes cached, peak;
        std::uint32_t parent, set;

        void represent(label const& other) { represents = std::min(represents, other.represents); }
    };
    struct group {
        interned_sets::id claimed;
        std::vector<label> labels;
        std::size_t enough = few;  // number of labels at which the group is reduced
    };

    /// Whether the label may be completed below the ceiling; if not, the labels that it represents enter the bound.
    auto may_complete(std::size_t set, interned_sets::id claimed, label const& l) -> bool {
        bytes const cached = l.cached - arcs_->claimed_bytes(claimed);
        if (l.overhead < ceiling_ && completion_->has(set, ceiling_ - l.overhead, cached)) return true;
        if (l.represents < l.overhead) {
            double const least = static_cast<double>(l.represents) + completion_->bound(set, cached);
            if (least < static_cast<double>(bound_)) bound_ = static_cast<std::int64_t>(least * (1 - rounding));
        }
        return false;
    }

    void reduce(group& g) {
        auto& labels = g.labels;
        std::sort(labels.data(), labels.data() + labels.size(), [](label const& a, label const& b) {
            if (a.overhead < b.overhead) return true;
            if (b.overhead < a.overhead) return false;
            return a.cached != b.cached ? a.cached < b.cached : a.parent < b.parent;
        });
        std::size_t kept = 0;
        for (auto const& l : labels) {
            if (kept > 0 && labels[kept - 1].cached <= l.cached) {
                labels[kept - 1].represent(l);
                continue;
            }
            labels[kept++] = l;
        }
        labels.resize(kept);
        if (!(slack_ > std::int64_t{})) return;
        auto out = labels.size();  // from the last label, which has the least cache
        for (std::size_t k = labels.size(); k-- > 0;) {
            if (out < labels.size() && !(labels[out].overhead - labels[k].overhead > slack_)) {
                labels[out].represent(labels[k]);
            } else {
                labels[--out] = labels[k];
            }
        }
        labels.erase(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(out));
    }

    void extend_label(std::uint32_t i, interned_sets::id claimed, std::optional<label>& best) {
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
                             l.represents + o.overhead,
                             l.cached + o.cached,
                             std::max(l.peak, l.cached + o.peak),
                             self,
                             a.to};
            if (a.to == arcs_->full()) {
                bound_ = std::min(bound_, next.represents);
                if (!(next.overhead < ceiling_)) continue;
                best = next;
                ceiling_ = next.overhead;
                continue;
            }
            if (!may_complete(a.to, o.claimed, next)) continue;
            auto& groups = waiting_[a.to];
            auto at =
                std::find_if(groups.begin(), groups.end(), [&](group const& g) { return g.claimed == o.claimed; });
            if (at == groups.end()) at = groups.insert(groups.end(), {o.claimed, {}});
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
    completion_bound const* completion_;
    std::int64_t ceiling_{};
    std::int64_t slack_{};
    std::int64_t bound_{};
    std::vector<label> done_;
    std::vector<std::vector<group>> waiting_;                      // per set
    std::vector<std::optional<typename Arcs::outcome>> outcomes_;  // per arc of the current state, where computed
};

}  // namespace repebble::inline v0::detail

#endif
