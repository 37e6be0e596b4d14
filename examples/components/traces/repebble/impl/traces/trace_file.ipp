#ifndef REPEBBLE_IMPL_TRACES_TRACE_FILE_IPP
#define REPEBBLE_IMPL_TRACES_TRACE_FILE_IPP

#include <repebble/traces/trace_file.hpp>

#include <utility>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/io/bad_file.hpp>

namespace repebble::inline v0::io::detail {

/// Whether a kernel draws random numbers, so that it does not compute the same again.
[[nodiscard]] inline auto is_random_kernel(std::string_view kernel) -> bool {
    constexpr std::array<std::string_view, 6> words{"dropout", "bernoulli", "rand",
                                                    "normal_", "uniform_",  "multinomial"};
    return std::ranges::any_of(words, [&](auto word) { return kernel.find(word) != kernel.npos; });
}

REPEBBLE_INLINE auto trace_lines::read() && -> trace_document {
    for_each_line([&](nlohmann::json const& line, json_reader const& in) { count_marks(line, in); });
    if (iteration_ == last_iteration) iteration_ = marks_.empty() ? 0 : marks_.size() - 1;
    if (iteration_ >= std::max<std::size_t>(1, marks_.size()))
        repebble::detail::raise(bad_file(source_, "has no iteration " + std::to_string(iteration_) + ", but " +
                                                      std::to_string(std::max<std::size_t>(1, marks_.size()))));
    begin_ = marks_.empty() ? std::max<std::int64_t>(0, first_time_) : marks_[iteration_];
    for_each_line([&](nlohmann::json const& line, json_reader const& in) { take(line, in); });
    return finish();
}

REPEBBLE_INLINE auto trace_lines::field(nlohmann::json const& line, json_reader const& in, char const* name)
    -> nlohmann::json const& {
    auto const found = line.find(name);
    if (found == line.end()) in.fail("has no field '" + std::string(name) + "'");
    return *found;
}

REPEBBLE_INLINE auto trace_lines::natural(nlohmann::json const& line, json_reader const& in, char const* name)
    -> std::int64_t {
    auto const number = in.integer(field(line, in, name), name);
    if (number < 0) in.fail(std::string(name) + " is negative: " + std::to_string(number));
    return number;
}

REPEBBLE_INLINE void trace_lines::count_marks(nlohmann::json const& line, json_reader const& in) {
    auto const& op = in.text(field(line, in, "op"), "op");
    if (op == "header") {
        if (auto const name = line.find("name"); name != line.end()) out_.name = in.text(*name, "name");
        if (auto const how = line.find("convention"); how != line.end()) out_.convention = in.text(*how, "convention");
        if (auto const unit = line.find("unit"); unit != line.end() && *unit != "ns")
            in.fail("unit must be \"ns\", not " + shown(*unit));
        if (line.contains("duration")) duration_ = natural(line, in, "duration");
        return;
    }
    auto const t = natural(line, in, "t");
    if (t < last_time_) in.fail("t is " + std::to_string(t) + ", before the line before it");
    if (first_time_ < 0) first_time_ = t;
    last_time_ = t;
    if (op == "mark") marks_.push_back(t);
}

REPEBBLE_INLINE void trace_lines::take(nlohmann::json const& line, json_reader const& in) {
    auto const& op = line.at("op").get_ref<std::string const&>();
    if (op == "header") return;
    if (op == "mark") {
        if (++marks_passed_ == iteration_ + 1) begin_iteration();
        return;
    }
    auto const found = std::ranges::find(actions, op, [](auto what) { return std::string_view(to_string(what)); });
    if (found == actions.end())
        in.fail("op must be malloc, free, read, write, mark or header, not " + shown(line["op"]));
    auto const number = natural(line, in, "buf");
    auto const size = natural(line, in, "bytes");
    bool const is_malloc = *found == trace_action::malloc, is_free = *found == trace_action::free;
    auto const new_buffer = buffer{.size = size, .has_memory = marks_.empty() && !is_malloc};
    auto& b = buffers_.try_emplace(number, new_buffer).first->second;
    if ((is_malloc || is_free) && b.size != size)  // a view may be smaller or, expanded, larger
        in.fail("bytes of buf " + std::to_string(number) + " is " + std::to_string(size) + ", and was " +
                std::to_string(b.size));
    if (b.has_memory == is_malloc)
        in.fail(op + " of buf " + std::to_string(number) +
                (is_malloc ? ", which has memory" : ", which has no memory"));
    b.has_memory = !is_free;
    if (!marks_.empty() && marks_passed_ != iteration_ + 1) return;
    b.is_used = true;
    buffer_of_row_.push_back(number);
    out_.trace.rows.push_back({line.at("t").get<std::int64_t>() - begin_, *found, 0});
    if (!is_malloc && !is_free) out_.trace.rows.back().computation = computation_of(line, in, *found);
}

REPEBBLE_INLINE auto trace_lines::computation_of(nlohmann::json const& line, json_reader const& in, trace_action what)
    -> computation_index {
    auto const kernel = line.find("kernel");
    auto const name = kernel == line.end() ? std::string() : in.text(*kernel, "kernel");
    auto const run = line.contains("run") ? natural(line, in, "run") : -1;
    auto& all = out_.trace.computations;
    bool const is_next = all.empty() || run != run_ ||
                         (run < 0 && (name != out_.kernels.back() || (wrote_ && what == trace_action::read)));
    if (is_next) {
        all.push_back({.workspace = line.contains("workspace") ? natural(line, in, "workspace") : 0,
                       .recomputable = line.contains("recomputable") ? in.boolean(line["recomputable"], "recomputable")
                                                                     : !is_random_kernel(name)});
        out_.kernels.push_back(name);
        if (line.contains("vertex")) out_.vertices.push_back(vertex_of(line["vertex"], in));
        check_vertices(in);
    }
    run_ = run;
    wrote_ = what == trace_action::write;
    return static_cast<computation_index>(all.size() - 1);
}

REPEBBLE_INLINE auto trace_lines::vertex_of(nlohmann::json const& value, json_reader const& in)
    -> training_vertex<std::uint32_t> {
    constexpr std::array passes{to_string(pass::forward), to_string(pass::backward), to_string(pass::accumulate),
                                to_string(pass::parameter)};
    if (!value.is_array() || value.size() < 2 || value.size() > 3)
        in.fail("vertex must be [number, pass], with at most the part behind");
    return {in.index(value[0], "vertex"), named<pass>(in, value[1], passes, "pass"),
            value.size() == 3 ? in.index(value[2], "part") : 0};
}

REPEBBLE_INLINE void trace_lines::check_vertices(json_reader const& in) const {
    if (!out_.vertices.empty() && out_.vertices.size() != out_.trace.computations.size())
        in.fail("some computations have a vertex, and others have none");
}

REPEBBLE_INLINE auto trace_lines::finish() -> trace_document {
    std::map<std::int64_t, variable_index> number;
    for (auto const& [name, b] : buffers_) {
        if (!b.is_used) continue;
        number[name] = static_cast<variable_index>(out_.buffers.size());
        out_.buffers.push_back(name);
        out_.trace.sizes.push_back(b.size);
    }
    for (std::size_t r = 0; r < buffer_of_row_.size(); ++r) out_.trace.rows[r].variable = number.at(buffer_of_row_[r]);
    auto const end = iteration_ + 1 < marks_.size() ? marks_[iteration_ + 1] : std::max(last_time_, begin_);
    out_.trace.duration = end - begin_;
    if (duration_ && iteration_ + 1 >= marks_.size()) out_.trace.duration = *duration_;
    repebble::detail::catching<error>([&] { check_trace(out_.trace); },
                                      [&](error const& e) { repebble::detail::raise(bad_file(source_, e.what())); });
    return std::move(out_);
}

[[nodiscard]] inline auto to_json(training_vertex<std::uint32_t> const& v) -> nlohmann::ordered_json {
    auto named = nlohmann::ordered_json::array({v.vertex, to_string(v.pass)});
    if (v.part != 0) named.push_back(v.part);
    return named;
}

}  // namespace repebble::inline v0::io::detail

