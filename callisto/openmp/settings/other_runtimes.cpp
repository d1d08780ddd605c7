// Finding other runtimes among the loaded objects, by their tables of symbols (elf(5); the GNU hash table is that of
// the C library's elf/dl-lookup.c).
//
// All happens in dl_iterate_phdr()'s callback, so under the loader's lock, which also guards what is remembered.
// Nothing there allocates: an allocator that is traced may ask the loader in turn. dlsym() would take a second lock.
#include <callisto/openmp/settings/other_runtimes.hpp>

#include <callisto/openmp/settings/exclusion_list.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include <elf.h>
#include <link.h>

namespace callisto::openmp {
namespace {

using dynamic_entry = ElfW(Dyn);
using symbol = ElfW(Sym);

/// A loaded object's table of symbols.
class object_symbols {
 public:
  object_symbols() = default;
  explicit object_symbols(const dl_phdr_info& object) : base_(object.dlpi_addr) {
    for (const auto& segment : std::span(object.dlpi_phdr, object.dlpi_phnum)) {
      if (segment.p_type == PT_DYNAMIC) entries_ = reinterpret_cast<const dynamic_entry*>(base_ + segment.p_vaddr);
    }
    for (const dynamic_entry* e = entries_; e != nullptr && e->d_tag != DT_NULL; ++e) {
      if (e->d_tag == DT_SYMTAB) symbols_ = at<symbol>(*e);
      if (e->d_tag == DT_STRTAB) names_ = at<char>(*e);
      if (e->d_tag == DT_STRSZ) names_size_ = e->d_un.d_val;
      if (e->d_tag == DT_GNU_HASH) gnu_hash_ = at<std::uint32_t>(*e);
      if (e->d_tag == DT_HASH) hash_ = at<std::uint32_t>(*e);
      if (e->d_tag == DT_VERSYM) versions_ = at<std::uint16_t>(*e);
    }
  }

  /// Returns the address of a function that the object defines, in its default version; null: none.
  void* find(const char* name) const noexcept {
    if (symbols_ == nullptr || names_ == nullptr) return nullptr;
    return gnu_hash_ != nullptr ? find_by_gnu_hash(name) : hash_ != nullptr ? find_by_hash(name) : nullptr;
  }

  /// Returns the first name for which `wanted(name)` is true, of those that the object needs from elsewhere; null:
  /// none.
  template <class Wanted>
  const char* find_needed(Wanted wanted) const noexcept {
    const std::size_t count = undefined_end();
    for (std::size_t i = 1; i < count; ++i) {
      const symbol& s = symbols_[i];
      if (s.st_shndx == SHN_UNDEF && s.st_info >> 4U != STB_WEAK && s.st_name < names_size_ &&
          wanted(names_ + s.st_name))
        return names_ + s.st_name;
    }
    return nullptr;
  }
  /// True if the object calls functions with names that begin so.
  bool calls(std::string_view prefix) const noexcept {
    return find_needed([prefix](const char* name) { return std::strncmp(name, prefix.data(), prefix.size()) == 0; }) !=
           nullptr;
  }
  /// Returns a name that the object needs, and that `theirs` defines, but not `ours`; null: none. Helpers that Intel's
  /// runtime has for its compilers do no OpenMP, so the idle runtime serves them.
  const char* find_unserved(const object_symbols& theirs, const object_symbols& ours) const noexcept {
    return find_needed([&](const char* name) {
      return !is_helper_of_compilers(name) && theirs.find(name) != nullptr && ours.find(name) == nullptr;
    });
  }

  /// True if the object says that it needs `library`.
  bool needs(const object_symbols& library) const noexcept {
    const char* const name = library.own_name();
    for (const dynamic_entry* e = entries_; name != nullptr && names_ != nullptr && e->d_tag != DT_NULL; ++e)
      if (e->d_tag == DT_NEEDED && std::strcmp(names_ + e->d_un.d_val, name) == 0) return true;
    return false;
  }

  bool is_other_runtime() const noexcept {
    return find("__kmpc_fork_call") != nullptr ||
           (find("omp_get_thread_num") != nullptr && find("GOMP_parallel") == nullptr);
  }
  std::uintptr_t base() const noexcept { return base_; }
  const char* own_name() const noexcept {
    for (const dynamic_entry* e = entries_; e != nullptr && names_ != nullptr && e->d_tag != DT_NULL; ++e)
      if (e->d_tag == DT_SONAME) return names_ + e->d_un.d_val;
    return nullptr;
  }

