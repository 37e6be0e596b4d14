#ifndef REPEBBLE_IMPL_ONNX_PARSE_ONNX_IPP
#define REPEBBLE_IMPL_ONNX_PARSE_ONNX_IPP

#include <repebble/onnx/parse_onnx.hpp>

#include <array>
#include <cstdint>
#include <fstream>
#include <ios>
#include <sstream>
#include <streambuf>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/io/gzip.hpp>
#include <repebble/onnx/detail/onnx_parser.hpp>
#include <repebble/onnx/detail/wire_reader.hpp>

namespace repebble::inline v0::io::detail {

/// Reads `size` bytes as a model.
[[nodiscard]] inline auto parse_onnx(std::streambuf& in, std::uint64_t size, std::string const& source) -> onnx_model {
    wire_reader reader(in, size, source);
    return onnx_parser(reader).model();
}

}  // namespace repebble::inline v0::io::detail

namespace repebble::inline v0::io {

REPEBBLE_INLINE auto read_onnx_model(std::filesystem::path const& path) -> onnx_model {
    std::ifstream file(path, std::ios::binary);
    std::array<char, 2> first{};
    bool const plain = file.read(first.data(), first.size()) && !detail::is_gzip({first.data(), first.size()});
    if (!plain) {
        auto text = read_file(path);  // or says why not
        auto const size = text.size();
        std::stringbuf in(std::move(text), std::ios::in);
        return detail::parse_onnx(in, size, path.string());
    }
    file.seekg(0);
    return detail::parse_onnx(*file.rdbuf(), std::filesystem::file_size(path), path.string());
}

REPEBBLE_INLINE auto parse_onnx_model(std::string text, std::string const& source) -> onnx_model {
    auto const size = text.size();
    std::stringbuf in(std::move(text), std::ios::in);
    return detail::parse_onnx(in, size, source);
}

}  // namespace repebble::inline v0::io

#endif
