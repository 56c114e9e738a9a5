#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/check.h"
#include "common/modelfile/folder_config.h"
#include "common/modelfile/json_file.h"
#include "common/modelfile/tensor_check.h"

// A config.json, which is its own generation_config.json. A configuration that
// is accepted is valid, and a model without tensors never fits it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto json = quire::ParseJson(
      std::string_view(reinterpret_cast<const char*>(data), size));
  if (!json.ok()) return 0;
  const auto config = quire::ParseFolderConfig(*json, *json);
  if (!config.ok()) return 0;
  QUIRE_CHECK(config->Validate().ok());
  QUIRE_CHECK(!quire::CheckTensors(*config, {}).ok());
  return 0;
}
