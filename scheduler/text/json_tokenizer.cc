#include "scheduler/text/json_tokenizer.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/modelfile/error_text.h"
#include "common/modelfile/json_file.h"
#include "common/status_macros.h"
#include "common/strings.h"
#include "scheduler/text/byte_alphabet.h"
#include "scheduler/text/json_pipeline.h"
#include "scheduler/text/sentencepiece_text.h"

namespace quire {
namespace {

using Json = nlohmann::json;
using Kind = TokenizerData::Kind;
using TokenType = TokenizerData::TokenType;

// Ids may leave gaps, so this bounds what an id can make us allocate.
constexpr int64_t kMaxId = (int64_t{1} << 22) - 1;

absl::Status Broken(const std::string& what) {
  return absl::InvalidArgumentError(what);
}

class Reader {
 public:
  explicit Reader(const JsonFields& tokenizer) : tokenizer_(tokenizer) {}

  absl::StatusOr<TokenizerData> Read(const Json& config) {
    QUIRE_RETURN_IF_ERROR(ReadTextStages(tokenizer_, &data_));
    QUIRE_RETURN_IF_ERROR(ReadModel());
    QUIRE_RETURN_IF_ERROR(ReadAddedTokens());
    QUIRE_ASSIGN_OR_RETURN(const bool has_rule,
                           ReadPostProcessor(tokenizer_, &data_));
    if (!config.is_null()) QUIRE_RETURN_IF_ERROR(ReadConfig(config, has_rule));
    AddWellKnownEndTokens(&data_);
    return std::move(data_);
  }

 private:
  absl::Status ReadModel() {
    QUIRE_ASSIGN_OR_RETURN(const std::optional<JsonFields> model,
                           tokenizer_.GetObject("model"));
    if (!model.has_value()) return Broken("model is missing");
    QUIRE_ASSIGN_OR_RETURN(const std::string type,
                           model->GetString("type", "BPE"));
    if (type != "BPE")
      return absl::UnimplementedError(
          absl::StrCat("model ", Quoted(type), " is not known; BPE is"));
    QUIRE_RETURN_IF_ERROR(CheckOptions(*model));
    QUIRE_ASSIGN_OR_RETURN(data_.ignore_merges,
                           model->GetBool("ignore_merges", false));
    QUIRE_ASSIGN_OR_RETURN(data_.fuses_unknown,
                           model->GetBool("fuse_unk", false));
    QUIRE_ASSIGN_OR_RETURN(byte_fallback_,
                           model->GetBool("byte_fallback", false));
    QUIRE_RETURN_IF_ERROR(ReadVocabulary(*model));
    QUIRE_RETURN_IF_ERROR(ReadMerges(*model));
    return ReadUnknownToken(*model);
  }

  absl::Status CheckOptions(const JsonFields& model) const {
    QUIRE_ASSIGN_OR_RETURN(const double dropout, model.GetNumber("dropout", 0));
    if (dropout != 0)
      return absl::UnimplementedError("model.dropout is not supported");
    for (const char* key :
         {"continuing_subword_prefix", "end_of_word_suffix"}) {
      QUIRE_ASSIGN_OR_RETURN(const std::string affix, model.GetString(key, ""));
      if (!affix.empty())
        return absl::UnimplementedError(
            absl::StrCat("model.", key, " is not supported"));
    }
    return absl::OkStatus();
  }

  absl::Status ReadVocabulary(const JsonFields& model) {
    const Json* vocabulary = model.Find("vocab");
    if (vocabulary == nullptr || !vocabulary->is_object())
      return Broken("model.vocab is not an object");
    for (const auto& [text, id] : vocabulary->items()) {
      QUIRE_ASSIGN_OR_RETURN(const Token token,
                             CheckId("model.vocab", text, id));
      TokenizerData::Entry& entry = EntryOf(token);
      if (entry.type != TokenType::kAbsent) {
        return Broken(absl::StrCat("model.vocab gives id ", token, " to ",
                                   Quoted(text), " and to another token"));
      }
      entry = MakeEntry(text);
      ids_.emplace(text, token);
    }
    return absl::OkStatus();
  }

  static absl::StatusOr<Token> CheckId(const char* where, std::string_view text,
                                       const Json& id) {
    const auto* number = id.get_ptr<const Json::number_integer_t*>();
    if (number == nullptr || *number < 0 || *number > kMaxId) {
      return Broken(absl::StrCat(where, ": the id of ", Quoted(text),
                                 " is not a whole number from 0 to ", kMaxId));
    }
    return static_cast<Token>(*number);
  }

  TokenizerData::Entry& EntryOf(Token id) {
    if (static_cast<size_t>(id) >= data_.tokens.size())
      data_.tokens.resize(id + 1);
    return data_.tokens[id];
  }

