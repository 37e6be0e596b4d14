#ifndef PLAN_BESIDE_HPP
#define PLAN_BESIDE_HPP

#include <cstdint>
#include <set>
#include <string>

#include <repebble/graph/quantity.hpp>
#include <repebble/io/network.hpp>

namespace plan {

/// What a budget is for beside the values of a plan: it is in memory all the time.
struct included {
    std::set<std::string> words{};      ///< parameters (with what is not trained), gradients, optimizer, inputs
    std::int64_t optimizer_states = 2;  ///< of the optimizer: so many times the trained parameters
};

/// Reads words with commas between.  Throws repebble::bad_option for another word.
[[nodiscard]] auto parse_included(std::string const& text) -> std::set<std::string>;

/// The bytes of all that, of a network by name or an ONNX model.  Throws repebble::bad_weight where they do not fit in
/// 64 bits.
[[nodiscard]] auto bytes_beside(repebble::io::network const& net, included const& what) -> repebble::bytes;

}  // namespace plan

#endif
