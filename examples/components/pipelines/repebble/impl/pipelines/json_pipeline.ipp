#ifndef REPEBBLE_IMPL_PIPELINES_JSON_PIPELINE_IPP
#define REPEBBLE_IMPL_PIPELINES_JSON_PIPELINE_IPP

#include <repebble/pipelines/json_pipeline.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/io/bad_file.hpp>
#include <repebble/io/detail/extra_fields.hpp>
#include <repebble/io/detail/json_reader.hpp>
#include <repebble/io/detail/time_unit.hpp>

namespace repebble::inline v0::io::detail {

inline constexpr std::array<std::string_view, 8> pipeline_fields{
    "name", "time_unit", "ranks", "microbatches", "placement", "stages", "weight_share", "orders"};
inline constexpr std::array<std::string_view, 9> stage_fields{
    "rank", "forward", "input_gradient", "weight_gradient", "transfer", "constant", "count", "choices", "graph"};
inline constexpr std::array<std::string_view, 5> choice_fields{"recomputation", "kept", "in_forward", "in_backward",
                                                               "for_weights"};

/// An object of a pipeline file; all messages name it.
class pipeline_object {
  public:
    using json = nlohmann::json;

    /// Throws bad_file where it is no object, or a field looks like a misspelt one of these.
    pipeline_object(json_reader in, json const& object, std::span<std::string_view const> fields)
        : in_(std::move(in)), object_(object) {
        if (!object.is_object()) in_.fail("must be an object, not " + shown(object));
        auto others = json::object();
        for (auto const& [field, value] : object.items())
            if (std::ranges::find(fields, field) == fields.end()) others[field] = nullptr;
        if (auto const fault = extra_fields(fields).fault_of(others); !fault.empty()) in_.fail(fault);
    }
    [[nodiscard]] auto in() const -> json_reader const& { return in_; }
    [[nodiscard]] auto find(std::string const& field) const -> json const* {
        auto const at = object_.find(field);
        return at == object_.end() ? nullptr : &*at;
    }
    [[nodiscard]] auto at(std::string const& field) const -> json const& {
        auto const* const found = find(field);
        if (!found) in_.fail("has no field '" + field + "'");
        return *found;
    }
    [[nodiscard]] auto index(std::string const& field) const -> std::uint32_t { return in_.index(at(field), field); }
    /// Of an optional field.
    [[nodiscard]] auto index_or(std::string const& field, std::uint32_t otherwise) const -> std::uint32_t {
        return find(field) ? index(field) : otherwise;
    }
    [[nodiscard]] auto bytes_of(std::string const& field) const -> bytes {
        return find(field) ? in_.whole_number(at(field), field) : 0;
    }
    [[nodiscard]] auto time(std::string const& field, time_unit const& unit) const -> std::int64_t {
        return find(field) ? unit.read(in_, at(field), field) : 0;
    }

  private:
    json_reader in_;
    json const& object_;
};

/// Reads the parts of a pipeline file.
class pipeline_reader {
  public:
    using json = nlohmann::json;

    pipeline_reader(std::string const& source, json const& whole, read_account const& account)
        : source_(source),
          account_(account),
          whole_({source, "the pipeline"}, whole, pipeline_fields),
          unit_(whole_.in(), whole_.find("time_unit") ? std::optional(whole_.at("time_unit")) : std::nullopt, {}) {}

    [[nodiscard]] auto read() -> pipeline_document {
        if (auto const* const name = whole_.find("name")) made_.name = whole_.in().text(*name, "name");
        if (unit_.is_known()) made_.time_unit = "ns";
        made_.pipeline = {.ranks = whole_.index("ranks"), .microbatches = whole_.index("microbatches")};
        spend(made_.pipeline.ranks, "ranks");
        read_weight_share();
        std::size_t number = 0;
        for (auto const& stage : whole_.in().array(whole_.at("stages"), "stages")) add_stage(stage, number++);
        check();
        if (auto const* const orders = whole_.find("orders")) made_.orders = orders_of(*orders);
        return std::move(made_);
    }

