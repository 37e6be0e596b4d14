#ifndef REPEBBLE_CHAINS_DETAIL_FRONTIER_PARETO_TABLE_HPP
#define REPEBBLE_CHAINS_DETAIL_FRONTIER_PARETO_TABLE_HPP

// The exact dynamic program over the subchains of a chain (Beaumont et al. 2019, section 4), with a Pareto curve in
// place of a row of memory slots: the curve of a subchain is the lower envelope of its splits. Used by solve_chain.hpp.
// Invariant: when the curve of (i, l) is computed, those of all (j, l) with j > i and of all (j, k) with k < l are
// final; that of (i, l) without a tape of l comes after those with one.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/chains/chain.hpp>
#include <repebble/chains/chain_action.hpp>
#include <repebble/chains/detail/equal_subchains.hpp>
#include <repebble/chains/detail/frontier/lower_envelope.hpp>
#include <repebble/chains/detail/frontier/pareto_curve.hpp>
#include <repebble/chains/detail/frontier/pruning_grid.hpp>
#include <repebble/chains/detail/traceback.hpp>
#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// Thinning of the curves: `up` gives plans, `down` lower bounds; the gap between two such tables bounds the total
/// loss.
enum class rounding : std::uint8_t { none, up, down };

/// Options of a pareto_table.
struct pareto_table_options {
    memory_test test = memory_test::tight;
    bool drop_saved_inputs = false;
    bytes most = 0;  ///< the largest budget, beside the chain's input
    rounding round = rounding::none;
    double loss = 0;  ///< of each curve by rounding, as a share of its overheads
    std::size_t most_points = 0;
};

/// The curves of all subchains (see traceback.hpp), for all budgets at once. O(L² ends) curves for L stages, where
/// `ends` is 1, or 1 + the most tapes of a stage with `drop_saved_inputs`.
class pareto_table {
  public:
    /// Where there are more than `most_points` curves, or points of all of them, or where stop(), asked after each
    /// curve and before the first, returns true, it is not complete, and nothing else counts.
    pareto_table(chain_sums const& sums, pareto_table_options const& options, stop_test stop = never_stop{})
        : sums_(sums), options_(options), subchains_(sums, stop), running_(sums.size()) {
        if (!subchains_.complete()) return;
        auto const n = static_cast<std::uint32_t>(sums.size());
        if (options.drop_saved_inputs) {
            auto const worst = checked_add(sums.worst_overhead(), sums.time_once(), "times");
            static_cast<void>(checked_add(worst, sums.worst_overhead(), "times with saved inputs discarded"));
            for (std::uint32_t i = 0; i < n; ++i) ends_ = std::max(ends_, 1 + sums.stage(i).tapes.size());
        }
        for (std::uint32_t i = 0; i < n; ++i)
            running_[i] = options.test == memory_test::published ? sums.stage(i).output + sums.stage(i).workspace
                                                                 : sums.forward_bytes(i);
        // Each curve takes memory, even one without points.
        if (subchains_.count() > options.most_points / ends_) return;
        curves_.resize(subchains_.count() * ends_);
        std::optional<pruning_grid> grid;
        if (n >= long_chain)
            grid.emplace(std::clamp<bytes>(options.most, 0, enough()), cell_count, sums.worst_overhead());
        lower_envelope least;
        std::vector<split> splits;
        std::size_t points = 0;
        for (std::uint32_t l = 0; l < n; ++l)  // all subchains (·, l) read the same curves
            for (auto i = l + 1; i-- > 0;) {
                if (!subchains_.is_first(i, l)) continue;
                for (auto end = static_cast<std::uint32_t>(ends_); end-- > 0;) {
                    least.begin(options.most - (i > 0 ? sums.value(i) : 0));
                    splits.clear();
                    for_each_split({i, l, end}, [&](split const& s, auto const&) { splits.push_back(s); });
                    auto& curve = curves_[subchains_.of(i, l) * ends_ + end];
                    if (grid && i < l) {
                        least.add_all(splits, *grid);
                    } else {
                        for (auto const& s : splits) least.add(s);
                    }
                    curve.points = rounded(least.result());
                    if (grid) curve.cells = grid->row_of(curve.points);
                    points += curve.points.size();
                    if (points > options.most_points || stop()) return;
                }
            }
        complete_ = true;
    }

    [[nodiscard]] auto complete() const noexcept -> bool { return complete_; }

    /// The curve of the whole chain: overhead by bytes beside the input.
    [[nodiscard]] auto root() const -> chain_curve const& {
        return at({0, static_cast<std::uint32_t>(sums_.size() - 1), 0}).points;
    }

    /// A plan with the overhead of the curve at the budget.  Requires: the budget reaches the curve; no rounding down.
    [[nodiscard]] auto actions_within(bytes budget) const -> chain_actions {
        return actions_of<bytes>(sums_, {0, static_cast<std::uint32_t>(sums_.size() - 1), 0}, budget,
                                 [&](subchain const& p, bytes memory) { return best_choice(p, memory); });
    }

  private:
    /// Chains of at least so many stages prune splits by cells; the number of cells.
    static constexpr std::uint32_t long_chain = 100;
    static constexpr std::uint32_t cell_count = 128;

    using split = chain_split;
    using choice = subchain_choice<bytes>;
    using kind = choice::kind;

