#ifndef REPEBBLE_CHAINS_DETAIL_SLOTS_SLOT_KERNEL_HPP
#define REPEBBLE_CHAINS_DETAIL_SLOTS_SLOT_KERNEL_HPP

// The inner loops of the dynamic program in slots: solves one tile of subchains, by SIMD (min, +) tiles over the splits
// whose subchains lie in other tiles, then row by row over the others. Each thread of slot_table.hpp has one.
// Invariant: reads only rows of tiles nearer to the diagonal, and rows of its own tile that are finished.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/chains/detail/min_plus.hpp>
#include <repebble/chains/detail/slots/slot_rows.hpp>
#include <repebble/chains/detail/slots/slot_tiles.hpp>
#include <repebble/chains/slot_costs.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// The workspace of a thread that solves tiles, one after another.
template <class Lane>
class slot_kernel {
  public:
    explicit slot_kernel(slot_tiles<Lane>& solution)
        : solution_(solution),
          width_(static_cast<std::size_t>(solution.last) + 5 * slot_block),
          lanes_(side * side * width_),
          impossible_(slot_block, solution.none),
          zeros_(static_cast<std::size_t>(solution.last) + 2 * slot_block, Lane{}) {}

    /// Solves a tile and stores the rows that it owns.  Requires: tiles nearer to the diagonal are solved.
    void solve(subchain_tile const& t, slot_store<Lane>& store, std::size_t thread) {
        auto const i0 = t.row * side, i1 = std::min(solution_.size, i0 + side);
        auto const l0 = t.column * side, l1 = std::min(solution_.size, l0 + side);
        bool all_known = true;
        for (auto i = i0; i < i1; ++i)
            for (auto l = std::max(i, l0); l < l1; ++l) all_known = all_known && solution_.is_known(t, i, l);
        if (all_known) return;
        std::ranges::fill(lanes_, solution_.none);
        for (auto i = i1; i-- > i0;) {
            auto const keeps = solution_.costs.keeps(i, l1);
            for (auto l = std::max(i, l0); l < l1; ++l) {
                keep_[i % side][l % side] = keeps[l - i];
                full_[i % side][l % side] = least_full(t, i, l);
            }
        }
        if (t.row < t.column) split_outside(t);
        for (auto l = l0; l < l1; ++l)
            for (auto i = std::min(i1, l + 1); i-- > i0;) {
                auto const number = solution_.subchains.of(i, l);
                if (solution_.is_known(t, i, l)) {
                    rows_[i % side][l % side] = solution_.rows[number];
                    continue;
                }
                rows_[i % side][l % side] = finish(t, i, l);
                if (solution_.owner[number] != t.place() || solution_.rows[number].before) continue;
                solution_.rows[number] = store.keep(rows_[i % side][l % side], thread);
                solution_.full[number] = full_[i % side][l % side];
            }
    }

  private:
    static constexpr auto side = subchain_tile::side;
    static constexpr auto block = static_cast<slot_count>(slot_block);

    [[nodiscard]] auto lanes_of(std::uint32_t i, std::uint32_t l) -> Lane* {
        return lanes_.data() + ((i % side) * side + l % side) * width_;
    }

    /// The least number of slots, beside the input, with which every stage records a tape without extra time.
    [[nodiscard]] auto least_full(subchain_tile const& t, std::uint32_t i, std::uint32_t l) const -> slot_count {
        auto const rest = i == l ? 0
                          : i + 1 < std::min(solution_.size, (t.row + 1) * side)
                              ? full_[(i + 1) % side][l % side]
                              : solution_.full[solution_.subchains.of(i + 1, l)];
        auto const& tapes = solution_.sums.stage(i).tapes;
        auto least = solution_.last + 1;
        for (std::uint32_t tape = 0; tape < tapes.size(); ++tape)
            if (!(tapes[tape].extra_time > std::int64_t{}))
                least = std::min(least, std::max(solution_.costs.save(i, tape, l, keep_[i % side][l % side]),
                                                 i == l ? 0 : solution_.costs.saved(i, tape) + rest));
        return least;
    }
    /// The last slot, beside the input, that must be computed.
    [[nodiscard]] auto top(std::uint32_t i, std::uint32_t l) const -> slot_count {
        return std::min(full_[i % side][l % side], solution_.last - solution_.costs.value(i));
    }

