#include <cstdio>
#include <stdexcept>
#include <string>

#include "ringlog/window.hpp"

static int failures = 0;

#define CHECK(condition)                                        \
  do {                                                          \
    if (!(condition)) {                                         \
      std::printf("line %d: failed: %s\n", __LINE__, #condition); \
      ++failures;                                               \
    }                                                           \
  } while (0)

int main() {
  ringlog::Ring<std::string> ring(3);
  for (const char* word : {"a", "b", "c", "d"}) ring.push(word);
  CHECK(ring.size() == 3);
  CHECK(ring.oldest() == "b");
  CHECK(ring[1] == "c");
  CHECK(ring.newest() == "d");
  for (int round = 0; round < 10; ++round) {
    ring.push(std::to_string(round));
    CHECK(ring.newest() == std::to_string(round));
  }
  CHECK(ring.oldest() == "7");

  ringlog::Window window(4);
  for (double sample : {1.0, 5.0, 1.0, 5.0, 1.0}) window.add(sample);
  CHECK(window.crossings(3.0) == 1);
  ringlog::Window small(4);
  for (double sample : {6.0, 2.0, 1.0, 3.0}) small.add(sample);
  CHECK(small.percentile(0) == 1.0);
  CHECK(small.percentile(25) == 1.0);
  CHECK(small.percentile(50) == 2.0);
  CHECK(small.percentile(75) == 3.0);
  CHECK(small.percentile(76) == 6.0);
  CHECK(small.percentile(100) == 6.0);
  ringlog::Window one(1);
  bool refused = false;
  try {
    one.mean();
  } catch (const std::logic_error&) {
    refused = true;
  }
  CHECK(refused);
  one.add(4.0);
  one.add(7.0);
  CHECK(one.percentile(100) == 7.0);
  CHECK(one.mean() == 7.0);
  return failures == 0 ? 0 : 1;
}
