#ifndef QUIRE_COMMON_MESSAGE_LIMITS_H_
#define QUIRE_COMMON_MESSAGE_LIMITS_H_

namespace quire {

// A message of either protocol, in either direction. Set on every server and
// channel of ours: gRPC's own limit of 4 MB is less than a long prompt takes.
inline constexpr int kMaxMessageBytes = 64 << 20;

}  // namespace quire

#endif  // QUIRE_COMMON_MESSAGE_LIMITS_H_