  private:
    /// So many things of some hundred bytes each will be made, of passes for example by each order that is tried.
    void spend(std::size_t count, std::string const& what) const { spend_steps(count, what, 256); }
    void check() const {
        auto const& p = made_.pipeline;
        repebble::detail::catching<error>(
            [&] { check_pipeline(p); }, [&](error const& e) { repebble::detail::raise(bad_file(source_, e.what())); });
        spend(p.stages.size() * p.microbatches, "passes forward");
        spend_steps(p.ranks * p.stages.size(), "ranks times stages");
    }
    /// So many steps will be made, each of which keeps so many bytes.
    void spend_steps(std::size_t count, std::string const& what, std::size_t bytes_each = 0) const {
        account_.spend(count, bytes_each * count, [&] { return "has " + std::to_string(count) + " " + what; });
    }
    void read_weight_share() {
        auto const* const share = whole_.find("weight_share");
        if (!share) return;
        if (!share->is_number() || !(share->get<double>() >= 0) || !(share->get<double>() <= 1))
            whole_.in().fail("weight_share must be a number from 0 to 1, not " + shown(*share));
        made_.weight_share = share->get<double>();
    }
    /// The rank where the file does not say it.
    [[nodiscard]] auto usual_rank(std::size_t stage) const -> std::size_t {
        auto const* const placement = whole_.find("placement");
        auto const word = placement ? whole_.in().text(*placement, "placement") : "loop";
        if (word != "loop" && word != "v") whole_.in().fail("placement must be loop or v, not " + shown(*placement));
        if (made_.pipeline.ranks == 0) return 0;  // which `check` refuses
        return word == "v" ? rank_in_v(stage, made_.pipeline.ranks) : rank_in_loop(stage, made_.pipeline.ranks);
    }
    void add_stage(json const& value, std::size_t number) {
        pipeline_object const stage({source_, "stages[" + std::to_string(number) + "]"}, value, stage_fields);
        auto const* const graph = stage.find("graph");
        pipeline_stage made{.transfer = stage.time("transfer", unit_), .constant = stage.bytes_of("constant")};
        if (graph) {
            for (auto const* other : {"forward", "input_gradient", "weight_gradient", "choices"})
                if (stage.find(other)) stage.in().fail("has a graph, which says '" + std::string(other) + "'");
        } else {
            made.forward = unit_.read(stage.in(), stage.at("forward"), "forward");
            made.input_gradient = unit_.read(stage.in(), stage.at("input_gradient"), "input_gradient");
            made.weight_gradient = stage.time("weight_gradient", unit_);
            made.choices = choices_of(stage, made.weight_gradient > 0);
        }
        std::size_t const count = stage.index_or("count", 1);
        if (count == 0) stage.in().fail("count is 0");
        auto& all = made_.pipeline.stages;
        auto const name = graph ? std::optional(stage.in().text(*graph, "graph")) : std::nullopt;
        spend(count * (1 + made.choices.size() + name.value_or("").size() / 256), "copies in " + stage.in().where);
        // Bounds try pairs of choices against all choices; the product fits in 64 bits.
        auto const choices = std::min<std::size_t>(made.choices.size(), 1U << 13U);
        spend_steps(std::min<std::size_t>(count, 1U << 24U) * choices * choices * choices,
                    "triples of choices in " + stage.in().where);
        for (std::size_t k = 0; k < count; ++k) {
            auto const usual = static_cast<std::uint32_t>(usual_rank(all.size()));
            all.push_back(made);
            all.back().rank = stage.index_or("rank", usual);
            made_.graphs.push_back(name);
        }
    }
    [[nodiscard]] auto choices_of(pipeline_object const& stage, bool has_weights) const -> std::vector<stage_choice> {
        std::vector<stage_choice> made;
        for (auto const& value : stage.in().array(stage.at("choices"), "choices")) {
            auto const where = stage.in().where + ".choices[" + std::to_string(made.size()) + "]";
            pipeline_object const c({source_, where}, value, choice_fields);
            if (has_weights && !c.find("for_weights"))
                c.in().fail("has no field 'for_weights', which a stage with a weight_gradient needs");
            made.push_back({.recomputation = c.time("recomputation", unit_),
                            .kept = c.in().whole_number(c.at("kept"), "kept"),
                            .in_forward = c.bytes_of("in_forward"),
                            .in_backward = c.bytes_of("in_backward"),
                            .for_weights = c.bytes_of("for_weights")});
        }
        return made;
    }
    [[nodiscard]] auto orders_of(json const& lists) const -> pass_orders {
        pass_orders made;
        for (auto const& list : whole_.in().array(lists, "orders")) {
            auto const name = "orders[" + std::to_string(made.size()) + "]";
            auto& order = made.emplace_back();
            for (auto const& pass : whole_.in().array(list, name))
                order.push_back(pass_of(pass, name + "[" + std::to_string(order.size()) + "]"));
        }
        return made;
    }
    [[nodiscard]] auto pass_of(json const& value, std::string const& name) const -> pipeline_pass {
        auto const& in = whole_.in();
        if (in.array(value, name).size() != 3)
            in.fail(name + " must be [kind, stage, microbatch], and has " + std::to_string(value.size()) + " elements");
        auto const& word = in.text(value[0], name + "[0]");
        for (auto const kind :
             {pass_kind::forward, pass_kind::input_gradient, pass_kind::weight_gradient, pass_kind::backward})
            if (word == field_of(kind))
                return {kind, in.index(value[1], name + "[1]"), in.index(value[2], name + "[2]")};
        in.fail(name + " must begin with forward, input_gradient, weight_gradient or backward, not " + shown(value[0]));
    }

    std::string const& source_;
    read_account const& account_;
    pipeline_object whole_;
    time_unit unit_;
    pipeline_document made_{};
};

}  // namespace repebble::inline v0::io::detail

namespace repebble::inline v0::io {

REPEBBLE_INLINE auto parse_pipeline(std::string_view text, std::string const& source, read_account account)
    -> pipeline_document {
    account.open(source, text.size());
    auto const whole = detail::parse_json(text, source, account);
    return detail::pipeline_reader(source, whole, account).read();
}

}  // namespace repebble::inline v0::io

#endif
