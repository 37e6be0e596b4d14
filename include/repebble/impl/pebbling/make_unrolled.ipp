#ifndef REPEBBLE_IMPL_PEBBLING_MAKE_UNROLLED_IPP
#define REPEBBLE_IMPL_PEBBLING_MAKE_UNROLLED_IPP

#include <repebble/pebbling/make_unrolled.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0::detail {

/// Builds an unrolled dataflow: the inputs, then one computation after another.
class unroller {
  public:
    explicit unroller(dataflow const& flow)
        : flow_(flow),
          latest_(flow.value_count(), no_value),
          first_copy_(flow.operation_count(), none),
          runs_(flow.operation_count(), 0) {
        for (auto const v : flow.order())
            if (flow.is_input(v)) copy(v, builder_.add_input());
    }

    /// The next computation; one of an input, which is there already, adds nothing.
    void run(operation_index v) {
        if (v >= flow_.operation_count())
            detail::raise(bad_graph(here() + ": operation " + std::to_string(v) + " is out of range: there are " +
                                    std::to_string(flow_.operation_count())));
        if (!flow_.is_input(v))
            copy(v, builder_.add_operation(flow_.time(v), flow_.workspace(v), flow_.recomputable(v)));
        ++position_;
    }

    [[nodiscard]] auto finish() && -> unrolled_dataflow {
        for (auto const value : flow_.results()) {
            require_present(value, "the end asks for result ");
            builder_.add_result(latest_[value]);
        }
        out_.flow = std::move(builder_).build();
        return std::move(out_);
    }

  private:
    static constexpr auto none = std::numeric_limits<operation_index>::max();

    void copy(operation_index v, operation_index made) {
        for (auto const u : flow_.control_predecessors(v)) {
            if (first_copy_[u] == none)
                detail::raise(bad_graph(here() + ": operation " + std::to_string(v) + " runs before operation " +
                                        std::to_string(u) + ", from which a control edge leads to it"));
            builder_.add_control_edge(first_copy_[u], made);
        }
        if (first_copy_[v] == none) first_copy_[v] = made;
        out_.origin.push_back(v);
        out_.repetition.push_back(runs_[v]++);
        for (auto const value : flow_.operands(v)) {
            require_present(value, here() + " reads value ");
            builder_.add_read(made, latest_[value]);
        }
        std::vector<value_index> written;
        for (auto const value : flow_.writes(v)) written.push_back(write(v, made, value));
        for (auto const& o : flow_.allowed_overwrites(v)) builder_.allow_overwrite(made, o.output, latest_[o.over]);
        for (auto const& m : flow_.mutations(v)) {
            builder_.add_mutation(made, m.output, latest_[m.over]);
            is_overwritten_[owners_[latest_[m.over]].front()] = true;
        }
        for (std::size_t j = 0; j < written.size(); ++j) latest_[flow_.writes(v)[j]] = written[j];
    }
    /// A view refers to those instances of its owners to which the values read by v refer.
    auto write(operation_index v, operation_index made, value_index value) -> value_index {
        std::vector<value_index> owners;
        if (flow_.is_view(value))
            for (auto const owner : flow_.owners(value)) owners.push_back(seen(v, owner));
        auto const instance =
            owners.empty() ? builder_.add_value(made, flow_.size(value)) : builder_.add_view(made, owners);
        if (owners.empty()) owners.push_back(instance);
        owners_.push_back(std::move(owners));
        is_overwritten_.push_back(false);
        return instance;
    }
    [[nodiscard]] auto seen(operation_index v, value_index owner) const -> value_index {
        auto const slot = flow_.slot_seen(v, owner);
        REPEBBLE_ASSERT(slot.has_value());  // an invariant of dataflows
        for (auto const value : flow_.reads(v))
            if (auto const k = *slot - flow_.owner_start(value); k < flow_.owners(value).size())
                return owners_[latest_[value]][k];
        return no_value;
    }
    void require_present(value_index value, std::string const& who) const {
        if (latest_[value] == no_value)
            detail::raise(bad_graph(who + std::to_string(value) + ", which is not computed before"));
        for (auto const owner : owners_[latest_[value]])
            if (is_overwritten_[owner])
                detail::raise(
                    bad_graph(who + std::to_string(value) + ", which was overwritten and is not computed again"));
    }
    [[nodiscard]] auto here() const -> std::string { return "computation " + std::to_string(position_); }

    dataflow const& flow_;
    dataflow_builder builder_;
    unrolled_dataflow out_;
    std::size_t position_ = 0;                      // in the sequence of computations
    std::vector<value_index> latest_;               // of every value: its latest instance
    std::vector<operation_index> first_copy_;       // of every operation
    std::vector<std::uint32_t> runs_;               // of every operation, so far
    std::vector<std::vector<value_index>> owners_;  // of every instance: the instances of the value's owners
    std::vector<bool> is_overwritten_;              // of every instance: by a mutation
};

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto make_unrolled(dataflow const& flow, std::span<operation_index const> computations)
    -> unrolled_dataflow {
    detail::unroller out(flow);
    for (auto const v : computations) out.run(v);
    return std::move(out).finish();
}

REPEBBLE_INLINE auto make_unrolled(dataflow const& flow, schedule<> const& plan) -> unrolled_dataflow {
    detail::unroller out(flow);
    for (auto const& s : plan.steps)
        if (s.what == action::compute) out.run(s.vertex);
    return std::move(out).finish();
}

}  // namespace repebble::inline v0

#endif