namespace repebble::inline v0::io {

REPEBBLE_INLINE auto trace_text(trace_document const& d) -> std::string {
    check_trace(d.trace);
    auto const& t = d.trace;
    auto const number = [&](std::size_t v) {
        return d.buffers.empty() ? static_cast<std::int64_t>(v) : d.buffers.at(v);
    };
    std::string text;
    auto const put = [&](nlohmann::ordered_json const& line) {
        text += line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
    };
    nlohmann::ordered_json header{{"op", "header"}, {"name", d.name}, {"unit", "ns"}, {"duration", t.duration}};
    if (!d.convention.empty()) header["convention"] = d.convention;
    put(header);
    auto const present = repebble::detail::present_at_begin(t);
    for (std::size_t v = 0; v < t.sizes.size(); ++v)
        if (present[v]) put({{"t", 0}, {"op", "malloc"}, {"buf", number(v)}, {"bytes", t.sizes[v]}});
    put({{"t", 0}, {"op", "mark"}, {"name", "iteration"}});
    auto last = no_computation;
    for (auto const& row : t.rows) {
        nlohmann::ordered_json line{{"t", row.begin},
                                    {"op", to_string(row.what)},
                                    {"buf", number(row.variable)},
                                    {"bytes", t.sizes[row.variable]}};
        if (row.computation != no_computation) {
            auto const& c = t.computations[row.computation];
            auto const name = row.computation < d.kernels.size() ? d.kernels[row.computation] : std::string();
            if (!name.empty()) line["kernel"] = name;
            line["run"] = row.computation;
            if (row.computation != last && c.workspace > 0) line["workspace"] = c.workspace;
            if (row.computation != last) line["recomputable"] = c.recomputable;
            if (row.computation != last && !d.vertices.empty())
                line["vertex"] = detail::to_json(d.vertices[row.computation]);
            last = row.computation;
        }
        put(line);
    }
    return text;
}

}  // namespace repebble::inline v0::io

#endif
