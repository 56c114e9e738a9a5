#include "scheduler/frontend/field_error.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace quire {
namespace {

TEST(FieldErrorTest, NamesFieldValueAndLimit) {
  EXPECT_EQ(FieldError("a.b[3]", -5, "it must be at least 0"),
            absl::InvalidArgumentError("a.b[3] is -5; it must be at least 0"));
}

TEST(FieldErrorTest, FloatsHaveTheDigitsThatTellThemApart) {
  EXPECT_EQ(FloatText(0.1f), "0.1");
  EXPECT_EQ(FloatText(std::nextafter(1.0f, 2.0f)), "1.0000001");
  EXPECT_EQ(FloatText(-2), "-2");
  EXPECT_EQ(FloatText(std::numeric_limits<float>::quiet_NaN()), "nan");
  EXPECT_EQ(FloatText(-std::numeric_limits<float>::infinity()), "-inf");
}

}  // namespace
}  // namespace quire
