// A network with round numbers, for tests.
#pragma once

namespace callisto::global::simulation::test {

inline constexpr const char* network_text =
    R"(name = test network # estimated: a test
cores = 4 # estimated: a test
adapter.rate = 100 M/s # estimated: a test
adapter.bandwidth = 100 Gb/s # estimated: a test
adapter.framing = 40 bytes # estimated: a test
adapter.outstanding = 32 # estimated: a test
processor.send = 100 ns # estimated: a test
processor.receive = 100 ns # estimated: a test
processor.poll = 20 ns # estimated: a test
processor.copy = 10 GB/s # estimated: a test
processor.eager = 8 KiB # estimated: a test
near.send = 50 ns # estimated: a test
near.latency = 200 ns # estimated: a test
near.bandwidth = 8 GB/s # estimated: a test
latency.ends = 1 us # estimated: a test
topology = fat-tree # estimated: a test
latency.switch = 100 ns # estimated: a test
leaf.nodes = 4 # estimated: a test
leaf.taper = 1 # estimated: a test
link.bandwidth = 100 Gb/s # estimated: a test
step.enqueue = 4 ns # estimated: a test
step.serialize = 4 ns # estimated: a test
step.deserialize = 3 ns # estimated: a test
step.switch = 20 ns # estimated: a test
step.spawn = 10 ns # estimated: a test
)"
    "step.memory = 10 ns # estimated: a test\n";

}  // namespace callisto::global::simulation::test
