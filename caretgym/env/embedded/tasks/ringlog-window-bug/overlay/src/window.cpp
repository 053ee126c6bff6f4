#include "ringlog/window.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace ringlog {
namespace {

std::vector<double> samples(const Ring<double>& ring) {
  if (ring.empty()) throw std::logic_error("no samples yet");
  std::vector<double> out;
  out.reserve(ring.size());
  for (std::size_t i = 0; i < ring.size(); ++i) out.push_back(ring[i]);
  return out;
}

}  // namespace

double Window::mean() const {
  const auto all = samples(ring_);
  double sum = 0.0;
  for (double value : all) sum += value;
  return sum / static_cast<double>(all.size());
}

double Window::min() const {
  const auto all = samples(ring_);
  return *std::min_element(all.begin(), all.end());
}

double Window::max() const {
  const auto all = samples(ring_);
  return *std::max_element(all.begin(), all.end());
}

double Window::percentile(double percent) const {
  if (!(percent >= 0.0 && percent <= 100.0)) throw std::invalid_argument("a percentile is from 0 to 100");
  auto all = samples(ring_);
  std::sort(all.begin(), all.end());
  const auto rank = static_cast<std::size_t>(percent / 100.0 * static_cast<double>(all.size()));
  return all[rank];
}

std::size_t Window::crossings(double limit) const {
  const auto all = samples(ring_);
  std::size_t count = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i - 1] <= limit && all[i] > limit) ++count;
  }
  return count;
}

}  // namespace ringlog
