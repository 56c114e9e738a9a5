#ifndef QUIRE_SCHEDULER_TEXT_SENTENCEPIECE_TEXT_H_
#define QUIRE_SCHEDULER_TEXT_SENTENCEPIECE_TEXT_H_

#include <optional>
#include <string>
#include <string_view>

namespace quire {

// How SentencePiece vocabularies write tokens: a space as U+2581, a single byte
// as <0x0A>.

inline constexpr std::string_view kSpaceSign = "\xE2\x96\x81";

std::string SpaceSignsToSpaces(std::string_view text);

// nullopt: `token` is not of that form.
std::optional<char> ParseByteToken(std::string_view token);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_SENTENCEPIECE_TEXT_H_
