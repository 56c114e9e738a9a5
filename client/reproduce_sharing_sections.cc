#include "client/reproduce_sharing_sections.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/reproduce_sweep.h"
#include "client/spread.h"

namespace quire {
namespace {

// --- Samples and beams of one prompt

// What the paper prints of either.
struct SharingFigures {
  bool is_beam_search = false;
  std::vector<PaperFigure> alpaca;  // Of two, four and six a request.
  PaperFigure sharegpt;             // Of all three: a range.
  std::string why;
};

double SavedPercent(const SimulationFigures& figures) {
  return 100 * figures.occupancy.saved_share();
}

// The rate of `sequences` counts these, not the requests that they belong to.
void AddSharing(ReproduceRuns& runs, const std::string& name,
                const Experiment& sequences,
                const std::vector<PaperFigure>& paper, const std::string& why,
                ReproducedSection& section) {
  for (size_t i = 0; i < paper.size(); ++i) {
    Experiment experiment = sequences;
    experiment.num_sequences = static_cast<uint32_t>(2 * (i + 1));
    experiment.rate /= experiment.num_sequences;
    section.figures.push_back(
        {absl::StrCat(name, ", ", experiment.num_sequences,
                      experiment.is_beam_search ? " beams" : " samples"),
         paper[i], runs.Figure(experiment, SavedPercent), why});
  }
}

ReproducedSection SharingSection(const std::string& title,
                                 const std::string& about,
                                 const SharingFigures& paper,
                                 ReproduceRuns& runs) {
  ReproducedSection section = {.title = title, .about = about};
  Experiment sequences = {.is_beam_search = paper.is_beam_search,
                          .uses_prefix_cache = false};
  sequences.trace = TraceShape::kAlpaca;
  sequences.rate = 30;
  AddSharing(runs, "Alpaca", sequences, paper.alpaca, paper.why, section);
  sequences.trace = TraceShape::kShareGpt;
  sequences.rate = 2;
  AddSharing(runs, "ShareGPT", sequences,
             std::vector(paper.alpaca.size(), paper.sharegpt), paper.why,
             section);
  return section;
}

// --- A prefix that all prompts share

// The two factors of the ratio, and what each depends on.
std::string WhyPrefixed(const Sweep& paged, const Sweep& bypassed,
                        const Sweep& oracle) {
  return absl::StrFormat(
      "reuse gives a factor of %.2f, and paging\n      another one of %.2f "
      "even without. The latter falls where lengths spread less, as more of\n"
      "      Orca's ranges, powers of two, fit: one sigma is assumed for all. "
      "That attention over\n      blocks takes 20 to 26 %% longer (section "
      "7.1) is not modelled",
      KeptUpRatio(paged, bypassed).mean, KeptUpRatio(bypassed, oracle).mean);
}

// Around the rate that each system keeps up with: a line between rates that are
// far apart would be one between none and much waiting.
struct PrefixRates {
  std::vector<double> paged;
  std::vector<double> bypassed;
  std::vector<double> oracle;
};

void AddPrefix(ReproduceRuns& runs, uint32_t prefix_tokens, double paper,
               const PrefixRates& rates, ReproducedSection& section) {
  Experiment experiment = {.trace = TraceShape::kSharedPrefix,
                           .model = "llama-13b",
                           .prefix_tokens = prefix_tokens};
  const Sweep paged = SweepOf(runs, "paged", experiment, rates.paged);
  experiment.uses_prefix_cache = false;
  const Sweep bypassed =
      SweepOf(runs, "without reuse", experiment, rates.bypassed);
  experiment.policy = ServingPolicy::kOrcaOracle;
  const Sweep oracle = SweepOf(runs, "Orca (Oracle)", experiment, rates.oracle);
  const std::string name = absl::StrCat(prefix_tokens, " tokens");
  for (const Sweep& sweep : {paged, bypassed, oracle}) {
    section.figures.push_back(
        {absl::StrCat(name, ", rate kept up with: ", sweep.name), std::nullopt,
         SpreadOf(KeptUp(sweep)), ""});
  }
  section.figures.push_back({absl::StrCat(name, ", paged over Orca (Oracle)"),
                             Paper(paper), KeptUpRatio(paged, oracle),
                             WhyPrefixed(paged, bypassed, oracle)});
}

}  // namespace

ReproducedSection ParallelSampling(ReproduceRuns& runs) {
  return SharingSection(
      "Blocks saved by sharing among samples, % (figure 15a)",
      "Of the blocks that would be held without sharing, averaged over time. "
      "OPT-13B, as\nmany sequences a second as in figure 13: 30 of Alpaca, 2 "
      "of ShareGPT. Blocks that\nother requests wrote are not reused. Of "
      "ShareGPT the paper prints a range.\n",
      {.alpaca = {Paper(6.09), Paper(8.53), Paper(9.79)},
       .sharegpt = {16.2, 30.5},
       .why = kLengthsAreAssumed},
      runs);
}

ReproducedSection BeamSearch(ReproduceRuns& runs) {
  return SharingSection(
      "Blocks saved by sharing among beams, % (figure 15b)",
      "As for samples. Beams share what they have generated, too, up to where "
      "they part. Of\nShareGPT the paper prints a range.\n",
      {.is_beam_search = true,
       .alpaca = {Paper(37.56), Paper(53.13), Paper(55.16)},
       .sharegpt = {44.3, 66.3},
       .why = "which beams go on depends on the text:\n      the modelled one "
              "is sure of its next token or not, evenly spread"},
      runs);
}

ReproducedSection SharedPrefix(ReproduceRuns& runs) {
  ReproducedSection section = {
      .title = "A prefix that all prompts share (figure 16)",
      .about =
          "LLaMA-13B, whose prompts begin with 80 or 341 tokens of examples. "
          "What follows is\nas long as Alpaca's: the paper does not print the "
          "lengths of its sentences. A system\nkeeps up while the latency is "
          "below 0.2 s a token. Orca computes and stores the\nprefix anew for "
          "each request.\n"};
  AddPrefix(runs, 80, 1.67,
            {.paged = {54, 56, 58, 60, 62},
             .bypassed = {28, 29, 30, 31, 32, 33, 34},
             .oracle = {20, 21, 22, 23, 24, 25, 26}},
            section);
  AddPrefix(runs, 341, 3.58,
            {.paged = {34, 35, 36, 37, 38, 39},
             .bypassed = {9.5, 10, 10.5, 11, 11.5, 12, 12.5},
             .oracle = {7, 7.5, 8, 8.5, 9, 9.5, 10, 10.5}},
            section);
  return section;
}

}  // namespace quire
