#ifndef REPEBBLE_ALLOCATE_FIND_RACE_HPP
#define REPEBBLE_ALLOCATE_FIND_RACE_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/sharing.hpp>
#include <repebble/allocate/step_graph.hpp>
#include <repebble/allocate/step_order.hpp>
#include <repebble/allocate/touched_buffers.hpp>
#include <repebble/graph/csr_graph.hpp>

namespace repebble {

/// Why a plan of offsets is not safe when steps run in parallel: two buffers share bytes, and a step that touches the
/// first need not end before one that touches the second starts.
struct race {
    std::size_t first = 0;  ///< of the buffers the one that begins first
    std::size_t second = 0;
    std::size_t first_step = 0;   ///< touches `first`
    std::size_t second_step = 0;  ///< touches `second`
    std::string message{};
    friend auto operator==(race const&, race const&) -> bool = default;
};

namespace detail {

class race_finder {
  public:
    race_finder(step_graph const& steps, std::span<buffer const> buffers, step_order const& order)
        : steps_(steps), buffers_(buffers), order_(order) {
        for (auto const& touching : steps.touches) {
            auto& entries = entries_.emplace_back();
            for (auto const s : touching) {
                auto const follows = [&](step_index t) { return order.before(t, s); };
                if (std::ranges::none_of(touching, follows)) entries.push_back(s);
            }
        }
    }

    [[nodiscard]] auto between(std::size_t i, std::size_t j) const -> std::optional<race> {
        if (std::pair(buffers_[j].lifetime.lower, j) < std::pair(buffers_[i].lifetime.lower, i)) std::swap(i, j);
        auto const wrong = not_before(i, j);
        if (!wrong || !not_before(j, i)) return std::nullopt;
        auto const [s, t] = *wrong;
        return describe(i, j, s, t,
                        "step " + std::to_string(s) + ", which touches the first, need not end before step " +
                            std::to_string(t) + ", which touches the second, starts");
    }

    [[nodiscard]] static auto describe(std::size_t i, std::size_t j, std::size_t s, std::size_t t,
                                       std::string const& why) -> race {
        return {i, j, s, t, "buffers " + std::to_string(i) + " and " + std::to_string(j) + " share bytes: " + why};
    }

  private:
    /// A step that touches i and one that touches j, of which the former need not end before the latter starts.
    [[nodiscard]] auto not_before(std::size_t i, std::size_t j) const -> std::optional<csr_graph::edge> {
        for (auto const t : entries_[j])
            for (auto const s : steps_.touches[i])
                if (!order_.before(s, t)) return csr_graph::edge{s, t};
        return std::nullopt;
    }

    step_graph const& steps_;
    std::span<buffer const> buffers_;
    step_order const& order_;
    std::vector<std::vector<step_index>> entries_{};  // of each buffer: what touches it after no other that does
};

struct find_race_fn {
    [[nodiscard]] auto operator()(step_graph const& steps, std::span<buffer const> buffers,
                                  std::span<bytes const> offsets, std::span<csr_graph::edge const> more = {}) const
        -> std::optional<race> {
        require_touches(steps, buffers);
        if (auto const fault = overlap_in_time(buffers, offsets)) {
            auto [i, j] = std::pair(fault->first, *fault->second);
            if (buffers[j].lifetime.lower < buffers[i].lifetime.lower) std::swap(i, j);
            return race_finder::describe(i, j, steps.touches[i].back(), steps.touches[j].front(),
                                         "in the schedule itself, " + fault->message);
        }
        auto const order = order_of(steps, more);
        race_finder const finder(steps, buffers, order);
        auto by_offset = in_order_of_begin(buffers);
        std::ranges::stable_sort(by_offset, {}, [&](std::size_t i) { return offsets[i]; });
        for (auto at = by_offset.begin(); at != by_offset.end(); ++at)
            for (auto other = at + 1; other != by_offset.end(); ++other) {
                if (offsets[*other] >= offsets[*at] + buffers[*at].size) break;
                if (auto found = finder.between(*at, *other)) return found;
            }
        return std::nullopt;
    }
};

}  // namespace detail

/// Proves that a plan of offsets is safe in every order, also side by side, in which a step graph with more edges lets
/// steps run, or says where it is not. It is safe when of any two buffers with a byte in common all steps that touch
/// one are ancestors of all that touch the other. The edges may be those of `sharing_dependencies` or any others, and
/// nothing is taken from how a plan was made. Where buffers overlap in the schedule itself that is the answer; gaps
/// give nothing to others. Names one race, always the same.  O(m n / 64 + pairs with common bytes · touches) time, n²/8
/// bytes for n steps that are no discards.
/// Requires: an offset for each buffer.  Throws bad_buffer where a buffer is not touched, or is outside its lifetime,
/// or its offset is wrong alone; bad_graph where an edge names no step; not_a_dag where the edges have a cycle.
inline constexpr detail::find_race_fn find_race{};

}  // namespace repebble

#endif
