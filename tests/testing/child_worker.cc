#include "tests/testing/child_worker.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/check.h"

namespace quire {

ChildWorker::ChildWorker(const std::vector<std::string>& flags) {
  std::vector<std::string> words = {"worker/quire-worker"};
  words.insert(words.end(), flags.begin(), flags.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  pid_ = fork();
  QUIRE_CHECK(pid_ >= 0);
  if (pid_ == 0) {
    // A test that crashes takes its worker with it.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    execv(argv[0], argv.data());
    _exit(127);
  }
}

ChildWorker::~ChildWorker() { Kill(); }

void ChildWorker::Kill() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void ChildWorker::Pause() { kill(pid_, SIGSTOP); }
void ChildWorker::Resume() { kill(pid_, SIGCONT); }

}  // namespace quire
