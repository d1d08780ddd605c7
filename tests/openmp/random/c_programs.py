"""Random OpenMP programs in C and C++, with the same output for any number of threads and any order.

A program is a tree of constructs. Code in it adds numbers to a checksum with atomic additions, in places that are
executed a known number of times: once, or once for each iteration. So a right program prints the same sum with any
number of threads, any schedule and any order.
"""

from program_text import ProgramText

HEAD = """
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef unsigned long u64;
static u64 sums[64];
static int wrong;
static void add(int slot, u64 value) {
  value = (value + 1) * 0x9e3779b97f4a7c15ul;
  __atomic_fetch_add(&sums[slot % 64], value ^ (value >> 29), __ATOMIC_RELAXED);
}
static void check(int line, int holds) { if (!holds && !__atomic_exchange_n(&wrong, line, __ATOMIC_RELAXED)) printf("wrong at %d\\n", line); }
#define CHECK(holds) check(__LINE__, holds)
static u64 work(u64 x, int n) { for (int i = 0; i < n; i++) x = x * 6364136223846793005ul + 1442695040888963407ul; return x >> 33; }
static u64 fib(int n) {
  u64 a, b;
  if (n < 2) return n;
#pragma omp task shared(a) if (n > 4)
  a = fib(n - 1);
#pragma omp task shared(b) final(n < 6)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}
struct pair { u64 least, sum; };
#pragma omp declare reduction(both : struct pair : (omp_out.sum += omp_in.sum, omp_out.least = omp_in.least < omp_out.least ? omp_in.least : omp_out.least)) initializer(omp_priv = {~0ul, 0})
#pragma omp declare reduction(mix : u64 : omp_out ^= omp_in) initializer(omp_priv = 0)
static u64 mine = 5;
#pragma omp threadprivate(mine)
"""

CXX = """
#include <stdexcept>
#include <string>
#include <vector>
struct counted {
  static int alive;
  int value;
  counted(int v = 0) : value(v) { __atomic_fetch_add(&alive, 1, __ATOMIC_RELAXED); }
  counted(const counted& c) : value(c.value) { __atomic_fetch_add(&alive, 1, __ATOMIC_RELAXED); }
  counted& operator=(const counted&) = default;
  counted& operator+=(const counted& c) { value += c.value; return *this; }
  ~counted() { __atomic_fetch_sub(&alive, 1, __ATOMIC_RELAXED); }
};
int counted::alive = 0;
#pragma omp declare reduction(+ : counted : omp_out += omp_in)
static thread_local std::vector<int> kept;
"""


