#include "scheduler/text/json_pipeline.h"

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/modelfile/error_text.h"
#include "common/status_macros.h"
#include "common/strings.h"
#include "scheduler/text/sentencepiece_text.h"
#include "scheduler/text/split_patterns_by_name.h"

namespace quire {
namespace {

using Json = nlohmann::json;
using Behavior = SplitStep::Behavior;
using SpacePrefix = TokenizerData::SpacePrefix;

absl::Status NotKnown(const char* stage, std::string_view what) {
  return absl::UnimplementedError(
      absl::StrCat(stage, " ", ToAbsl(what), " is not known"));
}

absl::Status Broken(const char* stage, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(stage, ": ", ToAbsl(what)));
}

// Calls `read` with the stage itself, or with each stage of a sequence, in
// order; `list` names the sequence's field.
template <typename Read>
absl::Status ForEachStage(const char* stage, const char* list,
                          const Json& value, Read read) {
  QUIRE_ASSIGN_OR_RETURN(const JsonFields fields, JsonFields::Of(value, stage));
  const absl::StatusOr<std::string> type = fields.GetString("type");
  if (!type.ok()) return type.status();
  if (*type != "Sequence") return read(*type, fields);
  const Json* stages = fields.Find(list);
  if (stages == nullptr || !stages->is_array())
    return Broken(stage, absl::StrCat("a Sequence has no list ", list));
  for (const Json& each : *stages)
    QUIRE_RETURN_IF_ERROR(ForEachStage(stage, list, each, read));
  return absl::OkStatus();
}

// The text of {"String": ...} or {"Regex": ...}.
struct Pattern {
  std::string text;
  bool is_literal = false;
};
absl::StatusOr<Pattern> ReadPattern(const char* stage,
                                    const JsonFields& fields) {
  QUIRE_ASSIGN_OR_RETURN(const std::optional<JsonFields> pattern,
                         fields.GetObject("pattern"));
  if (!pattern.has_value()) return Broken(stage, "there is no pattern");
  Pattern read;
  read.is_literal = pattern->Has("String");
  QUIRE_ASSIGN_OR_RETURN(
      read.text, pattern->GetString(read.is_literal ? "String" : "Regex"));
  return read;
}

class NormalizerReader {
 public:
  explicit NormalizerReader(TokenizerData* data) : data_(data) {}

  absl::Status Read(const Json& value) {
    QUIRE_RETURN_IF_ERROR(
        ForEachStage("normalizer", "normalizers", value,
                     [this](const std::string& type, const JsonFields& fields) {
                       return ReadOne(type, fields);
                     }));
    if (data_->space_prefix != SpacePrefix::kNever &&
        data_->kind != TokenizerData::Kind::kSentencePiece) {
      return NotKnown("normalizer", "Prepend without Replace");
    }
    return absl::OkStatus();
  }

 private:
  absl::Status ReadOne(const std::string& type, const JsonFields& fields) {
    if (type == "NFC") {
      data_->normalizes_nfc = true;
      return absl::OkStatus();
    }
    if (type == "Prepend") {
      QUIRE_ASSIGN_OR_RETURN(const std::string text,
                             fields.GetString("prepend"));
      if (text != kSpaceSign)
        return NotKnown("normalizer",
                        absl::StrCat("Prepend of ", Quoted(text)));
      data_->space_prefix = SpacePrefix::kAlways;
      return absl::OkStatus();
    }
    if (type == "Replace") {
      QUIRE_ASSIGN_OR_RETURN(const Pattern pattern,
                             ReadPattern("normalizer", fields));
      QUIRE_ASSIGN_OR_RETURN(const std::string content,
                             fields.GetString("content"));
      if (!pattern.is_literal || pattern.text != " " || content != kSpaceSign) {
        return NotKnown("normalizer",
                        absl::StrCat("Replace of ", Quoted(pattern.text),
                                     " by ", Quoted(content)));
      }
      data_->kind = TokenizerData::Kind::kSentencePiece;
      return absl::OkStatus();
    }
    return NotKnown("normalizer", Quoted(type));
  }