  TokenizerData::Entry MakeEntry(const std::string& text) const {
    if (data_.kind == Kind::kByteLevel)
      return {DecodeByteAlphabet(text).value_or(text), TokenType::kNormal};
    if (byte_fallback_) {
      if (const auto byte = ParseByteToken(text))
        return {std::string(1, *byte), TokenType::kByte};
    }
    return {SpaceSignsToSpaces(text), TokenType::kNormal};
  }

  absl::Status ReadMerges(const JsonFields& model) {
    const Json* merges = model.Find("merges");
    if (merges == nullptr || !merges->is_array())
      return Broken("model.merges is not a list");
    for (size_t i = 0; i < merges->size(); ++i) {
      std::string left, right;
      if (!SplitMerge((*merges)[i], &left, &right)) {
        return Broken(
            absl::StrCat("entry ", i, " of model.merges is not two tokens"));
      }
      QUIRE_ASSIGN_OR_RETURN(const Token left_id, FindMerged(left, i));
      QUIRE_ASSIGN_OR_RETURN(const Token right_id, FindMerged(right, i));
      QUIRE_ASSIGN_OR_RETURN(const Token result_id,
                             FindMerged(left + right, i));
      data_.merges.push_back({left_id, right_id, result_id});
    }
    return absl::OkStatus();
  }

  // Older files write "a b", newer ones ["a", "b"].
  static bool SplitMerge(const Json& merge, std::string* left,
                         std::string* right) {
    if (const auto* text = merge.get_ptr<const std::string*>()) {
      const size_t space = text->find(' ');
      if (space == text->npos || text->find(' ', space + 1) != text->npos)
        return false;
      *left = text->substr(0, space);
      *right = text->substr(space + 1);
      return true;
    }
    if (!merge.is_array() || merge.size() != 2 || !merge[0].is_string() ||
        !merge[1].is_string())
      return false;
    *left = *merge[0].get_ptr<const std::string*>();
    *right = *merge[1].get_ptr<const std::string*>();
    return true;
  }

  absl::StatusOr<Token> FindMerged(const std::string& text,
                                   size_t merge) const {
    const auto found = ids_.find(text);
    if (found == ids_.end()) {
      return Broken(absl::StrCat("entry ", merge, " of model.merges names ",
                                 Quoted(text), ", which is no token"));
    }
    return found->second;
  }

  absl::Status ReadUnknownToken(const JsonFields& model) {
    QUIRE_ASSIGN_OR_RETURN(const std::string text,
                           model.GetString("unk_token", ""));
    if (text.empty()) return absl::OkStatus();
    const auto found = ids_.find(text);
    if (found == ids_.end())
      return Broken(
          absl::StrCat("model.unk_token ", Quoted(text), " is no token"));
    data_.unknown_token = found->second;
    data_.tokens[found->second] = {text, TokenType::kUnknown};
    return absl::OkStatus();
  }

  absl::Status ReadAddedTokens() {
    const Json* added = tokenizer_.Find("added_tokens");
    if (added == nullptr) return absl::OkStatus();
    if (!added->is_array()) return Broken("added_tokens is not a list");
    for (const Json& value : *added) {
      QUIRE_ASSIGN_OR_RETURN(const JsonFields fields,
                             JsonFields::Of(value, "added_tokens"));
      QUIRE_RETURN_IF_ERROR(ReadAddedToken(fields));
    }
    return absl::OkStatus();
  }

  absl::Status ReadAddedToken(const JsonFields& fields) {
    SpecialToken token;
    QUIRE_ASSIGN_OR_RETURN(token.text, fields.GetString("content"));
    const Json* id = fields.Find("id");
    QUIRE_ASSIGN_OR_RETURN(token.id, CheckId("added_tokens", token.text,
                                             id == nullptr ? Json() : *id));
    const auto [known, is_new] = ids_.try_emplace(token.text, token.id);
    if (known->second != token.id) {
      return Broken(absl::StrCat(
          "added_tokens gives ", Quoted(token.text), " the id ", token.id,
          ", model.vocab or another entry ", known->second));
    }
    QUIRE_ASSIGN_OR_RETURN(token.is_control, fields.GetBool("special", false));
    QUIRE_ASSIGN_OR_RETURN(token.is_normalized,
                           fields.GetBool("normalized", false));
    QUIRE_ASSIGN_OR_RETURN(token.strips_left, fields.GetBool("lstrip", false));
    QUIRE_ASSIGN_OR_RETURN(token.strips_right, fields.GetBool("rstrip", false));
    QUIRE_ASSIGN_OR_RETURN(token.single_word,
                           fields.GetBool("single_word", false));
    return KeepAddedToken(std::move(token), is_new);
  }

