#ifndef PIPELINE_NETWORK_HPP
#define PIPELINE_NETWORK_HPP

#include "arguments.hpp"
#include "report.hpp"

namespace pipeline_program {

/// The answer for a network by name on as few ranks as there is a plan for: from the least number that is not proven
/// to be too few, one after the other, parts of the network are planned. `options`: of each plan of the pipeline.
[[nodiscard]] auto place_network(arguments const& asked, repebble::pipeline_options const& options) -> answer;

}  // namespace pipeline_program

#endif
