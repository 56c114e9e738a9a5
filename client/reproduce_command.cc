#include "client/reproduce_command.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/command_line_error.h"
#include "client/connection_flags.h"
#include "client/message_json.h"
#include "client/reproduce_runs.h"
#include "client/reproduce_sections.h"
#include "client/svg_chart.h"
#include "common/check_range.h"
#include "common/status_macros.h"

ABSL_FLAG(
    std::string, only, "",
    "One section: worked_cases, memory, batched, latency, parallel_sampling, "
    "beam_search, shared_prefix, block_size or swapping.");
ABSL_FLAG(double, minutes, 10,
          "Modelled time in which requests arrive; the paper's: 60.");
ABSL_FLAG(uint32_t, seeds, 3, "Traces of each experiment.");
ABSL_FLAG(std::string, out, "",
          "A file for the pictures, as SVG: of memory and latency.");

namespace quire {
namespace {

constexpr char kDetails[] =
    R"(Runs experiments of Kwon et al., "Efficient Memory Management for Large Language
Model Serving with PagedAttention" (SOSP 2023), in the simulator of quire
simulate, and prints the figures beside the paper's. Where one differs by more
than a fifth, a line says why.
)";

absl::StatusOr<std::vector<SectionRecipe>> RecipesFromFlags() {
  const std::string only = absl::GetFlag(FLAGS_only);
  if (only.empty()) return SectionRecipes();
  std::string names;
  for (const SectionRecipe& recipe : SectionRecipes()) {
    if (recipe.name == only) return std::vector{recipe};
    absl::StrAppend(&names, names.empty() ? "" : ", ", recipe.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("there is no section ", only, "; there are: ", names));
}

absl::StatusOr<ReproduceRuns::Options> RunsFromFlags(Console& console) {
  ReproduceRuns::Options options;
  options.num_seeds = absl::GetFlag(FLAGS_seeds);
  QUIRE_RETURN_IF_ERROR(CheckRange("seeds", options.num_seeds, 1, 100));
  const double minutes = absl::GetFlag(FLAGS_minutes);
  if (!(minutes >= 0.1 && minutes <= 600)) {
    return absl::InvalidArgumentError(
        absl::StrCat("minutes is ", minutes, ", must be 0.1 to 600"));
  }
  options.seconds = 60 * minutes;
  if (console.err_is_terminal) {
    options.report = [&console](const Experiment& experiment) {
      console.err << absl::StreamFormat("\r%4g requests/s\x1b[K",
                                        experiment.rate)
                  << std::flush;
    };
  }
  return options;
}

absl::Status CannotWrite(const std::string& path) {
  return absl::UnknownError(
      absl::StrCat(path, ": cannot be written: ", std::strerror(errno)));
}

std::string NamesOfSectionsWithPictures() {
  std::string names;
  for (const SectionRecipe& recipe : SectionRecipes()) {
    if (!recipe.has_pictures) continue;
    absl::StrAppend(&names, names.empty() ? "" : " and ", recipe.name);
  }
  return names;
}

// Before the experiments, which take minutes.
absl::Status CheckPicturesCanBeWritten(
    const std::vector<SectionRecipe>& recipes) {
  const std::string path = absl::GetFlag(FLAGS_out);
  if (path.empty()) return absl::OkStatus();
  if (std::ranges::none_of(recipes, &SectionRecipe::has_pictures)) {
    return CommandLineError(absl::StrCat(
        "--out does not apply to --only=", absl::GetFlag(FLAGS_only),
        ", which has no picture; ", NamesOfSectionsWithPictures(), " have"));
  }
  const std::ofstream file(path, std::ios::app);
  return file ? absl::OkStatus() : CannotWrite(path);
}

absl::Status WritePictures(const std::vector<Chart>& charts) {
  const std::string path = absl::GetFlag(FLAGS_out);
  if (path.empty()) return absl::OkStatus();
  std::ofstream file(path);
  file << SvgOf(charts);
  file.close();
  return file ? absl::OkStatus() : CannotWrite(path);
}

absl::Status Reproduce(const std::vector<std::string>&, Console& console) {
  QUIRE_ASSIGN_OR_RETURN(const std::vector<SectionRecipe> recipes,
                         RecipesFromFlags());
  QUIRE_ASSIGN_OR_RETURN(ReproduceRuns::Options options,
                         RunsFromFlags(console));
  QUIRE_RETURN_IF_ERROR(CheckPicturesCanBeWritten(recipes));
  ReproduceRuns runs(std::move(options));
  std::vector<Chart> charts;
  for (const SectionRecipe& recipe : recipes) {
    const ReproducedSection section = recipe.make(runs);
    if (console.err_is_terminal) console.err << "\r\x1b[K" << std::flush;
    console.out << (JsonFromFlags() ? ToLine(SectionJson(section)) + "\n"
                                    : SectionText(section))
                << std::flush;
    charts.insert(charts.end(), section.charts.begin(), section.charts.end());
  }
  return WritePictures(charts);
}

}  // namespace

Command ReproduceCommand() {
  return {"reproduce",
          "",
          "runs a paper's experiments and prints the figures beside its own",
          kDetails,
          {"only", "minutes", "seeds", "out", "json"},
          Reproduce};
}

}  // namespace quire
