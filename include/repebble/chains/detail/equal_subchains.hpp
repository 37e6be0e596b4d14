#ifndef REPEBBLE_CHAINS_DETAIL_EQUAL_SUBCHAINS_HPP
#define REPEBBLE_CHAINS_DETAIL_EQUAL_SUBCHAINS_HPP

// Numbers the distinct subchains of a chain, by their stages, so that the dynamic programs solve equal ones once:
// networks repeat blocks. Used by frontier/pareto_table.hpp and slots/slot_tiles.hpp.
// Invariant: subchains have the same number exactly when their stages are equal one by one; shorter ones are first.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <repebble/chains/chain.hpp>
#include <repebble/chains/detail/table_size.hpp>
#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// The classes of equal subchains. O(L²) time and space for L stages.
/// Throws bad_weight where they may take more than 8 GiB: above some 16,000 stages.
class equal_subchains {
  public:
    /// Where stop(), asked for each length, returns true, it is not complete, and nothing else counts.
    explicit equal_subchains(chain_sums const& sums, stop_test stop = never_stop{})
        : size_(static_cast<std::uint32_t>(sums.size())) {
        check_table_size(std::uint64_t{size_} * (std::uint64_t{size_} + 1) / 2, bytes_of_part,
                         "the table of all parts of a chain of " + std::to_string(size_) + " stages");
        auto const kinds = kinds_of(sums);
        number_.resize(place(0, size_));
        std::unordered_map<std::uint64_t, std::uint32_t> known;
        for (std::uint32_t length = 0; length < size_; ++length) {
            if (stop()) return;
            for (std::uint32_t i = 0; i + length < size_; ++i) {
                auto const l = i + length;
                // The key: the number of the subchain without its last stage, and the kind of that stage. The top bit
                // marks subchains of one stage.
                std::uint64_t const shorter =
                    length == 0 ? std::uint64_t{1} << 63U : std::uint64_t{of(i, l - 1)} << 32U;
                auto const [at, is_new] = known.try_emplace(shorter | kinds[l], count_);
                number_[place(i, l)] = at->second;
                if (!is_new) continue;
                first_.push_back(i);
                ++count_;
            }
        }
        complete_ = true;
    }

    [[nodiscard]] auto complete() const noexcept -> bool { return complete_; }

    /// The number of distinct subchains.
    [[nodiscard]] auto count() const noexcept -> std::size_t { return count_; }
    /// The number of subchain i … l. Shorter subchains have smaller numbers.
    [[nodiscard]] auto of(std::uint32_t i, std::uint32_t l) const -> std::uint32_t { return number_[place(i, l)]; }
    /// Whether subchain i … l is the leftmost of its class.
    [[nodiscard]] auto is_first(std::uint32_t i, std::uint32_t l) const -> bool { return first_[of(i, l)] == i; }

  private:
    static constexpr std::uint64_t bytes_of_part = 64;  // its number, the first of its class, and an entry of the map

    /// Index of a subchain, by length, then by begin.
    [[nodiscard]] auto place(std::uint32_t i, std::uint32_t l) const -> std::size_t {
        std::size_t const length = l - i;
        return length * size_ - length * (length - 1) / 2 + i;
    }
    [[nodiscard]] static auto kinds_of(chain_sums const& sums) -> std::vector<std::uint32_t> {
        std::vector<std::uint32_t> kinds, examples;
        auto const same = [&](std::size_t a, std::size_t b) {
            return sums.stage(a) == sums.stage(b) && sums.value(a) == sums.value(b) &&
                   sums.gradient(a) == sums.gradient(b);
        };
        for (std::uint32_t i = 0; i < sums.size(); ++i) {
            auto const known = std::ranges::find_if(examples, [&](auto e) { return same(e, i); });
            kinds.push_back(static_cast<std::uint32_t>(known - examples.begin()));
            if (known == examples.end()) examples.push_back(i);
        }
        return kinds;
    }

    std::uint32_t size_;
    std::uint32_t count_ = 0;
    bool complete_ = false;
    std::vector<std::uint32_t> number_;  // by subchain
    std::vector<std::uint32_t> first_;   // by number: the begin of its leftmost subchain
};

}  // namespace repebble::inline v0::detail

#endif
