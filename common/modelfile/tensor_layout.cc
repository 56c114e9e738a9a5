#include "common/modelfile/tensor_layout.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/modelfile/error_text.h"
#include "common/strings.h"

namespace quire {
namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 62;

}  // namespace

absl::StatusOr<uint64_t> TensorByteSize(TensorType type,
                                        std::span<const int64_t> shape) {
  const TensorTypeInfo& info = GetTensorTypeInfo(type);
  const int64_t row = shape.empty() ? 1 : shape.back();
  if (row % info.elements != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("rows of ", row, " elements are no multiple of ",
                     info.elements, ", the group of type ", ToAbsl(info.name)));
  }
  int64_t bytes = info.bytes;
  bool is_first = true;
  for (auto dimension = shape.rbegin(); dimension != shape.rend();
       ++dimension) {
    if (*dimension < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("shape ", ShapeText(shape), " has a dimension below 1"));
    }
    const int64_t factor = is_first ? *dimension / info.elements : *dimension;
    is_first = false;
    if (__builtin_mul_overflow(bytes, factor, &bytes) || bytes > kMaxBytes) {
      return absl::InvalidArgumentError(absl::StrCat(
          "shape ", ShapeText(shape), " is larger than 2^62 bytes"));
    }
  }
  return static_cast<uint64_t>(bytes);
}

std::string ShapeText(std::span<const int64_t> shape) {
  return absl::StrCat("[", absl::StrJoin(shape.begin(), shape.end(), ", "),
                      "]");
}

absl::Status CheckNoOverlap(std::span<const TensorView> tensors) {
  std::vector<const TensorView*> by_place;
  for (const TensorView& tensor : tensors) by_place.push_back(&tensor);
  std::sort(by_place.begin(), by_place.end(),
            [](const TensorView* a, const TensorView* b) {
              return std::less<>()(a->data.data(), b->data.data());
            });
  for (size_t i = 1; i < by_place.size(); ++i) {
    const TensorView& before = *by_place[i - 1];
    if (before.data.data() + before.data.size() > by_place[i]->data.data()) {
      return absl::InvalidArgumentError(
          absl::StrCat("tensors ", Quoted(before.name), " and ",
                       Quoted(by_place[i]->name), " overlap"));
    }
  }
  return absl::OkStatus();
}

}  // namespace quire
