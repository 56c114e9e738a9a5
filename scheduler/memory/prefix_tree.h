#ifndef QUIRE_SCHEDULER_MEMORY_PREFIX_TREE_H_
#define QUIRE_SCHEDULER_MEMORY_PREFIX_TREE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "common/ids.h"
#include "scheduler/memory/block_pool.h"

namespace quire {

// What a path in the tree starts from: prefixes of different key spaces are
// never shared, however equal their tokens.
using KeySpace = uint64_t;

// Finds written blocks by the tokens that they hold. A trie whose edges are
// full blocks: a node is a block of the pool, its edge the block's token ids,
// its parent the block before it in the sequence, or a key space. Edges are
// compared token by token; a hash only says where to look. So a block that is
// found holds K and V of exactly these tokens after exactly these.
//
// A node keeps its block (BlockPool::SetKept): when nobody holds it any more it
// is cached, and can be found until it is evicted. Who finds a node's block
// holds those of its ancestors too, and gives the last one back first; so
// leaves are evicted first, least recently used.
//
// Not so with a fork that has not published its blocks yet: it may hold a block
// of its own that equals a node's, and a node below that node. Where the one
// above is evicted then, all below it is forgotten, in use or not.
//
// Engine thread only.
class PrefixTree {
 public:
  using Hash = uint64_t (*)(uint64_t parent, std::span<const Token> tokens);

  // `pool` must outlive the tree, which hears of its evictions. `hash`: for
  // tests; null is a good one.
  PrefixTree(BlockPool* pool, uint32_t block_size, Hash hash = nullptr);
  // Forgets everything.
  ~PrefixTree() { Clear(); }

  PrefixTree(const PrefixTree&) = delete;
  PrefixTree& operator=(const PrefixTree&) = delete;

  // The key space of a name; "" is an ordinary one. Never that of another name;
  // a space without nodes may be forgotten, and its name then gets a new one.
  KeySpace SpaceOf(std::string_view name);

  // The longest path of full blocks that begins `tokens`, at most
  // `max_blocks`. Of the blocks nothing is held: they stay what they are until
  // the pool is asked for one.
  std::vector<BlockId> Find(KeySpace space, std::span<const Token> tokens,
                            uint32_t max_blocks) const;

  // The block of the node that follows `parent` (nullopt: at the root of the
  // space) along `tokens`, [block_size]. Where there is none, `block` becomes
  // it. nullopt: the parent is not in the tree. REQUIRES: the block is active
  // and its slots are written with these tokens.
  std::optional<BlockId> Publish(KeySpace space, std::optional<BlockId> parent,
                                 std::span<const Token> tokens, BlockId block);

  // Forgets everything. Blocks in use are unharmed; cached ones become free.
  void Clear();

  uint32_t num_nodes() const { return num_nodes_; }

  // Whether nodes, pool and lists agree: O(num_blocks). INTERNAL names the
  // first block that is wrong.
  absl::Status CheckConsistency() const;

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  struct Node {
    bool in_tree = false;
    uint64_t parent = 0;
    std::vector<Token> tokens;  // [block_size]
    // Children of a node are a list.
    uint32_t first_child = kNone;
    uint32_t next_sibling = kNone;
    uint32_t previous_sibling = kNone;
  };
  // An edge that is looked for, or the node that it leads to.
  struct Edge {
    uint64_t parent;
    std::span<const Token> tokens;
  };
  struct EdgeHash {
    using is_transparent = void;
    const PrefixTree* tree;
    size_t operator()(const Edge& edge) const {
      return tree->hash_(edge.parent, edge.tokens);
    }
    size_t operator()(uint32_t node) const {
      return (*this)(tree->EdgeOf(node));
    }
  };
  struct EdgeEqual {
    using is_transparent = void;
    const PrefixTree* tree;
    bool operator()(uint32_t a, uint32_t b) const { return a == b; }
    bool operator()(uint32_t node, const Edge& edge) const;
    bool operator()(const Edge& edge, uint32_t node) const {
      return (*this)(node, edge);
    }
  };

  // Parents are blocks or, above all of these, key spaces.
  static constexpr uint64_t kFirstSpace = uint64_t{1} << 32;

  Edge EdgeOf(uint32_t node) const {
    return {nodes_[node].parent, nodes_[node].tokens};
  }
  std::optional<BlockId> Child(uint64_t parent,
                               std::span<const Token> tokens) const;
  void Link(uint32_t node);
  void Unlink(uint32_t node);
  // Forgets the node and all below it, whose blocks are kept no longer; that of
  // the node itself is the caller's affair.
  void Remove(uint32_t node);
  void RemoveLeaf(uint32_t leaf);
  void ForgetEmptySpaces();

  BlockPool* const pool_;
  const uint32_t block_size_;
  const Hash hash_;
  std::vector<Node> nodes_;  // By block.
  absl::flat_hash_set<uint32_t, EdgeHash, EdgeEqual> by_edge_;
  absl::flat_hash_map<std::string, KeySpace> spaces_;
  KeySpace next_space_ = kFirstSpace;
  uint32_t num_nodes_ = 0;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_MEMORY_PREFIX_TREE_H_
