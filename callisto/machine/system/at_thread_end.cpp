// The ends of threads by a key of the C library, which goes when the library is unloaded.
#include <callisto/machine/system/at_thread_end.hpp>

#include <pthread.h>

namespace callisto::machine {

at_thread_end::~at_thread_end() {
  // acq_rel: pairs with the exchange in expect(), so a key that was made is deleted.
  if (const std::int64_t key = key_.exchange(over, std::memory_order_acq_rel); key >= 0) {
    pthread_key_delete(static_cast<pthread_key_t>(key));
  }
  gives_back_();
}

void at_thread_end::expect() noexcept {
  // acquire: pairs with the exchange below.
  std::int64_t key = key_.load(std::memory_order_acquire);
  if (key == none) {
    pthread_key_t made{};
    if (pthread_key_create(&made, &at_thread_end::run) != 0) return;
    // acq_rel: publishes the key to the loads here and to the destructor; shows another thread's.
    if (key_.compare_exchange_strong(key, made, std::memory_order_acq_rel)) {
      key = made;
    } else {
      pthread_key_delete(made);
    }
  }
  if (key >= 0) pthread_setspecific(static_cast<pthread_key_t>(key), this);
}

}  // namespace callisto::machine
