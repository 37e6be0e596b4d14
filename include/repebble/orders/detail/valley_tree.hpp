#ifndef REPEBBLE_ORDERS_DETAIL_VALLEY_TREE_HPP
#define REPEBBLE_ORDERS_DETAIL_VALLEY_TREE_HPP

// One side of the valley search for the order of least peak: a tree of the lower sets that can be reached from one end
// of an interval within a bound. Resident bytes are submodular in lower sets: if Y is reached from X within the bound
// and no lower set between them has fewer bytes than Y, then from X the other end can be reached exactly if it can be
// from Y, and Y replaces X and all that was reached from X. Liu's hill-valley segments (1987) are the case of trees.
// Used by valley_search.
// Invariants: bytes grow strictly from each node to its children. If the root can reach the other end within the bound,
// an open node can. For that a node whose descendant was found by way of another node opens again when that one goes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/paced_stop.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/orders/detail/one_shot_game.hpp>

namespace repebble::inline v0::detail {

/// How an expansion ended: with children only, with a new root, or at the other end of the interval; or, before its
/// end, at a limit, after which the tree is of no use.
enum class valley_event : std::uint8_t { none, root_moved, reached_end, limit };

/// One side of the search. Let f(L) be the resident bytes after the operations of a lower set L: a submodular function,
///
///   f(P ∪ Y) + f(P ∩ Y) ≤ f(P) + f(Y).
///
/// Let Y ⊇ X be reached from X within the bound, and f(Y) ≤ f(P) for all lower sets X ⊆ P ⊆ Y. If any order leads from
/// X to the other end within the bound, through X = P_0 ⊂ P_1 ⊂ …, then one leads there from Y: through the sets P_k ∪
/// Y, by the same operations but those of Y. For P_k ∩ Y lies between X and Y, so that f(P_k ∪ Y) ≤ f(P_k) + f(Y) -
/// f(P_k ∩ Y) ≤ f(P_k); and a step from the larger set takes no more above what is resident (`one_shot_game`). So Y
/// replaces X, with all that was reached from X: no other way out of X need be looked at. This is what Liu 1987 does on
/// trees, where hills and valleys make segments.
///
/// A new set Z whose bytes are not above those of an ancestor X has such a Y: the minimum of f over the lower sets
/// between X and Z, which one minimum cut finds. It is reached within the bound, too: by the steps to Z that lie in Y,
/// through the sets P ∩ Y, and f(P ∩ Y) ≤ f(P) + f(Y) - f(P ∪ Y) ≤ f(P); a step from the smaller set takes no more
/// above what stays. An operation that leaves no more bytes than there are is the case Y = X + v, and runs at once
/// (`settle`). What is left of the tree has more bytes at each child than at its parent, and a set that was reached
/// before is not looked at again. From the other end all holds in mirror image.
template <class Stop>
class valley_tree {
  public:
    using node_index = std::uint32_t;
    static constexpr bytes never = std::numeric_limits<bytes>::max();

    /// The side that begins at the lower end of an interval of lower sets, or at the upper end.
    valley_tree(one_shot_game const& game, bool forward, vertex_set root, bytes root_bytes, vertex_set end, bytes bound,
                paced_stop<Stop>& stop)
        : game_(game),
          stop_(stop),
          forward_(forward),
          words_(root.words().size()),
          end_(std::move(end)),
          bound_(bound),
          slots_(256, none) {
        here_.set = std::move(root);
        here_.resident = root_bytes;
        find_ready(here_);
        steps_.clear();
        settle(here_, steps_);
        root_steps_ = steps_;
        add_node(none);
    }

    /// The lower set at the root, and the steps that led to it from the end of the interval.
    [[nodiscard]] auto root() const -> vertex_set { return set_of(0); }
    [[nodiscard]] auto root_bytes() const -> bytes { return nodes_[0].resident; }
    [[nodiscard]] auto root_steps() const -> std::vector<operation_index> const& { return root_steps_; }
    /// After reached_end: the steps from the root to the other end.
    [[nodiscard]] auto last_steps() const -> std::vector<operation_index> const& { return steps_; }
    /// Nodes that there have been.
    [[nodiscard]] auto states() const -> std::size_t { return births_; }

