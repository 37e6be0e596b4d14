#ifndef REPEBBLE_CHAINS_DETAIL_OFFLOAD_TABLE_HPP
#define REPEBBLE_CHAINS_DETAIL_OFFLOAD_TABLE_HPP

// The dynamic program of Beaumont et al. 2019 over subchains and slots of memory, where the input of a stage and its
// tape may wait in host memory (the problem of Beaumont, Eyraud-Dubois, Shilova 2021), with copies that take time of
// their own. solve_offloaded.hpp reads plans from it.
//
// T(m, i, l, c): least time from x_i and the gradient of the output of l to the gradient of x_i, in m slots beside x_i;
// c: the host has a copy of x_i already. Either stage i records a tape, and i + 1 … l follow, or stages i … j - 1 run
// forward, j … l follow, and then i … j - 1 without them. Meanwhile x_i, and the tape beyond the output, may be in host
// memory: then they are copied out, unless they are there, and in again.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <repebble/chains/chain.hpp>
#include <repebble/chains/detail/table_size.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// Stages i … l, and whether the host has their input.
struct offload_problem {
    std::uint32_t i = 0, l = 0;
    bool copied = false;
};

/// The first decision of a plan for a subchain.
struct offload_choice {
    std::uint32_t at = 0;        ///< stages i … at - 1 run forward; at = i: stage i records a tape
    std::uint32_t tape = 0;      ///< where it records one
    bool input_out = false;      ///< whether the input waits in host memory
    bool tape_out = false;       ///< whether the tape waits there
    std::size_t slots_left = 0;  ///< for the stages from `at`, or from i + 1 on
};

/// The slots that a value takes, rounded up.
[[nodiscard]] constexpr auto slots_of(bytes size, bytes unit) -> std::size_t {
    return static_cast<std::size_t>(size / unit + (size % unit > 0 ? 1 : 0));
}

/// The slots in which every plan fits: more are of no use.  O(stages + tapes).
[[nodiscard]] inline auto slots_of_use(chain_sums const& sums, bytes unit) -> std::size_t {
    bytes waiting = 0;  // the largest gradient
    for (std::size_t i = 0; i <= sums.size(); ++i) waiting = std::max(waiting, sums.gradient(i));
    auto kept = slots_of(sums.value(0), unit);
    bytes running = 0;  // while a stage runs
    for (std::size_t i = 0; i < sums.size(); ++i) {
        auto const& s = sums.stage(i);
        std::size_t rest = 0;
        for (std::size_t tape = 0; tape < s.tapes.size(); ++tape) {
            rest = std::max(rest, slots_of(s.tapes[tape].saved - s.output, unit));
            running = std::max(
                {running, waiting + sums.value(i) + sums.recording_bytes(i, tape), sums.backward_bytes(i, tape)});
        }
        kept += slots_of(s.output, unit) + rest;
    }
    return kept + slots_of(running, unit);
}

/// Least times of all subchains in up to a number of slots. An output and the rest of its tape are rounded up each, so
/// that either may leave. O(L³ slots) time, 16 · L² / 2 · slots bytes.
class offload_table {
  public:
    /// copy_time(bytes): price of a copy, one way.  Requires: no sum of times overflows.
    /// Throws bad_weight, naming slots and stages, where the table takes more than 8 GiB.
    template <class CopyTime>
    offload_table(chain_sums const& sums, bytes unit, std::size_t slots, CopyTime const& copy_time)
        : sums_(&sums), unit_(unit), width_(slots + 1) {
        auto const n = static_cast<std::uint32_t>(sums.size());
        check_table_size(width_, std::uint64_t{n} * (n + std::uint64_t{1}) * sizeof(std::int64_t),
                         "a table of " + std::to_string(n) + " stages in " + std::to_string(slots) + " slots");
        for (std::uint32_t i = 0; i <= n; ++i) copy_.push_back(copy_time(sums.value(i)));
        for (std::uint32_t i = 0; i < n; ++i) {
            rest_copy_.emplace_back();
            for (auto const& tape : sums.stage(i).tapes)
                rest_copy_.back().push_back(copy_time(tape.saved - sums.stage(i).output));
        }
        least_.assign(std::size_t{n} * (n + 1) / 2 * width_ * 2, never);
        for (std::uint32_t length = 0; length < n; ++length)
            for (std::uint32_t i = 0; i + length < n; ++i)
                for (bool const copied : {false, true}) fill({i, i + length, copied});
    }