  absl::Status KeepAddedToken(SpecialToken token, bool is_new) {
    TokenizerData::Entry& entry = EntryOf(token.id);
    if (is_new && entry.type != TokenType::kAbsent) {
      return Broken(absl::StrCat("added_tokens gives ", Quoted(token.text),
                                 " the id ", token.id,
                                 ", which another token has"));
    }
    const bool is_unknown =
        data_.kind == Kind::kSentencePiece && entry.type == TokenType::kUnknown;
    if (!is_unknown)
      entry = {token.text, token.is_control ? TokenType::kControl
                                            : TokenType::kUserDefined};
    // Spaces that a normalizer writes as U+2581 are spaces here, so such text
    // is looked up as it is.
    if (!data_.normalizes_nfc) token.is_normalized = false;
    data_.special_tokens.push_back(std::move(token));
    return absl::OkStatus();
  }

  absl::Status ReadConfig(const Json& value, bool has_rule) {
    QUIRE_ASSIGN_OR_RETURN(const JsonFields config,
                           JsonFields::Of(value, "tokenizer_config.json"));
    QUIRE_ASSIGN_OR_RETURN(data_.bos_token_id,
                           FindConfigured(config, "bos_token"));
    QUIRE_ASSIGN_OR_RETURN(const std::optional<Token> eos,
                           FindConfigured(config, "eos_token"));
    if (eos.has_value()) data_.eos_token_ids.push_back(*eos);
    if (!has_rule) {
      QUIRE_ASSIGN_OR_RETURN(const bool adds_bos,
                             config.GetBool("add_bos_token", false));
      QUIRE_ASSIGN_OR_RETURN(const bool adds_eos,
                             config.GetBool("add_eos_token", false));
      if (adds_bos && data_.bos_token_id.has_value())
        data_.prefix = {*data_.bos_token_id};
      if (adds_eos && eos.has_value()) data_.suffix = {*eos};
    }
    return ReadChatTemplate(config);
  }

  // A token that the configuration writes as its text or as an object with the
  // text.
  absl::StatusOr<std::optional<Token>> FindConfigured(const JsonFields& config,
                                                      const char* key) const {
    const Json* value = config.Find(key);
    if (value == nullptr) return std::nullopt;
    if (value->is_object()) {
      const auto content = value->find("content");
      if (content == value->end())
        return Broken(
            absl::StrCat("tokenizer_config.json: ", key, " has no content"));
      value = &*content;
    }
    const auto* text = value->get_ptr<const std::string*>();
    if (text == nullptr)
      return Broken(
          absl::StrCat("tokenizer_config.json: ", key, " is not a text"));
    const auto found = ids_.find(*text);
    if (found == ids_.end()) return std::nullopt;
    return found->second;
  }

  // One template, or a list of named ones, of which "default" is for chats.
  absl::Status ReadChatTemplate(const JsonFields& config) {
    const Json* value = config.Find("chat_template");
    if (value == nullptr) return absl::OkStatus();
    if (!value->is_array()) {
      QUIRE_ASSIGN_OR_RETURN(data_.chat_template,
                             config.GetString("chat_template"));
      return absl::OkStatus();
    }
    for (const Json& each : *value) {
      QUIRE_ASSIGN_OR_RETURN(const JsonFields named,
                             JsonFields::Of(each, "chat_template"));
      QUIRE_ASSIGN_OR_RETURN(const std::string name, named.GetString("name"));
      if (name != "default") continue;
      QUIRE_ASSIGN_OR_RETURN(data_.chat_template, named.GetString("template"));
    }
    return absl::OkStatus();
  }

  const JsonFields& tokenizer_;
  TokenizerData data_;
  absl::flat_hash_map<std::string, Token> ids_;
  bool byte_fallback_ = false;
};

// Null where there is no such file.
absl::StatusOr<Json> ReadOptionalJson(const std::string& path) {
  absl::StatusOr<Json> json = ReadJsonFile(path);
  if (absl::IsNotFound(json.status())) return Json();
  return json;
}

std::optional<std::string> ReadOptionalText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

absl::StatusOr<TokenizerData> ParseJsonTokenizer(const Json& tokenizer,
                                                 const Json& config) {
  QUIRE_ASSIGN_OR_RETURN(const JsonFields fields,
                         JsonFields::Of(tokenizer, "tokenizer.json"));
  return Reader(fields).Read(config);
}

absl::StatusOr<TokenizerData> ReadJsonTokenizer(const std::string& folder) {
  const std::string path = absl::StrCat(folder, "/tokenizer.json");
  QUIRE_ASSIGN_OR_RETURN(const Json tokenizer, ReadJsonFile(path));
  QUIRE_ASSIGN_OR_RETURN(
      const Json config,
      ReadOptionalJson(absl::StrCat(folder, "/tokenizer_config.json")));
  absl::StatusOr<TokenizerData> data = ParseJsonTokenizer(tokenizer, config);
  if (!data.ok()) return InFile(path, data.status());
  if (auto text =
          ReadOptionalText(absl::StrCat(folder, "/chat_template.jinja"))) {
    data->chat_template = *std::move(text);
  }
  return data;
}

}  // namespace quire
