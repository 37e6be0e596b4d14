#ifndef REPEBBLE_IMPL_IO_JSON_SCHEDULE_IPP
#define REPEBBLE_IMPL_IO_JSON_SCHEDULE_IPP

#include <repebble/io/json_schedule.hpp>

#include <charconv>
#include <utility>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/io/detail/extra_fields.hpp>

namespace repebble::inline v0::io::detail {

inline constexpr std::array schedule_fields{std::string_view("format"),   std::string_view("version"),
                                            std::string_view("graph"),    std::string_view("convention"),
                                            std::string_view("strategy"), std::string_view("results"),
                                            std::string_view("steps")};

inline constexpr std::string_view schedule_format = "repebble-schedule";

inline constexpr int schedule_version = 2;  // 1: without operands and results

inline constexpr std::array action_names{to_string(action::compute), to_string(action::discard),
                                         to_string(action::offload), to_string(action::prefetch)};

inline constexpr std::array pass_names{to_string(pass::forward), to_string(pass::backward), to_string(pass::accumulate),
                                       to_string(pass::parameter)};

inline constexpr std::array pool_names{"device", "host"};  // by pool

/// A list of [vertex, pass, output, repetition], with the part behind them where it is not 0.
[[nodiscard]] inline auto values_from_json(json_reader const& in, nlohmann::json const& list, std::string const& name)
    -> std::vector<schedule_value> {
    std::vector<schedule_value> values;
    for (auto const& entry : in.array(list, name)) {
        auto const field = name + "[" + std::to_string(values.size()) + "]";
        if (!entry.is_array() || entry.size() < 4 || entry.size() > 5)
            in.fail(field + " must be [vertex, pass, output, repetition], with at most the part behind");
        values.push_back({{in.index(entry[0], "vertex of " + field), named<pass>(in, entry[1], pass_names, "pass"),
                           entry.size() == 5 ? in.index(entry[4], "part of " + field) : 0},
                          in.index(entry[2], "output of " + field),
                          in.index(entry[3], "repetition of " + field)});
    }
    return values;
}

/// Reads the object at the end of a step.
inline void read_step_options(json_reader const& in, nlohmann::json const& options,
                              step<training_vertex<std::uint32_t>>& s, std::vector<schedule_value>& operands) {
    for (auto const& [field, value] : options.items()) {
        if (field == "part") {
            s.vertex.part = in.index(value, "part");
        } else if (field == "in_place" && s.what == action::compute) {
            s.in_place = true;
            s.output = in.index(value, "in_place");
        } else if (field == "over" && s.what == action::compute) {
            if (!value.is_array() || value.size() != 4) in.fail("over must be [vertex, pass, output, part]");
            s.over = {in.index(value[0], "vertex of over"), named<pass>(in, value[1], pass_names, "pass"),
                      in.index(value[3], "part of over")};
            s.over_output = in.index(value[2], "output of over");
        } else if (field == "operands" && s.what == action::compute) {
            operands = values_from_json(in, value, "operands");
        } else if (field == "from" && s.what == action::discard) {
            s.from = named<pool>(in, value, pool_names, "pool");
        } else {
            in.fail("a " + std::string(action_names[static_cast<std::size_t>(s.what)]) + " step has no field " +
                    shown(field));
        }
    }
    if (s.in_place != options.contains("over")) in.fail("in_place and over come together or not at all");
}

[[nodiscard]] inline auto step_from_json(std::string const& source, nlohmann::json const& entry, std::size_t number,
                                         std::vector<schedule_value>& operands)
    -> step<training_vertex<std::uint32_t>> {
    json_reader const in{source, "step " + std::to_string(number)};
    if (in.array(entry, "a step").empty()) in.fail("is empty");
    step<training_vertex<std::uint32_t>> s{.what = named<action>(in, entry[0], action_names, "action")};
    bool const compute = s.what == action::compute;
    auto const size = entry.size() - (entry.back().is_object() ? 1 : 0);
    if (size != (compute ? 4 : 5))
        in.fail(compute ? "must be [\"compute\", vertex, pass, repetition] with at most one object behind"
                        : "must be [action, vertex, pass, output, repetition] with at most one object behind");
    s.vertex = {in.index(entry[1], "vertex"), named<pass>(in, entry[2], pass_names, "pass")};
    if (!compute) s.output = in.index(entry[3], "output");
    s.repetition = in.index(entry[size - 1], "repetition");
    if (s.what == action::prefetch) s.from = pool::host;
    if (size != entry.size()) read_step_options(in, entry.back(), s, operands);
    if (!s.in_place) s.over = s.vertex;
    return s;
}

REPEBBLE_INLINE auto to_json(std::span<schedule_value const> values) -> nlohmann::json {
    auto list = nlohmann::json::array();
    for (auto const& [v, output, repetition] : values) {
        auto& entry = list.emplace_back(nlohmann::json::array({v.vertex, to_string(v.pass), output, repetition}));
        if (v.part != 0) entry.push_back(v.part);
    }
    return list;
}

/// `operands`: of a computation; empty: none, or not given.
inline void append_step(std::string& out, step<training_vertex<std::uint32_t>> const& s,
                        std::span<schedule_value const> operands) {
    auto const name = [&](char const* what) { ((out += '"') += what) += '"'; };
    auto const number = [&](std::uint32_t n) {
        std::array<char, 10> digits{};
        out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), n).ptr);
    };
    auto const vertex = [&](training_vertex<std::uint32_t> const& v) {
        number(v.vertex);
        out += ',';
        name(to_string(v.pass));
    };
    bool options = false;
    auto const option = [&](char const* field) {
        out += options ? "," : ",{";
        options = true;
        name(field);
        out += ':';
    };
    out += '[';
    name(action_names[static_cast<std::size_t>(s.what)]);
    out += ',';
    vertex(s.vertex);
    out += ',';
    if (s.what != action::compute) {
        number(s.output);
        out += ',';
    }
    number(s.repetition);
    if (s.vertex.part != 0) {
        option("part");
        number(s.vertex.part);
    }
    if (s.what == action::discard && s.from != pool::device) {
        option("from");
        name(pool_names[static_cast<std::size_t>(s.from)]);
    }
    if (s.what == action::compute && s.in_place) {
        option("in_place");
        number(s.output);
        option("over");
        out += '[';
        vertex(s.over);
        out += ',';
        number(s.over_output);
        out += ',';
        number(s.over.part);
        out += ']';
    }
    if (!operands.empty()) {
        option("operands");
        out += to_json(operands).dump();
    }
    out += options ? "}]" : "]";
}

}  // namespace repebble::inline v0::io::detail