    /// Bytes of memory that the nodes have now.
    [[nodiscard]] auto bytes_held() const -> std::size_t {
        return in_nodes_ + nodes_.capacity() * sizeof(node) + pool_.capacity() * sizeof(vertex_set::word) +
               open_.capacity() * sizeof(entry) + slots_.size() * sizeof(node_index);
    }
    [[nodiscard]] auto exhausted() -> bool {
        while (!open_.empty() && !is_current(open_.front())) pop();
        return open_.empty();
    }
    /// The least bound at which an exhausted tree grows.
    [[nodiscard]] auto next_bound() const -> bytes {
        bytes least = never;
        for (auto const& n : nodes_)
            if (n.alive) least = std::min(least, n.blocked);
        return least;
    }
    void raise_bound(bytes bound) {
        bound_ = bound;
        for (node_index i = 0; i < nodes_.size(); ++i)
            if (nodes_[i].alive && nodes_[i].blocked <= bound) open(i);
    }

    /// Expands the open node that is nearest to the other end, which finds a way soonest where there is one.  Requires:
    /// it is not exhausted.  most_states, most_bytes: what `states` and `bytes_held` may reach.
    auto expand(std::size_t most_states, std::size_t most_bytes) -> valley_event {
        auto const x = open_.front().node;
        pop();
        nodes_[x].is_open = false;
        nodes_[x].blocked = never;
        auto const ready = nodes_[x].ready;
        auto const born = nodes_[x].born;
        for (auto const v : ready) {
            if (births_ >= most_states || bytes_held() >= most_bytes || stop_.after(ready.size() + words_))
                return valley_event::limit;
            auto const step = step_of(words_of(x), nodes_[x].resident, v);
            if (step.during > bound_) {
                nodes_[x].blocked = std::min(nodes_[x].blocked, step.during);
                continue;
            }
            here_.set = set_of(x);
            here_.resident = step.after;
            here_.ready = ready;
            steps_.assign(1, v);
            apply(here_, v);
            settle(here_, steps_);
            if (auto const event = arrive(x); event != valley_event::none) return event;
            if (!nodes_[x].alive || nodes_[x].born != born) return valley_event::none;
        }
        return valley_event::none;
    }

  private:
    static constexpr node_index none = std::numeric_limits<node_index>::max();

    struct position {
        vertex_set set{};
        bytes resident = 0;
        std::vector<operation_index> ready{};
    };
    struct node {
        bytes resident = 0;
        bytes blocked = never;  // the least step that the bound forbids
        std::size_t size = 0;   // of the set, steps from the end
        node_index parent = none, child = none, before = none, after = none;
        std::uint32_t born = 0;
        bool alive = false, is_open = false;
        std::vector<operation_index> ready{};
        std::vector<operation_index> steps{};  // from the parent
        std::vector<node_index> also_under{};  // nodes with a step to this one that are not its parent
    };
    struct entry {
        bytes resident;
        std::size_t size;
        node_index node;
        std::uint32_t born;
        friend auto operator<(entry const& a, entry const& b) -> bool {  // of a heap: the last first
            return a.size != b.size           ? a.size < b.size
                   : a.resident != b.resident ? a.resident > b.resident
                                              : a.node > b.node;
        }
    };

    [[nodiscard]] auto words_of(node_index i) const -> std::span<vertex_set::word const> {
        return {pool_.data() + i * words_, words_};
    }
    [[nodiscard]] auto set_of(node_index i) const -> vertex_set { return {game_.operation_count(), words_of(i)}; }
    [[nodiscard]] auto step_of(std::span<vertex_set::word const> set, bytes resident, operation_index v) const
        -> one_shot_game::step_bytes {
        return forward_ ? game_.forward(set, resident, v) : game_.backward(set, resident, v);
    }
    [[nodiscard]] auto is_ready(vertex_set const& set, operation_index v) const -> bool {
        if (set.contains(v) == forward_ || end_.contains(v) != forward_) return false;
        auto const needed = forward_ ? game_.predecessors(v) : game_.successors(v);
        return std::ranges::all_of(needed, [&](auto u) { return set.contains(u) == forward_; });
    }
    void find_ready(position& at) const {
        at.ready.clear();
        auto const rest = forward_ ? end_ - at.set : at.set - end_;
        rest.for_each([&](std::size_t v) {
            if (is_ready(at.set, static_cast<operation_index>(v))) at.ready.push_back(static_cast<operation_index>(v));
        });
    }
    void apply(position& at, operation_index v) const {
        forward_ ? at.set.insert(v) : at.set.erase(v);
        at.ready.erase(std::ranges::find(at.ready, v));
        for (auto const w : forward_ ? game_.successors(v) : game_.predecessors(v))
            if (is_ready(at.set, w)) at.ready.push_back(w);
    }
    /// Runs what leaves no more bytes than there are, within the bound: it never harms, nor does ending early.
    void settle(position& at, std::vector<operation_index>& steps) const {
        for (std::size_t k = 0; k < at.ready.size() && !stop_.after(1);) {
            auto const v = at.ready[k];
            auto const step = step_of(at.set.words(), at.resident, v);
            if (step.during > bound_ || step.after > at.resident) {
                ++k;
                continue;
            }
            at.resident = step.after;
            apply(at, v);
            steps.push_back(v);
            k = 0;
        }
    }

