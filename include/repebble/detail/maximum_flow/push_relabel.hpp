#ifndef REPEBBLE_DETAIL_MAXIMUM_FLOW_PUSH_RELABEL_HPP
#define REPEBBLE_DETAIL_MAXIMUM_FLOW_PUSH_RELABEL_HPP

// The push-relabel method for maximum flows (Goldberg, Tarjan 1988) with the highest-label rule, global relabelling and
// the gap heuristic (Cherkassky, Goldberg 1997). First phase only: it yields a maximum preflow, which is enough for
// minimum cuts. Used by maximum_flow.
// Invariant: a label is a lower bound on the distance to the sink in the residual network; `nodes_` means that there is
// no path.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/maximum_flow/residual_network.hpp>

namespace repebble::inline v0::detail {

/// Pushes excess on to the sink until no node with excess can reach the sink. Excess that cannot reach it stays where
/// it is.
class push_relabel {
  public:
    explicit push_relabel(residual_network& f)
        : f_(f),
          nodes_(static_cast<std::uint32_t>(f.nodes())),
          label_(nodes_),
          current_(nodes_),
          next_active_(nodes_),
          active_(nodes_, none),
          next_(nodes_),
          previous_(nodes_),
          labelled_(nodes_, none) {}

    /// Ends early where stop() returns true: excess that could reach the sink may be left.
    void run(stop_test stop) {
        if (stop()) return;
        relabel_all();
        while (highest_ > 0) {
            auto const v = active_[highest_];
            if (v == none) {
                --highest_;
                continue;
            }
            active_[highest_] = next_active_[v];
            // A node that a gap has lifted since is no longer in this bucket.
            if (label_[v] == highest_) discharge(v);
            if (work_ <= 6 * f_.nodes() + f_.to.size()) continue;
            if (stop()) return;
            relabel_all();
        }
    }

  private:
    using node = residual_network::node;
    static constexpr node none = std::numeric_limits<node>::max();

    /// Global relabelling: labels become the exact distances to the sink.
    void relabel_all() {
        work_ = 0;
        highest_ = 0;
        std::ranges::fill(label_, nodes_);
        std::ranges::fill(active_, none);
        std::ranges::fill(labelled_, none);
        top_ = 0;
        queue_.assign(1, f_.sink);
        label_[f_.sink] = 0;
        for (std::size_t head = 0; head < queue_.size(); ++head) {
            auto const v = queue_[head];
            for (auto e = f_.start[v]; e < f_.start[v + 1]; ++e) {
                auto const u = f_.to[e];
                if (label_[u] != nodes_ || f_.residual[f_.reverse[e]] <= 0 || u == f_.source || u == f_.sink) continue;
                enter(u, label_[v] + 1);
                queue_.push_back(u);
                if (f_.excess[u] > 0) activate(u);
            }
        }
    }
    void enter(node v, std::uint32_t label) {
        label_[v] = label;
        current_[v] = f_.start[v];
        top_ = std::max(top_, label);
        previous_[v] = none;
        next_[v] = labelled_[label];
        if (next_[v] != none) previous_[next_[v]] = v;
        labelled_[label] = v;
    }
    void leave(node v) {
        (previous_[v] == none ? labelled_[label_[v]] : next_[previous_[v]]) = next_[v];
        if (next_[v] != none) previous_[next_[v]] = previous_[v];
    }
    void activate(node v) {
        next_active_[v] = active_[label_[v]];
        active_[label_[v]] = v;
        highest_ = std::max(highest_, label_[v]);
    }
    void discharge(node v) {
        for (;;) {
            for (auto& e = current_[v]; e < f_.start[v + 1]; ++e) {
                ++work_;
                auto const u = f_.to[e];
                if (f_.residual[e] <= 0 || label_[u] + 1 != label_[v]) continue;
                bool const wakes = f_.excess[u] == 0 && u != f_.sink;
                f_.push(v, e, std::min(f_.excess[v], f_.residual[e]));
                if (wakes) activate(u);
                if (f_.excess[v] == 0) return;
            }
            if (!raise(v)) return;
        }
    }
    /// Relabels v. Returns whether the sink may still be reached from it.
    auto raise(node v) -> bool {
        auto const old = label_[v];
        leave(v);
        if (labelled_[old] == none) {  // a gap: from above it the sink cannot be reached
            for (auto l = old + 1; l <= top_; ++l)
                for (auto& u = labelled_[l]; u != none; u = next_[u]) label_[u] = nodes_;
            top_ = old;
            label_[v] = nodes_;
            return false;
        }
        auto least = nodes_;
        for (auto e = f_.start[v]; e < f_.start[v + 1]; ++e)
            if (f_.residual[e] > 0) least = std::min(least, label_[f_.to[e]] + 1);
        work_ += f_.start[v + 1] - f_.start[v] + 12;
        if (least >= nodes_) {
            label_[v] = nodes_;
            return false;
        }
        enter(v, least);
        return true;
    }

    residual_network& f_;
    std::uint32_t nodes_;
    std::vector<std::uint32_t> label_;
    std::vector<residual_network::arc> current_;    // of every node: arcs before it are not admissible
    std::vector<node> next_active_, active_;        // of every label: a list of its nodes with excess
    std::vector<node> next_, previous_, labelled_;  // of every label: a list of all its nodes
    std::vector<node> queue_{};
    std::uint32_t highest_ = 0, top_ = 0;
    std::size_t work_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
