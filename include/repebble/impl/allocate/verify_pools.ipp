#ifndef REPEBBLE_IMPL_ALLOCATE_VERIFY_POOLS_IPP
#define REPEBBLE_IMPL_ALLOCATE_VERIFY_POOLS_IPP

#include <repebble/allocate/verify_pools.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_unique.hpp>

namespace repebble::inline v0::detail {

class pool_judge {
  public:
    /// Refers to all of them.
    pool_judge(std::span<buffer const> buffers, std::span<bytes const> capacities, pool_plan const& plan,
               pool_options const& options)
        : buffers_(buffers), capacities_(capacities), plan_(plan), options_(options), is_aliased_(buffers.size()) {
        for (auto const& b : buffers)
            if (b.alias_of) is_aliased_[*b.alias_of] = true;
        for (auto const& accesses : options.accesses)
            for (auto const& a : accesses) copy_times_.push_back(a.time);
        sort_unique(copy_times_);
    }

    [[nodiscard]] auto judge() const -> pool_verdict {
        for (std::size_t i = 0; i < buffers_.size(); ++i)
            if (auto const why = fault_of_stays(i); !why.empty())
                return {.fault = offset_fault{i, {}, "buffer " + std::to_string(i) + ": " + why}};
        if (auto fault = fault_of_copies()) return {.fault = std::move(fault)};
        for (std::size_t p = 0; p < capacities_.size(); ++p)
            if (auto fault = fault_of_pool(p)) return {.fault = std::move(fault)};
        return {.traffic = traffic()};
    }

