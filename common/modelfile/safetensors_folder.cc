#include "common/modelfile/safetensors_folder.h"

#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/modelfile/error_text.h"
#include "common/modelfile/json_file.h"
#include "common/status_macros.h"

namespace quire {
namespace {

constexpr JsonLimits kIndexLimits = {.max_bytes = uint64_t{32} << 20,
                                     .max_depth = 8};

// Tensor name -> name of the shard in the folder.
absl::StatusOr<std::map<std::string, std::string>> ReadIndex(
    const std::string& path) {
  QUIRE_ASSIGN_OR_RETURN(const nlohmann::json json,
                         ReadJsonFile(path, kIndexLimits));
  QUIRE_ASSIGN_OR_RETURN(const JsonFields fields, JsonFields::Of(json, path));
  const nlohmann::json* weight_map = fields.Find("weight_map");
  if (weight_map == nullptr || !weight_map->is_object()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": field 'weight_map' must be an object"));
  }
  std::map<std::string, std::string> shards;
  for (const auto& [tensor, shard] : weight_map->items()) {
    if (!shard.is_string()) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, ": the shard of tensor ", Quoted(tensor), " must be a string"));
    }
    shards.emplace(tensor, shard.get<std::string>());
  }
  return shards;
}

// The index is as little trusted as the rest: it may only name files beside it.
bool IsPlainFileName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

}  // namespace

absl::StatusOr<std::unique_ptr<SafetensorsFolder>> SafetensorsFolder::Open(
    const std::string& folder) {
  std::unique_ptr<SafetensorsFolder> result(new SafetensorsFolder());
  const std::string single = folder + "/model.safetensors";
  std::error_code error;
  if (std::filesystem::exists(single, error)) {
    QUIRE_RETURN_IF_ERROR(result->AddFile(single));
  } else {
    QUIRE_RETURN_IF_ERROR(result->AddShards(folder));
  }
  return result;
}

absl::Status SafetensorsFolder::AddFile(const std::string& path) {
  QUIRE_ASSIGN_OR_RETURN(std::unique_ptr<SafetensorsFile> file,
                         SafetensorsFile::Open(path));
  const auto add = [&](const std::string& name) -> absl::Status {
    const auto [entry, inserted] = path_of_tensor_.try_emplace(name, path);
    if (inserted) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": tensor ", Quoted(name), " is also in ", entry->second));
  };
  for (const TensorView& tensor : file->tensors()) {
    QUIRE_RETURN_IF_ERROR(add(tensor.name));
    tensors_.push_back(&tensor);
  }
  for (const auto& [name, type] : file->unsupported()) {
    QUIRE_RETURN_IF_ERROR(add(name));
    unsupported_.emplace(name, type);
  }
  files_.push_back(std::move(file));
  return absl::OkStatus();
}

absl::Status SafetensorsFolder::AddShards(const std::string& folder) {
  const std::string index = folder + "/model.safetensors.index.json";
  std::error_code error;
  if (!std::filesystem::exists(index, error)) {
    return absl::NotFoundError(absl::StrCat(
        folder,
        ": neither model.safetensors nor model.safetensors.index.json"));
  }
  QUIRE_ASSIGN_OR_RETURN(const auto shard_of_tensor, ReadIndex(index));
  std::set<std::string> shards;
  for (const auto& [tensor, shard] : shard_of_tensor) {
    if (!IsPlainFileName(shard)) {
      return absl::InvalidArgumentError(
          absl::StrCat(index, ": ", Quoted(shard),
                       " is not the name of a file in the folder"));
    }
    if (shards.insert(shard).second) {
      QUIRE_RETURN_IF_ERROR(AddFile(absl::StrCat(folder, "/", shard)));
    }
  }
  for (const auto& [tensor, shard] : shard_of_tensor) {
    const auto entry = path_of_tensor_.find(tensor);
    if (entry == path_of_tensor_.end() ||
        entry->second != absl::StrCat(folder, "/", shard)) {
      return absl::InvalidArgumentError(absl::StrCat(
          index, ": tensor ", Quoted(tensor), " is not in ", Quoted(shard)));
    }
  }
  return absl::OkStatus();
}

}  // namespace quire
