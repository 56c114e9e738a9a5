#ifndef QUIRE_TESTS_TESTING_PUPPETS_PUPPET_GROUP_H_
#define QUIRE_TESTS_TESTING_PUPPETS_PUPPET_GROUP_H_

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "quire/worker/v1/plan.pb.h"
#include "quire/worker/v1/result.pb.h"
#include "scheduler/engine/engine.h"
#include "scheduler/engine/group_link.h"
#include "tests/testing/puppets/puppet_rank.h"

namespace quire {

// A group of puppets for one epoch. Plans queue up at each rank until the test
// has the rank answer, so the test decides what is in flight. Thread-safe.
class PuppetGroup final : public GroupLink {
 public:
  // `engine` must outlive the group.
  PuppetGroup(const GroupShape& shape, Engine* engine);

  void Dispatch(worker::v1::StepPlan& plan) override;
  void Abandon(const std::string& reason) override;

  // The rank executes its oldest plan and answers. False: it has none.
  bool Answer(Rank rank);
  // Every rank answers its oldest plan. False: none has one.
  bool AnswerStep();
  // What the rank answers next is changed first.
  void CorruptNext(Rank rank,
                   std::function<void(worker::v1::StepResult&)> edit);
  // Waits until the rank has a plan. False: StopWaiting was called.
  bool WaitForPlan(Rank rank);
  void StopWaiting();

  // Plans that rank 0 has not answered.
  size_t num_in_flight() const;
  // All plans of the epoch.
  std::vector<worker::v1::StepPlan> plans() const;
  // Empty: not abandoned.
  std::string abandoned() const;
  // Of all ranks.
  std::vector<std::string> violations() const;

 private:
  struct Puppet {
    PuppetRank rank;
    std::deque<worker::v1::StepPlan> pending;
    std::function<void(worker::v1::StepResult&)> corrupt;
  };

  Engine* const engine_;
  mutable absl::Mutex mutex_;
  absl::CondVar changed_;  // A plan came, or the end.
  std::vector<Puppet> puppets_ ABSL_GUARDED_BY(mutex_);  // By rank.
  std::vector<worker::v1::StepPlan> plans_ ABSL_GUARDED_BY(mutex_);
  std::string abandoned_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace quire

#endif  // QUIRE_TESTS_TESTING_PUPPETS_PUPPET_GROUP_H_
