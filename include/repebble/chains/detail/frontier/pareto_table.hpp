#ifndef REPEBBLE_CHAINS_DETAIL_FRONTIER_PARETO_TABLE_HPP
#define REPEBBLE_CHAINS_DETAIL_FRONTIER_PARETO_TABLE_HPP

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
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// Curves are thinned so that each loses little; a posteriori two tables, one above and one below, say tape much in
/// all.
enum class rounding : std::uint8_t { none, up, down };

/// What a table of curves is made by.
struct pareto_table_options {
    memory_test test = memory_test::tight;
    bool drop_saved_inputs = false;
    bytes most = 0;  ///< of memory, beside the chain's input
    rounding round = rounding::none;
    double loss = 0;  ///< of each curve, as a share of its overheads
    std::size_t point_limit = 0;
};

/// The dynamic program over the parts of a chain, on curves for all budgets at once. Part (i, l, h): stages i … l,
/// whose input is there and not counted, the gradient of the output of l is there and counted; h > 0: stage l has run
/// forward already, with saving h - 1, which is counted, too.
template <quantity Time>
class pareto_table {
  public:
    /// Throws limit_reached where the curves have more points than the limit.
    pareto_table(chain_sums<Time> const& sums, pareto_table_options const& options)
        : sums_(sums), options_(options), parts_(sums), running_(sums.size()) {
        auto const n = static_cast<std::uint32_t>(sums.size());
        if (options.drop_saved_inputs)
            for (std::uint32_t i = 0; i < n; ++i) ends_ = std::max(ends_, 1 + sums.stage(i).tapes.size());
        for (std::uint32_t i = 0; i < n; ++i)
            running_[i] = options.test == memory_test::published ? sums.stage(i).output + sums.stage(i).workspace
                                                                 : sums.forward_bytes(i);
        curves_.resize(parts_.count() * ends_);
        std::optional<pruning_grid<Time>> grid;
        if (n >= long_chain)
            grid.emplace(std::clamp<bytes>(options.most, 0, enough()), cell_count, sums.worst_overhead());
        lower_envelope<Time> least;
        std::vector<split> splits;
        std::size_t points = 0;
        for (std::uint32_t l = 0; l < n; ++l)  // all parts (·, l) read the same ones
            for (auto i = l + 1; i-- > 0;) {
                if (!parts_.is_first(i, l)) continue;
                for (std::uint32_t end = 0; end < ends_; ++end) {
                    least.begin(options.most - (i > 0 ? sums.value(i) : 0));
                    splits.clear();
                    for_each_split({i, l, end}, [&](split const& s, auto const&) { splits.push_back(s); });
                    auto& curve = curves_[parts_.of(i, l) * ends_ + end];
                    if (grid && i < l) {
                        least.add_all(splits, *grid);
                    } else {
                        for (auto const& s : splits) least.add(s);
                    }
                    curve.points = rounded(least.result());
                    if (grid) curve.cells = grid->row_of(curve.points);
                    points += curve.points.size();
                    if (points > options.point_limit)
                        detail::raise(limit_reached("the curves of parts of the chain have more than " +
                                                    std::to_string(options.point_limit) + " points"));
                }
            }
    }

    /// Of the whole chain: overheads, and bytes beside the input.
    [[nodiscard]] auto root() const -> chain_curve<Time> const& {
        return at({0, static_cast<std::uint32_t>(sums_.size() - 1), 0}).points;
    }

    /// A plan that is as good as the curve says.  Requires: with so many bytes there is one; no rounding down.
    [[nodiscard]] auto actions_within(bytes budget) const -> chain_actions {
        return actions_of<Time, bytes>(sums_, {0, static_cast<std::uint32_t>(sums_.size() - 1), 0}, budget,
                                       [&](part const& p, bytes memory) { return best_choice(p, memory); });
    }

  private:
    /// From so many stages on splits are looked for in cells first.
    static constexpr std::uint32_t long_chain = 100;
    static constexpr std::uint32_t cell_count = 128;

    using split = chain_split<Time>;
    using part = subchain;
    using choice = subchain_choice<bytes>;
    using kind = choice::kind;

    /// More bytes are of no use.
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
    [[nodiscard]] auto at(part const& p) const -> pareto_curve<Time> const& {
        return curves_[parts_.of(p.i, p.l) * ends_ + p.end];
    }
    /// What waits for the part: the gradient of its output, and what is saved of its last stage.
    [[nodiscard]] auto waiting(part const& p) const -> bytes {
        return sums_.gradient(p.l + 1) + (p.end > 0 ? sums_.stage(p.l).tapes[p.end - 1].saved : 0);
    }

    /// Calls visit(split, choice) for all ways to begin the part.
    template <class Visit>
    void for_each_split(part const& p, Visit&& visit) const {
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
        // Beside its input, while stages i … j - 1 run forward.
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
            if (!options_.drop_saved_inputs || j == l) continue;
            for (std::uint32_t tape = 0; tape < tapes(j); ++tape) {
                auto const saved = sums_.stage(j).tapes[tape].saved;
                visit(split{&at({j + 1, l, end}), saved, &at({i, j, tape + 1}), again,
                            wait + std::max(running, sums_.value(j) + sums_.recording_bytes(j, tape))},
                      choice{kind::save_and_drop, j, tape, saved});
            }
        }
    }

    [[nodiscard]] auto best_choice(part const& p, bytes memory) const -> choice {
        choice best;
        std::optional<Time> least;
        for_each_split(p, [&](split const& s, choice const& c) {
            if (memory < s.least) return;
            auto const first = overhead_within(s.first->points, memory - s.held);
            auto const second = s.second ? overhead_within(s.second->points, memory) : Time{};
            if (!first || !second) return;
            auto const sum = s.added + *first + *second;
            if (least && !(sum < *least)) return;
            least = sum;
            best = c;
        });
        REPEBBLE_ASSERT(least.has_value());
        return best;
    }

    [[nodiscard]] auto rounded(chain_curve<Time> const& exact) const -> chain_curve<Time> {
        if (options_.round == rounding::none) return exact;
        chain_curve<Time> few;
        auto const share = 1 / (1 + options_.loss);
        auto const near = [&](Time below, Time above) {
            return static_cast<double>(below) >= share * static_cast<double>(above) && below > 0;
        };
        if (options_.round == rounding::up) {
            for (auto const& p : exact)
                if (few.empty() || !near(p.overhead, few.back().overhead)) few.push_back(p);
            return few;
        }
        for (std::size_t k = 0; k < exact.size();) {
            auto last = k;
            while (last + 1 < exact.size() && near(exact[last + 1].overhead, exact[k].overhead)) ++last;
            few.push_back({exact[k].memory, exact[last].overhead});
            k = last + 1;
        }
        return few;
    }

    inline static pareto_curve<Time> const free_{{{std::numeric_limits<bytes>::min() / 4, Time{}}}, {}};

    chain_sums<Time> const& sums_;
    pareto_table_options options_;
    equal_subchains parts_;
    std::vector<bytes> running_;  // of every stage
    std::size_t ends_ = 1;
    std::vector<pareto_curve<Time>> curves_;
};

}  // namespace repebble::inline v0::detail

#endif