 private:
  /// The C library replaces offsets by addresses where it can write.
  template <class T>
  const T* at(const dynamic_entry& e) const noexcept {
    return reinterpret_cast<const T*>(e.d_un.d_ptr + (e.d_un.d_ptr < base_ ? base_ : 0));
  }
  void* address_if(std::size_t i, const char* name) const noexcept {
    const symbol& s = symbols_[i];
    const unsigned type = s.st_info & 15U;
    const bool hidden = versions_ != nullptr && (versions_[i] & 0x8000U) != 0;
    if (s.st_shndx == SHN_UNDEF || hidden || (type != STT_FUNC && type != STT_NOTYPE && type != STT_OBJECT) ||
        std::strcmp(names_ + s.st_name, name) != 0)
      return nullptr;
    return reinterpret_cast<void*>(base_ + s.st_value);
  }
  void* find_by_gnu_hash(const char* name) const noexcept {
    const std::uint32_t buckets = gnu_hash_[0], first = gnu_hash_[1], bloom_words = gnu_hash_[2];
    if (buckets == 0 || bloom_words == 0) return nullptr;
    std::uint32_t hash = 5381;
    for (const char* c = name; *c != '\0'; ++c) hash = hash * 33 + static_cast<unsigned char>(*c);
    const auto* const bloom = reinterpret_cast<const ElfW(Addr)*>(gnu_hash_ + 4);
    constexpr unsigned bits = 8 * sizeof(ElfW(Addr));
    const ElfW(Addr) word = bloom[hash / bits % bloom_words];
    if ((word >> (hash % bits) & word >> ((hash >> gnu_hash_[3]) % bits) & 1) == 0) return nullptr;
    const auto* const bucket = reinterpret_cast<const std::uint32_t*>(bloom + bloom_words);
    const std::uint32_t* const chain = bucket + buckets;
    for (std::uint32_t i = bucket[hash % buckets]; i >= first && i != 0; ++i) {
      if ((chain[i - first] | 1) == (hash | 1))
        if (void* const found = address_if(i, name); found != nullptr) return found;
      if ((chain[i - first] & 1) != 0) break;
    }
    return nullptr;
  }
  void* find_by_hash(const char* name) const noexcept {
    std::uint32_t hash = 0;
    for (const char* c = name; *c != '\0'; ++c) {
      hash = (hash << 4) + static_cast<unsigned char>(*c);
      const std::uint32_t high = hash & 0xf0000000U;
      hash = (hash ^ high >> 24) & ~high;
    }
    const std::uint32_t buckets = hash_[0];
    if (buckets == 0) return nullptr;
    for (std::uint32_t i = hash_[2 + hash % buckets]; i != 0; i = hash_[2 + buckets + i])
      if (void* const found = address_if(i, name); found != nullptr) return found;
    return nullptr;
  }
  /// Returns the number behind the last undefined symbol. The GNU table has the defined ones only, which come last. An
  /// object that defines none has an empty table; then the names, which linkers put behind the symbols, bound them.
  std::size_t undefined_end() const noexcept {
    if (symbols_ == nullptr || names_ == nullptr) return 0;
    if (hash_ != nullptr) return hash_[1];
    if (gnu_hash_ != nullptr) {
      const auto* const bucket =
          gnu_hash_ + 4 + std::size_t{gnu_hash_[2]} * (sizeof(ElfW(Addr)) / sizeof(std::uint32_t));
      if (std::any_of(bucket, bucket + gnu_hash_[0], [](std::uint32_t i) { return i != 0; })) return gnu_hash_[1];
    }
    const auto symbols = reinterpret_cast<std::uintptr_t>(symbols_), names = reinterpret_cast<std::uintptr_t>(names_);
    return names > symbols ? (names - symbols) / sizeof(symbol) : 0;
  }

