#ifndef REPEBBLE_ALLOCATE_IN_PLACE_HPP
#define REPEBBLE_ALLOCATE_IN_PLACE_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include <repebble/allocate/storage_history.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// Says whether an operation may write one of its outputs over a value that it reads, for all that the operation itself
/// cares: whether anybody else still needs the value is not its business. `always` allows everything.
template <class F>
concept overwrite_rule = requires(F const& may_overwrite, operation_index v, std::uint32_t output, value_index over) {
    { may_overwrite(v, output, over) } -> std::convertible_to<bool>;
};

struct in_place_options {
    /// Bytes by which a storage may be larger than the output that takes it over. A large storage that goes to a small
    /// output lives longer: with slack a schedule is returned only where its peak is lower than without.
    bytes slack = 0;
};

namespace detail {

/// Makes the steps of one schedule in place, the first step first.
template <quantity Time, class Rule>
class in_place_writer {
  public:
    in_place_writer(dataflow<Time> const& flow, schedule<> const& plan, Rule const& may_overwrite)
        : flow_(flow),
          plan_(plan),
          may_overwrite_(may_overwrite),
          history_(flow, plan),
          read_by_(history_.storage_count(), 0) {}

    [[nodiscard]] auto write(bytes slack) -> schedule<> {
        sizes_.assign(history_.storage_count(), 0);
        gone_.assign(plan_.steps.size(), false);
        ended_.assign(history_.stay_count(), false);
        schedule<> out;
        out.steps.reserve(plan_.steps.size());
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
            if (gone_[i]) continue;
            auto s = plan_.steps[i];
            if (s.what == action::compute) {
                measure_new(i, s);
                if (s.in_place) {
                    size_of_output(i, s) = sizes_[history_.taken_over(i)];
                } else if (auto const found = choose(i, slack)) {
                    give_up(i, *found, out);
                    auto const [u, j] = flow_.as_output(history_.stay(found->stay).what.value);
                    s.in_place = true;
                    s.output = found->output;
                    s.over = u;
                    s.over_output = j;
                    size_of_output(i, s) = sizes_[found->storage];
                }
            } else if (s.what == action::prefetch) {
                sizes_[history_.first_new(i)] = flow_.size(flow_.writes(s.vertex)[s.output]);
            }
            out.steps.push_back(s);
        }
        return out;
    }

  private:
    using history = storage_history<Time>;

    struct candidate {
        std::uint32_t output = 0;
        typename history::stay_id stay = 0;
        typename history::storage_id storage = 0;
    };

    void measure_new(std::size_t i, step<> const& s) {
        auto storage = history_.first_new(i);
        for (auto const value : flow_.writes(s.vertex))
            if (!flow_.is_view(value)) sizes_[storage++] = flow_.size(value);
    }
    auto size_of_output(std::size_t i, step<> const& s) -> bytes& {
        auto storage = history_.first_new(i);
        for (std::uint32_t j = 0; j < s.output; ++j)
            if (!flow_.is_view(flow_.writes(s.vertex)[j])) ++storage;
        return sizes_[storage];
    }

    /// What to write over what in step i: the largest output, over the storage that fits it best, of those the one that
    /// the schedule holds longest, then the value with the lowest index; nothing where nothing can be written over.
    [[nodiscard]] auto choose(std::size_t i, bytes slack) -> std::optional<candidate> {
        auto const v = plan_.steps[i].vertex;
        auto const readings = history_.readings(i);
        auto const outputs = flow_.writes(v);
        std::optional<candidate> best;
        std::tuple<bytes, bytes, std::size_t> best_key;
        for (auto const& r : readings) ++read_by_[r.storage];
        for (auto const& r : readings) {
            auto const over = history_.stay(r.stay).what.value;
            if (flow_.owners(over).size() != 1 || read_by_[r.storage] != 1) continue;
            auto const held_until = last_end(i, r.storage);
            if (!held_until || is_looked_at(i, r.storage)) continue;
            for (std::uint32_t j = 0; j < outputs.size(); ++j) {
                auto const size = flow_.size(outputs[j]);  // none: a view, or nothing to gain
                auto const excess = sizes_[r.storage] - size;
                std::tuple const key(size, -excess, *held_until);
                if (size == 0 || excess < 0 || excess > slack || (best && key <= best_key)) continue;
                if (!may_overwrite_(v, j, over)) continue;
                best = candidate{j, r.stay, r.storage};
                best_key = key;
            }
        }
        for (auto const& r : readings) read_by_[r.storage] = 0;
        return best;
    }

