#ifndef REPEBBLE_RECOMPUTE_AUGMENTED_FLOW_HPP
#define REPEBBLE_RECOMPUTE_AUGMENTED_FLOW_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace repebble::detail {

/// A maximum flow that goes on after capacities have grown: what a parametric minimum cut needs, and libraries do not
/// offer. Dinic's algorithm (1970) on whole numbers, so that the value is exact.
class augmented_flow {
  public:
    using node = std::uint32_t;
    using arc = std::uint32_t;
    static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max() / 4;  // two of them can be added

    augmented_flow(std::size_t nodes, node source, node sink) : nodes_(nodes), source_(source), sink_(sink) {}

    /// Before `build`.
    auto add_arc(node from, node to, std::int64_t capacity) -> arc {
        from_.push_back(from);
        to_.push_back(to);
        residual_.push_back(capacity);
        from_.push_back(to);
        to_.push_back(from);
        residual_.push_back(0);
        return static_cast<arc>(to_.size() - 2);
    }
    void build() {
        start_.assign(nodes_ + 1, 0);
        for (auto const v : from_) ++start_[v + 1];
        for (std::size_t v = 0; v < nodes_; ++v) start_[v + 1] += start_[v];
        arcs_.resize(to_.size());
        auto next = start_;
        for (arc e = 0; e < to_.size(); ++e) arcs_[next[from_[e]]++] = e;
        level_.resize(nodes_);
        queue_.resize(nodes_);
    }
    void grow(arc e, std::int64_t more) { residual_[e] += more; }

    /// Makes the flow a maximum one, or one that is not limited.  Returns its value.
    auto maximise() -> std::int64_t {
        while (value_ < unlimited && reaches_sink()) {
            next_.assign(start_.begin(), start_.end() - 1);
            push_all();
        }
        return value_;
    }
    /// The source's side of the minimum cut that has the fewest nodes there, after `maximise`.
    [[nodiscard]] auto source_side() const -> std::vector<bool> {
        return reached_from(source_, [&](arc e) { return residual_[e]; });
    }
    /// That of the one that has the most.
    [[nodiscard]] auto largest_source_side() const -> std::vector<bool> {
        auto side = reached_from(sink_, [&](arc e) { return residual_[e ^ 1U]; });
        side.flip();
        return side;
    }

  private:
    static constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();

    template <class Capacity>
    [[nodiscard]] auto reached_from(node start, Capacity&& capacity) const -> std::vector<bool> {
        std::vector<bool> seen(nodes_, false);
        std::vector<node> stack{start};
        seen[start] = true;
        while (!stack.empty()) {
            auto const v = stack.back();
            stack.pop_back();
            for (auto k = start_[v]; k < start_[v + 1]; ++k)
                if (auto const e = arcs_[k]; capacity(e) > 0 && !seen[to_[e]]) {
                    seen[to_[e]] = true;
                    stack.push_back(to_[e]);
                }
        }
        return seen;
    }

    /// Levels are distances to the sink.
    auto reaches_sink() -> bool {
        std::ranges::fill(level_, unreached);
        level_[sink_] = 0;
        queue_[0] = sink_;
        for (std::size_t head = 0, tail = 1; head < tail; ++head) {
            auto const v = queue_[head];
            for (auto k = start_[v]; k < start_[v + 1]; ++k) {
                auto const e = arcs_[k];
                auto const u = to_[e];
                if (residual_[e ^ 1U] <= 0 || level_[u] != unreached) continue;
                level_[u] = level_[v] + 1;
                if (u == source_) return true;
                queue_[tail++] = u;
            }
        }
        return false;
    }
    void push_all() {
        path_.clear();
        for (auto v = source_;;) {
            if (v == sink_) {
                auto least = unlimited;
                for (auto const e : path_) least = std::min(least, residual_[e]);
                std::size_t cut = path_.size();
                for (std::size_t k = path_.size(); k-- > 0;) {
                    residual_[path_[k]] -= least;
                    residual_[path_[k] ^ 1U] += least;
                    if (residual_[path_[k]] == 0) cut = k;
                }
                value_ += least;
                if (value_ >= unlimited) return;
                v = from_[path_[cut]];
                path_.resize(cut);
                continue;
            }
            bool advanced = false;
            for (auto& k = next_[v]; k < start_[v + 1]; ++k) {
                auto const e = arcs_[k];
                auto const u = to_[e];
                if (residual_[e] <= 0 || level_[u] == unreached || level_[u] + 1 != level_[v]) continue;
                path_.push_back(e);
                v = u;
                advanced = true;
                break;
            }
            if (advanced) continue;
            if (v == source_) return;
            v = from_[path_.back()];
            path_.pop_back();
            ++next_[v];
        }
    }

    std::size_t nodes_;
    node source_, sink_;
    std::vector<node> from_, to_;  // of every arc; arc e ^ 1 is its reverse
    std::vector<std::int64_t> residual_;
    std::vector<std::uint32_t> start_;  // of every node, in arcs_
    std::vector<arc> arcs_;
    std::vector<std::uint32_t> level_, next_;
    std::vector<node> queue_;
    std::vector<arc> path_;
    std::int64_t value_ = 0;
};

}  // namespace repebble::detail

#endif
