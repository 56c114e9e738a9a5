#include "scheduler/text/byte_alphabet.h"

#include <array>
#include <cstdint>

#include "scheduler/text/utf8.h"

namespace quire {
namespace {

constexpr int kNumCharacters = 256 + 68;

struct Alphabet {
  std::array<char32_t, 256> character;
  std::array<int16_t, kNumCharacters> byte;  // -1: not in the alphabet.
};

constexpr bool StandsForItself(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) ||
         byte >= 0xAE;
}

constexpr Alphabet MakeAlphabet() {
  Alphabet alphabet{};
  alphabet.byte.fill(-1);
  char32_t next = 0x100;
  for (int byte = 0; byte < 256; ++byte) {
    const char32_t character =
        StandsForItself(byte) ? static_cast<char32_t>(byte) : next++;
    alphabet.character[byte] = character;
    alphabet.byte[character] = static_cast<int16_t>(byte);
  }
  return alphabet;
}

constexpr Alphabet kAlphabet = MakeAlphabet();

}  // namespace

std::optional<std::string> DecodeByteAlphabet(std::string_view token) {
  std::string bytes;
  for (size_t pos = 0; pos < token.size();) {
    const Utf8Scan scan = ScanUtf8(token.substr(pos));
    if (scan.kind != Utf8Scan::Kind::kCharacter ||
        scan.code_point >= kNumCharacters)
      return std::nullopt;
    const int16_t byte = kAlphabet.byte[scan.code_point];
    if (byte < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(byte));
    pos += scan.length;
  }
  return bytes;
}

std::string EncodeByteAlphabet(std::string_view bytes) {
  std::string token;
  for (const char byte : bytes)
    AppendUtf8(kAlphabet.character[static_cast<unsigned char>(byte)], &token);
  return token;
}

}  // namespace quire
