// Sizes of pieces and windows, and hops, from the environment.
#include <callisto/global/messages/message_engine.hpp>
#include <callisto/global/transport/environment.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace callisto::global {

message_options message_options::from_environment() {
  message_options o;
  const std::size_t kib = number_from("CALLISTO_GLOBAL_BUFFER", 0, most_packet >> 10, o.most_piece >> 10);
  o.most_piece = kib << 10;
  o.least_piece = std::min(o.least_piece, std::max<std::size_t>(o.most_piece, least_packet));
  o.window = number_from("CALLISTO_GLOBAL_WINDOW", 512, std::size_t{1} << 20, o.window >> 10) << 10;
  o.most_hops = static_cast<unsigned>(number_from("CALLISTO_GLOBAL_HOPS", 0, 3, o.most_hops));
  return o;
}

}  // namespace callisto::global