    /// The least time within so many slots beside the input of stage i; nothing where no plan fits.
    [[nodiscard]] auto time(offload_problem const& p, std::size_t slots) const -> std::optional<std::int64_t> {
        auto const least = row(p)[slots];
        return least < never ? std::optional(least) : std::nullopt;
    }
    /// A first decision of least time; `early`: of equal ones, one by which the most leaves, so that what waits longest
    /// is in host memory.  Requires: a plan fits.
    [[nodiscard]] auto choice(offload_problem const& p, std::size_t slots, bool early) const -> offload_choice {
        offload_choice best;
        auto least = never;
        for_each_choice(p, [&](offload_choice c, std::size_t needs, std::size_t frees, std::size_t keeps,
                               std::int64_t price, std::int64_t const* later, std::int64_t const* earlier) {
            if (slots < needs || slots + frees < keeps || slots + frees - keeps >= width_) return;
            c.slots_left = slots + frees - keeps;
            auto const t = sum(price, later, c.slots_left, earlier, slots);
            if (t < least || (early && t == least && (c.input_out || c.tape_out))) least = t, best = c;
        });
        return best;
    }

  private:
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max() / 4;

    [[nodiscard]] auto slots_of(bytes size) const -> std::size_t { return detail::slots_of(size, unit_); }
    /// Index of the first slot of a subchain's row.
    [[nodiscard]] auto place(offload_problem const& p) const -> std::size_t {
        auto const length = std::size_t{p.l} - p.i;
        auto const subchain = length * (2 * sums_->size() + 1 - length) / 2 + p.i;
        return (subchain * 2 + (p.copied ? 1 : 0)) * width_;
    }
    [[nodiscard]] auto row(offload_problem const& p) const -> std::int64_t const* { return least_.data() + place(p); }
    [[nodiscard]] static auto sum(std::int64_t price, std::int64_t const* later, std::size_t slots_left,
                                  std::int64_t const* earlier, std::size_t slots) -> std::int64_t {
        auto t = price;
        if (later != nullptr) t += later[slots_left];
        if (earlier != nullptr) t += earlier[slots];
        return std::min(t, never);
    }
    void fill(offload_problem const& p) {
        auto* const out = least_.data() + place(p);
        for_each_choice(p, [&](offload_choice const&, std::size_t needs, std::size_t frees, std::size_t keeps,
                               std::int64_t price, std::int64_t const* later, std::int64_t const* earlier) {
            auto const first = std::max(needs, keeps - std::min(keeps, frees));
            auto const last = std::min(width_, width_ + keeps - std::min(width_ + keeps, frees));
            for (auto m = first; m < last; ++m)
                out[m] = std::min(out[m], sum(price, later, m + frees - keeps, earlier, m));
        });
    }
    /// Calls f(choice, slots that it needs, slots that the input frees, slots that it keeps, price, row of the later
    /// stages, row of the earlier stages again) for every first decision.
    template <class F>
    void for_each_choice(offload_problem const& p, F const& f) const {
        auto const [i, l, copied] = p;
        auto const& s = sums_->stage(i);
        auto const input_copy = copied ? copy_[i] : copy_[i] + copy_[i];
        for (std::uint32_t tape = 0; tape < s.tapes.size(); ++tape) {
            auto const price = s.forward_time + s.backward_time + s.tapes[tape].extra_time;
            auto const needs = slots_of(
                std::max(sums_->gradient(l + 1) + sums_->recording_bytes(i, tape), sums_->backward_bytes(i, tape)));
            if (i == l) {
                f({i, tape, false, false}, needs, 0, 0, price, nullptr, nullptr);
                continue;
            }
            for (bool const input_out : {false, true})
                for (bool const tape_out : {false, true})
                    f({i, tape, input_out, tape_out}, needs, input_out ? slots_of(sums_->value(i)) : 0,
                      slots_of(s.output) + (tape_out ? 0 : slots_of(s.tapes[tape].saved - s.output)),
                      price + (input_out ? input_copy : std::int64_t{}) +
                          (tape_out ? rest_copy_[i][tape] + rest_copy_[i][tape] : std::int64_t{}),
                      row({i + 1, l, false}), nullptr);
        }
        auto const first = sums_->gradient(l + 1) + sums_->forward_bytes(i);
        bytes running = 0;  // of the stages after i, beside their inputs
        for (auto j = i + 1; j <= l; ++j) {
            if (j > i + 1)
                running = std::max(running, sums_->gradient(l + 1) + sums_->value(j - 1) + sums_->forward_bytes(j - 1));
            for (bool const input_out : {false, true}) {
                auto const frees = input_out ? slots_of(sums_->value(i)) : 0;
                auto const later = slots_of(running);
                f({j, 0, input_out, false}, std::max(slots_of(first), later - std::min(later, frees)), frees,
                  slots_of(sums_->value(j)), sums_->forward_time(i, j) + (input_out ? input_copy : std::int64_t{}),
                  row({j, l, false}), row({i, j - 1, copied || input_out}));
            }
        }
    }

    chain_sums const* sums_;
    bytes unit_;
    std::size_t width_;
    std::vector<std::int64_t> copy_;                    // of the value that stage i reads
    std::vector<std::vector<std::int64_t>> rest_copy_;  // of a tape beyond the output, by stage and tape
    std::vector<std::int64_t> least_;                   // by length, stage, whether it is copied, slots
};

}  // namespace repebble::inline v0::detail

#endif
