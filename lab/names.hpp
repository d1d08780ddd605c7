// The laboratory is written in the words of the command: its files use the names of callisto::app as their own.
#pragma once

namespace callisto::app {}

namespace callisto::lab {
using namespace app;
}
