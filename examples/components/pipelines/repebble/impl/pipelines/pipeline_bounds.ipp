#ifndef REPEBBLE_IMPL_PIPELINES_PIPELINE_BOUNDS_IPP
#define REPEBBLE_IMPL_PIPELINES_PIPELINE_BOUNDS_IPP

#include <repebble/pipelines/pipeline_bounds.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/pipelines/detail/flat_order.hpp>
#include <repebble/pipelines/detail/rank_memory.hpp>
#include <repebble/pipelines/pipeline_orders.hpp>

namespace repebble::inline v0::detail {

__extension__ using wide_time = __int128;

/// Bytes that are freed for time that is computed again: an edge of the lower convex hull of a stage's choices.
struct hull_edge {
    bytes freed = 0;
    std::int64_t longer{};
};

/// The edges of a curve from the most bytes to the fewest, the cheapest byte first.  O(choices²).
template <class BytesOf>
[[nodiscard]] auto hull_edges(std::vector<stage_choice> const& choices, BytesOf&& bytes_of) -> std::vector<hull_edge> {
    std::vector<hull_edge> edges;
    for (std::size_t at = 0;;) {
        std::optional<std::pair<std::size_t, hull_edge>> best;
        for (auto to = at + 1; to < choices.size(); ++to) {
            hull_edge const e{bytes_of(choices[at]) - bytes_of(choices[to]),
                              choices[to].recomputation - choices[at].recomputation};
            if (e.freed <= 0) continue;
            if (!best || wide_time{e.longer} * best->second.freed <= wide_time{best->second.longer} * e.freed)
                best = {to, e};
        }
        if (!best) return edges;
        edges.push_back(best->second);
        at = best->first;
    }
}

/// The least time to be computed again for so many bytes less; nothing where the edges do not free them.
[[nodiscard]] inline auto least_time_to_free(bytes missing, std::vector<hull_edge>& edges)
    -> std::optional<std::int64_t> {
    std::ranges::sort(edges, [](auto const& a, auto const& b) {
        return wide_time{a.longer} * b.freed < wide_time{b.longer} * a.freed;
    });
    std::int64_t time = 0;
    for (auto const& e : edges) {
        if (missing <= 0) break;
        if (missing >= e.freed) {
            time += e.longer;
        } else {  // a part of the last edge; rounded up, as times are whole
            time += static_cast<std::int64_t>((wide_time{e.longer} * missing + e.freed - 1) / e.freed);
        }
        missing -= e.freed;
    }
    return missing > 0 ? std::nullopt : std::optional(time);
}

/// The least time to be computed again in the passes of a rank, from each pass to the end.
class least_recomputation {
  public:
    least_recomputation(pipeline const& p, std::size_t rank, std::span<pipeline_pass const> order, bytes budget)
        : p_(p),
          budget_(budget),
          memory_(p, rank),
          from_(order.size() + 1, 0),
          choices_(p.stages.size() * p.microbatches, 0) {
        std::vector<std::size_t> back_at(choices_.size(), 0);
        for (std::size_t i = 0; i < order.size(); ++i)
            if (order[i].kind == pass_kind::input_gradient || order[i].kind == pass_kind::backward)
                back_at[item_of(order[i])] = i;
        std::vector<std::pair<std::int64_t, std::size_t>> moments;  // at each pass: the time, and where those there end
        for (std::size_t i = 0; i < order.size(); ++i) {
            std::size_t end = i + 1;
            auto const time = at(order[i], [&](std::uint32_t item) { end = std::max(end, back_at[item] + 1); });
            fits_ = fits_ && time.has_value();
            moments.emplace_back(time.value_or(0), end);
            memory_.run(order[i], choices_);
        }
        for (auto i = order.size(); i-- > 0;)
            from_[i] = std::max(from_[i + 1], moments[i].first + from_[moments[i].second]);
    }

