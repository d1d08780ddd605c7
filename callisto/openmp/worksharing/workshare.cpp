// Taking, giving back and leaving the shares of the chain.
#include <callisto/openmp/worksharing/workshare.hpp>

#include <callisto/openmp/worksharing/doacross.hpp>

#include <memory>
#include <utility>

namespace callisto::openmp {

workshare::workshare() = default;
workshare::workshare(loop_pieces&& with_room_of) noexcept : pieces(std::move(with_room_of)) {}
workshare::~workshare() = default;

workshare* take_share(omp_thread& self) {
  if (workshare* const spare = std::exchange(self.spare_share, nullptr); spare != nullptr) {
    loop_pieces room(std::move(spare->pieces));
    std::destroy_at(spare);
    return std::construct_at(spare, std::move(room));
  }
  return new workshare;
}

void give_share(omp_thread& self, workshare* share) noexcept { delete std::exchange(self.spare_share, share); }

void leave_share(omp_thread& self, workshare& left) noexcept {
  // release: ends this thread's use of it; acquire: the last thread sees the end of all other threads' use.
  if (left.staying.fetch_sub(1, order::acq_rel) == 1) give_share(self, &left);
}

}  // namespace callisto::openmp
