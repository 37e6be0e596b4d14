#ifndef REPEBBLE_PIPELINES_JSON_PIPELINE_HPP
#define REPEBBLE_PIPELINES_JSON_PIPELINE_HPP

// Pipelines as JSON. The program `pipeline` and Python read them; the README of the program has the fields.

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <repebble/io/gzip.hpp>
#include <repebble/pipelines/pipeline.hpp>
#include <repebble/pipelines/pipeline_schedule.hpp>

namespace repebble::inline v0::io {

/// The content of a pipeline file.
struct pipeline_document {
    std::string name{};             ///< empty where the file has none
    repebble::pipeline pipeline{};  ///< stages that are graph files have no times and one choice
    std::string time_unit{};        ///< ns, or empty where the unit of the times is not known
    std::vector<std::optional<std::string>>
        graphs{};                         ///< of each stage: the graph file that says its times and choices
    double weight_share = 0.5;            ///< of the backward passes of these, as of `stage_curve_options`
    std::optional<pass_orders> orders{};  ///< by rank, where the file gives an order; not verified

    /// Whether any stage is a graph file.
    [[nodiscard]] auto has_graphs() const -> bool {
        return std::ranges::any_of(graphs, [](auto const& g) { return g.has_value(); });
    }
    friend auto operator==(pipeline_document const&, pipeline_document const&) -> bool = default;
};

/// Parses a pipeline from JSON:
///   {"name": …, "time_unit": "us", "ranks": 4, "microbatches": 16, "placement": "v", "stages": [{"rank": 0, "forward":
///   …, "input_gradient": …, "weight_gradient": …, "transfer": …, "constant": …, "count": …, "choices":
///   [{"recomputation": …, "kept": …, "in_forward": …, "in_backward": …, "for_weights": …}]}, {"graph": "b.json"}],
///   "weight_share": 0.5, "orders": [[["forward", 0, 0], …], …]}
/// Times as in chain files, bytes in integers. Unknown fields are ignored, but refused where they look misspelt.
/// O(characters + stages). Throws bad_file, naming `source` and the field, stage or pass, where the text is not JSON,
/// has another form, or is not a valid pipeline; limit_reached where the account is spent, as by stages that count
/// many, by ranks times stages or triples of choices that planning would walk over, or by more passes than it has
/// memory for.
[[nodiscard]] auto parse_pipeline(std::string_view text, std::string const& source = "pipeline",
                                  read_account account = read_account()) -> pipeline_document;

/// The pipeline in a JSON file, which may be gzip data.  Throws as `read_file` and `parse_pipeline` do.
[[nodiscard]] inline auto read_pipeline(std::filesystem::path const& path, read_account account = read_account())
    -> pipeline_document {
    return parse_pipeline(read_file(path, account), path.string(), account);
}

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pipelines/json_pipeline.ipp>
#endif

#endif
