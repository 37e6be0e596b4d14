#ifndef REPEBBLE_TESTS_SUPPORT_TEMPORARY_FOLDER_HPP
#define REPEBBLE_TESTS_SUPPORT_TEMPORARY_FOLDER_HPP

#include <filesystem>
#include <stdexcept>
#include <string>

#include <stdlib.h>

namespace repebble::testing {

/// An empty folder that is removed with its content when the test ends.
class temporary_folder {
  public:
    temporary_folder() {
        auto pattern = (std::filesystem::temp_directory_path() / "repebble.XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder: " + pattern);
        path_ = pattern;
    }
    ~temporary_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    temporary_folder(temporary_folder const&) = delete;
    auto operator=(temporary_folder const&) -> temporary_folder& = delete;

    [[nodiscard]] auto operator/(std::string const& name) const -> std::filesystem::path { return path_ / name; }
    [[nodiscard]] auto path() const -> std::filesystem::path const& { return path_; }

  private:
    std::filesystem::path path_;
};

/// The message of the exception of type `Error` that `f` throws; "" where it throws none or another.
template <class Error, class F>
[[nodiscard]] auto message_of(F&& f) -> std::string {
    try {
        f();
    } catch (Error const& e) {
        return e.what();
    } catch (std::exception const&) {
    }
    return {};
}

}  // namespace repebble::testing

#endif
