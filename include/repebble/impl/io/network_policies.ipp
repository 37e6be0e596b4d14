#ifndef REPEBBLE_IMPL_IO_NETWORK_POLICIES_IPP
#define REPEBBLE_IMPL_IO_NETWORK_POLICIES_IPP

#include <repebble/io/network_policies.hpp>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::io {

REPEBBLE_INLINE auto find_policies(network const& net) -> value_policies {
    value_policies found;
    for (operation_index v = 0; v < net.nodes().size(); ++v) {
        for (auto const output : net.node(v).must_keep) found.must_keep.push_back({v, output});
        for (auto const output : net.node(v).must_recompute) found.must_recompute.push_back({v, output});
    }
    return found;
}

REPEBBLE_INLINE auto find_policies(network const& net, forward_dataflow const& forward) -> value_policies {
    value_policies found;
    for (operation_index v = 0; v < forward.operations.size(); ++v)
        for (auto const output : net.node(forward.operations[v]).must_keep) found.must_keep.push_back({v, output});
    return found;
}

}  // namespace repebble::inline v0::io

#endif