  std::uintptr_t base_ = 0;
  const dynamic_entry* entries_ = nullptr;
  const symbol* symbols_ = nullptr;
  const char* names_ = nullptr;
  std::size_t names_size_ = 0;
  const std::uint32_t* gnu_hash_ = nullptr;
  const std::uint32_t* hash_ = nullptr;
  const std::uint16_t* versions_ = nullptr;
};

/// Returns the object's segment with `address`; null: the object has none there.
const ElfW(Phdr) * segment_with(const dl_phdr_info& object, std::uintptr_t address) noexcept {
  for (const auto& segment : std::span(object.dlpi_phdr, object.dlpi_phnum))
    if (segment.p_type == PT_LOAD && address - (object.dlpi_addr + segment.p_vaddr) < segment.p_memsz) return &segment;
  return nullptr;
}

/// An address in this library's code.
std::uintptr_t here() noexcept { return reinterpret_cast<std::uintptr_t>(&find_need_of_other_runtime); }

using kind = enum chosen_runtime::kind;

/// Knowledge of the loaded objects, guarded by the loader's lock. Valid as long as the loader's counts of loaded and
/// unloaded objects stay.
struct known_objects {
  struct caller {
    std::uintptr_t begin;  ///< a segment of the calling object
    std::size_t bytes;
    kind of;
    std::size_t runtime;  ///< of kind::theirs
  };
  unsigned long long added = 0;
  unsigned long long removed = 0;
  bool marked = false;  ///< `wanted` is known
  bool found_ours = false;
  object_symbols ours;
  std::array<object_symbols, most_other_runtimes> runtimes;  ///< in the order of loading; further ones are not asked
  std::array<bool, most_other_runtimes> is_first{};          ///< loaded before this library, so that it is found first
  std::array<bool, most_other_runtimes> wanted{};            ///< is_first, or an object needs a name that ours lacks
  std::array<bool, most_other_runtimes> used{};              ///< an object that calls it, has asked
  std::size_t count = 0;
  std::array<caller, 32> callers{};  ///< the latest
  std::size_t next = 0;
};
constinit known_objects known;

/// True if an object that calls another runtime has asked.
constinit std::atomic<bool> one_is_used{false};

struct question {
  const char* name;
  std::uintptr_t caller;  ///< 0: the question is for the levels alone
  bool answered = false;
  enum class step : unsigned char { answer, collect, mark } now = step::answer;  ///< what this walk does
  chosen_runtime answer{};
};

/// Returns which runtime the calling object calls, or is.
known_objects::caller classify(const object_symbols& object) noexcept {
  for (std::size_t i = 0; i < known.count; ++i)
    if (known.runtimes[i].base() == object.base()) return {0, 0, kind::theirs, i};
  const bool calls_kmpc = object.calls("__kmpc_");
  std::size_t first_wanted = known.count, needed = known.count;
  for (std::size_t i = known.count; i-- > 0;) {
    if (!known.wanted[i]) continue;
    first_wanted = i;
    if (object.needs(known.runtimes[i])) needed = i;
    // A name that this library lacks tells; so does the order of loading.
    if (object.find_unserved(known.runtimes[i], known.ours) != nullptr) return {0, 0, kind::theirs, i};
    if (calls_kmpc && known.is_first[i]) return {0, 0, kind::theirs, needed < known.count ? needed : i};
  }
  if (first_wanted == known.count || calls_kmpc || object.calls("GOMP_") || object.find("GOMP_parallel") != nullptr)
    return {0, 0, kind::ours, 0};
  return {0, 0, needed < known.count ? kind::theirs : kind::by_region, needed};
}

void answer(question& q, kind of, std::size_t runtime) noexcept {
  q.answered = true;
  q.answer.of = of;
  if (of == kind::theirs) {
    q.answer.function = known.runtimes[runtime].find(q.name);
    known.used[runtime] = true;
    one_is_used.store(true, std::memory_order_relaxed);  // relaxed: a hint for level_in_other_runtimes()
  }
  if (of != kind::by_region) return;
  // A runtime may refuse to begin beside another one, so only the first is asked that no caller has begun.
  const bool asks_used = std::find(known.used.begin(), known.used.end(), true) != known.used.end();
  const auto first_wanted =
      static_cast<std::size_t>(std::find(known.wanted.begin(), known.wanted.end(), true) - known.wanted.begin());
  for (std::size_t i = 0; i < known.count; ++i) {
    if (asks_used ? !known.used[i] : i != first_wanted) continue;
    q.answer.each[i] = {reinterpret_cast<int (*)()>(known.runtimes[i].find("omp_get_level")),
                        known.runtimes[i].find(q.name)};
  }
}

/// Notes the object if it is this library or another runtime.
void collect(const dl_phdr_info& object) noexcept {
  const object_symbols symbols(object);
  if (segment_with(object, here()) != nullptr) {
    known.ours = symbols;
    known.found_ours = true;
  } else if (known.count < known.runtimes.size() && symbols.is_other_runtime()) {
    known.is_first[known.count] = !known.found_ours;
    known.runtimes[known.count++] = symbols;
  }
}

/// Notes the runtimes that the object needs for names that this library lacks.
void mark(const dl_phdr_info& object) noexcept {
  const object_symbols symbols(object);
  const auto is_this = [&symbols](const object_symbols& other) { return other.base() == symbols.base(); };
  if (std::any_of(known.runtimes.begin(), known.runtimes.begin() + known.count, is_this)) return;
  for (std::size_t i = 0; i < known.count; ++i)
    known.wanted[i] =
        known.wanted[i] || known.is_first[i] || symbols.find_unserved(known.runtimes[i], known.ours) != nullptr;
}

/// Called for each object; another result than 0 ends that. The walks collect, then mark, then answer.
int look(dl_phdr_info* object, std::size_t, void* a_question) noexcept {
  question& q = *static_cast<question*>(a_question);
  if (q.now != question::step::collect && (object->dlpi_adds != known.added || object->dlpi_subs != known.removed)) {
    known = {};
    known.added = object->dlpi_adds;
    known.removed = object->dlpi_subs;
    q.now = question::step::collect;
  } else if (q.now == question::step::answer && !known.marked) {
    known.marked = true;
    if (known.count != 0) q.now = question::step::mark;
  }
  if (q.now != question::step::answer) {
    q.now == question::step::collect ? collect(*object) : mark(*object);
    return 0;
  }
  if (known.count == 0 || q.caller == 0) {
    answer(
        q,
        std::find(known.wanted.begin(), known.wanted.end(), true) == known.wanted.end() ? kind::ours : kind::by_region,
        0);
    return 1;
  }
  const std::span callers(known.callers.data(), std::min(known.next, known.callers.size()));
  for (const auto& c : callers) {
    if (q.caller - c.begin >= c.bytes) continue;
    answer(q, c.of, c.runtime);
    return 1;
  }
  const auto* const segment = segment_with(*object, q.caller);
  if (segment == nullptr) return 0;
  known_objects::caller& c = known.callers[known.next++ % known.callers.size()];
  c = classify(object_symbols(*object));
  c.begin = object->dlpi_addr + segment->p_vaddr;
  c.bytes = segment->p_memsz;
  answer(q, c.of, c.runtime);
  return 1;
}

chosen_runtime ask(question q) noexcept {
  for (unsigned again = 0; !q.answered && again < 8; ++again) {
    q.now = question::step::answer;
    dl_iterate_phdr(look, &q);
    if (!q.answered && q.now == question::step::answer) break;  // code that no object has
  }
  return q.answer;
}

}  // namespace

other_runtime_need find_need_of_other_runtime() noexcept {
  // Brings the knowledge up to date.
  ask({.name = "", .caller = 0});
  other_runtime_need found;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* a_need) noexcept -> int {
        other_runtime_need& need = *static_cast<other_runtime_need*>(a_need);
        for (std::size_t i = 0; i < known.count; ++i) {
          const object_symbols symbols(*object);
          if (symbols.base() == known.runtimes[i].base()) continue;
          need.name = symbols.find_unserved(known.runtimes[i], known.ours);
          need.is_needed = need.name != nullptr || known.is_first[i];
          need.runtime = known.runtimes[i].own_name();
          if (need.is_needed) return 1;
        }
        return 0;
      },
      &found);
  return found;
}

chosen_runtime runtime_for(const char* name, const void* caller) noexcept {
  return ask({.name = name, .caller = reinterpret_cast<std::uintptr_t>(caller)});
}

int level_in_other_runtimes() noexcept {
  if (!one_is_used.load(std::memory_order_relaxed)) return 0;  // relaxed: a hint
  int all = 0;
  for (const auto& r : ask({.name = "omp_get_level", .caller = 0}).each)
    if (r.level != nullptr) all += r.level();
  return all;
}

void* function_here(const char* name) noexcept {
  struct {
    const char* name;
    void* function = nullptr;
  } wanted{name};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* a_wanted) noexcept -> int {
        if (segment_with(*object, here()) == nullptr) return 0;
        auto& w = *static_cast<decltype(wanted)*>(a_wanted);
        w.function = object_symbols(*object).find(w.name);
        return 1;
      },
      &wanted);
  return wanted.function;
}

}  // namespace callisto::openmp
