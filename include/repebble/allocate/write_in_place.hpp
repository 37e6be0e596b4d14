#ifndef REPEBBLE_ALLOCATE_WRITE_IN_PLACE_HPP
#define REPEBBLE_ALLOCATE_WRITE_IN_PLACE_HPP

// In-place computation as a greedy pass over a schedule: T. Chen, B. Xu, C. Zhang, C. Guestrin: Training deep nets with
// sublinear memory cost (2016), section 3, whose counter is 1 at a last use. It reads the reuse opportunities from
// `storage_history`; the planners call it on finished schedules.
// Invariant: computations and their order stay the same; the result passes every replay that the schedule passes, and
// its peak is never higher.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <repebble/allocate/storage_history.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/overwrite_rule.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// Options of `write_in_place`.
struct in_place_options {
    /// Bytes by which a storage may be larger than the output that takes it over. A large storage under a small output
    /// lives longer; with slack the result is used only if its peak is lower than without.
    bytes slack = 0;
};

namespace detail {

/// Rewrites the steps of one schedule in place, from the first to the last.
template <class Rule>
class in_place_writer {
  public:
    in_place_writer(dataflow const& flow, schedule<> const& plan, Rule const& may_overwrite)
        : flow_(flow),
          plan_(plan),
          may_overwrite_(may_overwrite),
          history_(flow, plan),
          reads_of_(history_.storage_count(), 0) {}

    [[nodiscard]] auto write(bytes slack) -> schedule<> {
        sizes_.assign(history_.storage_count(), 0);
        is_dropped_.assign(plan_.steps.size(), false);
        ended_early_.assign(history_.stay_count(), false);
        schedule<> out;
        out.steps.reserve(plan_.steps.size());
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
            if (is_dropped_[i]) continue;
            auto s = plan_.steps[i];
            if (s.what == action::compute) {
                measure_new(i, s);
                for (auto const& [output, storage] : history_.taken_over(i))
                    sizes_[std::exchange(new_storage_[output], history::none)] = sizes_[storage];
                if (s.in_place) {
                    out.steps.push_back(s);
                    continue;
                }
                if (auto const found = choose(i, slack)) {
                    discard_others(i, *found, out);
                    auto const [u, j] = flow_.as_output(history_.stay(found->stay).what.value);
                    s.in_place = true;
                    s.output = found->output;
                    s.over = u;
                    s.over_output = j;
                    sizes_[new_storage_[s.output]] = sizes_[found->storage];
                }
            } else if (s.what == action::prefetch) {
                sizes_[history_.first_new(i)] = flow_.size(flow_.writes(s.vertex)[s.output]);
            }
            out.steps.push_back(s);
        }
        return out;
    }

  private:
    using history = storage_history;

    struct candidate {
        std::uint32_t output = 0;
        typename history::stay_id stay = 0;
        typename history::storage_id storage = 0;
    };

    void measure_new(std::size_t i, step<> const& s) {
        new_storage_.clear();
        auto storage = history_.first_new(i);
        for (auto const value : flow_.writes(s.vertex)) {
            new_storage_.push_back(storage);
            if (!flow_.is_view(value)) sizes_[storage++] = flow_.size(value);
        }
    }

    /// The output and the storage that step i may write in place: the largest output, over the storage that fits it
    /// best, then the storage that the schedule keeps longest, then the value with the lowest index; nullopt if there
    /// is none.
    [[nodiscard]] auto choose(std::size_t i, bytes slack) -> std::optional<candidate> {
        auto const v = plan_.steps[i].vertex;
        auto const readings = history_.readings(i);
        auto const outputs = flow_.writes(v);
        std::optional<candidate> best;
        std::tuple<bytes, bytes, std::size_t> best_key;
        for (auto const& r : readings) ++reads_of_[r.storage];
        for (auto const& mutation : history_.taken_over(i)) reads_of_[mutation.storage] = 0;
        for (auto const& r : readings) {
            auto const over = history_.stay(r.stay).what.value;
            if (flow_.owners(over).size() != 1 || reads_of_[r.storage] != 1) continue;
            auto const kept_until = last_end(i, r.storage);
            if (!kept_until || gets_a_view(i, r.storage)) continue;
            for (std::uint32_t j = 0; j < outputs.size(); ++j) {
                if (new_storage_[j] == history::none) continue;
                auto const size = flow_.size(outputs[j]);  // 0: a view, or no gain
                auto const excess = sizes_[r.storage] - size;
                std::tuple const key(size, -excess, *kept_until);
                if (size == 0 || excess < 0 || excess > slack || (best && key <= best_key)) continue;
                if (!may_overwrite_(v, j, over)) continue;
                best = candidate{j, r.stay, r.storage};
                best_key = key;
            }
        }
        for (auto const& r : readings) reads_of_[r.storage] = 0;
        return best;
    }