    /// True where the passes fit at all.
    [[nodiscard]] auto fits() const noexcept -> bool { return fits_; }
    /// Recomputation of what is kept at some time from pass i on.
    [[nodiscard]] auto from(std::size_t i) const -> std::int64_t { return from_[i]; }

  private:
    [[nodiscard]] auto item_of(pipeline_pass const& pass) const -> std::size_t {
        return pass.stage * p_.microbatches + pass.microbatch;
    }
    /// The least time for what is there during a pass. What was computed again before, that of the pass itself
    /// included, costs nothing here: it is taken to need its fewest bytes.
    template <class Sees>
    [[nodiscard]] auto at(pipeline_pass const& pass, Sees&& sees) const -> std::optional<std::int64_t> {
        auto missing = memory_.during(pass, choices_) - budget_;
        std::vector<hull_edge> edges;
        auto const add = [&](std::uint32_t item, std::size_t stage, bool is_later, auto&& bytes_of) {
            auto const& choices = p_.stages[stage].choices;
            if (!is_later) {
                missing -= bytes_of(choices.front()) - bytes_of(choices.back());
                return;
            }
            sees(item);
            for (auto const& e : hull_edges(choices, bytes_of)) edges.push_back(e);
        };
        auto const own = static_cast<std::uint32_t>(item_of(pass));
        add(own, pass.stage, pass.kind == pass_kind::forward,
            [&](stage_choice const& c) { return bytes_in(c, pass.kind); });
        for (auto const& r : memory_.residents())
            if (r.item != own)
                add(r.item, r.name.stage, r.phase == item_phase::kept,
                    [&](stage_choice const& c) { return resting_bytes(c, r.phase); });
        return least_time_to_free(missing, edges);
    }

    pipeline const& p_;
    bytes budget_;
    rank_memory memory_;
    std::vector<std::int64_t> from_;
    std::vector<std::uint32_t> choices_;
    bool fits_ = true;
};

/// The bounds of one rank for any order. Times as long double: sums and products are rounded down at the end.
class rank_bound {
  public:
    using real = long double;

    rank_bound(pipeline const& p, std::size_t rank, bytes budget) : p_(p), room_(budget) {
        for (std::size_t s = 0; s < p.stages.size(); ++s)
            if (p.stages[s].rank == rank) {
                stages_.push_back(s);
                room_ -= p.stages[s].constant;
            }
    }
    [[nodiscard]] auto find() const -> real {
        if (stages_.empty()) return 0;
        real best = 0;
        constexpr int parts = 64;
        for (int k = 0; k <= parts; ++k) best = std::max(best, with_area(static_cast<real>(k) / parts));
        return std::max(best, with_first_passes());
    }