    /// An upper bound on the bytes that any plan can use.
    [[nodiscard]] auto enough() const -> bytes {
        bytes all = 0, alone = 0;
        for (std::size_t i = 0; i < sums_.size(); ++i) {
            bytes saved = 0;
            for (std::size_t tape = 0; tape < sums_.stage(i).tapes.size(); ++tape) {
                saved = std::max(saved, sums_.stage(i).tapes[tape].saved);
                alone = std::max({alone, sums_.recording_bytes(i, tape), sums_.backward_bytes(i, tape)});
            }
            all += saved;
        }
        return all + alone;
    }
    [[nodiscard]] auto at(subchain const& p) const -> pareto_curve const& {
        return curves_[subchains_.of(p.i, p.l) * ends_ + p.end];
    }
    /// Bytes resident from the start of a subchain: the gradient of its output and the tape of its last stage.
    [[nodiscard]] auto waiting(subchain const& p) const -> bytes {
        return sums_.gradient(p.l + 1) + (p.end > 0 ? sums_.stage(p.l).tapes[p.end - 1].saved : 0);
    }

    /// Calls visit(split, choice) for every first decision of a plan for the subchain.
    template <class Visit>
    void for_each_split(subchain const& p, Visit&& visit) const {
        auto const [i, l, end] = p;
        auto const tapes = [&](std::uint32_t k) { return static_cast<std::uint32_t>(sums_.stage(k).tapes.size()); };
        if (end > tapes(l)) return;
        auto const wait = waiting(p);
        bool const published = options_.test == memory_test::published;
        if (i == l) {
            for (std::uint32_t tape = 0; tape < tapes(i); ++tape) {
                if (end > 0 && tape + 1 != end) continue;
                auto const need = end > 0
                                      ? sums_.backward_bytes(i, tape)
                                      : std::max(wait + sums_.recording_bytes(i, tape), sums_.backward_bytes(i, tape));
                visit(split{&free_, 0, nullptr, sums_.stage(i).tapes[tape].extra_time, need},
                      choice{kind::save, i, tape, 0});
            }
            return;
        }
        // Peak of running stages i … j - 1 forward, beside their input.
        bytes running = 0, all_running = 0;
        if (published)
            for (auto k = i; k < l; ++k)
                all_running = std::max(all_running, running_[k] + (k > i ? sums_.value(k) : 0));
        for (std::uint32_t tape = 0; tape < tapes(i); ++tape) {
            auto const& recorded = sums_.stage(i).tapes[tape];
            auto const beside =
                published ? std::max(sums_.gradient(i + 1) + sums_.recording_bytes(i, tape), wait + all_running)
                          : wait + sums_.recording_bytes(i, tape);
            visit(split{&at({i + 1, l, end}), recorded.saved, nullptr, recorded.extra_time,
                        std::max(beside, sums_.backward_bytes(i, tape))},
                  choice{kind::save, i, tape, recorded.saved});
        }
        for (auto j = i + 1; j <= l; ++j) {
            running = std::max({running, all_running, running_[j - 1] + (j - 1 > i ? sums_.value(j - 1) : 0)});
            auto const again = sums_.forward_time(i, j);
            visit(split{&at({j, l, end}), sums_.value(j), &at({i, j - 1, 0}), again, wait + running},
                  choice{kind::keep, j, 0, sums_.value(j)});
            if (!options_.drop_saved_inputs || (j == l && end > 0)) continue;
            for (std::uint32_t tape = 0; tape < tapes(j); ++tape) {
                auto const saved = sums_.stage(j).tapes[tape].saved;
                auto const* before = &at({i, j, tape + 1});
                auto const least = wait + std::max(running, sums_.value(j) + sums_.recording_bytes(j, tape));
                visit(j < l ? split{&at({j + 1, l, end}), saved, before, again, least}
                            : split{before, 0, nullptr, again, least},
                      choice{kind::save_and_drop, j, tape, saved});
            }
        }
    }

    /// The first decision of least overhead within a memory.  Requires: a plan fits.
    [[nodiscard]] auto best_choice(subchain const& p, bytes memory) const -> choice {
        choice best;
        std::optional<std::int64_t> least;
        for_each_split(p, [&](split const& s, choice const& c) {
            if (memory < s.least) return;
            auto const first = time_at(s.first->points, memory - s.kept);
            auto const second = s.second ? time_at(s.second->points, memory) : std::int64_t{};
            if (!first || !second) return;
            auto const sum = s.added + *first + *second;
            if (least && !(sum < *least)) return;
            least = sum;
            best = c;
        });
        REPEBBLE_ASSERT(least.has_value());
        return best;
    }

    /// The curve with neighbours within the loss merged, upward or downward.
    [[nodiscard]] auto rounded(chain_curve const& exact) const -> chain_curve {
        if (options_.round == rounding::none) return exact;
        chain_curve few;
        auto const share = 1 / (1 + options_.loss);
        auto const near = [&](std::int64_t below, std::int64_t above) {
            return static_cast<double>(below) >= share * static_cast<double>(above) && below > 0;
        };
        if (options_.round == rounding::up) {
            for (auto const& p : exact)
                if (few.empty() || !near(p.time, few.back().time)) few.push_back(p);
            return few;
        }
        for (std::size_t k = 0; k < exact.size();) {
            auto last = k;
            while (last + 1 < exact.size() && near(exact[last + 1].time, exact[k].time)) ++last;
            few.push_back({exact[k].budget, exact[last].time});
            k = last + 1;
        }
        return few;
    }

    pareto_curve free_{{{std::numeric_limits<bytes>::min() / 4, std::int64_t{}}}, {}};
    chain_sums const& sums_;
    pareto_table_options options_;
    equal_subchains subchains_;
    std::vector<bytes> running_;  // by stage: peak of a forward run without a tape, beside the input
    std::size_t ends_ = 1;
    bool complete_ = false;
    std::vector<pareto_curve> curves_;
};

}  // namespace repebble::inline v0::detail

#endif
