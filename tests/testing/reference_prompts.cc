#include "tests/testing/reference_prompts.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "common/check.h"
#include "nlohmann/json.hpp"

namespace quire {
namespace {

constexpr char kTestData[] = "tests/testdata/";

std::vector<ReferencePrompt> ReadReference(const std::string& path) {
  std::ifstream file(path);
  QUIRE_CHECK(file.good());
  std::vector<ReferencePrompt> prompts;
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json json = nlohmann::json::parse(line);
    ReferencePrompt prompt;
    prompt.text = json.value("rendered", json["prompt"].is_string()
                                             ? json["prompt"].get<std::string>()
                                             : std::string());
    json.at("prompt_ids").get_to(prompt.prompt_ids);
    json.at("prompt_logprobs").get_to(prompt.prompt_logprobs);
    json.at("greedy_ids").get_to(prompt.greedy_ids);
    json.at("greedy_logprobs").get_to(prompt.greedy_logprobs);
    prompts.push_back(std::move(prompt));
  }
  QUIRE_CHECK(!prompts.empty());
  return prompts;
}

std::string CacheFolder() {
  if (const char* cache = std::getenv("QUIRE_CACHE")) return cache;
  if (const char* cache = std::getenv("XDG_CACHE_HOME")) {
    return std::string(cache) + "/quire";
  }
  const char* home = std::getenv("HOME");
  return std::string(home == nullptr ? "" : home) + "/.cache/quire";
}

}  // namespace

std::vector<std::string> TinyModels() {
  return {"llama3rope_f32", "mistral_f16", "qwen2_bf16"};
}

std::string TinyModelPath(const std::string& name) {
  return std::string(kTestData) + "tiny/" + name;
}

std::vector<ReferencePrompt> TinyReference(const std::string& name) {
  return ReadReference(TinyModelPath(name) + "/reference.jsonl");
}

std::vector<Token> RandomTokens(std::mt19937_64& random, size_t count) {
  std::vector<Token> tokens;
  for (size_t i = 0; i < count; ++i) {
    tokens.push_back(static_cast<Token>(3 + random() % 500));
  }
  return tokens;
}

std::optional<std::string> SmolLm2Path() {
  const std::string path =
      CacheFolder() + "/models/SmolLM2-135M-Instruct.Q4_1.gguf";
  if (access(path.c_str(), R_OK) != 0) return std::nullopt;
  return path;
}

std::vector<ReferencePrompt> SmolLm2Reference() {
  return ReadReference(std::string(kTestData) + "smollm2_greedy.jsonl");
}

std::vector<ReferenceSearch> SmolLm2Searches() {
  std::ifstream file(std::string(kTestData) + "smollm2_beam.jsonl");
  QUIRE_CHECK(file.good());
  std::vector<ReferenceSearch> searches;
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json json = nlohmann::json::parse(line);
    const nlohmann::json& early_stopping = json.at("early_stopping");
    ReferenceSearch& search = searches.emplace_back();
    json.at("prompt_ids").get_to(search.prompt_ids);
    json.at("width").get_to(search.width);
    json.at("length_penalty").get_to(search.length_penalty);
    json.at("max_tokens").get_to(search.max_tokens);
    json.at("eos").get_to(search.end_of_sequence);
    search.early_stopping = early_stopping.is_string()
                                ? early_stopping.get<std::string>()
                                : early_stopping.dump();
    for (const nlohmann::json& hypothesis : json.at("hypotheses")) {
      search.hypotheses.push_back(
          {.ids = hypothesis.at("ids"), .score = hypothesis.at("score")});
    }
  }
  QUIRE_CHECK(!searches.empty());
  return searches;
}

}  // namespace quire
