// The features of this build, for --version. The portable command replaces this text (portable/linked_libraries.cpp).
namespace callisto::app {

extern const char* const build_features;
const char* const build_features = CALLISTO_FEATURES;

}  // namespace callisto::app
