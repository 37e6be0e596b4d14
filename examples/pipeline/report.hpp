#ifndef PIPELINE_REPORT_HPP
#define PIPELINE_REPORT_HPP

#include <optional>
#include <string>
#include <vector>

#include <repebble/pipelines/find_least_ranks.hpp>
#include <repebble/pipelines/json_pipeline.hpp>
#include <repebble/pipelines/plan_pipeline.hpp>

namespace pipeline_program {

/// What was found, and for what.
struct answer {
    std::string name{};
    repebble::io::pipeline_document read{};
    std::vector<repebble::bytes> budgets{};
    repebble::pipeline_plan plan{};
    std::optional<repebble::least_ranks> least{};  ///< where it was asked for
    bool by_plans = false;     ///< of a network: its bound is that of any plan, and fewer ranks may have one
    bool none_exists = false;  ///< where there is no plan: whether that is proven
    double seconds = 0;
};

void print_json(answer const& a);
void print_words(answer const& a);

}  // namespace pipeline_program

#endif
