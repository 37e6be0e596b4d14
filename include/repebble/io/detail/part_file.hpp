#ifndef REPEBBLE_IO_DETAIL_PART_FILE_HPP
#define REPEBBLE_IO_DETAIL_PART_FILE_HPP

// A file beside its target, which it replaces once it is whole.

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <repebble/detail/raise.hpp>
#include <repebble/io/bad_file.hpp>

namespace repebble::inline v0::io::detail {

/// What a link leads to, through any links; of links without an end, one of them. visit(link) hears of each.
template <class Visit>
[[nodiscard]] auto behind_links(std::filesystem::path path, Visit&& visit) -> std::filesystem::path {
    constexpr int most_links = 40;
    std::error_code error;
    for (int k = 0; k < most_links && std::filesystem::is_symlink(path, error); ++k) {
        visit(path);
        auto const to = std::filesystem::read_symlink(path, error);
        if (error) break;
        path = path.parent_path() / to;  // an absolute `to` replaces all
    }
    return path;
}

/// A new file in the folder of the target, with a name of its own. It is removed unless it replaces the target.
class part_file {
  public:
    /// Throws bad_file, with the target's name, where none can be created.
    explicit part_file(std::filesystem::path const& target)
        : name_(target.string()), target_(behind_links(target, [](auto const&) {})) {
        if (std::filesystem::is_symlink(target_, ignored_)) fail("cannot be opened for writing: its links have no end");
        if (!target_.has_filename()) fail("cannot be opened for writing: it names no file");
        if (std::filesystem::is_directory(target_, ignored_)) fail("cannot be opened for writing: it is a folder");
        for (int k = 0; file_ == nullptr && k < most_names; ++k) {
            auto const name = target_.filename().string().substr(0, most_letters);
            part_ = target_.parent_path() / (name + "." + std::to_string(k) + ".part");
            file_ = std::fopen(part_.string().c_str(), "wbx");  // x: nobody else's file
            if (file_ == nullptr && !std::filesystem::exists(part_, ignored_)) break;
        }
        if (file_ == nullptr) fail("cannot be opened for writing");
    }
    part_file(part_file const&) = delete;
    auto operator=(part_file const&) -> part_file& = delete;
    ~part_file() {
        if (file_ != nullptr) std::fclose(file_);
        if (!part_.empty()) std::filesystem::remove(part_, ignored_);
    }

    /// Writes the text and replaces the target, whose permissions stay.
    /// Throws bad_file where the text cannot be written, on a full disk for example: then the target is as it was.
    void replace_target(std::string_view text) && {
        auto const old = std::filesystem::status(target_, ignored_);
        if (std::filesystem::exists(old)) std::filesystem::permissions(part_, old.permissions(), ignored_);
        bool const written = std::fwrite(text.data(), 1, text.size(), file_) == text.size();
        if (std::fclose(std::exchange(file_, nullptr)) != 0 || !written) fail("cannot be written");
        std::error_code error;
        std::filesystem::rename(part_, target_, error);
        if (error) fail("cannot be replaced: " + error.message());
        part_.clear();
    }

  private:
    static constexpr int most_names = 1000;
    static constexpr std::size_t most_letters = 240;  // names of files have 255 at most

    [[noreturn]] void fail(std::string const& what) const { repebble::detail::raise(bad_file(name_, what)); }

    std::string name_;
    std::filesystem::path target_, part_{};
    std::FILE* file_ = nullptr;
    std::error_code ignored_{};
};

}  // namespace repebble::inline v0::io::detail

#endif
