// The public form of machine::unpinned_here.
#include <callisto/workers/teams/unpinned.hpp>

#include <callisto/machine/host/placement.hpp>

namespace callisto {

struct unpinned::impl {
  machine::unpinned_here here;
};

unpinned::unpinned() : in_(std::make_unique<impl>()) {}

unpinned::~unpinned() = default;

}  // namespace callisto
