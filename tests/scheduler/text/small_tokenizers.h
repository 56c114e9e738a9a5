#ifndef QUIRE_TESTS_SCHEDULER_TEXT_SMALL_TOKENIZERS_H_
#define QUIRE_TESTS_SCHEDULER_TEXT_SMALL_TOKENIZERS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/text/tokenizer.h"
#include "scheduler/text/tokenizer_data.h"

namespace quire::testing {

// The 256 bytes, whose ids are their values, then "ab" (256), "abc" (257) and "
// a" (258), with merges to them in this order; then the control tokens <s>
// (259) and </s> (260), and <tool> (261), which is none. GPT-2's split.
TokenizerData SmallByteLevelData();

// "<unk>" (0), the 256 bytes, then as pieces "a" (257), "b" (258), " " (259),
// "ab" (260), " a" (261), " ab" (262), scored in this order, best first; <s>
// (263) and </s> (264).
TokenizerData SmallSentencePieceData();

// Adds a token; returns its id.
Token AddToken(TokenizerData* data, std::string_view bytes,
               TokenizerData::TokenType type);
Token AddSpecial(TokenizerData* data, SpecialToken token);
// "left" + "right" merge, after all that merge already.
void AddMerge(TokenizerData* data, std::string_view left,
              std::string_view right);

std::unique_ptr<Tokenizer> Make(TokenizerData data);

// The text of each token, for readable expectations.
std::vector<std::string> Pieces(const Tokenizer& tokenizer,
                                const std::vector<Token>& tokens);
// The pieces of a text, without added tokens.
std::vector<std::string> EncodePieces(const Tokenizer& tokenizer,
                                      std::string_view text,
                                      bool parse_special = true);

}  // namespace quire::testing

#endif  // QUIRE_TESTS_SCHEDULER_TEXT_SMALL_TOKENIZERS_H_
