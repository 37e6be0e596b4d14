#ifndef REPEBBLE_IO_JSON_CHAIN_HPP
#define REPEBBLE_IO_JSON_CHAIN_HPP

// Chains of stages as JSON, in the form of Beaumont et al. 2019.

#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <repebble/chains/chain.hpp>
#include <repebble/io/detail/time_unit.hpp>
#include <repebble/io/gzip.hpp>

namespace repebble::inline v0::io {

/// The content of a chain file.
struct chain_document {
    std::string name{};         ///< empty where the file has none
    repebble::chain chain{};    ///< the loss is its last stage
    std::string time_unit{};    ///< ns, or empty where the unit of the times is not known

    friend auto operator==(chain_document const&, chain_document const&) -> bool = default;
};

/// Parses a chain from JSON, in the form of Beaumont et al. 2019:
///   {"name": …, "time_unit": "ms", "L": n, "fw": […], "bw": […], "cw": […], "cbw": […], "fwd_tmp": […], "bwd_tmp":
///   […]}
/// Stages 0 … L-1 and the loss, which is stage L. Integers; bytes, and any unit of time. With a `time_unit` of s, ms,
/// us or ns, or `unit` for a file without one, times may be fractions, and are rounded to nanoseconds. fw[i] and bw[i]
/// are the stages' times; cw[i] is the size of the input of stage i, and of its gradient; cbw[i+1] that of the tape of
/// stage i, its output included, its input not, and cbw[0] = 0; fwd_tmp[i] and bwd_tmp[i] are workspaces, which may be
/// negative. All lists but bw may end before the loss, whose numbers are 0 then; missing workspaces are zeros, and L
/// may be left out. Unknown fields are ignored.  O(characters). Throws bad_file, naming `source` and the field with the
/// index, or the stage, where the text is not JSON, has another form, or is not a valid chain; limit_reached where the
/// account is spent.
[[nodiscard]] auto parse_chain(std::string_view text, std::string const& source = "chain", std::string_view unit = {},
                               read_account account = read_account()) -> chain_document;

/// The chain in a JSON file, which may be gzip data.  Throws as `read_file` and `parse_chain` do.
[[nodiscard]] inline auto read_chain(std::filesystem::path const& path, std::string_view unit = {},
                                     read_account account = read_account()) -> chain_document {
    return parse_chain(read_file(path, account), path.string(), unit, account);
}

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/io/json_chain.ipp>
#endif

#endif
