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
  pool_->set_on_evict([this](BlockId block) { Remove(block); });
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
  if (parent.has_value()) ++nodes_[parent->value()].num_children;
  by_edge_.insert(block.value());
  ++num_nodes_;
  pool_->SetKept(block, true);
  return block;
}

// Of a leaf.
void PrefixTree::Remove(BlockId block) {
  Node& node = nodes_[block.value()];
  QUIRE_CHECK(node.in_tree && node.num_children == 0);
  by_edge_.erase(block.value());
  if (node.parent < kFirstSpace) --nodes_[node.parent].num_children;
  node.in_tree = false;
  --num_nodes_;
}

void PrefixTree::Clear() {
  by_edge_.clear();
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].in_tree) continue;
    nodes_[i].in_tree = false;
    nodes_[i].num_children = 0;
    pool_->SetKept(BlockId(i), false);
  }
  spaces_.clear();
  num_nodes_ = 0;
}

absl::Status PrefixTree::CheckConsistency() const {
  std::vector<uint32_t> children(nodes_.size(), 0);
  uint32_t in_tree = 0;
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.in_tree != pool_->kept(BlockId(i))) {
      return absl::InternalError(
          absl::StrCat("block ", i, node.in_tree ? " is a node" : " is no node",
                       " and is ", node.in_tree ? "not kept" : "kept"));
    }
    if (!node.in_tree) continue;
    ++in_tree;
    if (node.parent >= kFirstSpace) continue;
    ++children[node.parent];
    if (!nodes_[node.parent].in_tree ||
        pool_->ref_count(BlockId(node.parent)) <
            (pool_->ref_count(BlockId(i)) > 0 ? 1u : 0u)) {
      return absl::InternalError(
          absl::StrCat("block ", i, " is used and findable, its parent ",
                       node.parent, " is not"));
    }
  }
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].in_tree || children[i] == nodes_[i].num_children) continue;
    return absl::InternalError(absl::StrCat("block ", i, " counts ",
                                            nodes_[i].num_children,
                                            " children and has ", children[i]));
  }
  if (in_tree == num_nodes_ && in_tree == by_edge_.size()) {
    return absl::OkStatus();
  }
  return absl::InternalError(absl::StrCat(num_nodes_, " nodes are counted, ",
                                          by_edge_.size(), " can be found, ",
                                          in_tree, " are there"));
}

}  // namespace quire
