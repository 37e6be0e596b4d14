#include "subject_run.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <type_traits>
#include <utility>
#include <variant>

#include <repebble/io/chrome_trace.hpp>
#include <repebble/io/write_file.hpp>
#include <repebble/networks/kind.hpp>
#include <repebble/networks/with_values.hpp>

#include "program/batches.hpp"
#include "program/measure_times.hpp"

namespace gpu_tables {

using namespace repebble;
using nlohmann::json;

namespace {

constexpr std::uint64_t seed = 1;

/// Behind the highest value.
[[nodiscard]] auto end_of_values(bound_schedule const& plan) -> bytes {
    bytes end = 0;
    for (std::size_t i = 0; i < plan.step_count(); ++i)
        for (auto const& b : plan[i].begins)
            if (b.size > 0) end = std::max(end, b.offset + b.size);
    return end;
}

[[nodiscard]] auto as_number(std::int64_t n) -> double { return static_cast<double>(n); }

/// Products of a gradient for each of the operation: one for every factor that has a gradient.
[[nodiscard]] auto gradient_products(networks::operation const& v) -> std::int64_t {
    auto const is_made = [](networks::operand const& x) { return x.from == networks::operand::source::operation; };
    return std::ranges::count_if(v.inputs, is_made) + (v.parameters.empty() ? 0 : 1);
}

/// What a gradient reads and writes at least: that of the output, what it needs, what it makes.
[[nodiscard]] auto gradient_traffic(networks::model const& m, networks::operation const& v) -> bytes {
    bytes in = 0, of_parameters = 0;
    for (auto const& x : v.inputs) in += m.tensor_of(x).size();
    for (auto const p : v.parameters) of_parameters += m.parameters()[p].tensor.size();
    auto const out = networks::total_size(v.outputs);
    auto const needs = std::visit([](auto const& k) { return networks::gradient_needs_of(k); }, v.what);
    return out + in + 2 * of_parameters + (needs.inputs ? in : 0) + (needs.output ? out : 0);
}

}  // namespace

auto model_of(subject const& s, networks::extent batch, train::precision p) -> networks::model {
    auto made = s.make(batch);
    if (p != train::precision::bf16) return made;
    return networks::with_values(made, networks::element::bfloat16);
}

auto plan_by(way const& w, std::optional<bytes> budget, settings const& how, card const& on,
             training::executable_model const& m, training_graph const& training) -> train::placed_plan {
    train::arguments asked;
    asked.strategy = w.strategy;
    asked.automatic.limits.seconds = how.dry ? 0.1 : 1;
    asked.automatic.threads = how.dry ? 1 : plan_options::threads_here();
    if (w.copies) asked.automatic.link = on.link();
    return train::plan_as_asked(asked, m.network(), training, alignment, budget);
}

auto measured_time(settings const& how, training::trainer<device>& run, bool captured) -> std::int64_t {
    constexpr double enough = 0.5e9;
    std::vector<double> times;
    double sum = 0;
    auto const once = [&] { static_cast<void>(captured ? run.run_captured(0) : run.run(0)); };
    if (!how.dry) once();
    do {
        once();
        times.push_back(as_number(run.nanoseconds()));
        sum += times.back();
    } while (times.size() < how.most_runs() && (times.size() < 3 || sum < enough));
    return static_cast<std::int64_t>(train::median(std::move(times)));
}

subject_run::subject_run(settings const& how, card const& on, subject const& s, train::precision p, device& d)
    : how_(how),
      card_(on),
      subject_(s),
      precision_(p),
      device_(d),
      model_(model_of(s, s.batch, p)),
      workspaces_(training::workspaces_on(d, model_)),
      tensors_(model_.model(), d, seed),
      first_(tensors_.parameters()) {
    auto const batch = train::synthetic_batch(model_.model(), seed, 0);
    for (std::size_t i = 0; i < batch.size(); ++i) tensors_.set_input(i, batch[i]);
    auto const& net = model_.network();
    auto const unweighed = train::keep_everything({}, net, training::weighed(model_, workspaces_), alignment).bound;
    plain_times_ = train::measure_times(model_, d, tensors_, unweighed);
    times_ = train::measure_times(model_, d, tensors_, unweighed, train::launching::captured);
    training_ = training::weighed(model_, workspaces_, times_);
    keep_ = train::keep_everything({}, net, training_, alignment);
}

auto subject_run::plan(way const& w) const -> train::placed_plan {
    train::arguments asked;
    asked.budget = w.budget;
    return plan_by(w, train::budget_as_asked(asked, keep_.bound.size(pool::device)), how_, card_, model_, training_);
}

auto subject_run::rows(way const& w, std::optional<std::string> const& trace) -> json {
    json row{{"network", subject_.name},
             {"batch", subject_.batch},
             {"precision", std::string(to_string(precision_))},
             {"plan", w.name},
             {"budget", w.budget},
             {"keep_all_peak", keep_.bound.size(pool::device)},
             {"resident", tensors_.size()}};
    auto into = json::array();
    try {
        measure(w.strategy == keep_.strategy ? keep_ : plan(w), w, trace, row, into);
    } catch (train::no_plan_fits const& e) {
        row["note"] = e.what();
        into.push_back(std::move(row));
    } catch (train_cuda::cuda_failure const& e) {
        row["note"] = e.what();
        into.push_back(std::move(row));
    }
    return into;
}

void subject_run::measure(train::placed_plan const& plan, way const& w, std::optional<std::string> const& trace,
                          json row, json& into) {
    auto const free = free_memory();
    trainer run(model_, device_, tensors_, plan.bound);
    row["planned_peak"] = plan.bound.size(pool::device);
    row["end_of_values"] = end_of_values(plan.bound);
    row["planned_host"] = plan.bound.size(pool::host);
    row["recomputations"] = plan.plan.cost.recomputations;
    row["copied"] = plan.plan.cost.bytes_out + plan.plan.cost.bytes_in;
    row["taken"] = free - free_memory();

    auto const check = [&](float loss, json& of) {
        auto const found = result_of(loss);
        if (!expected_ && &w == &ways().front()) expected_ = found;
        of["gradients_equal"] = expected_ && first_difference(found).empty();
        if (!expected_) of["note"] = "there is no keep_all to compare with";
        if (auto const at = expected_ ? first_difference(found) : ""; !at.empty()) of["note"] = "differs in " + at;
        if (auto const at = run.first_reordered(); !at.empty())
            of["note"] = "adds up the gradient of " + at + " in another order than keep_all";
    };
    row["launch"] = "plain";
    row["keep_all_predicted"] = computing(keep_.bound, plain_times_);
    if (plan.plan.cost.bytes_in == 0) row["predicted"] = computing(plan.bound, plain_times_);
    tensors_.reset(first_);
    // Twice: a byte may be what it was before.
    auto const [loss, highest] = run.run_measured(0);
    check(loss, row);
    row["measured_peak"] = std::max(highest.device, run.run_measured(1).second.device);
    row["measured"] = measured_time(how_, run, false);
    if (auto const hidden = hidden_share(plan, plain_times_, row["measured"])) row["hidden"] = *hidden;
    into.push_back(row);
    if (trace)
        io::write_file(*trace, io::chrome_trace_text(run.plan(), run.record(),
                                                     [&](auto const& s) { return model_.name(s.operation); }));

    row["launch"] = "captured";
    row["keep_all_predicted"] = keep_.plan.cost.time;
    row["predicted"] = plan.plan.cost.time;
    row.erase("measured");
    row.erase("hidden");
    row.erase("gradients_equal");
    row.erase("note");
    if (auto const why = run.capture()) {
        row["note"] = "not captured: " + *why;
    } else {
        tensors_.reset(first_);
        check(run.run_captured(0), row);
        row["measured"] = measured_time(how_, run, true);
        if (auto const hidden = hidden_share(plan, times_, row["measured"])) row["hidden"] = *hidden;
        row["taken"] = free - free_memory();
    }
    into.push_back(std::move(row));
}

auto subject_run::result_of(float loss) const -> result { return {tensors_.gradients(), tensors_.parameters(), loss}; }

auto subject_run::first_difference(result const& found) const -> std::string {
    auto const& all = model_.model().parameters();
    for (std::size_t p = 0; p < all.size(); ++p)
        if (found.gradients[p] != expected_->gradients[p] || found.parameters[p] != expected_->parameters[p])
            return all[p].name;
    return std::bit_cast<std::uint32_t>(found.loss) == std::bit_cast<std::uint32_t>(expected_->loss) ? "" : "the loss";
}

auto subject_run::hidden_share(train::placed_plan const& plan, training::operation_times const& times,
                               std::int64_t measured) const -> std::optional<double> {
    auto const link = card_.link();
    std::int64_t copying = 0;
    for (std::size_t i = 0; i < plan.bound.step_count(); ++i) {
        auto const s = plan.bound[i];
        if (s.what != action::offload && s.what != action::prefetch) continue;
        for (auto const& value : s.what == action::offload ? s.reads : s.writes)
            copying += link.copy_time(value.where.size);
    }
    if (copying == 0) return std::nullopt;
    return std::clamp(1 - as_number(measured - computing(plan.bound, times)) / as_number(copying), 0.0, 1.0);
}

auto subject_run::computing(bound_schedule const& plan, training::operation_times const& times) const -> std::int64_t {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < plan.step_count(); ++i)
        if (plan[i].what == action::compute) sum += times.at(model_.name(plan[i].operation));
    return sum;
}