  private:
    [[nodiscard]] auto stays_of(std::size_t i) const -> std::vector<pool_stay> {
        if (!plan_.stays.empty()) return plan_.stays[i];
        return {{plan_.pool_of[i], plan_.offsets[i], buffers_[i].lifetime}};
    }
    [[nodiscard]] auto fault_of_stays(std::size_t i) const -> std::string {
        auto const& b = buffers_[i];
        auto const stays = stays_of(i);
        if (stays.empty()) return "it lies nowhere";
        for (auto const& stay : stays)
            if (stay.pool >= capacities_.size())
                return "it lies in pool " + std::to_string(stay.pool) + ", of which there is none";
        auto const& first = stays.front();
        if (first.pool != plan_.pool_of[i] || first.offset != plan_.offsets[i])
            return "its first stay is not at its pool and offset";
        if (first.lifetime.lower != b.lifetime.lower || stays.back().lifetime.upper != b.lifetime.upper)
            return "its stays do not begin and end with its lifetime";
        if (!options_.required.empty() && options_.required[i].value_or(first.pool) != first.pool)
            return "it lies in pool " + std::to_string(first.pool) + ", and pool " +
                   std::to_string(*options_.required[i]) + " is required";
        if (b.alias_of && first.pool != plan_.pool_of[*b.alias_of])
            return "it is not in the pool of buffer " + std::to_string(*b.alias_of) + ", whose alias it is";
        for (std::size_t k = 1; k < stays.size(); ++k)
            if (auto const why = fault_of_copy(i, stays[k - 1], stays[k]); !why.empty()) return why;
        for (std::size_t k = 2; k < stays.size(); ++k)
            if (stays[k].lifetime.lower <= stays[k - 1].lifetime.lower)
                return "it is copied twice at time " + std::to_string(stays[k].lifetime.lower);
        return {};
    }
    [[nodiscard]] auto fault_of_copy(std::size_t i, pool_stay const& from, pool_stay const& to) const -> std::string {
        auto const time = to.lifetime.lower;
        auto const named = "its copy at time " + std::to_string(time);
        bool const is_required = !options_.required.empty() && options_.required[i];
        if (buffers_[i].pinned || buffers_[i].alias_of || is_aliased_[i] || is_required || !buffers_[i].gaps.empty())
            return named + " is none that it may have: it has a pin, a gap, an alias or a required pool";
        if (from.pool == to.pool) return named + " is to the same pool";
        if (from.lifetime.upper <= time || from.lifetime.upper - 1 != time || from.lifetime.lower > time ||
            to.lifetime.upper <= time)
            return named + " is not the step that both stays share";
        return std::ranges::binary_search(copy_times_, time) ? "" : named + " is in a step that no access names";
    }
    [[nodiscard]] auto fault_of_copies() const -> std::optional<offset_fault> {
        std::vector<pool_copy> copies;
        for (std::size_t i = 0; i < plan_.stays.size(); ++i)
            for (std::size_t k = 1; k < plan_.stays[i].size(); ++k)
                copies.push_back({plan_.stays[i][k].lifetime.lower, i, k - 1});
        std::ranges::stable_sort(copies, {}, &pool_copy::time);
        auto const [here, there] = std::ranges::mismatch(copies, plan_.copies);
        if (here == copies.end() && there == plan_.copies.end()) return std::nullopt;
        auto const& at_fault = there == plan_.copies.end() ? *here : *there;
        return offset_fault{at_fault.buffer,
                            {},
                            "the copy of buffer " + std::to_string(at_fault.buffer) + " at time " +
                                std::to_string(at_fault.time) + " is not that of its stays"};
    }
    [[nodiscard]] auto fault_of_pool(std::size_t p) const -> std::optional<offset_fault> {
        std::vector<buffer> members;
        std::vector<bytes> offsets;
        std::vector<std::size_t> numbers, at(buffers_.size());
        for (std::size_t i = 0; i < buffers_.size(); ++i) {
            auto const stays = stays_of(i);
            for (auto const& stay : stays) {
                if (stay.pool != p) continue;
                at[i] = members.size();
                numbers.push_back(i);
                offsets.push_back(stay.offset);
                members.push_back(buffers_[i]);
                members.back().lifetime = stay.lifetime;
            }
        }
        for (auto& b : members)
            if (b.alias_of) b.alias_of = at[*b.alias_of];
        auto const [height, fault] = verify_offsets(members, offsets);
        auto const in_pool = "in pool " + std::to_string(p) + ": ";
        if (fault && fault->second) {
            auto const [first, second] = std::minmax(numbers[fault->first], numbers[*fault->second]);
            return offset_fault{first, second,
                                in_pool + "buffers " + std::to_string(first) + " and " + std::to_string(second) +
                                    fault->message.substr(fault->message.find(" overlap"))};
        }
        if (fault) {
            auto const i = numbers[fault->first];
            return offset_fault{
                i, {}, in_pool + "buffer " + std::to_string(i) + fault->message.substr(fault->message.find(": "))};
        }
        if (height == plan_.heights[p] && height <= capacities_[p]) return std::nullopt;
        std::size_t highest = 0;
        for (std::size_t k = 0; k < members.size(); ++k)
            if (offsets[k] + members[k].size == height) highest = numbers[k];
        return offset_fault{highest,
                            {},
                            in_pool + "its height is " + std::to_string(height) + ", of a capacity of " +
                                std::to_string(capacities_[p]) + ", and the plan says " +
                                std::to_string(plan_.heights[p])};
    }
    [[nodiscard]] auto cost_of(std::size_t p) const -> std::int64_t {
        return options_.costs.empty() ? (p == 0 ? 0 : 1) : options_.costs[p];
    }
    [[nodiscard]] auto traffic() const -> std::int64_t {
        std::int64_t sum = 0;
        auto const move = [&](std::int64_t bytes, std::size_t p) {
            sum = checked_add(sum, checked_multiply(bytes, cost_of(p), "traffic"), "traffic");
        };
        for (std::size_t i = 0; i < options_.traffic.size(); ++i) move(options_.traffic[i], plan_.pool_of[i]);
        for (std::size_t i = 0; i < options_.accesses.size(); ++i) {
            auto const stays = stays_of(i);
            for (auto const& a : options_.accesses[i])
                move(a.traffic, std::ranges::find_if(stays, [&](pool_stay const& s) {
                                    return a.time < s.lifetime.upper;  // before the copy
                                })->pool);
            for (std::size_t k = 0; k < stays.size(); ++k) {
                if (k > 0) move(buffers_[i].size, stays[k].pool);
                if (k + 1 < stays.size()) move(buffers_[i].size, stays[k].pool);
            }
        }
        return sum;
    }

    std::span<buffer const> buffers_;
    std::span<bytes const> capacities_;
    pool_plan const& plan_;
    pool_options const& options_;
    std::vector<bool> is_aliased_;
    std::vector<std::int64_t> copy_times_{};  // sorted
};

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto verify_pools(std::span<buffer const> buffers, std::span<bytes const> capacities,
                                  pool_plan const& plan, pool_options const& options) -> pool_verdict {
    detail::require_valid_buffers(buffers);
    auto const count = buffers.size();
    REPEBBLE_ASSERT(plan.pool_of.size() == count && plan.offsets.size() == count &&
                    plan.heights.size() == capacities.size());
    REPEBBLE_ASSERT(plan.stays.empty() || plan.stays.size() == count);
    return detail::pool_judge(buffers, capacities, plan, options).judge();
}

}  // namespace repebble::inline v0

#endif
