#ifndef REPEBBLE_IMPL_ONNX_PARSE_ONNX_IPP
#define REPEBBLE_IMPL_ONNX_PARSE_ONNX_IPP

#include <repebble/onnx/parse_onnx.hpp>

#include <array>
#include <cstdint>
#include <fstream>
#include <ios>
#include <sstream>
#include <streambuf>
#include <system_error>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/io/gzip.hpp>
#include <repebble/onnx/detail/onnx_parser.hpp>
#include <repebble/onnx/detail/wire_reader.hpp>

namespace repebble::inline v0::io::detail {

/// Reads `size` bytes as a model.
[[nodiscard]] inline auto parse_onnx(std::streambuf& in, std::uint64_t size, read_account const& account)
    -> onnx_model {
    wire_reader reader(in, size, account);
    return onnx_parser(reader).model();
}

}  // namespace repebble::inline v0::io::detail

namespace repebble::inline v0::io {

REPEBBLE_INLINE auto read_onnx_model(std::filesystem::path const& path, read_account account) -> onnx_model {
    std::error_code error;
    auto const size = std::filesystem::is_regular_file(path, error) ? std::filesystem::file_size(path, error) : 0;
    std::ifstream file;
    if (size > 0 && !error) file.open(path, std::ios::binary);
    std::array<char, 2> first{};
    bool const plain =
        file.is_open() && file.read(first.data(), first.size()) && !detail::is_gzip({first.data(), first.size()});
    if (!plain) return parse_onnx_model(read_file(path, account), path.string(), account);  // or says why not
    account.open(path.string(), size);
    file.seekg(0);
    return detail::parse_onnx(*file.rdbuf(), size, account);
}

REPEBBLE_INLINE auto parse_onnx_model(std::string text, std::string const& source, read_account account) -> onnx_model {
    account.open(source, text.size());
    auto const size = text.size();
    std::stringbuf in(std::move(text), std::ios::in);
    return detail::parse_onnx(in, size, account);
}

}  // namespace repebble::inline v0::io

#endif
