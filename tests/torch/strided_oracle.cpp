#include "strided_oracle.hpp"

#include <torch/torch.h>

namespace oracle {

struct TorchTensor::Hidden {
  torch::Tensor tensor;
};

namespace {

torch::Tensor apply(const torch::Tensor& tensor, const Step& step) {
  const Numbers& n = step.numbers;
  switch (step.operation) {
    case Operation::view: return tensor.view(n);
    case Operation::reshape: return tensor.reshape(n);
    case Operation::transpose: return tensor.transpose(n.at(0), n.at(1));
    case Operation::permute: return tensor.permute(n);
    case Operation::narrow: return tensor.narrow(n.at(0), n.at(1), n.at(2));
    case Operation::select: return tensor.select(n.at(0), n.at(1));
    case Operation::expand: return tensor.expand(n);
    case Operation::contiguous: return tensor.contiguous();
  }
  throw std::logic_error("an operation without a case");
}

}  // namespace

TorchTensor::TorchTensor(Hidden hidden)
    : hidden_(std::make_shared<const Hidden>(std::move(hidden))) {}

TorchTensor TorchTensor::counting(const Numbers& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return TorchTensor({torch::arange(count, torch::kInt64).view(shape)});
}

std::optional<TorchTensor> TorchTensor::after(const Step& step) const {
  try {
    torch::Tensor result = apply(hidden_->tensor, step);
    // PyTorch 1.13 lets expand make a size of -2 where another size is 0, and
    // refuses it otherwise.
    for (const std::int64_t size : result.sizes()) {
      if (size < 0) return std::nullopt;
    }
    return TorchTensor({std::move(result)});
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

Numbers TorchTensor::shape() const { return hidden_->tensor.sizes().vec(); }

Numbers TorchTensor::strides() const { return hidden_->tensor.strides().vec(); }

std::int64_t TorchTensor::offset() const {
  return hidden_->tensor.storage_offset();
}

bool TorchTensor::is_contiguous() const {
  return hidden_->tensor.is_contiguous();
}

Numbers TorchTensor::values() const {
  const torch::Tensor flat = hidden_->tensor.flatten().contiguous();
  const std::int64_t* data = flat.data_ptr<std::int64_t>();
  return Numbers(data, data + flat.numel());
}

bool TorchTensor::shares_storage_with(const TorchTensor& other) const {
  return hidden_->tensor.storage().unsafeGetStorageImpl() ==
         other.hidden_->tensor.storage().unsafeGetStorageImpl();
}

}  // namespace oracle
