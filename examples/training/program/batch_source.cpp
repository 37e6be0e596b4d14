#include "batch_source.hpp"

#include <algorithm>

namespace train {

batch_source::batch_source(arguments const& asked, repebble::networks::model const& m) : asked_(&asked), model_(&m) {
    if (!asked.data) return;
    data_ = read_data(*asked.data);
    require_fitting(m, data_->train);
    require_fitting(m, data_->test);
}

auto batch_source::batch_size() const -> std::uint64_t {
    return static_cast<std::uint64_t>(model_->inputs()[0].tensor.shape[0]);
}

auto batch_source::per_epoch() const -> std::uint64_t {
    return std::max<std::uint64_t>(data_->train.size() / batch_size(), 1);
}

auto batch_source::iterations() const -> std::uint64_t {
    return data_ ? asked_->epochs * per_epoch() : asked_->iterations;
}

auto batch_source::next(std::uint64_t iteration) -> batch {
    if (!data_) return synthetic_batch(*model_, asked_->seed, iteration);
    auto const epoch = iteration / per_epoch();
    if (order_.empty() || epoch != epoch_) order_ = shuffled(data_->train.size(), asked_->seed, epoch);
    epoch_ = epoch;
    return batch_of(*model_, data_->train, order_, iteration % per_epoch() * batch_size());
}

}  // namespace train
