// The instructions of loops that wait (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter
// 2 and appendix A: opcodes, ModRM and SIB bytes).
#include <callisto/workers/preemption/spin_loop.hpp>

#include <algorithm>
#include <cstdint>

namespace callisto::workers {
namespace {

constexpr std::size_t most_instructions = 16;

/// A set of the 16 general registers.
using registers = std::uint32_t;
constexpr registers one(unsigned number) noexcept { return registers{1} << number; }

struct instruction {
  std::size_t bytes = 0;
  registers reads = 0;
  registers writes = 0;
  bool jumps = false;
  bool is_conditional = false;  ///< of a jump
  std::ptrdiff_t target = 0;    ///< of a jump, as an offset into the code
};

/// Reads one instruction; nullopt: it does not know it.
class decoder {
 public:
  decoder(std::span<const std::uint8_t> code, std::size_t at) noexcept : code_(code), begin_(at), at_(at) {}

  std::optional<instruction> next() noexcept {
    if (!decode() || bad_) return std::nullopt;
    found_.bytes = at_ - begin_;
    found_.target += static_cast<std::ptrdiff_t>(at_);
    return found_;
  }

 private:
  std::uint8_t take() noexcept {
    if (at_ >= code_.size()) {
      bad_ = true;
      return 0;
    }
    return code_[at_++];
  }
  std::uint32_t take_four() noexcept {
    std::uint32_t value = 0;
    for (unsigned n = 0; n < 4; ++n) value |= std::uint32_t{take()} << (8 * n);
    return value;
  }

  bool decode() noexcept {
    bool locked = false;
    bool repeats = false;
    bool is_short = false;  // an operand of 16 bits
    std::uint8_t code = take();
    for (;; code = take()) {
      if (code == 0xF0) {
        locked = true;
      } else if (code == 0xF3) {
        repeats = true;
      } else if (code == 0x66) {
        is_short = true;
      } else if (code != 0x64 && code != 0x65 && code != 0x2E) {  // thread-local data; a no-operation's filling
        break;
      }
      if (bad_) return false;
    }
    if ((code & 0xF0) == 0x40) {
      rex_ = code;
      code = take();
    }
    if (locked) return flush(code);
    if (repeats) return code == 0x90;  // pause
    // On byte registers, of which the second four are the high bytes of the first four unless there is a prefix.
    is_of_bytes_ = rex_ == 0 && (code == 0x8A || code == 0x84 || code == 0x38 || code == 0x3A);
    if (is_short && (code & 0xF0) == 0x70) return false;
    const auto immediate = [&] { return is_short && (rex_ & 8U) == 0 ? 2U : 4U; };
    switch (code) {
      case 0x90:  // nop
        return rex_ == 0;
      case 0x8A:  // mov to a register
      case 0x8B:
      case 0x63:  // movslq
        return operands(writes_register);
      case 0x89:  // mov from a register, to another one
        return operands(writes_other, registers_only);
      case 0x84:  // test
      case 0x85:
      case 0x38:  // cmp
      case 0x39:
      case 0x3A:
      case 0x3B:
        return operands(reads_both);
      case 0x80:  // cmp with a number
      case 0x83:
        return operands(reads_other, anything, 7) && skip(1);
      case 0x81:
        return operands(reads_other, anything, 7) && skip(immediate());
      case 0xF6:  // test with a number
        return operands(reads_other, anything, 0) && skip(1);
      case 0xF7:
        return operands(reads_other, anything, 0) && skip(immediate());
      case 0x3C:  // cmp and test of rax with a number
      case 0xA8:
        found_.reads = one(0);
        return skip(1);
      case 0x3D:
      case 0xA9:
        found_.reads = one(0);
        return skip(immediate());
      case 0x98:  // cltq
        found_.reads = found_.writes = one(0);
        return true;
      case 0xEB:
        return !is_short && jump_near(always);
      case 0xE9:
        return !is_short && jump_far(always);
      case 0x0F:
        return two_bytes() && !(is_short && found_.jumps);
      default:
        return (code & 0xF0) == 0x70 && jump_near(conditional);
    }
  }

  bool two_bytes() noexcept {
    const std::uint8_t code = take();
    if ((code & 0xF0) == 0x80) return jump_far(conditional);
    if ((code & 0xF0) == 0x90) {  // set by condition
      is_of_bytes_ = rex_ == 0;
      return operands(sets_other, registers_only);
    }
    switch (code) {
      case 0xB6:  // mov with zeros or the sign
      case 0xB7:
      case 0xBE:
      case 0xBF:
        if (rex_ == 0 && code_.size() > at_ && code_[at_] >= 0xC0 && (code_[at_] & 7) >= 4) return false;
        return operands(writes_register);
      case 0x1F:  // nop with filling
        return operands(reads_nothing);
      case 0xAE: {  // lfence, mfence, sfence
        const std::uint8_t which = take();
        return which == 0xE8 || which == 0xF0 || which == 0xF8;
      }
      default:
        return false;
    }
  }