  private:
    /// Sum of f(stage) over the stages [first, last).
    template <class F>
    [[nodiscard]] auto sum(std::size_t first, std::size_t last, F&& f) const -> real {
        real total = 0;
        for (auto s = first; s < last; ++s) total += static_cast<real>(f(p_.stages[s]));
        return total;
    }
    [[nodiscard]] auto m() const -> real { return static_cast<real>(p_.microbatches); }
    [[nodiscard]] auto work() const -> real {
        real total = 0;
        for (auto const s : stages_) total += m() * static_cast<real>(time_once(p_.stages[s]));
        return total;
    }
    /// Before the rank can begin.
    [[nodiscard]] auto head() const -> real {
        return sum(0, stages_.front(), [](auto const& s) { return s.forward + s.transfer; });
    }
    /// After the last gradients of inputs of the rank: what those of the stages before take longer than gradients of
    /// weights that can still be left on the rank, for which something must be kept.
    [[nodiscard]] auto drain() const -> real {
        auto const tail = sum(0, stages_.front(), [](auto const& s) { return s.input_gradient + s.transfer; });
        auto least = std::numeric_limits<bytes>::max();
        real longest = 0, all = 0;
        for (auto const s : stages_) {
            least = std::min(least, p_.stages[s].choices.back().for_weights);
            longest = std::max(longest, static_cast<real>(p_.stages[s].weight_gradient));
            all += m() * static_cast<real>(p_.stages[s].weight_gradient);
        }
        auto const left = least <= 0 ? all : std::min(all, static_cast<real>(room_ / least) * longest);
        return std::max<real>(0, tail - left);
    }
    /// Time from the end of the stage's forward pass to the begin of its gradients of inputs, at least.
    [[nodiscard]] auto wait(std::size_t s) const -> real {
        return sum(s + 1, p_.stages.size(), [](auto const& x) { return x.forward + x.input_gradient; }) +
               2 * sum(s, p_.stages.size() - 1, [](auto const& x) { return x.transfer; });
    }
    /// Bytes of a microbatch times the time that they are there, at least.
    [[nodiscard]] auto area(std::size_t s, stage_choice const& c) const -> real {
        auto const& stage = p_.stages[s];
        auto const kept = static_cast<real>(c.kept), in_backward = static_cast<real>(bytes_in_backward(c)),
                   again = static_cast<real>(c.recomputation);
        return static_cast<real>(bytes_in_forward(c)) * static_cast<real>(stage.forward) +
               kept * std::max(wait(s), again) + (in_backward - kept) * again +
               in_backward * static_cast<real>(stage.input_gradient) +
               static_cast<real>(c.for_weights) * static_cast<real>(stage.weight_gradient);
    }
    /// (1 - part) · (work and what is computed again) + part · (bytes times time / budget), both behind the head.
    [[nodiscard]] auto with_area(real part) const -> real {
        if (part > 0 && room_ <= 0) return 0;
        real total = head() + (1 - part) * drain();
        for (auto const s : stages_) {
            auto least = std::numeric_limits<real>::infinity();
            for (auto const& c : p_.stages[s].choices) {
                auto const time = static_cast<real>(time_once(p_.stages[s]) + c.recomputation);
                auto const held = part > 0 ? area(s, c) / static_cast<real>(room_) : 0;
                least = std::min(least, (1 - part) * time + part * held);
            }
            total += m() * least;
        }
        return total;
    }
    /// Before the first gradients arrive the rank runs forward passes alone, all of which are kept at once: their time,
    /// less that of computing them again, is at most `gain`. What is computed again for those first gradients is free.
    [[nodiscard]] auto with_first_passes() const -> real {
        auto const last = stages_.back();
        auto const arrives = sum(0, last + 1, [](auto const& s) { return s.forward; }) +
                             sum(0, last, [](auto const& s) { return s.transfer; }) + wait(last);
        real longest = 0;
        std::vector<real> prices{0};
        for (auto const s : stages_)
            for (auto const& c : p_.stages[s].choices) {
                longest = std::max(longest, static_cast<real>(c.recomputation));
                for (auto const& d : p_.stages[s].choices) {
                    // Where two choices, or one and none, are equally good.
                    if (c.kept > 0) prices.push_back(gain_of(s, c) / static_cast<real>(c.kept));
                    if (c.kept > d.kept)
                        prices.push_back((gain_of(s, c) - gain_of(s, d)) / static_cast<real>(c.kept - d.kept));
                }
            }
        auto gain = std::numeric_limits<real>::infinity();
        for (auto const price : prices)
            if (price >= 0) gain = std::min(gain, gain_at(price));
        return arrives + work() - gain - longest + drain();
    }
    [[nodiscard]] auto gain_of(std::size_t s, stage_choice const& c) const -> real {
        return static_cast<real>(p_.stages[s].forward - c.recomputation);
    }
    /// The gain of all first passes where a byte has a price: not less than that within the budget.
    [[nodiscard]] auto gain_at(real price) const -> real {
        real total = price * static_cast<real>(room_);
        for (auto const s : stages_) {
            real best = 0;
            for (auto const& c : p_.stages[s].choices)
                best = std::max(best, gain_of(s, c) - price * static_cast<real>(c.kept));
            total += m() * best;
        }
        return total;
    }