    /// Takes in `here_`, which `steps_` reach from node x.
    auto arrive(node_index x) -> valley_event {
        if (here_.set == end_) return finish(x);
        if (auto const y = slots_[slot_of(here_.set.words())]; y != none) {
            if (nodes_[y].parent != x) add_under(y, x);
            return valley_event::none;
        }
        auto parent = x;  // `steps_` begin at it
        for (auto top = replaceable(x); top != none; top = replaceable(parent)) {
            prepend_steps(parent, top);
            auto const from = set_of(top);
            auto const stop = [&] { return stop_.now(); };
            auto lower = forward_ ? game_.least_between(from, here_.set, true, stop)
                                  : game_.least_between(here_.set, from, false, stop);
            if (stop()) return valley_event::limit;
            if (lower != here_.set) {
                std::erase_if(steps_, [&](operation_index v) { return lower.contains(v) != forward_; });
                here_.set = std::move(lower);
                here_.resident = game_.resident(here_.set);
                find_ready(here_);
                settle(here_, steps_);
            }
            if (top == 0) return move_root();
            parent = nodes_[top].parent;
            prepend_steps(top, parent);
            remove_below(top);
        }
        if (here_.set == end_) return finish(parent);
        if (auto const y = slots_[slot_of(here_.set.words())]; y == none)
            add_node(parent);
        else if (nodes_[y].parent != parent)
            add_under(y, parent);
        return valley_event::none;
    }
    /// The node nearest to the root, of x and its ancestors, whose bytes are not below those of `here_`.
    [[nodiscard]] auto replaceable(node_index x) const -> node_index {
        auto found = none;
        for (; x != none && here_.resident <= nodes_[x].resident; x = nodes_[x].parent) found = x;
        return found;
    }
    /// `steps_` begin at x; afterwards they begin at its ancestor.
    void prepend_steps(node_index x, node_index ancestor) {
        for (; x != ancestor; x = nodes_[x].parent)
            steps_.insert(steps_.begin(), nodes_[x].steps.begin(), nodes_[x].steps.end());
    }
    auto finish(node_index x) -> valley_event {
        prepend_steps(x, 0);
        return valley_event::reached_end;
    }
    auto move_root() -> valley_event {
        root_steps_.insert(root_steps_.end(), steps_.begin(), steps_.end());
        restart();
        return here_.set == end_ ? valley_event::reached_end : valley_event::root_moved;
    }
    void restart() {
        nodes_.clear();
        pool_.clear();
        free_.clear();
        open_.clear();
        live_ = 0;
        in_nodes_ = 0;
        slots_.assign(256, none);
        add_node(none);
        steps_.clear();
    }
    void add_node(node_index parent) {
        node_index i = 0;
        if (free_.empty()) {
            i = static_cast<node_index>(nodes_.size());
            nodes_.emplace_back();
            pool_.resize(pool_.size() + words_);
        } else {
            i = free_.back();
            free_.pop_back();
        }
        auto& n = nodes_[i];
        in_nodes_ -= bytes_in(n);
        std::ranges::copy(here_.set.words(), pool_.begin() + static_cast<std::ptrdiff_t>(i * words_));
        n.resident = here_.resident;
        n.size = here_.set.size();
        if (!forward_) n.size = game_.operation_count() - n.size;
        n.blocked = never;
        n.parent = parent;
        n.child = n.before = n.after = none;
        n.born = ++births_;
        n.alive = true;
        n.is_open = false;
        n.ready = here_.ready;
        n.steps = steps_;
        n.also_under.clear();
        in_nodes_ += bytes_in(n);
        if (parent != none) {
            n.after = nodes_[parent].child;
            if (n.after != none) nodes_[n.after].before = i;
            nodes_[parent].child = i;
        }
        if (++live_ * 2 > slots_.size()) {
            slots_.assign(slots_.size() * 2, none);
            for (node_index k = 0; k < nodes_.size(); ++k)
                if (nodes_[k].alive) slots_[slot_of(words_of(k))] = k;
        } else {
            slots_[slot_of(words_of(i))] = i;
        }
        open(i);
    }
    void add_under(node_index i, node_index parent) {
        auto& n = nodes_[i];
        in_nodes_ -= bytes_in(n);
        n.also_under.push_back(parent);
        in_nodes_ += bytes_in(n);
    }
    [[nodiscard]] static auto bytes_in(node const& n) -> std::size_t {
        return n.ready.capacity() * sizeof(operation_index) + n.steps.capacity() * sizeof(operation_index) +
               n.also_under.capacity() * sizeof(node_index);
    }
    void remove_below(node_index top) {
        if (nodes_[top].before != none)
            nodes_[nodes_[top].before].after = nodes_[top].after;
        else
            nodes_[nodes_[top].parent].child = nodes_[top].after;
        if (nodes_[top].after != none) nodes_[nodes_[top].after].before = nodes_[top].before;
        removed_.assign(1, top);
        for (std::size_t k = 0; k < removed_.size(); ++k)
            for (auto c = nodes_[removed_[k]].child; c != none; c = nodes_[c].after) removed_.push_back(c);
        for (auto const i : removed_) {
            nodes_[i].alive = false;
            erase_slot(i);
        }
        live_ -= removed_.size();
        for (auto const i : removed_)
            for (auto const under : nodes_[i].also_under)
                if (nodes_[under].alive) open(under);
        free_.insert(free_.end(), removed_.begin(), removed_.end());
    }

