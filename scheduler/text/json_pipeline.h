#ifndef QUIRE_SCHEDULER_TEXT_JSON_PIPELINE_H_
#define QUIRE_SCHEDULER_TEXT_JSON_PIPELINE_H_

#include <nlohmann/json.hpp>

#include "absl/status/statusor.h"
#include "common/modelfile/json_file.h"
#include "scheduler/text/tokenizer_data.h"

namespace quire {

// The stages of tokenizer.json around its model. UNIMPLEMENTED names a stage,
// or an option of one, that is not known; INVALID_ARGUMENT what is broken.

// `normalizer` and `pre_tokenizer`: how text is prepared and cut. Sets data's
// kind, normalizes_nfc, splits and all that concerns spaces.
absl::Status ReadTextStages(const JsonFields& tokenizer, TokenizerData* data);

// `post_processor`: data's prefix and suffix. False: it says nothing about
// them.
absl::StatusOr<bool> ReadPostProcessor(const JsonFields& tokenizer,
                                       TokenizerData* data);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_JSON_PIPELINE_H_