    pipeline const& p_;
    bytes room_;  // beside the constants
    std::vector<std::size_t> stages_;
};

/// True where no budget is below what is needed.
[[nodiscard]] inline auto are_within(std::span<bytes const> needed, std::span<bytes const> budgets) -> bool {
    return std::ranges::equal(needed, budgets, std::ranges::less_equal{});
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto find_least_bytes(pipeline const& p, pass_orders const& orders) -> std::vector<bytes> {
    std::vector<std::uint32_t> last;
    for (auto const& stage : p.stages)
        last.insert(last.end(), p.microbatches, static_cast<std::uint32_t>(stage.choices.size() - 1));
    std::vector<bytes> least;
    for (std::size_t r = 0; r < p.ranks; ++r) least.push_back(detail::peak_of(p, r, orders[r], last));
    return least;
}

REPEBBLE_INLINE auto find_least_bytes(pipeline const& p) -> std::vector<bytes> {
    auto one = p;
    one.microbatches = 1;
    return find_least_bytes(one, make_one_at_a_time(one));
}

REPEBBLE_INLINE auto find_bytes_to_keep_all(pipeline const& p) -> std::vector<bytes> {
    auto one = p;
    one.microbatches = 1;
    for (auto& stage : one.stages) stage.choices.resize(1);
    auto all = find_least_bytes(one, make_one_at_a_time(one));
    auto const others = static_cast<bytes>(std::min(p.microbatches, p.ranks) - 1);
    for (auto const& stage : one.stages) all[stage.rank] += others * stage.choices[0].kept;
    return all;
}

REPEBBLE_INLINE auto find_order_bound(pipeline const& p, pass_orders const& orders, std::span<bytes const> budgets)
    -> std::optional<std::int64_t> {
    REPEBBLE_ASSERT(budgets.size() == p.ranks);
    detail::flat_order const flat(p, orders);
    std::vector<std::int64_t> const none(flat.passes().size(), 0);
    auto const ends = flat.ends(none), tails = flat.tails(none);
    auto bound = ends.empty() ? 0 : std::ranges::max(ends);
    for (std::size_t r = 0; r < p.ranks; ++r) {
        detail::least_recomputation const least(p, r, orders[r], budgets[r]);
        if (!least.fits()) return std::nullopt;
        std::int64_t work = 0;
        for (auto i = flat.begin_of(r + 1); i-- > flat.begin_of(r);) {
            auto const& pass = flat.passes()[i];
            work += pass.duration;
            // Recomputation for pass i itself comes before its begin.
            auto const again = least.from(i - flat.begin_of(r) + (pass.recomputes ? 1 : 0));
            bound = std::max(bound, ends[i] - pass.duration + work + again + tails[flat.begin_of(r + 1) - 1]);
        }
    }
    return bound;
}

REPEBBLE_INLINE auto find_pipeline_bound(pipeline const& p, std::span<bytes const> budgets)
    -> std::optional<std::int64_t> {
    check_pipeline(p);
    REPEBBLE_ASSERT(budgets.size() == p.ranks);
    if (!detail::are_within(find_least_bytes(p), budgets)) return std::nullopt;
    std::int64_t bound = 0;
    for (auto const& stage : p.stages) bound += stage.forward + stage.input_gradient + 2 * stage.transfer;
    bound -= 2 * p.stages.back().transfer;
    for (std::size_t r = 0; r < p.ranks; ++r) {
        auto const found = detail::rank_bound(p, r, budgets[r]).find();
        // Times are whole; far more is taken off than was lost by rounding.
        bound = std::max(bound, static_cast<std::int64_t>(std::ceil(found * (1 - 1e-12L))));
    }
    return bound;
}

}  // namespace repebble::inline v0

#endif