  /// `lock or $0,(%rsp)`, by which compilers order memory; it writes the value that is there.
  bool flush(std::uint8_t code) noexcept { return code == 0x83 && take() == 0x0C && take() == 0x24 && take() == 0; }

  enum jump_kind : std::uint8_t { always, conditional };

  bool jump_near(jump_kind kind) noexcept { return jump(kind, static_cast<std::int8_t>(take())); }
  bool jump_far(jump_kind kind) noexcept { return jump(kind, static_cast<std::int32_t>(take_four())); }
  bool jump(jump_kind kind, std::ptrdiff_t distance) noexcept {
    found_.jumps = true;
    found_.is_conditional = kind == conditional;
    found_.target = distance;
    return true;
  }

  bool skip(unsigned bytes) noexcept {
    for (; bytes != 0; --bytes) take();
    return true;
  }

  enum use : std::uint8_t { reads_nothing, reads_both, reads_other, writes_register, writes_other, sets_other };
  enum form : std::uint8_t { anything, registers_only };
  static constexpr unsigned any_extension = 8;

  /// Reads the ModRM byte and what follows it. `extension`: what its middle field must be if that is part of the
  /// opcode.
  bool operands(use how, form allowed = anything, unsigned extension = any_extension) noexcept {
    const std::uint8_t mod_rm = take();
    const unsigned mode = mod_rm >> 6;
    const unsigned middle = (mod_rm >> 3) & 7;
    const unsigned last = mod_rm & 7;
    if (extension != any_extension && middle != extension) return false;
    if (is_of_bytes_ && ((how != sets_other && middle >= 4) || (mode == 3 && last >= 4))) return false;
    const registers reg = one(middle | ((rex_ & 4U) != 0 ? 8 : 0));
    const registers other = one(last | ((rex_ & 1U) != 0 ? 8 : 0));
    if (mode == 3) {
      if (how == reads_both) found_.reads = reg | other;
      if (how == reads_other) found_.reads = other;
      if (how == writes_register) found_ = {.reads = other, .writes = reg};
      if (how == writes_other) found_ = {.reads = reg, .writes = other};
      if (how == sets_other) found_ = {.writes = other};
      return true;
    }
    if (allowed == registers_only) return false;
    const bool has_sib = last == 4;
    unsigned displacement = mode == 1 ? 1 : mode == 2 ? 4 : 0;
    registers address = 0;
    if (has_sib) {
      const std::uint8_t sib = take();
      const unsigned index = ((sib >> 3) & 7U) | ((rex_ & 2U) != 0 ? 8 : 0);
      const unsigned base = sib & 7;
      if (index != 4) address |= one(index);
      if (mode == 0 && base == 5) {
        displacement = 4;
      } else {
        address |= one(base | ((rex_ & 1U) != 0 ? 8 : 0));
      }
    } else if (mode == 0 && last == 5) {
      displacement = 4;
    } else {
      address = other;
    }
    if (how == reads_nothing) address = 0;
    found_.reads = address | (how == reads_both ? reg : 0);
    if (how == writes_register) found_.writes = reg;
    return skip(displacement);
  }

  std::span<const std::uint8_t> code_;
  std::size_t begin_;
  std::size_t at_;
  std::uint8_t rex_ = 0;
  bool is_of_bytes_ = false;
  bool bad_ = false;
  instruction found_;
};

/// Returns the loop that the first jump back over `at` makes, searching from there.
std::optional<spin_loop> find_branch(std::span<const std::uint8_t> code, std::size_t at) noexcept {
  std::size_t here = at;
  for (std::size_t n = 0; n < most_instructions; ++n) {
    const auto i = decoder(code, here).next();
    if (!i) return std::nullopt;
    const auto to = static_cast<std::size_t>(i->target);
    const bool is_back = i->jumps && i->target >= 0 && to <= here;
    if (is_back && to > at) return std::nullopt;
    if (is_back) return spin_loop{to, here};
    if (i->jumps && !i->is_conditional) return std::nullopt;
    here += i->bytes;
  }
  return std::nullopt;
}

}  // namespace

std::optional<spin_loop> find_spin_loop(std::span<const std::uint8_t> code, std::size_t at) noexcept {
  const auto loop = find_branch(code, at);
  if (!loop) return std::nullopt;
  registers written = 0;
  registers read_first = 0;  // registers that a pass reads before it writes them
  bool met = false;
  std::size_t here = loop->begin;
  for (std::size_t n = 0; n < most_instructions; ++n) {
    met = met || here == at;
    const auto i = decoder(code, here).next();
    if (!i) return std::nullopt;
    read_first |= i->reads & ~written;
    written |= i->writes;
    if (here == loop->branch) return met && (read_first & written) == 0 ? loop : std::nullopt;
    // With jumps within the loop, what is written would depend on the way.
    const bool leaves = i->target < 0 || static_cast<std::size_t>(i->target) > loop->branch;
    if (i->jumps && (!i->is_conditional || !leaves)) return std::nullopt;
    here += i->bytes;
    if (here > loop->branch) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace callisto::workers
