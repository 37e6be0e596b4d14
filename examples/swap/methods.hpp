#ifndef SWAP_METHODS_HPP
#define SWAP_METHODS_HPP

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <repebble/recompute/recompute_plan.hpp>
#include <repebble/traces/swap_problem.hpp>
#include <repebble/traces/traced_dataflow.hpp>

#include "arguments.hpp"

namespace swap_program {

/// What is planned.
struct subject {
    std::string name;  ///< of the trace
    repebble::swap_problem problem;
    repebble::traced_dataflow traced{};  ///< of it
    repebble::bytes limit = 0;
};

/// What came out of one method: a row of the table.
struct outcome {
    std::string method;
    std::optional<repebble::recompute_plan<>> plan{};  ///< the fastest that fits, else that of the lowest peak
    bool fits = false;                                 ///< it is within the limit, by the judge
    double seconds = 0;                                ///< CPU time of planning
    std::string note{};                                ///< why there is no plan, or what is proven of it
};

/// All methods, with commas between.
[[nodiscard]] auto method_names() -> std::string;
[[nodiscard]] auto is_method(std::string_view name) -> bool;

/// The plan of a method, as a schedule that the judge of schedules has judged over the link.
[[nodiscard]] auto run_method(std::string const& name, subject const& about, arguments const& asked) -> outcome;

/// The methods that are asked for, or all that are usual, one after the other.
[[nodiscard]] auto run_methods(subject const& about, arguments const& asked) -> std::vector<outcome>;

}  // namespace swap_program

#endif
