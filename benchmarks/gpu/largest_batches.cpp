#include <algorithm>
#include <exception>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include <repebble/graph/error.hpp>

#include "program/batches.hpp"
#include "subject_run.hpp"

namespace gpu_tables {

using namespace repebble;
using networks::extent;
using nlohmann::json;

namespace {

constexpr way no_plan{"keep_all", "keep_all", "100%"};
constexpr way by_plan{"automatic", "automatic", "min"};

/// A network with a batch, as a device runs it.
struct sized {
    training::executable_model model;
    training_graph graph;
    bytes resident;

    sized(networks::model m, device& d)
        : model(std::move(m)),
          graph(training::weighed(model, training::workspaces_on(d, model))),
          resident(training::resident_tensors<device>::size_of(model.model())) {}
};

/// The search for the largest batch, of one network in one precision.
class largest {
  public:
    largest(settings const& how, card const& on, subject const& s, train::precision p, device& d)
        : how_(how),
          card_(on),
          subject_(s),
          precision_(p),
          device_(d),
          // Blocks begin at whole pages.
          memory_(how.dry ? 2 * needed(no_plan, s.batch) : free_memory() - free_memory() / 50) {}

    [[nodiscard]] auto row(way const& w) -> json {
        json found{{"network", subject_.name}, {"precision", std::string(to_string(precision_))}, {"plan", w.name}};
        // Memory grows by about as much with every sample.
        auto const one = needed(w, subject_.batch);
        auto batch = 2 * subject_.batch;
        auto most = std::numeric_limits<extent>::max() / 4;
        for (int tries = 0; tries < 5; ++tries) {
            if (auto const why = refusal(batch); !why.empty()) {
                found["limit"] = why;
                batch = most = last_accepted(subject_.batch, batch);
            }
            auto const need = needed(w, batch);
            if (need <= memory_ && (batch == most || (tries > 0 && need > memory_ - memory_ / 50))) break;
            if (batch == subject_.batch) break;
            auto const each = std::max<bytes>((need - one) / (batch - subject_.batch), 1);
            // Alignment may hide the growth of small values.
            batch = std::clamp<extent>(subject_.batch + (memory_ - one) / each, 1, std::min(4 * batch, most));
        }
        for (int tries = 0; tries < 6; ++tries) {
            if (auto const time = trained(w, batch, found)) {
                found["batch"] = batch;
                found["measured"] = *time;
                if (batch < most) found.erase("limit");
                return found;
            }
            if (batch == 1) break;
            batch = std::max<extent>(batch - std::max<extent>(batch / 25, 1), 1);
        }
        if (!found.contains("note")) found["note"] = "no batch was found that fits";
        return found;
    }

  private:
    /// Why the device does not compute the network with that batch; empty where it does.
    [[nodiscard]] auto refusal(extent batch) const -> std::string {
        try {
            static_cast<void>(model(batch));
        } catch (bad_graph const& e) {
            return e.what();
        }
        return {};
    }
    /// Between a batch that is not refused and one that is.
    [[nodiscard]] auto last_accepted(extent accepted, extent refused) const -> extent {
        while (refused - accepted > 1) {
            auto const middle = std::midpoint(accepted, refused);
            (refusal(middle).empty() ? accepted : refused) = middle;
        }
        return accepted;
    }
    [[nodiscard]] auto model(extent batch) const -> sized { return {model_of(subject_, batch, precision_), device_}; }
    [[nodiscard]] auto plan(way const& w, sized const& m, std::optional<bytes> budget) const -> train::placed_plan {
        if (w.strategy == std::string(no_plan.strategy))
            return train::keep_everything({}, m.model.network(), m.graph, alignment);
        return plan_by(w, budget, how_, card_, m.model, m.graph);
    }
    [[nodiscard]] auto needed(way const& w, extent batch) const -> bytes {
        auto const m = model(batch);
        return m.resident + plan(w, m, std::nullopt).bound.size(pool::device);
    }
    /// The time of an iteration; nothing, and a note, where it does not fit.
    [[nodiscard]] auto trained(way const& w, extent batch, json& found) const -> std::optional<std::int64_t> {
        try {
            auto const m = model(batch);
            if (m.resident >= memory_) return std::nullopt;
            auto const made = plan(w, m, memory_ - m.resident);
            found["planned_peak"] = made.bound.size(pool::device);
            found["resident"] = m.resident;
            found["predicted_overhead"] =
                static_cast<double>(made.plan.cost.overhead) /
                static_cast<double>(std::max<std::int64_t>(made.plan.cost.time - made.plan.cost.overhead, 1));
            if (made.bound.size(pool::device) > memory_ - m.resident) return std::nullopt;
            training::resident_tensors<device> tensors(m.model.model(), device_, 1);
            auto const inputs = train::synthetic_batch(m.model.model(), 1, 0);
            for (std::size_t i = 0; i < inputs.size(); ++i) tensors.set_input(i, inputs[i]);
            training::trainer<device> run(m.model, device_, tensors, made.bound);
            auto const time = measured_time(how_, run, false);
            found.erase("note");
            return time;
        } catch (train::no_plan_fits const& e) {
            found["note"] = e.what();
        } catch (train_cuda::cuda_failure const& e) {
            found["note"] = e.what();
        }
        return std::nullopt;
    }

    settings const& how_;
    card const& card_;
    subject const& subject_;
    train::precision precision_;
    device& device_;
    bytes memory_;
};

}  // namespace

auto largest_batches(settings const& how, card const& on, subject const& s, train::precision p, device& d) -> json {
    largest search(how, on, s, p, d);
    auto rows = json::array();
    for (auto const& w : {no_plan, by_plan}) {
        try {
            rows.push_back(search.row(w));
        } catch (std::exception const& e) {  // the other row may be made
            rows.push_back(
                {{"network", s.name}, {"precision", std::string(to_string(p))}, {"plan", w.name}, {"note", e.what()}});
        }
    }
    return rows;
}

}  // namespace gpu_tables
