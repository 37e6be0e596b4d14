#ifndef TRAIN_CPU_RECIPE_BOOK_HPP
#define TRAIN_CPU_RECIPE_BOOK_HPP

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <repebble/networks/model.hpp>
#include <repebble/training/calls.hpp>

#include "recipe.hpp"

namespace train_cpu {

/// The recipes of all calls so far: calls that differ in addresses only have one recipe.
class recipe_book {
  public:
    /// Throws cannot_compute, naming the operation, where there is none.
    [[nodiscard]] auto find(repebble::training::forward_call const& call) -> std::shared_ptr<recipe const>;
    [[nodiscard]] auto find(repebble::training::backward_call const& call) -> std::shared_ptr<recipe const>;

  private:
    using numbers = std::vector<std::int64_t>;
    struct entry {
        repebble::networks::any_kind kind;
        std::shared_ptr<recipe const> how;
    };

    template <class Call>
    [[nodiscard]] auto find_or_make(Call const& call, numbers key) -> std::shared_ptr<recipe const>;

    std::map<numbers, std::vector<entry>> entries_{};
};

}  // namespace train_cpu

#endif
