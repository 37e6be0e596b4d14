#ifndef PIPELINE_REPORT_HPP
#define PIPELINE_REPORT_HPP

#include <string>
#include <vector>

#include <repebble/pipelines/json_pipeline.hpp>
#include <repebble/pipelines/plan_pipeline.hpp>

namespace pipeline_program {

/// What was found, and for what.
struct answer {
    std::string name{};
    repebble::io::pipeline_document read{};
    std::vector<repebble::bytes> budgets{};
    repebble::pipeline_plan plan{};
    bool none_exists = false;  ///< where there is no plan: whether that is proven
    double seconds = 0;
};

void print_json(answer const& a);
void print_words(answer const& a);

}  // namespace pipeline_program

#endif