auto subject_run::classes() const -> json {
    struct sums {
        std::int64_t time = 0, flops = 0;
        bytes traffic = 0;
        double least = 0, least_of_arithmetic = 0;  ///< nanoseconds
    };
    std::map<std::string, sums> all;
    auto const flops_per_second = card_.flops_per_second(precision_);
    std::map<std::string, networks::operation const*> by_name;
    for (auto const& op : model_.model().operations()) by_name[op.name] = &op;
    for (operation_index v = 0; v < training_.flow.operation_count(); ++v) {
        auto const which = model_.origin(v).pass;
        if (model_.only_keeps_order(v) || (which != pass::forward && which != pass::backward)) continue;
        auto const& op = *by_name.at(model_.network().node(model_.origin(v).vertex).name);
        if (op.is_view()) continue;
        bool const back = which == pass::backward;
        auto const flops = back ? op.flops * gradient_products(op) : op.flops;
        auto const traffic = back ? gradient_traffic(model_.model(), op) : op.traffic;
        auto const kind = std::visit([](auto const& k) { return std::string(k.name); }, op.what);
        auto& s = all[kind + (back ? " backward" : "")];
        auto const arithmetic = flops_per_second ? 1e9 * as_number(flops) / *flops_per_second : 0;
        s.time += times_.at(model_.name(v));
        s.flops += flops;
        s.traffic += traffic;
        s.least_of_arithmetic += arithmetic;
        s.least += std::max(arithmetic, 1e9 * as_number(traffic) / card_.bytes_per_second);
    }
    auto made = json::array();
    for (auto const& [kind, s] : all)
        made.push_back({{"network", subject_.name},
                        {"precision", std::string(to_string(precision_))},
                        {"class", kind},
                        {"time", s.time},
                        {"flops", s.flops},
                        {"traffic", s.traffic},
                        {"least", s.least},
                        {"least_of_arithmetic", s.least_of_arithmetic}});
    return made;
}

}  // namespace gpu_tables
