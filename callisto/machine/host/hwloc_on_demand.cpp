// hwloc, opened only if /sys does not tell the machine's structure: the functions of it that machine/host/topology.cpp
// calls.
//
// One in a thousand OpenMP programs needs hwloc, but all of them, and the command `callisto`, would load it and its
// libraries when they start. So the command and libgomp.so.1 are linked with these functions instead, which stay
// hidden.
#include <dlfcn.h>
#include <hwloc.h>

namespace {

/// Returns a function of hwloc, found by its name; null without hwloc.
template <class F>
F* found(void* library, const char* name) noexcept {
  return library != nullptr ? reinterpret_cast<F*>(dlsym(library, name)) : nullptr;
}

struct functions {
  explicit functions(void* of) noexcept
      : init(found<decltype(hwloc_topology_init)>(of, "hwloc_topology_init")),
        destroy(found<decltype(hwloc_topology_destroy)>(of, "hwloc_topology_destroy")),
        set_flags(found<decltype(hwloc_topology_set_flags)>(of, "hwloc_topology_set_flags")),
        set_synthetic(found<decltype(hwloc_topology_set_synthetic)>(of, "hwloc_topology_set_synthetic")),
        set_xmlbuffer(found<decltype(hwloc_topology_set_xmlbuffer)>(of, "hwloc_topology_set_xmlbuffer")),
        load(found<decltype(hwloc_topology_load)>(of, "hwloc_topology_load")),
        get_type_depth(found<decltype(hwloc_get_type_depth)>(of, "hwloc_get_type_depth")),
        get_obj_by_depth(found<decltype(hwloc_get_obj_by_depth)>(of, "hwloc_get_obj_by_depth")),
        isset(found<decltype(hwloc_bitmap_isset)>(of, "hwloc_bitmap_isset")) {}

  bool all() const noexcept {
    return init != nullptr && destroy != nullptr && set_flags != nullptr && set_synthetic != nullptr &&
           set_xmlbuffer != nullptr && load != nullptr && get_type_depth != nullptr && get_obj_by_depth != nullptr &&
           isset != nullptr;
  }

  decltype(hwloc_topology_init)* init;
  decltype(hwloc_topology_destroy)* destroy;
  decltype(hwloc_topology_set_flags)* set_flags;
  decltype(hwloc_topology_set_synthetic)* set_synthetic;
  decltype(hwloc_topology_set_xmlbuffer)* set_xmlbuffer;
  decltype(hwloc_topology_load)* load;
  decltype(hwloc_get_type_depth)* get_type_depth;
  decltype(hwloc_get_obj_by_depth)* get_obj_by_depth;
  decltype(hwloc_bitmap_isset)* isset;
};

const functions& hwloc() noexcept {
  static const functions opened(dlopen(CALLISTO_HWLOC_LIBRARY, RTLD_NOW | RTLD_LOCAL));
  return opened;
}

}  // namespace

extern "C" {

// Without hwloc this function fails, and the other functions are not called.
int hwloc_topology_init(hwloc_topology_t* topology) { return hwloc().all() ? hwloc().init(topology) : -1; }

void hwloc_topology_destroy(hwloc_topology_t topology) { hwloc().destroy(topology); }

int hwloc_topology_set_flags(hwloc_topology_t topology, unsigned long flags) {
  return hwloc().set_flags(topology, flags);
}

int hwloc_topology_set_synthetic(hwloc_topology_t topology, const char* description) {
  return hwloc().set_synthetic(topology, description);
}

int hwloc_topology_set_xmlbuffer(hwloc_topology_t topology, const char* buffer, int size) {
  return hwloc().set_xmlbuffer(topology, buffer, size);
}

int hwloc_topology_load(hwloc_topology_t topology) { return hwloc().load(topology); }

int hwloc_get_type_depth(hwloc_topology_t topology, hwloc_obj_type_t type) {
  return hwloc().get_type_depth(topology, type);
}

hwloc_obj_t hwloc_get_obj_by_depth(hwloc_topology_t topology, int depth, unsigned index) {
  return hwloc().get_obj_by_depth(topology, depth, index);
}

int hwloc_bitmap_isset(hwloc_const_bitmap_t bitmap, unsigned id) { return hwloc().isset(bitmap, id); }

}  // extern "C"
