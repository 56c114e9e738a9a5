#include "scheduler/text/stop_matcher.h"

#include <deque>

#include "common/check.h"

namespace quire {

StopMatcher::StopMatcher(std::vector<std::string> stops)
    : stops_(std::move(stops)), nodes_(1) {
  for (size_t i = 0; i < stops_.size(); ++i) {
    QUIRE_CHECK(!stops_[i].empty());
    Insert(static_cast<int>(i));
  }
  LinkSuffixes();
}

int StopMatcher::Child(int node, char byte) const {
  for (const auto& [key, child] : nodes_[node].children) {
    if (key == byte) return child;
  }
  return kNone;
}

int StopMatcher::Step(int node, char byte) const {
  while (true) {
    if (const int child = Child(node, byte); child != kNone) return child;
    if (node == kRoot) return kRoot;
    node = nodes_[node].longest_suffix;
  }
}

void StopMatcher::Insert(int stop) {
  int node = kRoot;
  for (const char byte : stops_[stop]) {
    int child = Child(node, byte);
    if (child == kNone) {
      child = static_cast<int>(nodes_.size());
      nodes_.push_back({.depth = nodes_[node].depth + 1});
      nodes_[node].children.emplace_back(byte, child);
    }
    node = child;
  }
  if (nodes_[node].longest_stop == kNone) nodes_[node].longest_stop = stop;
}

// Breadth first, so that the suffixes of a node, which are shorter, are linked
// before it.
void StopMatcher::LinkSuffixes() {
  std::deque<int> queue{kRoot};
  while (!queue.empty()) {
    const int node = queue.front();
    queue.pop_front();
    for (const auto& [byte, child] : nodes_[node].children) {
      const int suffix =
          node == kRoot ? kRoot : Step(nodes_[node].longest_suffix, byte);
      nodes_[child].longest_suffix = suffix;
      if (nodes_[child].longest_stop == kNone)
        nodes_[child].longest_stop = nodes_[suffix].longest_stop;
      queue.push_back(child);
    }
  }
}

StopMatcher::Result StopMatcher::Append(std::string_view text) {
  QUIRE_CHECK(!is_done_);
  Result result{.text = std::move(held_)};
  held_.clear();
  for (const char byte : text) {
    result.text.push_back(byte);
    state_ = Step(state_, byte);
    const int stop = nodes_[state_].longest_stop;
    if (stop == kNone) continue;
    is_done_ = true;
    result.stop = stops_[stop];
    result.text.resize(result.text.size() - stops_[stop].size());
    return result;
  }
  held_ = result.text.substr(result.text.size() - nodes_[state_].depth);
  result.text.resize(result.text.size() - held_.size());
  return result;
}

std::string StopMatcher::Flush() {
  state_ = kRoot;
  return std::exchange(held_, {});
}

}  // namespace quire
