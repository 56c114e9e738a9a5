#include "scheduler/text/gguf_tokenizer.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/modelfile/error_text.h"
#include "common/status_macros.h"
#include "common/strings.h"
#include "scheduler/text/byte_alphabet.h"
#include "scheduler/text/sentencepiece_text.h"
#include "scheduler/text/split_patterns_by_name.h"

namespace quire {
namespace {

using Kind = TokenizerData::Kind;
using TokenType = TokenizerData::TokenType;

// tokenizer.ggml.token_type.
enum GgufTokenType : int64_t {
  kNormal = 1,
  kUnknown,
  kControl,
  kUserDefined,
  kUnused,
  kByte
};

absl::Status Broken(std::string_view key, const std::string& what) {
  return absl::InvalidArgumentError(
      absl::StrCat("tokenizer.ggml.", ToAbsl(key), ": ", what));
}

class Reader {
 public:
  explicit Reader(const GgufFile& file) : file_(file) {}

  absl::StatusOr<TokenizerData> Read() {
    QUIRE_RETURN_IF_ERROR(ReadKind());
    QUIRE_RETURN_IF_ERROR(ReadTokens());
    if (data_.kind == Kind::kByteLevel) {
      QUIRE_RETURN_IF_ERROR(ReadMerges());
    } else {
      QUIRE_RETURN_IF_ERROR(ReadScores());
    }
    QUIRE_RETURN_IF_ERROR(ReadSpecialIds());
    data_.chat_template =
        std::string(file_.GetString("tokenizer.chat_template").value_or(""));
    return std::move(data_);
  }

 private:
  static std::string Key(std::string_view name) {
    return absl::StrCat("tokenizer.ggml.", ToAbsl(name));
  }

  absl::Status ReadKind() {
    const auto model = file_.GetString(Key("model"));
    if (!model.has_value()) return Broken("model", "is missing");
    if (*model == "gpt2") return ReadNamedSplit();
    if (*model != "llama") {
      return absl::UnimplementedError(
          absl::StrCat("tokenizer.ggml.model ", Quoted(*model),
                       " is not known; gpt2 and llama are"));
    }
    data_.kind = Kind::kSentencePiece;
    data_.fuses_unknown = true;
    adds_bos_ = true;
    if (file_.GetBool(Key("add_space_prefix")).value_or(true)) {
      data_.space_prefix = TokenizerData::SpacePrefix::kAlways;
    }
    return absl::OkStatus();
  }

  absl::Status ReadNamedSplit() {
    data_.kind = Kind::kByteLevel;
    QUIRE_ASSIGN_OR_RETURN(
        NamedSplit split,
        FindNamedSplit(file_.GetString(Key("pre")).value_or("")));
    data_.splits = std::move(split.steps);
    data_.ignore_merges = split.ignore_merges;
    data_.normalizes_nfc = split.normalizes_nfc;
    adds_bos_ = split.adds_bos;
    return absl::OkStatus();
  }

  absl::Status ReadTokens() {
    const auto texts = file_.GetStrings(Key("tokens"));
    if (!texts.has_value() || texts->empty())
      return Broken("tokens", "is missing or empty");
    const auto types = file_.GetInts(Key("token_type"));
    if (types.has_value() && types->size() != texts->size()) {
      return Broken("token_type",
                    absl::StrCat("has ", types->size(), " entries for ",
                                 texts->size(), " tokens"));
    }
    for (size_t id = 0; id < texts->size(); ++id) {
      const std::string_view text = (*texts)[id];
      const auto [known, inserted] =
          ids_.try_emplace(ToAbsl(text), static_cast<Token>(id));
      if (!inserted && !text.empty()) {
        return Broken("tokens", absl::StrCat("tokens ", known->second, " and ",
                                             id, " are both ", Quoted(text)));
      }
      QUIRE_RETURN_IF_ERROR(
          AddToken(text, types.has_value() ? (*types)[id] : kNormal));
    }
    return absl::OkStatus();
  }

  absl::Status AddToken(std::string_view text, int64_t type) {
    const auto id = static_cast<Token>(data_.tokens.size());
    switch (type) {
      case kControl:
      case kUserDefined:
        data_.tokens.push_back(
            {std::string(text),
             type == kControl ? TokenType::kControl : TokenType::kUserDefined});
        if (!text.empty()) {
          data_.special_tokens.push_back({.text = std::string(text),
                                          .id = id,
                                          .is_control = type == kControl});
        }
        return absl::OkStatus();
      case kUnknown:
        data_.tokens.push_back({std::string(text), TokenType::kUnknown});
        return absl::OkStatus();
      case kByte:
        if (data_.kind == Kind::kSentencePiece) return AddByteToken(text);
        [[fallthrough]];
      case kNormal:
      case kUnused:
        data_.tokens.push_back({BytesOf(text), TokenType::kNormal});
        return absl::OkStatus();
      default:
        return Broken("token_type", absl::StrCat("token ", id, " is of type ",
                                                 type, "; 1 to 6 are known"));
    }
  }

