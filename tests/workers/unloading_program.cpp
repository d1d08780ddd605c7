// Loads a plug-in that runs loops, and unloads it: nothing of it stays, neither code nor threads. Once by the program's
// first thread, which goes on living, once by another one.
#include <dirent.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <thread>

namespace {

bool is_mapped(const char* path) {
  std::FILE* const maps = std::fopen("/proc/self/maps", "r");
  char line[4096];
  bool found = false;
  while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr) found |= std::strstr(line, path) != nullptr;
  if (maps != nullptr) std::fclose(maps);
  return found;
}

int threads_of_process() {
  DIR* const all = opendir("/proc/self/task");
  int n = -2;  // . and ..
  while (all != nullptr && readdir(all) != nullptr) ++n;
  if (all != nullptr) closedir(all);
  return n;
}

int fail(const char* what) {
  std::printf("%s\n", what);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return fail("usage: unloading_program PLUGIN");
  for (const bool elsewhere : {false, true}) {
    for (const unsigned threads : {2u, 40u, 1u}) {
      void* const plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
      if (plugin == nullptr) return fail(dlerror());
      const auto run = reinterpret_cast<int (*)(unsigned)>(dlsym(plugin, "run_plugin"));
      if (run == nullptr) return fail(dlerror());
      int said = -1;
      if (elsewhere) {
        std::thread([&] { said = run(threads); }).join();
      } else {
        said = run(threads);
      }
      if (said != 0) return fail("the plug-in computed something wrong");
      if (dlclose(plugin) != 0) return fail(dlerror());
      if (is_mapped(argv[1])) return fail("the plug-in is still there");
      if (threads_of_process() != 1) return fail("threads are still there");
    }
  }
  std::printf("nothing stays\n");
}
