#ifndef REPEBBLE_ORDERS_DETAIL_ONE_SHOT_GAME_HPP
#define REPEBBLE_ORDERS_DETAIL_ONE_SHOT_GAME_HPP

// One-shot pebbling: every operation runs once, and the order decides the peak. The game of `find_least_peak_order`, on
// storages instead of values: a storage lives from its producer to the last reader of any of its names. Bytes are those
// that `replay` counts for the schedule that `make_schedule` makes of the order.
// Invariant: the resident bytes are a submodular function of lower sets. From a larger lower set a step takes no more
// bytes above those that are resident; from a smaller one no more above those that stay.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/jagged_array.hpp>
#include <repebble/detail/maximum_flow/maximum_flow.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/usable_overwrites.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0::detail {

/// Operations, storages and bytes of a dataflow whose operations run once each. Inputs are no operations of the game:
/// `start` has them.
class one_shot_game {
  public:
    /// Bytes of a step: while it runs, and resident after it.
    struct step_bytes {
        bytes during = 0;
        bytes after = 0;
    };

    /// A storage that an operation may overwrite.
    struct overwriting {
        std::uint32_t over;  ///< the storage, which does not stay: its end saves the bytes of the output
        bytes size;
    };

    /// Refers to the dataflow.  Requires: every value has one producer.  O(n + m).
    explicit one_shot_game(dataflow const& flow)
        : start_(flow.operation_count()),
          graph_(flow.graph()),
          fresh_(flow.operation_count(), 0),
          kept_(flow.operation_count(), 0),
          workspace_(flow.operation_count(), 0),
          most_readers_(flow.operation_count(), 0) {
        add_storages(flow);
        auto const usable = find_usable_overwrites(flow);
        std::vector<overwriting> row;
        for (operation_index v = 0; v < flow.operation_count(); ++v) {
            row.clear();
            for (auto const& o : usable[v])
                if (auto const over = storage_of_[flow.owners(o.over).front()]; !stays_[over])
                    row.push_back({over, flow.size(flow.writes(v)[o.output])});
            overwrites_.append(row);
        }
        for (auto const v : flow.order())
            if (flow.is_input(v)) {
                start_.insert(v);
                start_peak_ = checked_add(start_peak_, fresh_[v]);
            }
        start_bytes_ = resident(start_);
    }

    [[nodiscard]] auto operation_count() const noexcept -> std::size_t { return fresh_.size(); }
    [[nodiscard]] auto predecessors(std::size_t v) const noexcept { return graph_.predecessors(v); }
    [[nodiscard]] auto successors(std::size_t v) const noexcept { return graph_.successors(v); }
    /// The lower set of all inputs, and the bytes at and after their last one.
    [[nodiscard]] auto start() const noexcept -> vertex_set const& { return start_; }
    [[nodiscard]] auto start_peak() const noexcept -> bytes { return start_peak_; }
    [[nodiscard]] auto start_bytes() const noexcept -> bytes { return start_bytes_; }