    /// Splits at checkpoints j between the tile's rows and columns, whose subchains lie in other tiles.
    void split_outside(subchain_tile const& t) {
        auto const i0 = t.row * side, i1 = i0 + side;
        auto const l0 = t.column * side, l1 = std::min(solution_.size, l0 + side);
        std::array<std::array<slot_row<Lane>, side>, side> left{}, right{};
        std::array<Lane, side> added{};
        std::array<std::array<slot_count, side / tile_side>, side / tile_side> tops{};
        slot_count highest = -1;
        for (auto i = i0; i < i1; ++i)
            for (auto l = l0; l < l1; ++l) {
                auto& of_these = tops[i % side / tile_side][l % side / tile_side];
                of_these = std::max(of_these, top(i, l));
                highest = std::max(highest, of_these);
            }
        constexpr auto far = std::numeric_limits<slot_count>::max() / 2;
        slot_row<Lane> const impossible{impossible_.data(), far, far};
        for (auto j0 = i1; j0 <= l0; j0 += side) {
            auto const count = std::min<std::uint32_t>(side, l0 + 1 - j0);
            for (std::uint32_t j = 0; j < count; ++j) {
                added[j] = solution_.forward[j0 + j];
                for (std::uint32_t k = 0; k < side; ++k) {
                    left[j][k] = solution_.row(i0 + k, j0 + j - 1);
                    right[j][k] = l0 + k < l1 ? solution_.row(j0 + j, l0 + k) : impossible;
                }
            }
            for (slot_count slot = 0; slot <= highest; slot += block)
                split_block(t, {left, right, added, tops, count}, slot);
        }
    }
    /// Operands of `split_block`.
    struct outside {
        std::array<std::array<slot_row<Lane>, side>, side> const& left;
        std::array<std::array<slot_row<Lane>, side>, side> const& right;
        std::array<Lane, side> const& added;
        std::array<std::array<slot_count, side / tile_side>, side / tile_side> const& tops;
        std::uint32_t count;
    };
    /// The splits of a tile at a block of slots.
    void split_block(subchain_tile const& t, outside const& o, slot_count slot) {
        std::array<std::array<Lane const*, side>, side> rows{}, cols{};
        std::array<std::uint32_t, side> possible_rows{}, possible_cols{};
        std::array<slot_count, side> input{};
        for (std::uint32_t k = 0; k < side; ++k) input[k] = solution_.costs.value(t.row * side + k);
        for (std::uint32_t j = 0; j < o.count; ++j)
            for (std::uint32_t k = 0; k < side; ++k) {
                auto const from = std::min(slot + input[k], solution_.last + 1);
                rows[j][k] = o.left[j][k].block(from);
                cols[j][k] = o.right[j][k].block(slot);
                __builtin_prefetch(rows[j][k] + 2 * block);
                __builtin_prefetch(cols[j][k] + 2 * block);
                possible_rows[j] |= std::uint32_t{from + block > o.left[j][k].start} << k;
                possible_cols[j] |= std::uint32_t{slot + block > o.right[j][k].start} << k;
            }
        std::array<std::uint8_t, side> which{};
        std::array<Lane*, tile_side * tile_side> out{};
        constexpr std::uint32_t some = (1U << tile_side) - 1;
        for (std::uint32_t r = 0; r < side; r += tile_side)
            for (std::uint32_t c = 0; c < side; c += tile_side) {
                if (slot > o.tops[r / tile_side][c / tile_side]) continue;
                std::size_t count = 0;
                for (std::uint32_t j = 0; j < o.count; ++j) {
                    which[count] = static_cast<std::uint8_t>(j);
                    bool const possible = (possible_rows[j] >> r & some) != 0 && (possible_cols[j] >> c & some) != 0;
                    count += possible ? 1 : 0;
                }
                if (count == 0) continue;
                for (std::uint32_t k = 0; k < tile_side * tile_side; ++k)
                    out[k] = lanes_of(r + k / tile_side, c + k % tile_side) + block +
                             std::min(slot + input[r + k / tile_side], solution_.last + 1 + block);
                kernels_.tile(
                    {rows[0].data() + r, cols[0].data() + c, side, o.added.data(), which.data(), count, out.data()});
            }
    }