  TokenizerData* data_;
};

absl::StatusOr<Behavior> ReadBehavior(const JsonFields& fields) {
  static constexpr std::pair<std::string_view, Behavior> kBehaviors[] = {
      {"Isolated", Behavior::kIsolated},
      {"Removed", Behavior::kRemoved},
      {"Contiguous", Behavior::kContiguous},
      {"MergedWithPrevious", Behavior::kMergedWithPrevious},
      {"MergedWithNext", Behavior::kMergedWithNext},
  };
  QUIRE_ASSIGN_OR_RETURN(const std::string name, fields.GetString("behavior"));
  for (const auto& [known, behavior] : kBehaviors) {
    if (name == known) return behavior;
  }
  return NotKnown("pre_tokenizer",
                  absl::StrCat("Split with behavior ", Quoted(name)));
}

class PreTokenizerReader {
 public:
  explicit PreTokenizerReader(TokenizerData* data) : data_(data) {}

  absl::Status Read(const Json& value) {
    QUIRE_RETURN_IF_ERROR(
        ForEachStage("pre_tokenizer", "pretokenizers", value,
                     [this](const std::string& type, const JsonFields& fields) {
                       return ReadOne(type, fields);
                     }));
    if (data_->kind == TokenizerData::Kind::kSentencePiece &&
        (is_byte_level_ || !data_->splits.empty())) {
      return NotKnown(
          "pre_tokenizer",
          "Split, Digits or ByteLevel together with spaces written as U+2581");
    }
    return absl::OkStatus();
  }

  bool is_byte_level() const { return is_byte_level_; }

 private:
  absl::Status ReadOne(const std::string& type, const JsonFields& fields) {
    if (is_byte_level_)
      return NotKnown("pre_tokenizer",
                      absl::StrCat(Quoted(type), " after ByteLevel"));
    if (type == "ByteLevel") return ReadByteLevel(fields);
    if (type == "Split") return ReadSplit(fields);
    if (type == "Digits") return ReadDigits(fields);
    if (type == "Metaspace") return ReadMetaspace(fields);
    return NotKnown("pre_tokenizer", Quoted(type));
  }

  absl::Status ReadByteLevel(const JsonFields& fields) {
    is_byte_level_ = true;
    QUIRE_ASSIGN_OR_RETURN(const bool adds_space,
                           fields.GetBool("add_prefix_space", true));
    if (adds_space)
      return NotKnown("pre_tokenizer", "ByteLevel with add_prefix_space");
    QUIRE_ASSIGN_OR_RETURN(const bool splits,
                           fields.GetBool("use_regex", true));
    if (splits)
      data_->splits.push_back({.pattern = std::string(Gpt2SplitPattern())});
    return absl::OkStatus();
  }

  absl::Status ReadSplit(const JsonFields& fields) {
    QUIRE_ASSIGN_OR_RETURN(Pattern pattern,
                           ReadPattern("pre_tokenizer", fields));
    SplitStep step{.pattern = std::move(pattern.text),
                   .is_literal = pattern.is_literal};
    QUIRE_ASSIGN_OR_RETURN(step.behavior, ReadBehavior(fields));
    QUIRE_ASSIGN_OR_RETURN(step.invert, fields.GetBool("invert", false));
    data_->splits.push_back(std::move(step));
    return absl::OkStatus();
  }

  absl::Status ReadDigits(const JsonFields& fields) {
    QUIRE_ASSIGN_OR_RETURN(const bool individual,
                           fields.GetBool("individual_digits", false));
    data_->splits.push_back(
        {.pattern = R"(\p{N})",
         .behavior = individual ? Behavior::kIsolated : Behavior::kContiguous});
    return absl::OkStatus();
  }

  absl::Status ReadMetaspace(const JsonFields& fields) {
    QUIRE_ASSIGN_OR_RETURN(const std::string sign,
                           fields.GetString("replacement"));
    if (sign != kSpaceSign)
      return NotKnown("pre_tokenizer",
                      absl::StrCat("Metaspace with ", Quoted(sign)));
    // Older files have add_prefix_space in place of prepend_scheme.
    QUIRE_ASSIGN_OR_RETURN(const bool adds_space,
                           fields.GetBool("add_prefix_space", true));
    QUIRE_ASSIGN_OR_RETURN(
        const std::string scheme,
        fields.GetString("prepend_scheme", adds_space ? "always" : "never"));
    if (scheme != "always" && scheme != "first" && scheme != "never") {
      return NotKnown(
          "pre_tokenizer",
          absl::StrCat("Metaspace with prepend_scheme ", Quoted(scheme)));
    }
    data_->kind = TokenizerData::Kind::kSentencePiece;
    data_->space_prefix = scheme == "always"  ? SpacePrefix::kAlways
                          : scheme == "first" ? SpacePrefix::kFirst
                                              : SpacePrefix::kNever;
    data_->prefix_only_where_missing = true;
    QUIRE_ASSIGN_OR_RETURN(data_->splits_at_spaces,
                           fields.GetBool("split", true));
    return absl::OkStatus();
  }

