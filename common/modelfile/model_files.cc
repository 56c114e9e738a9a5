#include "common/modelfile/model_files.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/modelfile/error_text.h"
#include "common/modelfile/fingerprint.h"
#include "common/modelfile/folder_config.h"
#include "common/modelfile/gguf_config.h"
#include "common/modelfile/safetensors_folder.h"
#include "common/modelfile/tensor_check.h"
#include "common/modelfile/tensor_names.h"
#include "common/status_macros.h"
#include "common/strings.h"

namespace quire {
namespace {

constexpr size_t kMaxNameBytes = 256;

// A name may come from anywhere and goes into logs and into protobuf strings:
// one line of UTF-8. The JSON library replaces what is not UTF-8.
std::string Printable(std::string_view text) {
  using Json = nlohmann::json;
  const Json raw = std::string(text.substr(0, kMaxNameBytes));
  const std::string valid = raw.dump(/*indent=*/-1, ' ', /*ensure_ascii=*/false,
                                     Json::error_handler_t::replace);
  std::string name = Json::parse(valid).get<std::string>();
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return absl::ascii_iscntrl(static_cast<unsigned char>(c)); },
      ' ');
  return name;
}

std::string LastPartOf(const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole =
      std::filesystem::weakly_canonical(path, error);
  return error ? path : whole.filename().string();
}

// A model of either container. Members that views point into come first, so
// that they are destroyed last.
class OpenedModel final : public ModelFiles {
 public:
  // What the two containers differ in.
  struct Parts {
    std::unique_ptr<GgufFile> gguf;
    std::unique_ptr<SafetensorsFolder> safetensors;
    std::string folder;
    std::string name;
    ModelConfig config;
    TensorMap tensors;
  };

  explicit OpenedModel(Parts parts)
      : parts_(std::move(parts)),
        fingerprint_(ModelFingerprint(parts_.config, parts_.tensors)) {}

  const ModelConfig& config() const override { return parts_.config; }
  const std::string& name() const override { return parts_.name; }
  const std::string& fingerprint() const override { return fingerprint_; }
  const GgufFile* gguf() const override { return parts_.gguf.get(); }
  const std::string& folder() const override { return parts_.folder; }

  uint64_t num_parameters() const override {
    uint64_t sum = 0;
    for (const auto& [name, tensor] : parts_.tensors) {
      sum += static_cast<uint64_t>(tensor.num_elements());
    }
    return sum;
  }

  const TensorView* FindTensor(std::string_view name) const override {
    const auto entry = parts_.tensors.find(name);
    return entry == parts_.tensors.end() ? nullptr : &entry->second;
  }

 private:
  const Parts parts_;
  const std::string fingerprint_;
};

absl::StatusOr<OpenedModel::Parts> OpenGguf(const std::string& path) {
  OpenedModel::Parts parts;
  QUIRE_ASSIGN_OR_RETURN(parts.gguf, GgufFile::Open(path));
  const absl::StatusOr<ModelConfig> config = ReadGgufConfig(*parts.gguf);
  if (!config.ok()) return InFile(path, config.status());
  parts.config = *config;
  parts.name = Printable(
      parts.gguf->GetString("general.name").value_or(LastPartOf(path)));
  for (const TensorView& tensor : parts.gguf->tensors()) {
    parts.tensors.emplace(tensor.name, tensor);
  }
  return parts;
}

// Old checkpoints carry the frequencies of RoPE, which follow from the
// configuration.
bool IsDerived(std::string_view name) {
  return name.ends_with(".rotary_emb.inv_freq");
}

absl::Status CheckTypes(const SafetensorsFolder& safetensors) {
  for (const auto& [name, type] : safetensors.unsupported()) {
    if (IsDerived(name) || !GgufTensorName(name).has_value()) continue;
    return absl::UnimplementedError(
        absl::StrCat("tensor ", Quoted(name), " of type ", Quoted(type),
                     " is not supported; F32, F16 and BF16 are"));
  }
  return absl::OkStatus();
}

absl::StatusOr<TensorMap> RenameTensors(const SafetensorsFolder& safetensors) {
  TensorMap tensors;
  for (const TensorView* tensor : safetensors.tensors()) {
    if (IsDerived(tensor->name)) continue;
    const std::optional<std::string> name = GgufTensorName(tensor->name);
    if (!name.has_value()) return UnexpectedTensor(tensor->name);
    TensorView renamed = *tensor;
    renamed.name = *name;
    tensors.emplace(*name, std::move(renamed));
  }
  return tensors;
}

absl::StatusOr<OpenedModel::Parts> OpenFolder(const std::string& path) {
  OpenedModel::Parts parts;
  parts.folder = path;
  parts.name = Printable(LastPartOf(path));
  QUIRE_ASSIGN_OR_RETURN(parts.config, ReadFolderConfig(path));
  QUIRE_ASSIGN_OR_RETURN(parts.safetensors, SafetensorsFolder::Open(path));
  QUIRE_RETURN_IF_ERROR(InFile(path, CheckTypes(*parts.safetensors)));
  absl::StatusOr<TensorMap> tensors = RenameTensors(*parts.safetensors);
  if (!tensors.ok()) return InFile(path, tensors.status());
  parts.tensors = *std::move(tensors);
  const bool has_output = parts.tensors.contains("output.weight");
  if (parts.config.tied_embeddings && has_output) {
    parts.tensors.erase("output.weight");
  }
  parts.config.tied_embeddings |= !has_output;
  return parts;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ModelFiles>> ModelFiles::Open(
    const std::string& path) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(path, error);
  QUIRE_ASSIGN_OR_RETURN(OpenedModel::Parts parts,
                         is_folder ? OpenFolder(path) : OpenGguf(path));
  QUIRE_RETURN_IF_ERROR(
      InFile(path, CheckTensors(parts.config, parts.tensors)));
  return std::make_unique<OpenedModel>(std::move(parts));
}

}  // namespace quire
