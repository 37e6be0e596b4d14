#ifndef REPEBBLE_PLANNER_LINK_OPTION_HPP
#define REPEBBLE_PLANNER_LINK_OPTION_HPP

// The option of a link to the host: it brings the planner over the link with it. A program that plans without a link
// refers to that planner nowhere, so that a compiler makes no code of it (a sixth of the planner).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <repebble/graph/training/training_graph.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/planner/detail/model/listener.hpp>

namespace repebble::inline v0 {

struct plan_options;

namespace detail {

/// Plans over a link. A template, so that it may be named where its definition is not at hand
/// (`planner/detail/over_link_definition.hpp`).
template <class = void>
struct over_link {
    /// Plans for the budgets in this order (numbers of budgets, the smallest budget first), each at its number.
    static auto plan(dataflow<> const& flow, training_graph<> const* training, std::span<bytes const> budgets,
                     std::span<std::size_t const> order, plan_options const& options, listener const& hears)
        -> std::vector<automatic_plan<>>;
};

}  // namespace detail

/// A link, in the caller's time units, or none. Where the planner is not compiled separately, who makes one includes
/// `repebble/plan.hpp`.
class link_option {
  public:
    constexpr link_option() noexcept = default;
    /// No link.
    constexpr link_option(std::nullopt_t) noexcept {}
    /// That link.
    constexpr link_option(host_link<std::int64_t> const& link) noexcept
        : link_(link), planner_(&detail::over_link<>::plan) {}

    /// That link, or none.
    constexpr link_option(std::optional<host_link<std::int64_t>> const& link) noexcept
        : link_option(link ? link_option(*link) : link_option()) {}
    /// That link.
    constexpr auto operator=(host_link<std::int64_t> const& link) noexcept -> link_option& {
        return *this = link_option(link);
    }
    /// Takes the link away.
    constexpr void reset() noexcept { *this = link_option(); }

    /// The link, or nothing.
    [[nodiscard]] constexpr operator std::optional<host_link<std::int64_t>>() const noexcept { return link_; }
    /// Whether there is one.
    [[nodiscard]] constexpr auto has_value() const noexcept -> bool { return link_.has_value(); }
    /// Whether there is one.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return link_.has_value(); }
    /// The link.  Requires: there is one.
    [[nodiscard]] constexpr auto operator*() const noexcept -> host_link<std::int64_t> const& { return *link_; }
    /// The link.  Requires: there is one.
    [[nodiscard]] constexpr auto operator*() noexcept -> host_link<std::int64_t>& { return *link_; }
    /// The link.  Requires: there is one.
    [[nodiscard]] constexpr auto operator->() const noexcept -> host_link<std::int64_t> const* { return &*link_; }
    /// The link.  Requires: there is one.
    [[nodiscard]] constexpr auto operator->() noexcept -> host_link<std::int64_t>* { return &*link_; }
    /// The planner over a link.  Requires: there is one.
    [[nodiscard]] constexpr auto planner() const noexcept { return planner_; }

    friend constexpr auto operator==(link_option const&, link_option const&) -> bool = default;

  private:
    std::optional<host_link<std::int64_t>> link_{};
    decltype(&detail::over_link<>::plan) planner_ = nullptr;
};

}  // namespace repebble::inline v0

#endif
