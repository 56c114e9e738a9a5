#ifndef QUIRE_TESTS_TESTING_CHILD_WORKER_H_
#define QUIRE_TESTS_TESTING_CHILD_WORKER_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace quire {

// A real quire-worker, as a child process. Killed with the object.
class ChildWorker {
 public:
  // The program is found among the test's runfiles: the test depends on
  // //worker:quire-worker as data.
  explicit ChildWorker(const std::vector<std::string>& flags);
  ~ChildWorker();
  ChildWorker(const ChildWorker&) = delete;
  ChildWorker& operator=(const ChildWorker&) = delete;

  // SIGKILL, and waits for the end.
  void Kill();
  // Stops and continues it: a worker that hangs.
  void Pause();
  void Resume();

 private:
  pid_t pid_ = -1;
};

}  // namespace quire

#endif  // QUIRE_TESTS_TESTING_CHILD_WORKER_H_
