#ifndef REPEBBLE_TESTS_OFFLOAD_KNAPSACK_GAME_HPP
#define REPEBBLE_TESTS_OFFLOAD_KNAPSACK_GAME_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/detail/split_mix.hpp>
#include <repebble/offload/planning_environment.hpp>

namespace support {

/// A planning environment whose optimum is a knapsack cover: variables that are written, read and read again in reverse
/// order. Going on row by row, each may be removed at its first row or offloaded at its second, for its own price,
/// until enough bytes are free; it is a dead end to come to the second half without.
class knapsack_game {
  public:
    struct item {
        std::int64_t size, remove, offload;
    };
    static constexpr std::int64_t length = 1000;

    knapsack_game(std::vector<item> items, std::int64_t needed) : items_(std::move(items)), needed_(needed) { reset(); }
    /// Of n variables, half of whose bytes must be freed.
    knapsack_game(std::size_t n, std::uint64_t seed) {
        repebble::detail::split_mix random(seed);
        for (std::size_t k = 0; k < n; ++k) {
            auto const draw = [&](std::size_t most) { return static_cast<std::int64_t>(1 + random.below(most)); };
            items_.push_back({draw(9), draw(20), draw(20)});
            needed_ += items_.back().size;
        }
        needed_ = (needed_ + 1) / 2;
        reset();
    }

    [[nodiscard]] auto node_count() const -> std::size_t { return 1 + 3 * items_.size(); }
    [[nodiscard]] auto features(std::size_t v) const -> repebble::node_features {
        if (v == 0) return {0, 0, 0, 0, 0, 1};
        auto const& x = items_[variable(v)];
        auto const next = v <= 2 * items_.size() && v % 2 == 1 ? 1.0 : static_cast<double>(node_count() - v);
        return {static_cast<double>(x.size),
                static_cast<double>(x.offload),
                static_cast<double>(x.remove),
                next,
                static_cast<double>(v > 2 * items_.size() ? 0
                                    : v % 2 == 0          ? 1
                                                          : 2),
                std::ranges::count(valid_, v) > 0 ? 1.0 : 0.0};
    }
    /// Node 0 has a variable of its own.
    [[nodiscard]] auto variable(std::size_t v) const -> std::size_t {
        auto const n = items_.size();
        return v == 0 ? n : v <= 2 * n ? (v - 1) / 2 : 3 * n - v;
    }
    [[nodiscard]] auto begin(std::size_t v) const -> double { return static_cast<double>(v); }
    [[nodiscard]] auto time_once() const -> std::int64_t { return length; }
    [[nodiscard]] auto current() const -> std::size_t { return at_; }
    [[nodiscard]] auto valid_actions() const -> std::vector<std::size_t> const& { return valid_; }
    auto act(std::size_t v) -> std::int64_t {
        std::int64_t reward = 0;
        if (v != 0) {
            auto const& x = items_[variable(v)];
            gone_[variable(v)] = true;
            freed_ += x.size;
            reward = v % 2 == 0 ? -x.offload : -x.remove;
        }
        ++at_;
        update();
        return terminal() && !feasible() ? reward - 2 * length : reward;
    }
    [[nodiscard]] auto feasible() const -> bool { return freed_ >= needed_; }
    [[nodiscard]] auto terminal() const -> bool { return feasible() || at_ > 2 * items_.size(); }
    void reset() {
        at_ = 0;
        freed_ = 0;
        gone_.assign(items_.size(), false);
        update();
    }

    /// The least overhead of any plan, by trying all.
    [[nodiscard]] auto optimum() const -> std::int64_t {
        auto best = std::numeric_limits<std::int64_t>::max();
        for (std::size_t chosen = 0; chosen < std::size_t{1} << items_.size(); ++chosen) {
            std::int64_t bytes = 0, price = 0;
            for (std::size_t k = 0; k < items_.size(); ++k)
                if ((chosen >> k & 1U) != 0) {
                    bytes += items_[k].size;
                    price += std::min(items_[k].remove, items_[k].offload);
                }
            if (bytes >= needed_) best = std::min(best, price);
        }
        return best;
    }

  private:
    void update() {
        valid_.assign(1, 0);
        for (std::size_t v = 1; v <= std::min(at_, 2 * items_.size()); ++v)
            if (!gone_[variable(v)]) valid_.push_back(v);
    }

    std::vector<item> items_;
    std::int64_t needed_ = 0, freed_ = 0;
    std::size_t at_ = 0;
    std::vector<bool> gone_;
    std::vector<std::size_t> valid_;
};

static_assert(repebble::planning_environment<knapsack_game>);

}  // namespace support

#endif
