#include "client/spread.h"

#include <algorithm>

namespace quire {

Spread SpreadOf(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  double sum = 0;
  for (const double value : values) sum += value;
  return {sum / static_cast<double>(values.size()), least, most};
}

nlohmann::ordered_json SpreadJson(const Spread& spread) {
  return {
      {"mean", spread.mean}, {"least", spread.least}, {"most", spread.most}};
}

}  // namespace quire