    /// Bytes of the storages that live after the operations of a lower set.  O(n + m).
    [[nodiscard]] auto resident(vertex_set const& lower) const -> bytes {
        bytes sum = 0;
        for (std::size_t s = 0; s < sizes_.size(); ++s) {
            auto const ends = std::ranges::all_of(readers_[s], [&](auto v) { return lower.contains(v); });
            if (lower.contains(producer_[s]) && (stays_[s] || !ends)) sum = checked_add(sum, sizes_[s]);
        }
        return sum;
    }
    /// The step of v from a lower set with so many resident bytes.  Requires: v is not in the set, what it reads is.
    [[nodiscard]] auto forward(std::span<vertex_set::word const> lower, bytes before, operation_index v) const
        -> step_bytes {
        auto const [freed, saved] = ending(lower, v);
        return {before + fresh_[v] + workspace_[v] - saved, before + kept_[v] - freed};
    }
    /// The step of v to a lower set, from its union with v, which has so many resident bytes: bytes while it runs, and
    /// before it.  Requires: v is in the set, no reader of what it writes is.
    [[nodiscard]] auto backward(std::span<vertex_set::word const> lower, bytes after, operation_index v) const
        -> step_bytes {
        auto const [freed, saved] = ending(lower, v);
        auto const before = after - kept_[v] + freed;
        return {before + fresh_[v] + workspace_[v] - saved, before};
    }
    /// No order has a lower peak: bytes of the largest single step, or at the beginning or the end.  O(n + m).
    [[nodiscard]] auto largest_step() const -> bytes {
        auto most = std::max({start_peak_, start_bytes_, resident(vertex_set::full(operation_count()))});
        for (operation_index v = 0; v < operation_count(); ++v) {
            bytes sum = fresh_[v] + workspace_[v], saved = 0;
            for (auto const s : reads_[v]) sum += sizes_[s];
            for (auto const& o : overwrites_[v]) saved = std::max(saved, o.size);
            most = std::max(most, start_.contains(v) ? 0 : sum - saved);
        }
        return most;
    }
    /// The step of v, and going back over v, where all storages that v reads end with it: bytes above those before it.
    [[nodiscard]] auto in_forest(operation_index v, bool forward) const -> step_bytes {
        bytes freed = 0, saved = 0;
        for (auto const s : reads_[v]) freed += stays_[s] ? 0 : sizes_[s];
        for (auto const& o : overwrites_[v]) saved = std::max(saved, o.size);
        auto const during = fresh_[v] + workspace_[v] - saved, after = kept_[v] - freed;
        return forward ? step_bytes{during, after} : step_bytes{during - after, -after};
    }
    /// No order has a lower peak: bytes while v runs from the lower set of the fewest bytes from which it can.  A
    /// minimum cut; 0 where stop() returned true.
    [[nodiscard]] auto least_at(operation_index v, stop_test stop) const -> bytes {
        auto low = start_, high = vertex_set(operation_count());
        reach(
            v, [&](auto u) { return predecessors(u); }, low);
        reach(
            v, [&](auto u) { return successors(u); }, high);
        high = vertex_set::full(operation_count()) - high;
        low.erase(v);
        auto const before = resident(least_between(low, high, false, stop));
        if (stop()) return 0;
        bytes saved = 0;
        for (auto const& o : overwrites_[v]) saved = std::max(saved, o.size);
        return before + fresh_[v] + workspace_[v] - saved;
    }
    /// Storages: how many there are, their bytes, the operation that makes one, the operations that read one, in
    /// ascending order, and whether it stays to the end.
    [[nodiscard]] auto storage_count() const noexcept -> std::size_t { return sizes_.size(); }
    [[nodiscard]] auto size(std::uint32_t s) const noexcept -> bytes { return sizes_[s]; }
    [[nodiscard]] auto producer(std::uint32_t s) const noexcept -> operation_index { return producer_[s]; }
    [[nodiscard]] auto readers(std::uint32_t s) const noexcept { return readers_[s]; }
    [[nodiscard]] auto stays(std::uint32_t s) const noexcept -> bool { return stays_[s]; }
    /// Of an operation: the storages that it reads, those over which it may be in place, and the bytes that its step
    /// takes beside what is resident, where it is not in place.
    [[nodiscard]] auto reads(operation_index v) const noexcept { return reads_[v]; }
    [[nodiscard]] auto overwrites(operation_index v) const noexcept { return overwrites_[v]; }
    [[nodiscard]] auto own_bytes(operation_index v) const noexcept -> bytes { return fresh_[v] + workspace_[v]; }
    /// The most readers of a storage that v makes and that ends.
    [[nodiscard]] auto most_readers(std::size_t v) const -> std::size_t { return most_readers_[v]; }

    /// The lower set with the fewest resident bytes between two lower sets, by a minimum cut: of several the largest or
    /// the smallest. Of no use where stop() returned true.
    [[nodiscard]] auto least_between(vertex_set const& low, vertex_set const& high, bool largest, stop_test stop) const
        -> vertex_set {
        auto const between = high - low;
        auto const members = between.to_vector();
        std::vector<std::uint32_t> node_of(operation_count());
        for (std::size_t k = 0; k < members.size(); ++k) node_of[members[k]] = static_cast<std::uint32_t>(k + 2);
        // The source side of the cut is the set: a storage that an operation makes is cut where it is in the set; one
        // that several operations end is cut where any of them is not.
        std::vector<bytes> weight(members.size(), 0);  // bytes that the operation adds
        std::vector<std::uint32_t> shared;
        std::vector<readers_found> readers(sizes_.size(), {unknown});
        for (std::size_t k = 0; k < members.size(); ++k) {
            weight[k] = kept_[members[k]];
            for (auto const s : reads_[members[k]]) {
                if (stays_[s]) continue;
                if (readers[s].last == unknown) readers[s] = readers_of(s, low, high);
                if (readers[s].last != members[k]) continue;
                if (readers[s].count == 1)
                    weight[k] -= sizes_[s];
                else
                    shared.push_back(s);
            }
        }
        maximum_flow flow(members.size() + 2 + shared.size(), 0, 1);
        for (std::size_t k = 0; k < members.size(); ++k) {
            auto const node = static_cast<std::uint32_t>(k + 2);
            if (weight[k] < 0) flow.add_arc(0, node, -weight[k]);
            if (weight[k] > 0) flow.add_arc(node, 1, weight[k]);
            for (auto const u : predecessors(members[k]))
                if (between.contains(u)) flow.add_arc(node, node_of[u], maximum_flow::unlimited);
        }
        for (std::size_t j = 0; j < shared.size(); ++j) {
            auto const node = static_cast<std::uint32_t>(members.size() + 2 + j);
            flow.add_arc(0, node, sizes_[shared[j]]);
            for (auto const v : readers_[shared[j]])
                if (between.contains(v)) flow.add_arc(node, node_of[v], maximum_flow::unlimited);
        }
        flow.build();
        flow.maximise(stop);
        auto const side = largest ? flow.largest_source_side() : flow.source_side();
        auto result = low;
        for (std::size_t k = 0; k < members.size(); ++k)
            if (side[k + 2]) result.insert(members[k]);
        return result;
    }