  TokenizerData* data_;
  bool is_byte_level_ = false;
};

// TemplateProcessing: the pieces of "single" are special tokens and the text,
// "A".
class TemplateReader {
 public:
  TemplateReader(const JsonFields& fields, TokenizerData* data)
      : fields_(fields), data_(data) {}

  absl::Status Read() {
    const Json* pieces = fields_.Find("single");
    if (pieces == nullptr || !pieces->is_array())
      return Broken("post_processor", "single is not a list");
    for (const Json& piece : *pieces) QUIRE_RETURN_IF_ERROR(ReadPiece(piece));
    if (!seen_text_)
      return Broken("post_processor", "single has no place for the text");
    return absl::OkStatus();
  }

 private:
  absl::Status ReadPiece(const Json& value) {
    QUIRE_ASSIGN_OR_RETURN(const JsonFields piece,
                           JsonFields::Of(value, "post_processor.single"));
    if (piece.Has("Sequence")) {
      if (seen_text_)
        return NotKnown("post_processor",
                        "TemplateProcessing that repeats the text");
      seen_text_ = true;
      return absl::OkStatus();
    }
    QUIRE_ASSIGN_OR_RETURN(const std::optional<JsonFields> special,
                           piece.GetObject("SpecialToken"));
    if (!special.has_value())
      return Broken("post_processor", "single has a piece of no known kind");
    QUIRE_ASSIGN_OR_RETURN(const std::string name, special->GetString("id"));
    return ReadIds(name);
  }

  absl::Status ReadIds(const std::string& name) {
    QUIRE_ASSIGN_OR_RETURN(const std::optional<JsonFields> all,
                           fields_.GetObject("special_tokens"));
    if (!all.has_value())
      return Broken("post_processor", "special_tokens is missing");
    QUIRE_ASSIGN_OR_RETURN(const std::optional<JsonFields> token,
                           all->GetObject(name));
    if (!token.has_value())
      return Broken("post_processor",
                    absl::StrCat("special_tokens lacks ", Quoted(name)));
    QUIRE_ASSIGN_OR_RETURN(const std::vector<int64_t> ids,
                           token->GetInts("ids"));
    for (const int64_t id : ids) {
      if (id < 0 || id > std::numeric_limits<Token>::max()) {
        return Broken("post_processor",
                      absl::StrCat("token id ", id, " of ", Quoted(name),
                                   " is out of range"));
      }
      (seen_text_ ? data_->suffix : data_->prefix)
          .push_back(static_cast<Token>(id));
    }
    return absl::OkStatus();
  }

  const JsonFields& fields_;
  TokenizerData* data_;
  bool seen_text_ = false;
};

}  // namespace

absl::Status ReadTextStages(const JsonFields& tokenizer, TokenizerData* data) {
  if (const Json* normalizer = tokenizer.Find("normalizer")) {
    QUIRE_RETURN_IF_ERROR(NormalizerReader(data).Read(*normalizer));
  }
  PreTokenizerReader reader(data);
  if (const Json* pre_tokenizer = tokenizer.Find("pre_tokenizer")) {
    QUIRE_RETURN_IF_ERROR(reader.Read(*pre_tokenizer));
  }
  if (data->kind == TokenizerData::Kind::kByteLevel &&
      !reader.is_byte_level()) {
    return NotKnown("pre_tokenizer",
                    "neither ByteLevel nor one that writes spaces as U+2581");
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> ReadPostProcessor(const JsonFields& tokenizer,
                                       TokenizerData* data) {
  const Json* processor = tokenizer.Find("post_processor");
  if (processor == nullptr) return false;
  bool found = false;
  QUIRE_RETURN_IF_ERROR(ForEachStage(
      "post_processor", "processors", *processor,
      [&](const std::string& type, const JsonFields& fields) -> absl::Status {
        if (type == "ByteLevel") return absl::OkStatus();
        if (type != "TemplateProcessing")
          return NotKnown("post_processor", Quoted(type));
        found = true;
        return TemplateReader(fields, data).Read();
      }));
  return found;
}

}  // namespace quire
