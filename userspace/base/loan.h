// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

namespace evictd::base {

class Lender;

/// What the lender keeps of a loan: whose it is, and the way back.
class LoanSlip {
 public:
  explicit LoanSlip(Lender& lender) : lender_(lender) {}
  LoanSlip(const LoanSlip&) = delete;
  LoanSlip& operator=(const LoanSlip&) = delete;
  virtual ~LoanSlip() = default;  ///< Destroys the object.

 private:
  friend class Lender;
  friend struct GiveBack;
  virtual void on_return() = 0;

  Lender& lender_;
  LoanSlip* next_ = nullptr;
};

/// Deleter of a loan: gives the object back, on whichever thread it runs.
struct GiveBack {
  LoanSlip* slip = nullptr;
  template <typename T>
  void operator()(T* /*object*/) const;
};

/// An object of a lender in another thread's use. Once dropped it travels back by itself.
template <typename T>
using Loan = std::unique_ptr<T, GiveBack>;

/// Lends objects to threads that must not free memory, and destroys them on its own thread. The way
/// back has no bound, so nothing is lost, and costs the borrower two atomic operations. Must
/// outlive its loans. Thread rule: a loan may be dropped on any thread; all calls are the lender's.
class Lender {
 public:
  Lender() = default;
  Lender(const Lender&) = delete;
  Lender& operator=(const Lender&) = delete;
  ~Lender() {
    drop(collected_);
    drop(returned_.load(std::memory_order_acquire));
  }

  /// `on_return` is called before the object is destroyed, but not by the lender's destructor.
  template <typename T>
  [[nodiscard]] Loan<T> lend(std::unique_ptr<T> object, std::function<void(T&)> on_return = {}) {
    auto slip = std::make_unique<Slip<T>>(*this, std::move(object), std::move(on_return));
    T* const lent = slip->object.get();
    return Loan<T>(lent, GiveBack{slip.release()});
  }

  /// Takes what was returned so far, unless earlier returns still wait for destroy_collected().
  void collect() {
    if (collected_ == nullptr) {
      collected_ = returned_.exchange(nullptr, std::memory_order_acquire);
    }
  }
  /// Destroys it. Messages that point to a loan were sent before it was dropped: handle all that
  /// had been sent at collect() first.
  void destroy_collected() {
    for (LoanSlip* slip = collected_; slip != nullptr; slip = slip->next_) {
      slip->on_return();
    }
    drop(std::exchange(collected_, nullptr));
  }

 private:
  friend struct GiveBack;

  template <typename T>
  struct Slip final : LoanSlip {
    Slip(Lender& lender, std::unique_ptr<T> lent, std::function<void(T&)> then)
        : LoanSlip(lender), object(std::move(lent)), returned(std::move(then)) {}
    void on_return() override {
      if (returned) {
        returned(*object);
      }
    }
    std::unique_ptr<T> object;
    std::function<void(T&)> returned;
  };

  void take_back(LoanSlip& slip) {
    slip.next_ = returned_.load(std::memory_order_relaxed);
    while (!returned_.compare_exchange_weak(slip.next_, &slip, std::memory_order_release,
                                            std::memory_order_relaxed)) {
    }
  }
  static void drop(LoanSlip* slip) {
    while (slip != nullptr) {
      const std::unique_ptr<LoanSlip> one(slip);
      slip = slip->next_;
    }
  }

  std::atomic<LoanSlip*> returned_{nullptr};  ///< The newest; each points to the one before.
  LoanSlip* collected_ = nullptr;
};

template <typename T>
void GiveBack::operator()(T* /*object*/) const {
  slip->lender_.take_back(*slip);
}

}  // namespace evictd::base
