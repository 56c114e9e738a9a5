#ifndef QUIRE_SCHEDULER_TEXT_BYTE_ALPHABET_H_
#define QUIRE_SCHEDULER_TEXT_BYTE_ALPHABET_H_

#include <optional>
#include <string>
#include <string_view>

namespace quire {

// Byte-level vocabularies write each byte as one printable character (GPT-2,
// Radford et al., 2019): a printable byte of Latin-1 as itself, the 68 others,
// in order, as U+0100, U+0101 and so on.

// The bytes that `token`, as the vocabulary writes it, stands for. nullopt: a
// character outside the alphabet.
std::optional<std::string> DecodeByteAlphabet(std::string_view token);

// The other way, for messages and tests.
std::string EncodeByteAlphabet(std::string_view bytes);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_BYTE_ALPHABET_H_