namespace repebble::inline v0::io {

REPEBBLE_INLINE auto parse_schedule(std::string_view text, std::string const& source, read_account account)
    -> schedule_document {
    account.open(source, text.size());
    schedule_document document;
    auto whole = detail::parse_json(text, source, account,
                                    {"steps", [&](nlohmann::json const& entry, std::size_t number) {
                                         auto& steps = document.schedule.steps;
                                         std::vector<schedule_value> operands;
                                         steps.push_back(detail::step_from_json(source, entry, number, operands));
                                         auto& all = document.reads.operands;
                                         if (!operands.empty()) all.resize(number);
                                         if (!operands.empty() || !all.empty()) all.push_back(std::move(operands));
                                     }});
    detail::json_reader const in{source, "the schedule"};
    if (!whole.is_object()) in.fail("must be an object, not " + detail::shown(whole));
    auto const required = [&](char const* field) -> nlohmann::json const& {
        auto const found = whole.find(field);
        if (found == whole.end()) in.fail("has no field '" + std::string(field) + "'");
        return *found;
    };
    if (in.text(required("format"), "format") != detail::schedule_format)
        in.fail("format must be \"" + std::string(detail::schedule_format) + "\", not " +
                detail::shown(whole["format"]));
    auto const version = in.integer(required("version"), "version");
    if (version < 1 || version > detail::schedule_version)
        in.fail("version " + detail::shown(whole["version"]) + " is not known: there are 1 to " +
                std::to_string(detail::schedule_version));
    if (auto const list = whole.find("results"); list != whole.end())
        document.reads.results = detail::values_from_json(in, *list, "results");
    static_cast<void>(in.array(required("steps"), "steps"));
    auto& header = document.header;
    for (auto const& [field, member] :
         {std::pair{"graph", &header.graph}, {"convention", &header.convention}, {"strategy", &header.strategy}})
        if (auto const found = whole.find(field); found != whole.end()) *member = in.text(*found, field);
    for (auto const field : detail::schedule_fields) whole.erase(std::string(field));
    header.extra = std::move(whole);
    return document;
}

REPEBBLE_INLINE auto find_reads(schedule<> const& of, training_graph const& training) -> schedule_reads {
    auto const& flow = training.flow;
    std::vector<std::uint32_t> computations(flow.value_count(), 0);
    auto const named = [&](value_index value) {
        auto const [v, output] = flow.as_output(value);
        return schedule_value{training.origin[v], output, computations[value] - (computations[value] > 0 ? 1 : 0)};
    };
    schedule_reads reads;
    reads.operands.resize(of.steps.size());
    for (std::size_t i = 0; i < of.steps.size(); ++i) {
        auto const& s = of.steps[i];
        if (s.what != action::compute) continue;
        for (auto const value : flow.operands(s.vertex)) reads.operands[i].push_back(named(value));
        for (auto const value : flow.writes(s.vertex)) ++computations[value];
    }
    for (auto const value : flow.results()) reads.results.push_back(named(value));
    return reads;
}

REPEBBLE_INLINE auto to_text(schedule_header const& header, training_schedule const& schedule,
                             schedule_reads const& reads) -> std::string {
    REPEBBLE_ASSERT(reads.operands.empty() || reads.operands.size() == schedule.steps.size());
    std::string const source = "the header of a schedule";
    if (auto const fault = detail::extra_fields(detail::schedule_fields).fault_of(header.extra); !fault.empty())
        repebble::detail::raise(bad_file(source, fault));
    std::string text = "{";
    auto const put = [&](std::string const& field, nlohmann::json const& value) {
        ((text += nlohmann::json(field).dump()) += ':') += value.dump() + ",\n";
    };
    auto const put_all = [&] {
        put("format", detail::schedule_format);
        put("version", reads == schedule_reads{} ? 1 : detail::schedule_version);
        put("graph", header.graph);
        put("convention", header.convention);
        put("strategy", header.strategy);
        for (auto const& [field, value] : header.extra.items()) put(field, value);
        if (!reads.results.empty()) put("results", detail::to_json(reads.results));
    };
    repebble::detail::catching<nlohmann::json::exception>(put_all, [&](auto const& e) {
        repebble::detail::raise(bad_file(source, std::string("cannot be written: ") + e.what()));
    });
    text += "\"steps\":[";
    text.reserve(text.size() + 40 * schedule.steps.size());
    char const* before = "\n";
    for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
        text += before;
        detail::append_step(text, schedule.steps[i],
                            reads.operands.empty() ? std::span<schedule_value const>() : reads.operands[i]);
        before = ",\n";
    }
    return text += "\n]}\n";
}

}  // namespace repebble::inline v0::io

#endif
