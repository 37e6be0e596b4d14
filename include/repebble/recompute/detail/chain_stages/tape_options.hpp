#ifndef REPEBBLE_RECOMPUTE_DETAIL_CHAIN_STAGES_TAPE_OPTIONS_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CHAIN_STAGES_TAPE_OPTIONS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <repebble/chains/chain.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/recompute/detail/chain_stages/stage_memory.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0::detail {

/// In which stages values are made and used last; of values that are always there, none and 0.
struct value_stages {
    std::vector<std::uint32_t> made_in{}, last_in{};
};

/// A way to save a stage, and what runs when it runs backward then.
template <quantity Time>
struct tape_run {
    stage_tape<Time> saving{};
    std::vector<operation_index> backward{};
};

/// The ways in which a stage of a training graph may save: all that its gradients read, and step by step less, by what
/// costs least time per byte to compute again.
template <quantity Time>
class tape_options {
  public:
    /// `output`: what it hands on; `gradients`: of that, and of its input, together.
    tape_options(planning_graph<Time> const& graph, value_stages const& stages, stage_memory<Time>& runs,
                 std::uint32_t i, std::span<operation_index const> forward, std::span<operation_index const> backward,
                 bytes output, bytes gradient, bytes gradients)
        : graph_(graph),
          stages_(stages),
          runs_(runs),
          i_(i),
          forward_(forward),
          backward_(backward),
          output_(output),
          gradients_(gradients),
          there_(graph.flow().value_count()) {
        auto const& flow = graph.flow();
        vertex_set by_gradients(flow.value_count());
        bytes read = 0;
        for (auto const v : backward)
            for (auto const value : flow.reads(v)) {
                by_gradients.insert(value);
                if (!is_forward(value) && stages.made_in[value] > i) arriving_.push_back(value);
            }
        sort_unique(arriving_);
        for (auto const value : arriving_) read += flow.size(value);
        passing_ = gradient - read;
        for (auto const v : forward)
            for (auto const value : flow.writes(v)) {
                if (stages.made_in[value] != i) continue;
                if (stages.last_in[value] > i || (flow.size(value) == 0 && by_gradients.contains(value))) {
                    there_.insert(value);
                } else if (by_gradients.contains(value)) {
                    kept_.push_back(value);
                }
            }
        for (auto const value : kept_) there_.insert(value);
    }

    /// At most so many, the largest first.
    [[nodiscard]] auto list(std::size_t most) -> std::vector<tape_run<Time>> {
        std::vector<tape_run<Time>> all{now()};
        if (most < 2) return all;
        constexpr std::size_t few = 24;  // so that what each costs can be tried
        if (kept_.size() > few) {
            auto const price = [&](value_index value) {
                return static_cast<double>(graph_.flow().time(graph_.flow().producers(value).front())) /
                       static_cast<double>(graph_.flow().size(value));
            };
            std::ranges::stable_sort(kept_, [&](auto a, auto b) { return price(a) > price(b); });
        }
        auto const step = std::max<std::size_t>(1, kept_.size() / few);
        while (!kept_.empty()) {
            if (kept_.size() <= few) std::swap(kept_[cheapest(all.back())], kept_.back());
            for (auto left = std::min(step, kept_.size()); left > 0; --left) {
                there_.erase(kept_.back());
                kept_.pop_back();
            }
            all.push_back(now());
        }
        return few_of(std::move(all), most);
    }

  private:
    [[nodiscard]] auto is_forward(value_index value) const -> bool {
        return graph_.number(graph_.flow().producers(value).front()) != graph_.none;
    }
    [[nodiscard]] auto is_made_here(value_index value) const -> bool {
        return stages_.made_in[value] == i_ && is_forward(value);
    }
    /// The backward run where only `there_` is saved.
    [[nodiscard]] auto run() -> std::vector<operation_index> {
        return runs_.with_missing(backward_,
                                  [&](value_index value) { return is_made_here(value) && !there_.contains(value); });
    }
    [[nodiscard]] auto extra_time(std::span<operation_index const> run) const -> Time {
        Time extra{};
        for (auto const v : run)
            if (graph_.number(v) != graph_.none) extra = checked_add(extra, graph_.flow().time(v), "times");
        return extra;
    }
    /// Which of what is kept to leave out next.
    [[nodiscard]] auto cheapest(tape_run<Time> const& before) -> std::size_t {
        std::size_t best = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < kept_.size(); ++k) {
            there_.erase(kept_[k]);
            auto const more = static_cast<double>(extra_time(run()) - before.saving.extra_time) /
                              static_cast<double>(graph_.flow().size(kept_[k]));
            there_.insert(kept_[k]);
            if (!(more < least)) continue;
            least = more;
            best = k;
        }
        return best;
    }
    /// Where `there_` is saved.
    [[nodiscard]] auto now() -> tape_run<Time> {
        auto const& flow = graph_.flow();
        tape_run<Time> made{{.saved = output_}, run()};
        for (auto const value : kept_) made.saving.saved += flow.size(value);
        made.saving.forward_workspace = runs_.peak(
                                            forward_, {}, [&](value_index value) { return is_made_here(value); },
                                            [&](value_index value) { return there_.contains(value); }) -
                                        made.saving.saved;
        made.saving.extra_time = extra_time(made.backward);
        auto before = arriving_;
        there_.for_each([&](std::size_t value) { before.push_back(static_cast<value_index>(value)); });
        auto const peak = runs_.peak(
            made.backward, before, [&](value_index value) { return is_made_here(value) || is_gradient(value); },
            [&](value_index value) { return is_gradient(value) && stages_.last_in[value] < i_; });
        made.saving.backward_workspace = peak + passing_ - made.saving.saved - gradients_;
        return made;
    }
    [[nodiscard]] auto is_gradient(value_index value) const -> bool {
        return !is_forward(value) && stages_.made_in[value] != planning_graph<Time>::none;
    }
    /// Without those that are no better than another; of the others the first and the last, and some between them.
    [[nodiscard]] static auto few_of(std::vector<tape_run<Time>> all, std::size_t most) -> std::vector<tape_run<Time>> {
        auto const better = [](stage_tape<Time> const& a, stage_tape<Time> const& b) {
            return a.saved <= b.saved && a.extra_time <= b.extra_time &&
                   a.saved + a.forward_workspace <= b.saved + b.forward_workspace &&
                   a.saved + a.backward_workspace <= b.saved + b.backward_workspace;
        };
        std::vector<tape_run<Time>> useful, few;
        for (std::size_t k = 0; k < all.size(); ++k) {
            bool useless = false;
            for (std::size_t other = 0; other < all.size() && !useless; ++other)
                useless = other != k && better(all[other].saving, all[k].saving) &&
                          (other < k || !better(all[k].saving, all[other].saving));
            if (!useless) useful.push_back(all[k]);
        }
        auto const count = std::min(useful.size(), most);
        for (std::size_t k = 0; k < count; ++k)
            few.push_back(std::move(useful[count == 1 ? 0 : k * (useful.size() - 1) / (count - 1)]));
        return few;
    }

    planning_graph<Time> const& graph_;
    value_stages const& stages_;
    stage_memory<Time>& runs_;
    std::uint32_t i_;
    std::span<operation_index const> forward_, backward_;
    bytes output_, gradients_;
    bytes passing_ = 0;                  ///< gradients from later stages for earlier ones
    std::vector<value_index> arriving_;  ///< gradients from later stages for this one
    std::vector<value_index> kept_;      ///< that its gradients read, and no other stage
    vertex_set there_;                   ///< all that is saved
};

}  // namespace repebble::inline v0::detail

#endif