    /// Whether step i makes a view of a storage. A view that it reads may look at an older instance of the same owner.
    [[nodiscard]] auto is_looked_at(std::size_t i, typename history::storage_id storage) const -> bool {
        return std::ranges::any_of(flow_.writes(plan_.steps[i].vertex), [&](value_index output) {
            return flow_.is_view(output) && std::ranges::any_of(flow_.owners(output), [&](value_index owner) {
                       return seen_by(i, owner) == storage;
                   });
        });
    }
    /// Where step i sees an owner: as the game has it, in the first value that it reads of it.
    [[nodiscard]] auto seen_by(std::size_t i, value_index owner) const -> typename history::storage_id {
        auto reading = history_.readings(i).begin();
        for (auto const value : flow_.reads(plan_.steps[i].vertex))
            for (auto const o : flow_.owners(value)) {
                if (o == owner) return reading->storage;
                ++reading;
            }
        return history::none;
    }

    [[nodiscard]] auto is_there(std::size_t i, typename history::stay_id id) const -> bool {
        return history_.stay(id).begin < i && i <= history_.stay(id).end && !ended_[id];
    }
    /// When the storage ends by the schedule, where step i is its last use and nothing in it was copied; else nothing.
    [[nodiscard]] auto last_end(std::size_t i, typename history::storage_id storage) const
        -> std::optional<std::size_t> {
        if (history_.last_use(storage) != i) return std::nullopt;
        std::size_t last = i;
        for (auto const id : history_.stays_in(storage)) {
            if (!is_there(i, id)) continue;
            if (history_.stay(id).copied) return std::nullopt;
            last = std::max(last, history_.stay(id).end);
        }
        return last;
    }

    /// All that is in the storage goes before step i, but for what is written over.
    void give_up(std::size_t i, candidate const& found, schedule<>& out) {
        for (auto const id : history_.stays_in(found.storage)) {
            if (!is_there(i, id)) continue;
            auto const& stay = history_.stay(id);
            ended_[id] = true;
            if (plan_.steps[stay.end].what == action::discard) gone_[stay.end] = true;
            if (id == found.stay) continue;
            auto const [u, j] = flow_.as_output(stay.what.value);
            out.steps.push_back(
                {.what = action::discard, .output = j, .repetition = stay.what.computation, .vertex = u});
        }
    }

    dataflow<Time> const& flow_;
    schedule<> const& plan_;
    Rule const& may_overwrite_;
    history history_;
    std::vector<std::uint32_t> read_by_;  // per storage: values in it that the step at hand reads
    std::vector<bytes> sizes_;            // per storage, as far as written
    std::vector<bool> gone_;              // per step: a discard of what ended earlier
    std::vector<bool> ended_;             // per stay: earlier than by the schedule
};

struct write_in_place_fn {
    template <quantity Time, overwrite_rule Rule>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, schedule<> const& plan, Rule const& may_overwrite,
                                  in_place_options const& options = {}) const -> schedule<> {
        REPEBBLE_ASSERT(options.slack >= 0);
        in_place_writer<Time, Rule> writer(flow, plan, may_overwrite);
        auto exact = writer.write(0);
        if (options.slack == 0) return exact;
        auto loose = writer.write(options.slack);
        return peak(flow, loose) < peak(flow, exact) ? loose : exact;
    }

  private:
    template <quantity Time>
    [[nodiscard]] static auto peak(dataflow<Time> const& flow, schedule<> const& plan) -> bytes {
        return judge(flow, plan).result.peak;
    }
};

}  // namespace detail

/// The same computations in the same order, in place wherever an operation may write over what it reads. It may where
/// `may_overwrite` says so, nothing reads the storage later, under whatever name, the storage has exactly the bytes of
/// the output (but see `in_place_options`), no other output is a view of it, and neither copies between pools nor the
/// end of the schedule need it: what the schedule does not discard it keeps. For that the discards of all that is in
/// the storage come forward. Steps that are in place already stay so; chains of such steps have one storage.
///
/// The result passes every replay that the schedule passes, and its peak is never higher. Without slack no computation
/// has more bytes beside it than before; and where the schedule discards at once, as `liveness` does, each has the
/// fewest that one output in place over a storage of its size can give.
///
/// A greedy pass: T. Chen, B. Xu, C. Zhang, C. Guestrin: Training deep nets with sublinear memory cost (2016), section
/// 3, whose counter is 1 at a last use. It does not change the order of computations, put two outputs of an operation
/// in place, write into a part of a storage (as a concatenation could), or give a storage to an operation that does not
/// read it: that is for offsets.
///
/// O(steps · values per step · outputs) time.  Throws illegal_schedule where a step breaks a rule.
/// Requires: slack >= 0.
inline constexpr detail::write_in_place_fn write_in_place{};

}  // namespace repebble::inline v0

#endif
