#ifndef QUIRE_CLIENT_SPREAD_H_
#define QUIRE_CLIENT_SPREAD_H_

#include <vector>

#include "nlohmann/json.hpp"

namespace quire {

// A figure over several runs.
struct Spread {
  double mean = 0;
  double least = 0;
  double most = 0;
};
// REQUIRES: there are values.
Spread SpreadOf(const std::vector<double>& values);
nlohmann::ordered_json SpreadJson(const Spread& spread);

}  // namespace quire

#endif  // QUIRE_CLIENT_SPREAD_H_