    /// Whether step i makes a view of a storage. A view that it reads may see an older instance of the same owner.
    [[nodiscard]] auto gets_a_view(std::size_t i, typename history::storage_id storage) const -> bool {
        return std::ranges::any_of(flow_.writes(plan_.steps[i].vertex), [&](value_index output) {
            return flow_.is_view(output) && std::ranges::any_of(flow_.owners(output), [&](value_index owner) {
                       return seen_by(i, owner) == storage;
                   });
        });
    }
    /// The storage in which step i sees an owner: by the rule of the game, that of the first value of it that it reads.
    [[nodiscard]] auto seen_by(std::size_t i, value_index owner) const -> typename history::storage_id {
        auto reading = history_.readings(i).begin();
        for (auto const value : flow_.reads(plan_.steps[i].vertex))
            for (auto const o : flow_.owners(value)) {
                if (o == owner) return reading->storage;
                ++reading;
            }
        return history::none;
    }

    [[nodiscard]] auto is_resident(std::size_t i, typename history::stay_id id) const -> bool {
        return history_.stay(id).begin < i && i <= history_.stay(id).end && !ended_early_[id];
    }
    /// The step at which the schedule ends the storage, if step i is its last use and no value in it was copied; else
    /// nullopt.
    [[nodiscard]] auto last_end(std::size_t i, typename history::storage_id storage) const
        -> std::optional<std::size_t> {
        if (history_.last_use(storage) != i) return std::nullopt;
        std::size_t last = i;
        for (auto const id : history_.stays_in(storage)) {
            if (!is_resident(i, id)) continue;
            if (history_.stay(id).copied) return std::nullopt;
            last = std::max(last, history_.stay(id).end);
        }
        return last;
    }

    /// Ends every stay in the storage before step i, with a discard for each but the one that is overwritten.
    void discard_others(std::size_t i, candidate const& found, schedule<>& out) {
        for (auto const id : history_.stays_in(found.storage)) {
            if (!is_resident(i, id)) continue;
            auto const& stay = history_.stay(id);
            ended_early_[id] = true;
            if (plan_.steps[stay.end].what == action::discard) is_dropped_[stay.end] = true;
            if (id == found.stay) continue;
            auto const [u, j] = flow_.as_output(stay.what.value);
            out.steps.push_back(
                {.what = action::discard, .output = j, .repetition = stay.what.computation, .vertex = u});
        }
    }

    dataflow const& flow_;
    schedule<> const& plan_;
    Rule const& may_overwrite_;
    history history_;
    std::vector<std::uint32_t> reads_of_;  // per storage: values in it that the current step reads; overwritten: 0
    std::vector<typename history::storage_id> new_storage_;  // per output of the current step; none: it takes one over
    std::vector<bytes> sizes_;                               // per storage, as far as the steps are written
    std::vector<bool> is_dropped_;                           // per step: a discard of a stay that ended earlier
    std::vector<bool> ended_early_;                          // per stay: ended before its end in the schedule
};

struct write_in_place_fn {
    template <overwrite_rule Rule>
    [[nodiscard]] auto operator()(dataflow const& flow, schedule<> const& plan, Rule const& may_overwrite,
                                  in_place_options const& options = {}) const -> schedule<> {
        REPEBBLE_ASSERT(options.slack >= 0);
        in_place_writer<Rule> writer(flow, plan, may_overwrite);
        auto exact = writer.write(0);
        if (options.slack == 0) return exact;
        auto loose = writer.write(options.slack);
        return peak(flow, loose) < peak(flow, exact) ? loose : exact;
    }
    /// By the overwrites that the dataflow allows.
    [[nodiscard]] auto operator()(dataflow const& flow, schedule<> const& plan,
                                  in_place_options const& options = {}) const -> schedule<> {
        auto const is_allowed = [&flow](operation_index v, std::uint32_t output, value_index over) {
            auto const allowed = flow.allowed_overwrites(v);
            return std::ranges::find(allowed, overwrite{output, over}) != allowed.end();
        };
        return (*this)(flow, plan, is_allowed, options);
    }

  private:
    [[nodiscard]] static auto peak(dataflow const& flow, schedule<> const& plan) -> bytes {
        return verify_schedule(flow, plan).result.peak;
    }
};

}  // namespace detail

/// Returns the same computations in the same order, in place wherever possible. An operation writes over a value that
/// it reads if `may_overwrite` allows it, no later step reads the storage under any name, the storage has exactly the
/// bytes of the output (but see `in_place_options`), no other output is a view of it, and neither a copy between pools
/// nor the end of the schedule needs it: a value that the schedule does not discard is kept. The discards of the other
/// values in the storage move forward. Steps that are in place already stay so; chains of such steps share one storage.
/// Without `may_overwrite` the overwrites that the dataflow allows count. Results stay, and what a mutation overwrites
/// is left to it; another output of the same step may be in place.
///
/// Without slack no computation has more bytes beside it than before. If the schedule discards at once, as
/// `make_schedule` does, each computation has the fewest bytes that one output in place over a storage of its size can
/// give.
///
/// The pass does not reorder computations, put two outputs of an operation in place, write into a part of a storage (as
/// a concatenation could), or give a storage to an operation that does not read it: the planners of offsets do that.
///
/// O(steps · values per step · outputs) time.  Throws illegal_schedule if a step breaks a rule.
/// Requires: slack >= 0.
inline constexpr detail::write_in_place_fn write_in_place{};

}  // namespace repebble::inline v0

#endif
