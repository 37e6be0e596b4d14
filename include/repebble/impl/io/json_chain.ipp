#ifndef REPEBBLE_IMPL_IO_JSON_CHAIN_IPP
#define REPEBBLE_IMPL_IO_JSON_CHAIN_IPP

#include <repebble/io/json_chain.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/io/bad_file.hpp>
#include <repebble/io/detail/json_reader.hpp>

namespace repebble::inline v0::io::detail {

/// The lists of a chain file, checked for their lengths and values.
class chain_lists {
  public:
    /// unit: of the times; empty where the file says it, or none.
    chain_lists(json_reader const& in, nlohmann::json const& whole, std::string_view unit)
        : in_(in), whole_(whole), unit_(in, unit_field(whole), unit) {
        auto const loss = numbers("bw", true);
        if (!loss) in.fail("has no field 'bw'");
        if (loss->empty()) in.fail("bw is empty: its last number is the loss's");
        stages_ = loss->size() - 1;
        if (auto const l = whole.find("L"); l != whole.end()) {
            if (auto const said = in.index(*l, "L"); said != stages_)
                in.fail("bw has " + std::to_string(loss->size()) + " numbers, but L is " + std::to_string(said) +
                        ", and there must be one for each stage and one for the loss");
        }
    }

    /// Number of stages, without the loss.
    [[nodiscard]] auto stages() const noexcept -> std::size_t { return stages_; }
    /// A list of times or sizes that has between `least` and `most` more entries than there are stages; missing entries
    /// are 0.
    [[nodiscard]] auto times(char const* field, std::size_t least, std::size_t most) const {
        return amounts(field, least, most, true);
    }
    [[nodiscard]] auto sizes(char const* field, std::size_t least, std::size_t most) const {
        return amounts(field, least, most, false);
    }
    /// Workspaces of the stages and optionally of the loss; zeros where there is no such list. May be negative.
    [[nodiscard]] auto workspaces(char const* field) const -> std::vector<std::int64_t> {
        auto list = numbers(field, false);
        return filled(field, list ? std::move(*list) : std::vector<std::int64_t>(stages_), 0, 1);
    }
    [[nodiscard]] static auto entry(std::string const& field, std::size_t i) -> std::string {
        return field + "[" + std::to_string(i) + "]";
    }
    /// Whether the times are nanoseconds.
    [[nodiscard]] auto knows_unit() const noexcept -> bool { return unit_.is_known(); }

  private:
    [[nodiscard]] static auto unit_field(nlohmann::json const& whole) -> std::optional<nlohmann::json> {
        auto const found = whole.find("time_unit");
        if (found == whole.end()) return std::nullopt;
        return *found;
    }
    [[nodiscard]] auto amounts(char const* field, std::size_t least, std::size_t most, bool are_times) const
        -> std::vector<std::int64_t> {
        auto list = numbers(field, are_times);
        if (!list) in_.fail("has no field '" + std::string(field) + "'");
        for (std::size_t i = 0; i < list->size(); ++i)
            if ((*list)[i] < 0) in_.fail(entry(field, i) + " is negative: " + std::to_string((*list)[i]));
        return filled(field, std::move(*list), least, most);
    }
    [[nodiscard]] auto numbers(char const* field, bool are_times) const -> std::optional<std::vector<std::int64_t>> {
        auto const found = whole_.find(field);
        if (found == whole_.end()) return std::nullopt;
        std::vector<std::int64_t> all;
        for (auto const& number : in_.array(*found, field)) {
            auto const name = entry(field, all.size());
            all.push_back(are_times ? unit_.read(in_, number, name) : in_.integer(number, name));
        }
        return all;
    }
    [[nodiscard]] auto filled(char const* field, std::vector<std::int64_t> list, std::size_t least,
                              std::size_t most) const -> std::vector<std::int64_t> {
        if (list.size() < stages_ + least || list.size() > stages_ + most)
            in_.fail(std::string(field) + " has " + std::to_string(list.size()) +
                     " numbers, but with L = " + std::to_string(stages_) + " there must be " +
                     std::to_string(stages_ + least) + " or " + std::to_string(stages_ + most));
        list.resize(stages_ + most);
        return list;
    }

    json_reader const& in_;
    nlohmann::json const& whole_;
    time_unit unit_;
    std::size_t stages_ = 0;
};

}  // namespace repebble::inline v0::io::detail

namespace repebble::inline v0::io {

REPEBBLE_INLINE auto parse_chain(std::string_view text, std::string const& source, std::string_view unit,
                                 read_account account) -> chain_document {
    account.open(source, text.size());
    auto const whole = detail::parse_json(text, source, account);
    detail::json_reader const in{source, "the chain"};
    if (!whole.is_object()) in.fail("must be an object, not " + detail::shown(whole));
    chain_document read;
    if (auto const name = whole.find("name"); name != whole.end()) read.name = in.text(*name, "name");
    detail::chain_lists const lists(in, whole, unit);
    if (lists.knows_unit()) read.time_unit = "ns";
    auto const fw = lists.times("fw", 0, 1), bw = lists.times("bw", 1, 1);
    auto const cw = lists.sizes("cw", 1, 2), cbw = lists.sizes("cbw", 1, 2);
    auto const fwd_tmp = lists.workspaces("fwd_tmp"), bwd_tmp = lists.workspaces("bwd_tmp");
    if (cbw[0] != 0) in.fail("cbw[0] must be 0, not " + std::to_string(cbw[0]) + ": no stage saves it");
    read.chain.input = read.chain.input_gradient = cw[0];
    for (std::size_t i = 0; i <= lists.stages(); ++i) {
        if (cbw[i + 1] < cw[i + 1])
            in.fail(lists.entry("cbw", i + 1) + " is " + std::to_string(cbw[i + 1]) + ", less than " +
                    lists.entry("cw", i + 1) + ", the " + std::to_string(cw[i + 1]) + " bytes of the output of stage " +
                    std::to_string(i));
        read.chain.stages.push_back(
            {.forward_time = fw[i],
             .backward_time = bw[i],
             .output = cw[i + 1],
             .gradient = cw[i + 1],
             .workspace = fwd_tmp[i],
             .tapes = {{.saved = cbw[i + 1], .forward_workspace = fwd_tmp[i], .backward_workspace = bwd_tmp[i]}}});
    }
    repebble::detail::catching<error>([&] { static_cast<void>(repebble::detail::chain_sums(read.chain)); },
                                      [&](error const& e) { repebble::detail::raise(bad_file(source, e.what())); });
    return read;
}

}  // namespace repebble::inline v0::io

#endif
