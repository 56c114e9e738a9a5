#include "scheduler/memory/prefix_tree.h"

#include <algorithm>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/check.h"

namespace quire {
namespace {

// Names of key spaces that are kept whatever the number of blocks.
constexpr size_t kMinSpaces = 1024;

uint64_t HashEdge(uint64_t parent, std::span<const Token> tokens) {
  return absl::HashOf(parent,
                      absl::Span<const Token>(tokens.data(), tokens.size()));
}

}  // namespace

PrefixTree::PrefixTree(BlockPool* pool, uint32_t block_size, Hash hash)
    : pool_(pool),
      block_size_(block_size),
      hash_(hash != nullptr ? hash : &HashEdge),
      nodes_(pool->num_blocks()),
      by_edge_(/*bucket_count=*/0, EdgeHash{this}, EdgeEqual{this}) {
  pool_->set_on_evict([this](BlockId block) { Remove(block.value()); });
}

bool PrefixTree::EdgeEqual::operator()(uint32_t node, const Edge& edge) const {
  return tree->nodes_[node].parent == edge.parent &&
         std::ranges::equal(tree->nodes_[node].tokens, edge.tokens);
}

KeySpace PrefixTree::SpaceOf(std::string_view name) {
  if (spaces_.size() >= 2 * nodes_.size() + kMinSpaces) ForgetEmptySpaces();
  const auto [entry, is_new] =
      spaces_.try_emplace(std::string(name), next_space_);
  if (is_new) ++next_space_;
  return entry->second;
}

void PrefixTree::ForgetEmptySpaces() {
  absl::flat_hash_set<KeySpace> used;
  for (const Node& node : nodes_) {
    if (node.in_tree && node.parent >= kFirstSpace) used.insert(node.parent);
  }
  absl::erase_if(
      spaces_, [&](const auto& entry) { return !used.contains(entry.second); });
}

std::optional<BlockId> PrefixTree::Child(uint64_t parent,
                                         std::span<const Token> tokens) const {
  const auto found = by_edge_.find(Edge{parent, tokens});
  if (found == by_edge_.end()) return std::nullopt;
  return BlockId(*found);
}

std::vector<BlockId> PrefixTree::Find(KeySpace space,
                                      std::span<const Token> tokens,
                                      uint32_t max_blocks) const {
  std::vector<BlockId> path;
  uint64_t parent = space;
  while (path.size() < max_blocks && tokens.size() >= block_size_) {
    const std::optional<BlockId> child =
        Child(parent, tokens.first(block_size_));
    if (!child.has_value()) break;
    path.push_back(*child);
    parent = child->value();
    tokens = tokens.subspan(block_size_);
  }
  return path;
}

std::optional<BlockId> PrefixTree::Publish(KeySpace space,
                                           std::optional<BlockId> parent,
                                           std::span<const Token> tokens,
                                           BlockId block) {
  QUIRE_CHECK(tokens.size() == block_size_);
  if (parent.has_value() && !nodes_[parent->value()].in_tree) {
    return std::nullopt;
  }
  const uint64_t above = parent.has_value() ? parent->value() : space;
  if (const std::optional<BlockId> found = Child(above, tokens)) return found;
  Node& node = nodes_[block.value()];
  QUIRE_CHECK(!node.in_tree);
  node.in_tree = true;
  node.parent = above;
  node.tokens.assign(tokens.begin(), tokens.end());
  if (parent.has_value()) Link(block.value());
  by_edge_.insert(block.value());
  ++num_nodes_;
  pool_->SetKept(block, true);
  return block;
}

void PrefixTree::Link(uint32_t node) {
  uint32_t& first = nodes_[nodes_[node].parent].first_child;
  nodes_[node].next_sibling = first;
  if (first != kNone) nodes_[first].previous_sibling = node;
  first = node;
}

void PrefixTree::Unlink(uint32_t node) {
  const uint32_t next = std::exchange(nodes_[node].next_sibling, kNone);
  const uint32_t previous = std::exchange(nodes_[node].previous_sibling, kNone);
  if (next != kNone) nodes_[next].previous_sibling = previous;
  (previous != kNone ? nodes_[previous].next_sibling
                     : nodes_[nodes_[node].parent].first_child) = next;
}

// From leaf to leaf, for paths are as long as contexts.
void PrefixTree::Remove(uint32_t node) {
  QUIRE_CHECK(nodes_[node].in_tree);
  for (uint32_t leaf = node;;) {
    while (nodes_[leaf].first_child != kNone) leaf = nodes_[leaf].first_child;
    const uint64_t parent = nodes_[leaf].parent;
    RemoveLeaf(leaf);
    if (leaf == node) return;
    pool_->SetKept(BlockId(leaf), false);
    leaf = static_cast<uint32_t>(parent);
  }
}

void PrefixTree::RemoveLeaf(uint32_t leaf) {
  by_edge_.erase(leaf);
  if (nodes_[leaf].parent < kFirstSpace) Unlink(leaf);
  nodes_[leaf].in_tree = false;
  --num_nodes_;
}

void PrefixTree::Clear() {
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].in_tree) continue;
    Remove(i);
    pool_->SetKept(BlockId(i), false);
  }
  spaces_.clear();
}

absl::Status PrefixTree::CheckConsistency() const {
  uint32_t in_tree = 0;
  uint32_t below_nodes = 0;
  uint32_t listed = 0;
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.in_tree != pool_->kept(BlockId(i))) {
      return absl::InternalError(
          absl::StrCat("block ", i, node.in_tree ? " is a node" : " is no node",
                       " and is ", node.in_tree ? "not kept" : "kept"));
    }
    in_tree += node.in_tree;
    below_nodes += node.in_tree && node.parent < kFirstSpace;
    for (uint32_t child = node.first_child; child != kNone;
         child = nodes_[child].next_sibling) {
      if (!node.in_tree || !nodes_[child].in_tree ||
          nodes_[child].parent != i || ++listed > nodes_.size()) {
        return absl::InternalError(
            absl::StrCat("block ", child, " is no child of ", i));
      }
    }
  }
  if (listed != below_nodes) {
    return absl::InternalError(absl::StrCat(
        below_nodes, " nodes have a parent, ", listed, " are its children"));
  }
  if (in_tree == num_nodes_ && in_tree == by_edge_.size()) {
    return absl::OkStatus();
  }
  return absl::InternalError(absl::StrCat(num_nodes_, " nodes are counted, ",
                                          by_edge_.size(), " can be found, ",
                                          in_tree, " are there"));
}

}  // namespace quire