    void open(node_index i) {
        if (nodes_[i].is_open) return;
        nodes_[i].is_open = true;
        open_.push_back({nodes_[i].resident, nodes_[i].size, i, nodes_[i].born});
        std::push_heap(open_.begin(), open_.end());
    }
    void pop() {
        std::pop_heap(open_.begin(), open_.end());
        open_.pop_back();
    }
    [[nodiscard]] auto is_current(entry const& e) const -> bool {
        return nodes_[e.node].alive && nodes_[e.node].is_open && nodes_[e.node].born == e.born;
    }

    // A table of the live nodes' sets with linear probing.
    [[nodiscard]] static auto hash_of(std::span<vertex_set::word const> set) -> std::size_t {
        std::uint64_t hash = 0;
        for (auto const w : set) hash = ((hash ^ w) * 0x9e3779b97f4a7c15ULL) ^ (hash >> 29U);
        return hash ^ (hash >> 32U);
    }
    [[nodiscard]] auto slot_of(std::span<vertex_set::word const> set) const -> std::size_t {
        auto const mask = slots_.size() - 1;
        auto at = hash_of(set) & mask;
        while (slots_[at] != none && !std::ranges::equal(words_of(slots_[at]), set)) at = (at + 1) & mask;
        return at;
    }
    void erase_slot(node_index i) {
        auto const mask = slots_.size() - 1;
        auto hole = slot_of(words_of(i));
        slots_[hole] = none;
        for (auto at = (hole + 1) & mask; slots_[at] != none; at = (at + 1) & mask) {
            auto const home = hash_of(words_of(slots_[at])) & mask;
            if (((at - home) & mask) < ((at - hole) & mask)) continue;
            slots_[hole] = slots_[at];
            slots_[at] = none;
            hole = at;
        }
    }

    one_shot_game const& game_;
    paced_stop<Stop>& stop_;
    bool forward_;
    std::size_t words_;
    vertex_set end_;
    bytes bound_;
    std::vector<node_index> slots_;
    std::vector<node> nodes_{};
    std::vector<vertex_set::word> pool_{};  // the nodes' sets
    std::vector<node_index> free_{}, removed_{};
    std::vector<entry> open_{};  // a heap
    std::vector<operation_index> root_steps_{};
    position here_{};                       // where an expansion is
    std::vector<operation_index> steps_{};  // to `here_`
    std::uint32_t births_ = 0;
    std::size_t live_ = 0;
    std::size_t in_nodes_ = 0;  // bytes of the lists that nodes have
};

}  // namespace repebble::inline v0::detail

#endif
