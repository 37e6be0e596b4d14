#ifndef REPEBBLE_IMPL_IO_WRITE_FILE_IPP
#define REPEBBLE_IMPL_IO_WRITE_FILE_IPP

#include <repebble/io/write_file.hpp>

#include <fstream>
#include <string>
#include <system_error>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/io/bad_file.hpp>
#include <repebble/io/gzip.hpp>

namespace repebble::inline v0::io {

namespace detail {

REPEBBLE_INLINE auto is_written_in_place(std::filesystem::path const& path) -> bool {
    bool is_of_system = false;
    static_cast<void>(detail::behind_links(path, [&](std::filesystem::path const& link) {
        auto const name = std::filesystem::absolute(link).string();
        is_of_system = is_of_system || name.starts_with("/dev/") || name.starts_with("/proc/");
    }));
    if (is_of_system) return true;
    std::error_code error;
    auto const there = std::filesystem::status(path, error);
    return std::filesystem::exists(there) && !std::filesystem::is_regular_file(there) &&
           !std::filesystem::is_directory(there);
}

}  // namespace detail

REPEBBLE_INLINE void write_file(std::filesystem::path const& path, std::string_view text) {
    auto const packed = path.extension() == ".gz" ? detail::gzip(text) : std::string();
    if (!packed.empty()) text = packed;
    if (!detail::is_written_in_place(path)) return detail::part_file(path).replace_target(text);
    std::ofstream file(path, std::ios::binary | std::ios::app);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file) repebble::detail::raise(bad_file(path.string(), "cannot be written"));
}

}  // namespace repebble::inline v0::io

#endif
