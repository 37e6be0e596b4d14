// Covers chains/detail/slots/slot_kernel.hpp, chains/detail/slots/slot_tiles.hpp, chains/detail/slots/slot_rows.hpp.
// The rows that the kernel stores, against the plain loops over subchains, splits and slots.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <rapidcheck.h>

#include <repebble/chains/chain.hpp>
#include <repebble/chains/detail/slots/slot_kernel.hpp>
#include <repebble/chains/detail/slots/slot_rows.hpp>
#include <repebble/chains/detail/slots/slot_tiles.hpp>
#include <repebble/chains/slot_costs.hpp>

#include "chains/random_chain.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

using detail::slot_count;

constexpr auto side = detail::subchain_tile::side;

/// All rows by the kernel, tile by tile away from the diagonal.
template <class Lane>
struct by_kernel {
    by_kernel(detail::chain_sums const& sums, detail::slot_costs const& costs, slot_count slots)
        : tiles(sums, costs, slots) {
        detail::slot_kernel<Lane> kernel(tiles);
        auto const count = (tiles.size + side - 1) / side;
        for (std::uint32_t apart = 0; apart < count; ++apart)
            for (std::uint32_t row = 0; row + apart < count; ++row) kernel.solve({row, row + apart}, store, 0);
    }
    /// The overhead within slots, those of the input included.
    [[nodiscard]] auto least(std::uint32_t i, std::uint32_t l, slot_count slots) const -> std::optional<std::int64_t> {
        auto const found = tiles.row(i, l).at(slots);
        return found < tiles.none ? std::optional(static_cast<std::int64_t>(found)) : std::nullopt;
    }

    detail::slot_tiles<Lane> tiles;
    detail::slot_store<Lane> store{1};
};

/// The same by the recursion over splits: one loop over slots in another over checkpoints.
class by_loops {
  public:
    by_loops(detail::chain_sums const& sums, detail::slot_costs const& costs, slot_count slots)
        : costs_(costs), slots_(slots), size_(sums.size()), rows_(size_ * size_) {
        for (std::size_t i = size_; i-- > 0;) {
            auto const keeps = costs.keeps(i, size_);
            for (std::size_t l = i; l < size_; ++l) {
                auto const keep = keeps[l - i];
                auto& row = rows_[i * size_ + l];
                row.assign(static_cast<std::size_t>(slots) + 1, std::nullopt);
                for (slot_count left = 0; left + costs.value(i) <= slots; ++left) {
                    auto& best = row[static_cast<std::size_t>(left + costs.value(i))];
                    auto const offer = [&](std::int64_t added, std::optional<std::int64_t> rest) {
                        if (rest && (!best || added + *rest < *best)) best = added + *rest;
                    };
                    for (std::size_t tape = 0; tape < sums.stage(i).tapes.size(); ++tape) {
                        if (left < costs.save(i, tape, l, keep)) continue;
                        offer(sums.stage(i).tapes[tape].extra_time,
                              i == l ? 0 : beside(i + 1, l, left - costs.saved(i, tape)));
                    }
                    if (left < keep) continue;
                    for (auto j = i + 1; j <= l; ++j)
                        if (auto const before = beside(i, j - 1, left))
                            offer(sums.forward_time(i, j) + *before, beside(j, l, left - costs.value(j)));
                }
            }
        }
    }
    [[nodiscard]] auto least(std::size_t i, std::size_t l, slot_count slots) const -> std::optional<std::int64_t> {
        return slots < 0 ? std::nullopt : rows_[i * size_ + l][static_cast<std::size_t>(slots)];
    }

  private:
    /// Within so many slots beside the input.
    [[nodiscard]] auto beside(std::size_t i, std::size_t l, slot_count left) const -> std::optional<std::int64_t> {
        if (left < 0 || left + costs_.value(i) > slots_) return std::nullopt;
        return least(i, l, left + costs_.value(i));
    }

    detail::slot_costs const& costs_;
    slot_count slots_;
    std::size_t size_;
    std::vector<std::vector<std::optional<std::int64_t>>> rows_;
};

template <class Lane>
auto rows_agree(chain const& of, memory_test test, slot_rounding round, bytes unit, slot_count slots) -> bool {
    detail::chain_sums const sums(of);
    detail::slot_costs const costs(sums, test, round, unit, slots);
    by_kernel<Lane> const found(sums, costs, slots);
    by_loops const expected(sums, costs, slots);
    for (std::uint32_t i = 0; i < sums.size(); ++i)
        for (auto l = i; l < sums.size(); ++l)
            for (slot_count m = 0; m <= slots; ++m)
                if (found.least(i, l, m) != expected.least(i, l, m)) return false;
    return true;
}

}  // namespace

TEST_CASE("slot_kernel: two equal stages and a loss, by hand", "[chain]") {
    chain of{.input = 4, .input_gradient = 4};
    of.stages.assign(2, {1, 2, 4, 4, 0, {{.saved = 6}}});
    of.stages.push_back({0, 0, 0, 0, 0, {{}}});
    detail::chain_sums const sums(of);
    detail::slot_costs const costs(sums, memory_test::tight, slot_rounding::up, 1, 30);
    by_kernel<std::int32_t> const rows(sums, costs, 30);
    CHECK_FALSE(rows.least(0, 2, 21));
    CHECK(rows.least(0, 2, 22) == 1);  // the first stage runs twice
    CHECK(rows.least(0, 2, 23) == 1);
    CHECK(rows.least(0, 2, 24) == 0);
    CHECK(rows.least(0, 2, 30) == 0);
    CHECK_FALSE(rows.least(1, 1, 17));
    CHECK(rows.least(1, 1, 18) == 0);  // input and tape, 10, and both gradients
}

TEST_CASE("slot_kernel: the rows are those of the plain loops", "[chain][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const of = support::random_chain(random, {.stages = 1 + support::below(random, 3 * side),
                                                       .most_tapes = 1 + support::below(random, 2),
                                                       .most_size = 4,
                                                       .negative = support::chance(random, 30),
                                                       .alike = support::chance(random, 50)});
        auto const test = support::chance(random, 50) ? memory_test::tight : memory_test::published;
        auto const round =
            support::pick(random, std::vector{slot_rounding::up, slot_rounding::down, slot_rounding::nearest});
        auto const slots = static_cast<slot_count>(support::between(random, 0, 60));
        auto const unit = support::between(random, 1, 3);
        RC_ASSERT(rows_agree<std::int32_t>(of, test, round, unit, slots));
        if (support::chance(random, 50)) RC_ASSERT(rows_agree<std::int64_t>(of, test, round, unit, slots));
    }));
}
