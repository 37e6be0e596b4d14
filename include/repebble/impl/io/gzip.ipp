#ifndef REPEBBLE_IMPL_IO_GZIP_IPP
#define REPEBBLE_IMPL_IO_GZIP_IPP

#include <repebble/io/gzip.hpp>

#include <zlib.h>
#include <algorithm>
#include <fstream>
#include <limits>
#include <system_error>
#include <utility>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/io/bad_file.hpp>

namespace repebble::inline v0::io::detail {

/// zlib's state for unpacking gzip data.
class gzip_stream {
  public:
    gzip_stream() : ready_(inflateInit2(&state_, 15 + 16) == Z_OK) {}
    ~gzip_stream() {
        if (ready_) inflateEnd(&state_);
    }
    gzip_stream(gzip_stream const&) = delete;
    auto operator=(gzip_stream const&) -> gzip_stream& = delete;

    [[nodiscard]] auto ready() const noexcept { return ready_; }
    [[nodiscard]] auto operator->() noexcept -> z_stream* { return &state_; }
    [[nodiscard]] auto get() noexcept -> z_stream* { return &state_; }

  private:
    z_stream state_{};
    bool ready_;
};

}  // namespace repebble::inline v0::io::detail

namespace repebble::inline v0::io {

namespace detail {

REPEBBLE_INLINE auto gunzip(std::string_view packed, read_account const& account) -> std::string {
    auto const& source = account.source();
    detail::gzip_stream stream;
    if (!stream.ready()) repebble::detail::raise(bad_file(source, "zlib cannot begin to read gzip data"));
    std::string text;
    std::string buffer(std::size_t{1} << 16, '\0');
    std::size_t position = 0;  // bytes of `packed` that zlib has taken
    auto const at_byte = [&] { return " at byte " + std::to_string(position); };
    for (;;) {
        auto const most = std::size_t{std::numeric_limits<uInt>::max()};
        auto const given = std::min(packed.size() - position, most);
        stream->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + position));
        stream->avail_in = static_cast<uInt>(given);
        stream->next_out = reinterpret_cast<Bytef*>(buffer.data());
        stream->avail_out = static_cast<uInt>(buffer.size());
        int const code = inflate(stream.get(), Z_NO_FLUSH);
        position += given - stream->avail_in;
        auto const made = buffer.size() - stream->avail_out;
        account.spend(1 + made / 4, 4 * made, [&] { return "what is unpacked" + at_byte(); });
        text.append(buffer, 0, made);
        if (code == Z_STREAM_END) {
            if (position == packed.size()) return text;
            if (!detail::is_gzip(packed.substr(position)))
                repebble::detail::raise(bad_file(source, "gzip data are followed by something else" + at_byte()));
            if (inflateReset(stream.get()) != Z_OK)
                repebble::detail::raise(bad_file(source, "zlib cannot go on" + at_byte()));
        } else if (code == Z_BUF_ERROR || (code == Z_OK && position == packed.size() && made == 0)) {
            repebble::detail::raise(bad_file(source, "gzip data end too soon" + at_byte()));
        } else if (code != Z_OK) {
            repebble::detail::raise(
                bad_file(source, "gzip data are damaged" + at_byte() +
                                     (stream->msg != nullptr ? ": " + std::string(stream->msg) : std::string{})));
        }
    }
}

REPEBBLE_INLINE auto gzip(std::string_view text) -> std::string {
    z_stream state{};
    if (deflateInit2(&state, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        repebble::detail::raise(bad_file("gzip data", "zlib cannot begin to write them"));
    std::string packed;
    std::string buffer(std::size_t{1} << 16, '\0');
    std::size_t position = 0;  // bytes of the text that zlib has been given
    int code = Z_OK;
    while (code == Z_OK) {
        if (state.avail_in == 0) {
            auto const more = std::min(text.size() - position, std::size_t{std::numeric_limits<uInt>::max()});
            state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data() + position));
            state.avail_in = static_cast<uInt>(more);
            position += more;
        }
        state.next_out = reinterpret_cast<Bytef*>(buffer.data());
        state.avail_out = static_cast<uInt>(buffer.size());
        code = deflate(&state, position == text.size() ? Z_FINISH : Z_NO_FLUSH);
        packed.append(buffer, 0, buffer.size() - state.avail_out);
    }
    deflateEnd(&state);
    if (code != Z_STREAM_END) repebble::detail::raise(bad_file("gzip data", "zlib cannot write them"));
    return packed;
}

}  // namespace detail

REPEBBLE_INLINE auto read_file(std::filesystem::path const& path, read_account account) -> std::string {
    auto const name = path.string();
    std::error_code ignored;
    auto const status = std::filesystem::status(path, ignored);
    if (!std::filesystem::exists(status)) repebble::detail::raise(bad_file(name, "there is no such file"));
    if (std::filesystem::is_directory(status)) repebble::detail::raise(bad_file(name, "is a directory"));
    bool const on_disk = std::filesystem::is_regular_file(status);
    account.open(name, 0);
    std::ifstream file(path, std::ios::binary);
    if (!file) repebble::detail::raise(bad_file(name, "cannot be opened"));
    std::string data;
    std::string buffer(std::size_t{1} << 16, '\0');
    while (file) {
        file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
        auto const got = static_cast<std::size_t>(file.gcount());
        if (on_disk) account.grow(got);
        account.spend(1 + got / 16, 2 * got, [&] { return "byte " + std::to_string(data.size()); });
        data.append(buffer, 0, got);
    }
    if (file.bad())
        repebble::detail::raise(bad_file(name, "cannot be read beyond byte " + std::to_string(data.size())));
    if (!on_disk) account.grow(data.size());
    return detail::is_gzip(data) ? detail::gunzip(data, account) : std::move(data);
}

}  // namespace repebble::inline v0::io

#endif
