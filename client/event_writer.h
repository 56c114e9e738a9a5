#ifndef QUIRE_CLIENT_EVENT_WRITER_H_
#define QUIRE_CLIENT_EVENT_WRITER_H_

#include <memory>

#include "client/console.h"
#include "common/clock.h"
#include "quire/v1/quire.pb.h"

namespace quire {

// Shows the messages of one generation as they come. Not thread-safe.
class EventWriter {
 public:
  virtual ~EventWriter() = default;

  virtual void Write(const quire::v1::GenerateResponse& event) = 0;

  // After the last event, also of a call that failed or was cancelled.
  virtual void End() = 0;
};

// Text for people: the deltas, then a line's end, and on a terminal one line of
// figures on console.err. The console and the clock must outlive the writer.
std::unique_ptr<EventWriter> MakeTextWriter(Console& console,
                                            const Clock& clock);

// Text of several sequences, each whole under a line with its number and score,
// when all have ended. The console must outlive the writer.
std::unique_ptr<EventWriter> MakeSequencesWriter(Console& console);

// JSON for programs: one line an event with `sequence`, `token_ids` and `text`;
// `logprobs` and `prompt_logprobs` where there are any; `finish_reason`
// ("stop", "length"), `stop_reason`, `score` and `usage` once they are known.
std::unique_ptr<EventWriter> MakeJsonWriter(Console& console);

}  // namespace quire

#endif  // QUIRE_CLIENT_EVENT_WRITER_H_