  private:
    struct ended {
        bytes freed = 0;  // bytes of the storages that end with a step
        bytes saved = 0;  // bytes of the output that takes one of them over
    };

    struct readers_found {
        std::size_t last, count = 0;
    };

    template <class Next>
    static void reach(operation_index from, Next next, vertex_set& reached) {
        std::vector<operation_index> stack{from};
        reached.insert(from);
        while (!stack.empty()) {
            auto const v = stack.back();
            stack.pop_back();
            for (auto const w : next(v)) {
                if (reached.contains(w)) continue;
                reached.insert(w);
                stack.push_back(w);
            }
        }
    }
    static auto contains(std::span<vertex_set::word const> set, std::size_t v) -> bool {
        return (set[v / vertex_set::word_bits] >> (v % vertex_set::word_bits) & 1U) != 0;
    }
    void add_storages(dataflow const& flow) {
        constexpr auto none = std::numeric_limits<std::uint32_t>::max();
        auto const first = firsts_in_storage(flow);
        storage_of_.assign(flow.value_count(), none);
        for (value_index value = 0; value < flow.value_count(); ++value)
            if (!flow.is_view(value) && first[value] == value) {
                storage_of_[value] = static_cast<std::uint32_t>(sizes_.size());
                sizes_.push_back(flow.size(value));
                producer_.push_back(flow.producers(value).front());
                fresh_[producer_.back()] = checked_add(fresh_[producer_.back()], sizes_.back());
            }
        stays_.assign(sizes_.size(), false);
        std::vector<std::vector<operation_index>> readers(sizes_.size());
        bytes all = 0;
        for (value_index value = 0; value < flow.value_count(); ++value) {
            if (!flow.is_view(value)) storage_of_[value] = storage_of_[first[value]];
            for (auto const owner : flow.owners(value)) {
                auto const s = storage_of_[first[owner]];
                readers[s].insert(readers[s].end(), flow.readers(value).begin(), flow.readers(value).end());
                if (flow.is_result(value)) stays_[s] = true;
            }
        }
        for (operation_index v = 0; v < flow.operation_count(); ++v) {
            workspace_[v] = flow.workspace(v);
            all = checked_add(all, checked_add(fresh_[v], workspace_[v]));
        }
        (void)checked_multiply(all, bytes{8}, "bytes of all operations");  // as maximum flows need
        for (std::size_t s = 0; s < sizes_.size(); ++s) {
            sort_unique(readers[s]);
            if (stays_[s] || !readers[s].empty()) kept_[producer_[s]] += sizes_[s];
            readers_.append(readers[s]);
            auto& most = most_readers_[producer_[s]];
            if (!stays_[s]) most = std::max(most, readers[s].size());
        }
        outside_.assign(sizes_.size(), 0);
        reads_ = readers_.transposed<std::uint32_t>(flow.operation_count());
    }
    /// What ends with v, where the other operations of a lower set have run.
    [[nodiscard]] auto ending(std::span<vertex_set::word const> lower, operation_index v) const -> ended {
        ended out;
        for (auto const s : reads_[v])
            if (ends_with(s, lower, v)) out.freed += sizes_[s];
        for (auto const& o : overwrites_[v])
            if (o.size > out.saved && ends_with(o.over, lower, v)) out.saved = o.size;
        return out;
    }
    /// Begins at the reader that was last found outside: along an order all calls take O(readers).
    [[nodiscard]] auto ends_with(std::uint32_t s, std::span<vertex_set::word const> lower, operation_index v) const
        -> bool {
        if (stays_[s]) return false;
        auto const readers = readers_[s];
        auto& at = outside_[s];
        for (std::size_t k = 0; k < readers.size(); ++k, at = at + 1 == readers.size() ? 0 : at + 1)
            if (readers[at] != v && !contains(lower, readers[at])) return false;
        return true;
    }
    /// The last reader of a storage between two sets, and how many there are; no operation where one is outside the
    /// higher set.
    [[nodiscard]] auto readers_of(std::uint32_t s, vertex_set const& low, vertex_set const& high) const
        -> readers_found {
        readers_found found{operation_count()};
        for (auto const w : readers_[s]) {
            if (!high.contains(w)) return {operation_count()};
            if (!low.contains(w)) found = {w, found.count + 1};
        }
        return found;
    }

    static constexpr auto unknown = std::numeric_limits<std::size_t>::max();

    vertex_set start_;
    csr_graph const& graph_;
    std::vector<bytes> sizes_{};  // of storages
    std::vector<operation_index> producer_{};
    std::vector<bool> stays_{};  // to the end: a name of the storage is a result
    jagged_array<operation_index> readers_{};
    mutable std::vector<std::uint32_t> outside_{};  // of storages: where to begin to look for a reader outside a set
    std::vector<std::uint32_t> storage_of_{};       // of every value that is no view
    jagged_array<std::uint32_t> reads_{};           // storages by operation
    jagged_array<overwriting> overwrites_{};
    std::vector<bytes> fresh_, kept_, workspace_;  // of operations: bytes of new storages, of those that outlive it
    std::vector<std::size_t> most_readers_;
    bytes start_peak_ = 0, start_bytes_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