  absl::Status AddByteToken(std::string_view text) {
    const auto byte = ParseByteToken(text);
    if (!byte.has_value()) {
      return Broken("tokens",
                    absl::StrCat("the byte token ", data_.tokens.size(), " is ",
                                 Quoted(text), ", not of the form <0x0A>"));
    }
    data_.tokens.push_back({std::string(1, *byte), TokenType::kByte});
    return absl::OkStatus();
  }

  std::string BytesOf(std::string_view text) const {
    if (data_.kind == Kind::kSentencePiece) return SpaceSignsToSpaces(text);
    // What is not written in the byte alphabet was added later, as it is.
    return DecodeByteAlphabet(text).value_or(std::string(text));
  }

  absl::Status ReadMerges() {
    const auto merges = file_.GetStrings(Key("merges"));
    if (!merges.has_value()) return Broken("merges", "is missing");
    for (size_t i = 0; i < merges->size(); ++i) {
      const std::string_view merge = (*merges)[i];
      const size_t space = merge.find(' ', 1);
      if (space == merge.npos)
        return Broken("merges",
                      absl::StrCat("entry ", i, " is not two tokens"));
      const std::string left(merge.substr(0, space));
      const std::string right(merge.substr(space + 1));
      QUIRE_ASSIGN_OR_RETURN(const Token left_id, FindToken(left, i));
      QUIRE_ASSIGN_OR_RETURN(const Token right_id, FindToken(right, i));
      QUIRE_ASSIGN_OR_RETURN(const Token result_id, FindToken(left + right, i));
      data_.merges.push_back({left_id, right_id, result_id});
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Token> FindToken(std::string_view text, size_t merge) const {
    const auto found = ids_.find(ToAbsl(text));
    if (found == ids_.end()) {
      return Broken("merges",
                    absl::StrCat("entry ", merge, " names ", Quoted(text),
                                 ", which is no token"));
    }
    return found->second;
  }

  absl::Status ReadScores() {
    const auto scores = file_.GetFloats(Key("scores"));
    if (!scores.has_value()) return Broken("scores", "is missing");
    data_.scores.assign(scores->begin(), scores->end());
    return absl::OkStatus();
  }

  absl::Status ReadSpecialIds() {
    QUIRE_ASSIGN_OR_RETURN(data_.bos_token_id, ReadId("bos_token_id"));
    QUIRE_ASSIGN_OR_RETURN(data_.unknown_token, ReadId("unknown_token_id"));
    QUIRE_ASSIGN_OR_RETURN(const std::optional<Token> eos,
                           ReadId("eos_token_id"));
    for (const char* key : {"eos_token_id", "eot_token_id", "eom_token_id"}) {
      QUIRE_ASSIGN_OR_RETURN(const std::optional<Token> end, ReadId(key));
      auto& ends = data_.eos_token_ids;
      if (end && std::find(ends.begin(), ends.end(), *end) == ends.end())
        ends.push_back(*end);
    }
    AddWellKnownEndTokens(&data_);
    if (file_.GetBool(Key("add_bos_token")).value_or(adds_bos_) &&
        data_.bos_token_id) {
      data_.prefix = {*data_.bos_token_id};
    }
    if (file_.GetBool(Key("add_eos_token")).value_or(false) && eos)
      data_.suffix = {*eos};
    return absl::OkStatus();
  }

  absl::StatusOr<std::optional<Token>> ReadId(std::string_view key) const {
    const auto id = file_.GetUint(Key(key));
    if (!id.has_value()) return std::nullopt;
    if (*id >= data_.tokens.size()) {
      return Broken(key, absl::StrCat("is ", *id, ", but there are ",
                                      data_.tokens.size(), " tokens"));
    }
    return static_cast<Token>(*id);
  }

  const GgufFile& file_;
  TokenizerData data_;
  absl::flat_hash_map<absl::string_view, Token> ids_;
  bool adds_bos_ = false;
};

}  // namespace

absl::StatusOr<TokenizerData> ReadGgufTokenizer(const GgufFile& file) {
  absl::StatusOr<TokenizerData> data = Reader(file).Read();
  if (!data.ok()) return InFile(file.path(), data.status());
  return data;
}

}  // namespace quire
