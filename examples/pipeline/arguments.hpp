#ifndef PIPELINE_ARGUMENTS_HPP
#define PIPELINE_ARGUMENTS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/pipelines/pipeline.hpp>
#include <repebble/pipelines/plan_pipeline.hpp>

#include "command_line/read_limits.hpp"
#include "plan/arguments.hpp"

namespace pipeline_program {

/// What the command line asks for.
struct arguments {
    std::string file;              ///< or the name of a network
    bool by_name = false;          ///< it is the name of a network
    plan::arguments network;       ///< that, its sizes, and what lies beside its values
    std::size_t microbatches = 1;  ///< of a network
    command_line::read_limits reading;
    std::vector<std::string> budgets;  ///< one for all ranks, or one for each
    std::optional<repebble::pipeline_order> order;
    std::optional<double> time_limit;
    std::optional<std::size_t> tries;
    std::uint64_t seed = 1;
    std::optional<std::string> svg;
    bool least_ranks = false;  ///< on as few ranks as the budget allows
    bool json = false;
};

/// Reads the command line. Returns the exit status where there is nothing more to do (help, or a wrong argument, which
/// is explained on the standard error stream).
[[nodiscard]] auto read_arguments(int argc, char const* const* argv, arguments& result) -> std::optional<int>;

/// The bytes of each rank.  Throws repebble::bad_option where there are neither one budget nor one for each rank.
[[nodiscard]] auto budgets_of(repebble::pipeline const& p, arguments const& asked) -> std::vector<repebble::bytes>;

}  // namespace pipeline_program

#endif
