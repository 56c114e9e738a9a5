#include "client/event_writer.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_format.h"
#include "client/message_json.h"

namespace quire {
namespace {

using quire::v1::GenerateResponse;

// "unknown" where there is none, or one that this client does not know.
std::string FinishReasonName(quire::v1::FinishReason reason) {
  switch (reason) {
    case quire::v1::FINISH_REASON_STOP:
      return "stop";
    case quire::v1::FINISH_REASON_LENGTH:
      return "length";
    default:
      return "unknown";
  }
}

// "12 prompt tokens (8 cached), 40 generated at 23.1 tokens/s, stop".
std::string Figures(const quire::v1::Usage& usage,
                    quire::v1::FinishReason reason, absl::Duration duration) {
  const double seconds = absl::ToDoubleSeconds(duration);
  const double rate = seconds > 0 ? usage.generated_tokens() / seconds : 0;
  return absl::StrFormat(
      "%d prompt tokens (%d cached), %d generated at %.1f tokens/s, %s",
      usage.prompt_tokens(), usage.cached_prompt_tokens(),
      usage.generated_tokens(), rate, FinishReasonName(reason));
}

class TextWriter final : public EventWriter {
 public:
  TextWriter(Console& console, const Clock& clock)
      : console_(console), clock_(clock), start_(clock.Now()) {}

  void Write(const GenerateResponse& event) override {
    console_.out << event.text() << std::flush;
    if (!event.text().empty()) at_line_start_ = event.text().back() == '\n';
    // The usage may come in a later event than the reason.
    if (event.finish_reason() != quire::v1::FINISH_REASON_UNSPECIFIED) {
      finish_reason_ = event.finish_reason();
    }
    if (event.has_usage()) usage_ = event.usage();
  }

  void End() override {
    if (!at_line_start_) console_.out << std::endl;
    if (!console_.err_is_terminal || !usage_.has_value()) return;
    console_.err << "\x1b[2m"
                 << Figures(*usage_, finish_reason_, clock_.Now() - start_)
                 << "\x1b[0m" << std::endl;
  }

 private:
  Console& console_;
  const Clock& clock_;
  absl::Time start_;
  bool at_line_start_ = true;
  quire::v1::FinishReason finish_reason_ = quire::v1::FINISH_REASON_UNSPECIFIED;
  std::optional<quire::v1::Usage> usage_;
};

// Sequences that come at the same time: each whole, one after the other, when
// all have ended, under a line with its number and, where it has one, its
// score.
class SequencesWriter final : public EventWriter {
 public:
  explicit SequencesWriter(Console& console) : console_(console) {}

  void Write(const GenerateResponse& event) override {
    Sequence& sequence = sequences_[event.sequence()];
    sequence.text += event.text();
    if (event.has_score()) sequence.score = event.score();
  }

  void End() override {
    for (const auto& [number, sequence] : sequences_) {
      console_.out << "--- " << number + 1;
      if (sequence.score.has_value()) {
        console_.out << absl::StrFormat(" (%.4f)", *sequence.score);
      }
      console_.out << " ---\n" << sequence.text << std::endl;
    }
  }

 private:
  struct Sequence {
    std::string text;
    std::optional<double> score;
  };

  Console& console_;
  std::map<uint32_t, Sequence> sequences_;
};

nlohmann::ordered_json LogprobsToJson(
    const google::protobuf::RepeatedPtrField<quire::v1::TokenLogprobs>& list) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const auto& entry : list) json.push_back(MessageToJson(entry));
  return json;
}

nlohmann::ordered_json EventToJson(const GenerateResponse& event) {
  nlohmann::ordered_json json;
  json["sequence"] = event.sequence();
  json["token_ids"] = event.token_ids();
  json["text"] = event.text();
  if (!event.logprobs().empty()) {
    json["logprobs"] = LogprobsToJson(event.logprobs());
  }
  if (!event.prompt_logprobs().empty()) {
    json["prompt_logprobs"] = LogprobsToJson(event.prompt_logprobs());
  }
  if (event.finish_reason() != quire::v1::FINISH_REASON_UNSPECIFIED) {
    json["finish_reason"] = FinishReasonName(event.finish_reason());
    json["stop_reason"] = event.stop_reason();
  }
  if (event.has_score()) json["score"] = event.score();
  if (event.has_usage()) json["usage"] = MessageToJson(event.usage());
  return json;
}

class JsonWriter final : public EventWriter {
 public:
  explicit JsonWriter(Console& console) : console_(console) {}

  void Write(const GenerateResponse& event) override {
    console_.out << ToLine(EventToJson(event)) << std::endl;
  }

  void End() override {}

 private:
  Console& console_;
};

}  // namespace

std::unique_ptr<EventWriter> MakeTextWriter(Console& console,
                                            const Clock& clock) {
  return std::make_unique<TextWriter>(console, clock);
}

std::unique_ptr<EventWriter> MakeSequencesWriter(Console& console) {
  return std::make_unique<SequencesWriter>(console);
}

std::unique_ptr<EventWriter> MakeJsonWriter(Console& console) {
  return std::make_unique<JsonWriter>(console);
}

}  // namespace quire
