#ifndef PIPELINE_STAGES_HPP
#define PIPELINE_STAGES_HPP

#include <repebble/pipelines/json_pipeline.hpp>

#include "arguments.hpp"

namespace pipeline_program {

/// The file, with the times and choices of the stages that are graph files, each of which is planned once.
/// Throws repebble::error, naming the file, where one cannot be read.
[[nodiscard]] auto read_stages(arguments const& asked) -> repebble::io::pipeline_document;

}  // namespace pipeline_program

#endif
