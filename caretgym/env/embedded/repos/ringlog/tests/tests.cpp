#include <cstdio>
#include <cstdlib>

#include "ringlog/window.hpp"

static int failures = 0;

#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);  \
      ++failures;                                                          \
    }                                                                      \
  } while (0)

int main() {
  ringlog::Ring<int> ring(3);
  ring.push(1);
  ring.push(2);
  CHECK(ring.size() == 2);
  CHECK(ring[0] == 1);
  CHECK(ring.newest() == 2);

  ringlog::Window window(4);
  for (double sample : {1.0, 3.0, 2.0, 6.0}) window.add(sample);
  CHECK(window.mean() == 3.0);
  CHECK(window.min() == 1.0);
  CHECK(window.max() == 6.0);
  CHECK(window.percentile(50) == 2.0);
  CHECK(window.crossings(2.5) == 2);

  std::printf(failures == 0 ? "all tests passed\n" : "%d checks failed\n", failures);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