class Program(ProgramText):
    """Builds the text of one program."""

    add_form = "add({slot}, {value});"

    def __init__(self, random, cxx):
        super().__init__(random)
        self.cxx = cxx
        self.names = 0
        self.shared = []  # for each region around, the declarations of variables that its threads share
        self.most_iterations = 400

    # Helpers.
    def name(self, prefix="v"):
        self.names += 1
        return f"{prefix}{self.names}"

    def share(self, declaration):
        """Declares a variable outside of the region around."""
        self.shared[-1].append(declaration)

    def schedule(self, may_not_be=()):
        kinds = ["static", "dynamic", "guided", "runtime", "auto", ""]
        kind = self.random.choice([k for k in kinds if k not in may_not_be])
        if not kind:
            return ""
        modifier = self.maybe(self.random.choice(["monotonic: ", "nonmonotonic: "]), 0.25)
        if "nonmonotonic" in modifier and ("ordered" in may_not_be or kind in ("static", "runtime", "auto")):
            modifier = ""
        if kind in ("runtime", "auto"):
            return f"schedule({kind})"
        return f"schedule({modifier}{kind}{self.maybe(f', {self.number(1, 9)}')})"

    def block(self, header, body, *arguments):
        self.put(*header, "{")
        body(*arguments)
        self.put("}")

    # Code that one thread executes once.
    def once(self, depth):
        choices = [self.arithmetic] * 2
        if depth > 0:
            choices += [self.tasks, self.dependences, self.taskloop, self.recursion, self.taskgroup, self.locks_once]
            if depth > 1:
                choices += [self.parallel, self.parallel, self.parallel_for]
        for _ in range(self.number(1, 3)):
            self.random.choice(choices)(depth - 1)

    def arithmetic(self, _depth):
        self.put(self.add(f"work({self.number(1, 9999)}, {self.number(1, 300)})"))

    def recursion(self, _depth):
        n = self.number(5, 12)
        self.put(self.add(f"fib({n})"))

    def tasks(self, depth):
        many, v = self.number(1, 60), self.name("i")
        self.block([f"for (int {v} = 0; {v} < {many}; {v}++)"], self.task_body, depth, v)
        if self.random.random() < 0.6:
            self.put("#pragma omp taskwait")

    def task_body(self, depth, v):
        clauses = (self.maybe(f" if({v} % {self.number(2, 5)})", 0.3) + self.maybe(" untied", 0.2) +
                   self.maybe(" mergeable", 0.2) + self.maybe(f" priority({v} % 4)", 0.2) +
                   self.maybe(f" final({v} > {self.number(5, 50)})", 0.2))
        self.put(f"#pragma omp task firstprivate({v}){clauses}", "{", self.add(f"work({v}, {self.number(0, 200)})"))
        if self.random.random() < 0.3:
            self.put("#pragma omp taskyield")
        if depth > 0 and self.random.random() < 0.1:
            self.most_iterations = 30
            self.once(min(depth, 1))
        self.put("}")

    def taskgroup(self, depth):
        total, v = self.name("total"), self.name("i")
        many = self.number(1, 40)
        self.put("{", f"u64 {total} = 0;", f"#pragma omp taskgroup task_reduction(+ : {total})", "{",
                 f"for (int {v} = 0; {v} < {many}; {v}++)", "{",
                 f"#pragma omp task in_reduction(+ : {total}) firstprivate({v})", f"{total} += work({v}, 40);", "}", "}",
                 self.add(total), "}")
        del depth

    def dependences(self, _depth):
        a, v = self.name("a"), self.name("i")
        cells, many = self.number(2, 7), self.number(3, 40)
        self.put("{", f"u64 {a}[{cells}] = {{0}};", f"for (int {v} = 0; {v} < {many}; {v}++)", "{",
                 f"int to = {v} * {self.number(1, 9)} % {cells}, from = ({v} + {self.number(0, 6)}) % {cells};",
                 f"#pragma omp task depend(in : {a}[from]) depend(inout : {a}[to]) firstprivate({v}, to, from) shared({a})",
                 f"{a}[to] = work({a}[to] * 31 + {a}[from] + {v}, 10);", "}")
        if self.random.random() < 0.5:
            kind = self.random.choice(["mutexinoutset", "inout", "out"])
            self.put(f"for (int {v} = 0; {v} < 5; {v}++)", "{",
                     f"#pragma omp task depend({kind} : {a}[0]) firstprivate({v}) shared({a})",
                     "{", "#pragma omp atomic", f"{a}[0] += {v};", "}", "}")
        self.put("#pragma omp taskwait", f"for (int {v} = 0; {v} < {cells}; {v}++) {self.add(f'{a}[{v}]')}", "}")

    def taskloop(self, _depth):
        total, v = self.name("total"), self.name("i")
        many = self.number(1, 300)
        size = self.random.choice(["", f" grainsize({self.number(1, 30)})", f" num_tasks({self.number(1, 20)})"])
        self.put("{", f"u64 {total} = 3;",
                 f"#pragma omp taskloop reduction(+ : {total}){size}{self.maybe(' untied', 0.2)}",
                 f"for (int {v} = 0; {v} < {many}; {v}++) {total} += work({v}, 9);", self.add(total), "}")

    def locks_once(self, _depth):
        lock, v, n = self.name("lock"), self.name("i"), self.name("n")
        nest = self.maybe("nest_")
        many = self.number(2, 30)
        again = (f"omp_set_nest_lock(&{lock}); {n}++; omp_unset_nest_lock(&{lock});" if nest else f"{n}++;")
        self.put("{", f"omp_{nest}lock_t {lock}; omp_init_{nest}lock(&{lock}); volatile int {n} = 0;",
                 f"for (int {v} = 0; {v} < {many}; {v}++)", "{", f"#pragma omp task shared({lock}, {n})", "{",
                 f"omp_set_{nest}lock(&{lock}); {again} omp_unset_{nest}lock(&{lock});", "}", "}", "#pragma omp taskwait",
                 self.add(n), f"omp_destroy_{nest}lock(&{lock});", "}")

    # Regions.
    def parallel(self, depth):
        threads = self.maybe(f" num_threads({self.number(1, 6)})", 0.6)
        outer, n = self.name("outer"), self.name("n")
        clauses = threads + self.maybe(f" if({self.number(0, 3)})", 0.15) + self.maybe(" proc_bind(close)", 0.1)
        self.put("{", f"u64 {outer} = {self.number(1, 99)}; int {n} = 0;")
        declared_at = len(self.lines)
        self.shared.append([])
        self.put(f"#pragma omp parallel{clauses} firstprivate({outer}) reduction(+ : {n})", "{", f"{n}++;",
                 f"CHECK(omp_get_thread_num() < omp_get_num_threads());")
        for _ in range(self.number(1, 4)):
            self.random.choice([self.loop, self.loop, self.ordered_loop, self.sections, self.single, self.single,
                                self.copyprivate, self.critical, self.master, self.private_task, self.doacross,
                                self.threadprivate, self.cancelled_loop, self.scope, self.barriers, self.reductions,
                                self.lastprivate, self.scan, *([self.objects, self.exceptions] if self.cxx else [])])(depth)
        self.put("}", f"CHECK({n} > 0);", self.add(outer), "}")
        self.lines[declared_at:declared_at] = self.shared.pop()

    def parallel_for(self, depth):
        v, total = self.name("i"), self.name("total")
        self.put("{", f"u64 {total} = 0;",
                 f"#pragma omp parallel for {self.schedule()} reduction(mix : {total})",
                 f"for (int {v} = 0; {v} < {self.iterations()}; {v}++) {total} ^= work({v}, 20);", self.add(total), "}")
        del depth

    def iterations(self):
        return self.random.choice([0, 1, 2, self.number(3, 40), self.number(3, self.most_iterations)])

    def teams(self, _depth):
        v, total = self.name("i"), self.name("total")
        self.put("{", f"u64 {total} = 0;", f"#pragma omp teams num_teams({self.number(1, 3)}) reduction(+ : {total})", "{",
                 "#pragma omp distribute parallel for" + self.maybe(" " + self.schedule(), 0.5) +
                 f" reduction(+ : {total})",
                 f"for (int {v} = 0; {v} < {self.number(1, 200)}; {v}++) {total} += work({v}, 5);", "}", self.add(total), "}")

    # Constructs that all threads of a region meet.
    def loop(self, depth):
        v, w = self.name("i"), self.name("j")
        many = self.iterations()
        kind = self.random.choice(["int", "int", "long", "unsigned", "u64"])
        # Not 0: a bound of 0 would be below all unsigned numbers.
        start = self.number(1, 5) if kind in ("unsigned", "u64") else self.number(-50, 50)
        if self.random.random() < 0.3:
            less = self.number(1, 12)
            self.put(f"#pragma omp for {self.schedule()} collapse(2){self.maybe(' nowait', 0.4)}",
                     f"for (int {v} = 0; {v} < {min(many, 40)}; {v}++) for (int {w} = 3; {w} < {3 + less}; {w} += 2)", "{",
                     self.add(f"work({v} * 100 + {w}, {self.number(0, 60)})"), "}")
        elif self.random.random() < 0.3:
            step = self.number(1, 7)
            self.put(f"#pragma omp for {self.schedule()}{self.maybe(' nowait', 0.4)}",
                     f"for (long {v} = {start + many}; {v} > {start}; {v} -= {step})", "{",
                     self.add(f"work({v}, {self.number(0, 60)})"), "}")
        else:
            self.put(f"#pragma omp for {self.schedule()}{self.maybe(' nowait', 0.4)}",
                     f"for ({kind} {v} = {start}; {v} < {start + many}; {v}++)", "{",
                     self.add(f"work({v}, {self.number(0, 60)})"))
            if depth > 1 and many < 50 and self.random.random() < 0.12:
                self.most_iterations = 30
                self.parallel(depth - 2)
            self.put("}")

    def ordered_loop(self, _depth):
        v, last = self.name("i"), self.name("last")
        many = self.number(1, 60)
        self.share(f"u64 {last};")
        self.put("#pragma omp barrier", "#pragma omp single", f"{last} = 1;",
                 f"#pragma omp for {self.schedule(('ordered',))} ordered", f"for (int {v} = 0; {v} < {many}; {v}++)", "{",
                 f"u64 x = work({v}, 30);", "#pragma omp ordered", f"{last} = {last} * 31 + x;", "}", "#pragma omp single",
                 self.add(last))

    def doacross(self, _depth):
        v, a = self.name("i"), self.name("a")
        many, far = self.number(2, 80), self.number(1, 4)
        self.share(f"u64 {a}[100];")
        self.put("#pragma omp barrier", "#pragma omp single", f"memset({a}, 0, sizeof {a});",
                 f"#pragma omp for {self.schedule(('ordered', 'auto'))} ordered(1)",
                 f"for (int {v} = 0; {v} < {many}; {v}++)", "{",
                 f"#pragma omp ordered depend(sink : {v} - {far})",
                 f"{a}[{v}] = work({v} + ({v} >= {far} ? {a}[{v} - {far}] : 7), 15);", "#pragma omp ordered depend(source)",
                 "}", "#pragma omp single", f"for (int {v} = 0; {v} < {many}; {v}++) {self.add(f'{a}[{v}]')}")

    def sections(self, depth):
        self.put(f"#pragma omp sections{self.maybe(' nowait', 0.3)}", "{")
        for _ in range(self.number(1, 6)):
            self.put("#pragma omp section", "{")
            self.once(min(depth - 1, 1))
            self.put("}")
        self.put("}")

    def single(self, depth):
        self.block([f"#pragma omp single{self.maybe(' nowait', 0.4)}"], self.once, depth)

    def master(self, depth):
        self.block([f"#pragma omp {self.random.choice(['master', 'masked'])}"], self.once, min(depth, 1))

    def copyprivate(self, _depth):
        v = self.name("c")
        value = self.number(1, 1000)
        self.put("{", f"u64 {v} = 0;", f"#pragma omp single copyprivate({v})", f"{v} = work({value}, 50);",
                 f"CHECK({v} == work({value}, 50));", "}")

    def critical(self, _depth):
        v = self.name("in")
        name = self.maybe(f"(name{self.number(1, 3)})")
        self.share(f"int {v} = 0;")
        self.put("#pragma omp barrier", f"for (int i = 0; i < {self.number(1, 20)}; i++)", "{",
                 f"#pragma omp critical{name}", "{", f"CHECK({v} == 0); {v} = 1; {v} = 0;", "}", "}",
                 "#pragma omp barrier")

    def private_task(self, _depth):
        v, n = self.name("t"), self.number(1, 12)
        self.put("{", f"u64 {v} = 0;", f"for (int i = 0; i < {n}; i++)", "{", f"#pragma omp task shared({v}) firstprivate(i)",
                 "{", "#pragma omp atomic", f"{v} += i;", "}", "}", "#pragma omp taskwait", f"CHECK({v} == {n * (n - 1) // 2});",
                 "}")

    def threadprivate(self, _depth):
        value = self.number(1, 999)
        self.put(f"mine = {value} + omp_get_thread_num();", self.random.choice(["#pragma omp barrier", "work(1, 1000);"]),
                 f"CHECK(mine == (u64){value} + omp_get_thread_num());")

    def cancelled_loop(self, _depth):
        v, found, at = self.name("i"), self.name("found"), self.number(0, 199)
        self.share(f"int {found};")
        self.put("#pragma omp barrier", "#pragma omp single", f"{found} = 0;",
                 f"#pragma omp for {self.schedule()}", f"for (int {v} = 0; {v} < 200; {v}++)", "{", f"if ({v} == {at})", "{",
                 "#pragma omp atomic write", f"{found} = 1;", "#pragma omp cancel for", "}",
                 "#pragma omp cancellation point for", f"work({v}, 20);", "}", "#pragma omp barrier", "#pragma omp single",
                 self.add(found))

    def scope(self, _depth):
        v = self.name("n")
        self.share(f"int {v};")
        self.put("#pragma omp barrier", "#pragma omp single", f"{v} = 0;",
                 f"#pragma omp scope reduction(+ : {v})", f"{v} += 1;", f"CHECK({v} == omp_get_num_threads());",
                 "#pragma omp barrier")

    def barriers(self, _depth):
        v = self.name("b")
        self.share(f"int {v};")
        self.put("#pragma omp barrier", "#pragma omp single", f"{v} = 0;",
                 f"for (int i = 0; i < {self.number(1, 30)}; i++)", "{", "#pragma omp single nowait", f"{v}++;",
                 "#pragma omp barrier", f"CHECK({v} == i + 1);", "#pragma omp barrier", "}")

    def reductions(self, _depth):
        p, a, v = self.name("p"), self.name("a"), self.name("i")
        many = self.number(1, 200)
        self.share(f"struct pair {p}; long {a}[8];")
        self.put("#pragma omp barrier", "#pragma omp single",
                 f"{{ {p}.least = 999; {p}.sum = 1; memset({a}, 0, sizeof {a}); }}",
                 f"#pragma omp for {self.schedule()} reduction(both : {p}) reduction(+ : {a})",
                 f"for (int {v} = 0; {v} < {many}; {v}++)", "{",
                 f"u64 x = work({v}, 7); {p}.sum += x; if (x < {p}.least) {p}.least = x; {a}[{v} % 8] += {v};", "}",
                 "#pragma omp single", f"{{ {self.add(f'{p}.sum + {p}.least')} {self.add(f'{a}[3] * 7 + {a}[5]')} }}")

    def lastprivate(self, _depth):
        x, v = self.name("x"), self.name("i")
        many = self.number(1, 90)
        conditional = self.maybe("conditional: ", 0.4)
        test = f"if ({v} % 3 == 0) " if conditional else ""
        self.share(f"u64 {x};")
        self.put("#pragma omp barrier", "#pragma omp single", f"{x} = 0;",
                 f"#pragma omp for {self.schedule()} lastprivate({conditional}{x})",
                 f"for (int {v} = 0; {v} < {many}; {v}++) {{ {test}{x} = work({v}, 12); }}", "#pragma omp single",
                 self.add(x))

    def scan(self, _depth):
        x, a, v = self.name("x"), self.name("a"), self.name("i")
        many = self.number(1, 90)
        self.share(f"u64 {x}, {a}[100];")
        self.put("#pragma omp barrier", "#pragma omp single", f"{x} = 0;",
                 f"#pragma omp for reduction(inscan, + : {x})", f"for (int {v} = 0; {v} < {many}; {v}++)", "{",
                 f"{x} += work({v}, 8);", f"#pragma omp scan inclusive({x})", f"{a}[{v}] = {x};", "}", "#pragma omp single",
                 f"{{ {self.add(x)} for (int {v} = 0; {v} < {many}; {v}++) {self.add(f'{a}[{v}]')} }}")

    # C++ only.
    def objects(self, _depth):
        c, v = self.name("c"), self.name("i")
        many = self.number(1, 90)
        self.share(f"counted {c};")
        self.put("#pragma omp barrier", "#pragma omp single", f"{c}.value = 3;",
                 f"#pragma omp for {self.schedule()} reduction(+ : {c})",
                 f"for (int {v} = 0; {v} < {many}; {v}++) {{ counted x({v}); {c} += x; kept.push_back({v}); }}",
                 "#pragma omp single", self.add(f"{c}.value"), "kept.clear();")

    def exceptions(self, _depth):
        v = self.name("i")
        many = self.number(1, 60)
        self.put(f"#pragma omp for {self.schedule()}", f"for (int {v} = 0; {v} < {many}; {v}++)", "{",
                 f"try {{ if ({v} % {self.number(2, 5)} == 0) throw std::runtime_error(std::to_string({v})); }}",
                 f"catch (const std::exception& e) {{ {self.add('atoi(e.what())')} }}", "}")

    def text(self):
        self.put("int main(void) {")
        for _ in range(self.number(2, 5)):
            self.most_iterations = 400
            kind = self.random.choice([self.parallel, self.parallel, self.parallel, self.parallel_for, self.once, self.teams])
            # Tasks only in a region: the stock library of GCC 12 loses some, and hangs, after tasks outside of one.
            self.block(["#pragma omp parallel", "#pragma omp single"] if kind == self.once else [], kind, 3)
        if self.cxx:
            self.put("CHECK(counted::alive == 0);")
        self.put('for (int i = 0; i < 64; i++) printf("%016lx\\n", sums[i]);', "return wrong != 0;", "}")
        return HEAD + (CXX if self.cxx else "") + "\n".join(self.lines) + "\n"
