#pragma once

#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ringlog {

/// The last `capacity` values that were pushed. Index 0 is the oldest one that is kept.
template <typename T>
class Ring {
 public:
  explicit Ring(std::size_t capacity) : capacity_(capacity) {
    if (capacity == 0) throw std::invalid_argument("a ring needs room for one value");
    values_.reserve(capacity);
  }

  void push(T value) {
    if (values_.size() < capacity_) {
      values_.push_back(std::move(value));
    } else {
      values_[next_] = std::move(value);
      next_ = (next_ + 1) % capacity_;
    }
  }

  std::size_t size() const { return values_.size(); }
  std::size_t capacity() const { return capacity_; }
  bool empty() const { return values_.empty(); }

  const T& operator[](std::size_t index) const {
    if (index >= values_.size()) throw std::out_of_range("no such value in the ring");
    return values_[(next_ + index) % values_.size()];
  }

  const T& oldest() const { return (*this)[0]; }
  const T& newest() const { return (*this)[size() - 1]; }

 private:
  std::size_t capacity_;
  std::size_t next_ = 0;
  std::vector<T> values_;
};

}  // namespace ringlog
