#ifndef QUIRE_CLIENT_REPRODUCE_SECTIONS_H_
#define QUIRE_CLIENT_REPRODUCE_SECTIONS_H_

#include <string>
#include <vector>

#include "client/reproduce_runs.h"
#include "client/reproduce_table.h"

namespace quire {

// A part of Kwon et al., "Efficient Memory Management for Large Language Model
// Serving with PagedAttention" (SOSP 2023), run again. reproduce_sections.cc
// and reproduce_sharing_sections.cc are the only files that know the paper's
// results.
struct SectionRecipe {
  std::string name;  // As --only takes it.
  ReproducedSection (*make)(ReproduceRuns& runs) = nullptr;
  bool has_pictures = false;  // What it makes has charts.
};

// In the order in which they are printed.
std::vector<SectionRecipe> SectionRecipes();

}  // namespace quire

#endif  // QUIRE_CLIENT_REPRODUCE_SECTIONS_H_
