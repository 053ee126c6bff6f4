#pragma once

#include <cstddef>

#include "ringlog/ring.hpp"

namespace ringlog {

/// Statistics of the last samples of a sensor. All of them throw std::logic_error while there is no sample.
class Window {
 public:
  explicit Window(std::size_t capacity) : ring_(capacity) {}

  void add(double sample) { ring_.push(sample); }
  std::size_t size() const { return ring_.size(); }

  double mean() const;
  double min() const;
  double max() const;

  /// The value below which `percent` of the samples lie (nearest rank); percent is from 0 to 100.
  double percentile(double percent) const;

  /// How often the samples went from at most `limit` to above it, in the order in which they came.
  std::size_t crossings(double limit) const;

 private:
  Ring<double> ring_;
};

}  // namespace ringlog