    /// The row of a subchain, once `split_outside` has run: adds all other splits and finds start and end.
    [[nodiscard]] auto finish(subchain_tile const& t, std::uint32_t i, std::uint32_t l) -> slot_row<Lane> {
        auto* const lanes = lanes_of(i, l) + block;  // of slot 0
        auto const input = solution_.costs.value(i);
        auto const keep = keep_[i % side][l % side];
        auto const highest = top(i, l);
        auto* const own = lanes + input;
        if (t.row < t.column) {
            std::fill(own, own + std::clamp(keep, 0, solution_.last + 1 - input), solution_.none);
            for (auto m = std::max(0, keep); m <= highest; ++m)
                own[m] = own[m] >= solution_.none ? solution_.none : own[m] - solution_.forward[i];
        }
        auto const add = [&](slot_row<Lane> const& row, slot_row<Lane> const& col, Lane added, slot_count from) {
            for (auto m = std::max({from, row.start - input, col.start}); m <= highest;) {
                auto const all_left = m + input >= row.end, all_right = m >= col.end;
                auto const next = std::min(
                    {highest + 1, all_left ? highest + 1 : row.end - input, all_right ? highest + 1 : col.end});
                kernels_.row({all_left ? zeros_.data() : row.block(m + input), all_right ? zeros_.data() : col.block(m),
                              added, own + m, static_cast<std::size_t>(next - m)});
                m = next;
            }
        };
        auto const local = [&](std::uint32_t a, std::uint32_t b) -> slot_row<Lane> const& {
            bool const inside = a / side == t.row && b / side == t.column;
            return inside ? rows_[a % side][b % side] : solution_.row(a, b);
        };
        auto const split = [&](std::uint32_t j) {
            add(local(i, j - 1), local(j, l), solution_.forward[j] - solution_.forward[i], keep);
        };
        auto const inside = std::min((t.row + 1) * side - 1, l);
        for (auto j = i + 1; j <= inside; ++j) split(j);
        if (t.row < t.column)
            for (auto j = t.column * side + 1; j <= l; ++j) split(j);
        for (std::uint32_t tape = 0; tape < solution_.sums.stage(i).tapes.size(); ++tape) {
            auto const extra = static_cast<Lane>(solution_.sums.stage(i).tapes[tape].extra_time);
            auto from = solution_.costs.save(i, tape, l, keep);
            if (i == l) {
                for (auto m = from; m <= highest; ++m) own[m] = std::min(own[m], extra);
                continue;
            }
            // The row of the rest counts the slots of its input, which are part of the tape.
            auto const& rest = local(i + 1, l);
            auto const more = solution_.costs.saved(i, tape) - solution_.costs.value(i + 1);
            from = std::max(from, rest.start + more);
            auto const to = std::min(highest + 1, rest.end + more);
            if (from < to)
                kernels_.row(
                    {rest.block(from - more), zeros_.data(), extra, own + from, static_cast<std::size_t>(to - from)});
            for (auto m = std::max(from, to); m <= highest; ++m) own[m] = std::min(own[m], extra);
        }
        if (full_[i % side][l % side] <= solution_.last - input)
            std::fill(own + full_[i % side][l % side], lanes + solution_.last + 1, Lane{});
        auto const possible = std::find_if(own, lanes + solution_.last + 1, [&](Lane v) { return v < solution_.none; });
        auto const start = static_cast<slot_count>(possible - lanes) / block * block;
        auto const end = (full_[i % side][l % side] + input + block - 1) / block * block;
        return {lanes + start - block, start, std::clamp(end, start, solution_.last + 1)};
    }

    slot_tiles<Lane>& solution_;
    min_plus_kernels<Lane> kernels_ = fastest_min_plus<Lane>();
    std::size_t width_;
    std::vector<Lane> lanes_;  // by subchain of the tile: a block, the slots, and padding for blocks that begin there
    std::array<std::array<slot_row<Lane>, side>, side> rows_{};
    std::array<std::array<slot_count, side>, side> full_{}, keep_{};
    std::vector<Lane> impossible_, zeros_;
};

}  // namespace repebble::inline v0::detail

#endif
