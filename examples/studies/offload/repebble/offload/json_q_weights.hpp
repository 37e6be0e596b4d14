#ifndef REPEBBLE_OFFLOAD_JSON_Q_WEIGHTS_HPP
#define REPEBBLE_OFFLOAD_JSON_Q_WEIGHTS_HPP

// Weights of a deep Q-network as JSON, so that what was learnt on a small network can be taken to a large one. Numbers
// are written with all digits: what is read is what was written.

#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <repebble/io/gzip.hpp>
#include <repebble/io/write_file.hpp>
#include <repebble/offload/q_weights.hpp>

namespace repebble::inline v0::io {

/// Parses the weights of a deep Q-network:
///   {"width": 32, "rounds": 4, "form": "separable", "W1": […], …, "W8": […]}
/// Each matrix by columns; `form` is separable or joint, and a joint network has W9, too. Unknown fields are ignored.
/// O(characters).  Throws bad_file, naming `source` and the field, where the text is not JSON, a field is absent or of
/// another type, the shape is none, or a matrix has another number of weights.
[[nodiscard]] auto parse_q_weights(std::string_view text, std::string const& source = "weights") -> q_weights;

/// The weights in a file, which may be gzip data.  Throws as `read_file` and `parse_q_weights` do.
[[nodiscard]] inline auto read_q_weights(std::filesystem::path const& path) -> q_weights {
    return parse_q_weights(read_file(path), path.string());
}

/// The text of weights, as `parse_q_weights` reads it, a line for each field.  O(weights).  Throws as `check_q_weights`
/// does.
[[nodiscard]] auto q_weights_text(q_weights const& weights) -> std::string;

/// Writes weights to a file; as gzip data where its name ends in .gz.  Throws as `q_weights_text` and `write_file` do.
inline void write_q_weights(std::filesystem::path const& path, q_weights const& weights) {
    write_file(path, q_weights_text(weights));
}

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/offload/json_q_weights.ipp>
#endif

#endif
