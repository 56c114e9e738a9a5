#ifndef QUIRE_TESTS_COMMON_MODELFILE_SAFETENSORS_BYTES_H_
#define QUIRE_TESTS_COMMON_MODELFILE_SAFETENSORS_BYTES_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace quire::testing {

// A safetensors file of this header and data, whether or not they fit each
// other.
inline std::string SafetensorsBytes(std::string_view header,
                                    std::string_view data) {
  const uint64_t length = header.size();
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof(length));
  return bytes.append(header).append(data);
}

}  // namespace quire::testing

#endif  // QUIRE_TESTS_COMMON_MODELFILE_SAFETENSORS_BYTES_H_
