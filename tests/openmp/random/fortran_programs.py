"""Random OpenMP programs in Fortran, made as those in C are (c_programs.py)."""

from program_text import ProgramText

HEAD = """
module sums
  use iso_fortran_env, only: int64
  implicit none
  integer(int64) :: total(0:63) = 0
  integer :: wrong = 0
  integer(int64), save :: mine = 5
  !$omp threadprivate(mine)
  type pair
    integer(int64) :: least = huge(0_int64), sum = 0
  end type
contains
  pure function merged(a, b) result(c)
    type(pair), intent(in) :: a, b
    type(pair) :: c
    c%least = min(a%least, b%least)
    c%sum = a%sum + b%sum
  end function
  subroutine add(slot, value)
    integer, intent(in) :: slot
    integer(int64), intent(in) :: value
    integer(int64) :: mixed
    mixed = ieor(value * 7919_int64, ishft(value, -7)) + 1
    !$omp atomic
    total(slot) = total(slot) + mixed
  end subroutine
  subroutine check(holds)
    logical, intent(in) :: holds
    if (.not. holds) then
      !$omp atomic
      wrong = wrong + 1
    end if
  end subroutine
  pure function work(seed, steps) result(x)
    integer, intent(in) :: seed, steps
    integer(int64) :: x
    integer :: i
    x = seed
    do i = 1, steps
      x = mod(x * 1103515245_int64 + 12345_int64, 2147483648_int64)
    end do
  end function
  recursive function fib(n) result(x)
    integer, intent(in) :: n
    integer(int64) :: x, a, b
    if (n < 2) then
      x = n
      return
    end if
    !$omp task shared(a) if(n > 4)
    a = fib(n - 1)
    !$omp end task
    !$omp task shared(b) final(n < 6)
    b = fib(n - 2)
    !$omp end task
    !$omp taskwait
    x = a + b
  end function
end module
"""


class Program(ProgramText):
    """Builds the text of one program: a main program that calls subroutines, each with a region."""

    add_form = "call add({slot}, {value})"

    def __init__(self, random):
        super().__init__(random)
        self.bodies = []

    def schedule(self):
        kind = self.random.choice(["static", "dynamic", "guided", "runtime", "auto", ""])
        if kind in ("", "runtime", "auto"):
            return f"schedule({kind})" if kind else ""
        return f"schedule({kind}{self.maybe(f', {self.number(1, 9)}')})"

    def once(self):
        self.random.choice([self.arithmetic, self.tasks, self.dependences, self.taskloop, self.recursion])()

    def arithmetic(self):
        self.put(self.add(f"work({self.number(1, 9999)}, {self.number(1, 300)})"))

    def recursion(self):
        self.put(self.add(f"fib({self.number(4, 11)})"))

    def tasks(self):
        self.put("block", "integer :: i", f"do i = 1, {self.number(1, 50)}",
                 f"!$omp task firstprivate(i){self.maybe(' untied', 0.2)}{self.maybe(' if(mod(i, 3) > 0)', 0.3)}",
                 self.add(f"work(i, {self.number(0, 200)})"), "!$omp end task", "end do", "!$omp taskwait", "end block")

    def dependences(self):
        cells = self.number(2, 6)
        self.put(f"cells = 0", f"do k = 1, {self.number(3, 30)}",
                 f"!$omp task depend(in : cells(mod(k, {cells}) + 1)) depend(inout : cells(mod(k * 3, {cells}) + 1)) &",
                 "!$omp& firstprivate(k) shared(cells)",
                 f"cells(mod(k * 3, {cells}) + 1) = mod(cells(mod(k * 3, {cells}) + 1) * 31 + &",
                 f"  cells(mod(k, {cells}) + 1) + k, 1000003_int64)", "!$omp end task", "end do", "!$omp taskwait",
                 f"do k = 1, {cells}", self.add("cells(k)"), "end do")

    def taskloop(self):
        size = self.random.choice(["", f" grainsize({self.number(1, 30)})", f" num_tasks({self.number(1, 20)})"])
        self.put(f"!$omp taskloop{size}", f"do k = 1, {self.number(1, 200)}", self.add("work(k, 9)"),
                 "end do", "!$omp end taskloop")

    # Constructs that all threads of a region meet.
    def loop(self):
        nowait = self.maybe(" nowait", 0.4)
        if self.random.random() < 0.3:
            self.put(f"!$omp do {self.schedule()} collapse(2)", f"do i = 1, {self.number(1, 30)}",
                     f"do j = {self.number(3, 9)}, 1, -2", self.add(f"work(i * 50 + j, {self.number(0, 60)})"), "end do",
                     "end do")
        else:
            self.put(f"!$omp do {self.schedule()}", f"do i = {self.number(-9, 9)}, {self.number(-9, 200)}, {self.number(1, 5)}",
                     self.add(f"work(i, {self.number(0, 60)})"), "end do")
        self.put(f"!$omp end do{nowait}")

    def ordered_loop(self):
        self.put("!$omp barrier", "!$omp single", "last = 1", "!$omp end single",
                 f"!$omp do {self.schedule()} ordered", f"do i = 1, {self.number(1, 60)}", "!$omp ordered",
                 "last = mod(last * 31 + work(i, 10), 1000003_int64)", "!$omp end ordered", "end do", "!$omp end do",
                 "!$omp single", self.add("last"), "!$omp end single")

    def doacross(self):
        far = self.number(1, 4)
        kind = self.random.choice(["schedule(static)", "schedule(dynamic)", "schedule(guided)", "schedule(static, 2)", ""])
        self.put("!$omp barrier", "!$omp single", "chain = 0", "!$omp end single", f"!$omp do ordered(1) {kind}",
                 f"do i = 5, {self.number(5, 90)}", f"!$omp ordered depend(sink : i - {far})",
                 f"chain(i) = mod(chain(i - {far}) * 7 + work(i, 15), 1000003_int64)", "!$omp ordered depend(source)",
                 "end do", "!$omp end do", "!$omp single", "do k = 5, 90", self.add("chain(k)"), "end do", "!$omp end single")

    def sections(self):
        self.put("!$omp sections")
        for _ in range(self.number(1, 5)):
            self.put("!$omp section")
            self.random.choice([self.arithmetic, self.tasks, self.recursion])()
        self.put(f"!$omp end sections{self.maybe(' nowait', 0.3)}")

    def single(self):
        self.put("!$omp barrier", "!$omp single")
        self.once()
        self.put("!$omp end single")

    def master(self):
        self.put("!$omp master")
        self.random.choice([self.arithmetic, self.tasks, self.recursion])()
        self.put("!$omp end master")

    def copyprivate(self):
        value = self.number(1, 999)
        self.put("!$omp single", f"own = work({value}, 50)", "!$omp end single copyprivate(own)",
                 f"call check(own == work({value}, 50))")

    def critical(self):
        name = self.maybe(f" (name{self.number(1, 3)})")
        self.put("!$omp barrier", f"do k = 1, {self.number(1, 20)}", f"!$omp critical{name}", "last = last + 1",
                 f"!$omp end critical{name}", "end do", "!$omp barrier")

    def threadprivate(self):
        value = self.number(1, 999)
        self.put(f"mine = {value} + omp_get_thread_num()", "!$omp barrier",
                 f"call check(mine == {value} + omp_get_thread_num())")

    def reductions(self):
        self.put("!$omp barrier", "!$omp single", "found = pair()", "counts = 0", "!$omp end single",
                 f"!$omp do {self.schedule()} reduction(both : found) reduction(+ : counts) reduction(max : most)",
                 f"do i = 1, {self.number(1, 200)}", "found = merged(found, pair(work(i, 7), work(i, 3)))",
                 "counts(mod(i, 8) + 1) = counts(mod(i, 8) + 1) + i", "most = max(most, work(i, 5))", "end do",
                 "!$omp end do", "!$omp single", self.add("found%least + found%sum"), self.add("sum(counts) + most"),
                 "!$omp end single")

    def lastprivate(self):
        self.put("!$omp barrier", f"!$omp do {self.schedule()} lastprivate(last)", f"do i = 1, {self.number(1, 90)}",
                 "last = work(i, 12)", "end do", "!$omp end do", "!$omp single", self.add("last"), "!$omp end single")

    def workshare(self):
        self.put("!$omp workshare", f"chain(1:60) = {self.number(1, 99)}", "chain(61:90) = chain(1:30) + 3",
                 "where (chain(1:90) > 50) chain(1:90) = chain(1:90) / 2", "!$omp end workshare", "!$omp single",
                 self.add("sum(chain(1:90))"), "!$omp end single")

    def nested(self):
        self.put("!$omp single", "inner = 0", f"!$omp parallel do num_threads({self.number(1, 3)}) reduction(+ : inner)",
                 f"do k = 1, {self.number(1, 50)}", "inner = inner + work(k, 6)", "end do", "!$omp end parallel do",
                 self.add("inner"), "!$omp end single")

    def region(self, number):
        self.lines = []
        threads = self.maybe(f" num_threads({self.number(1, 6)})", 0.6)
        self.put(f"!$omp parallel{threads} private(i, j, k, own) firstprivate(first)")
        for _ in range(self.number(1, 5)):
            self.random.choice([self.loop, self.loop, self.ordered_loop, self.doacross, self.sections, self.single, self.single,
                                self.master, self.copyprivate, self.critical, self.threadprivate, self.reductions,
                                self.lastprivate, self.workshare, self.nested])()
        self.put(f"call check(first == {number})", "!$omp end parallel")
        return "\n".join([f"subroutine region{number}", "use sums", "use omp_lib", "implicit none", "integer :: i, j, k, first",
                          "integer(int64) :: last, own, inner, most, cells(8), chain(0:100), counts(8)", "type(pair) :: found",
                          "!$omp declare reduction(both : pair : omp_out = merged(omp_out, omp_in)) initializer(omp_priv = pair())",
                          f"first = {number}; last = 1; most = 0; inner = 0; chain = 0; cells = 0; counts = 0; i = 0; j = 0",
                          *self.lines, "end subroutine"])

    def text(self):
        many = self.number(2, 5)
        regions = "\n".join(self.region(n) for n in range(1, many + 1))
        calls = "\n".join(f"call region{n}" for n in range(1, many + 1))
        return (HEAD + regions + "\nprogram main\nuse sums\nimplicit none\ninteger :: n\n" + calls +
                "\ndo n = 0, 63\nprint '(z16.16)', total(n)\nend do\nif (wrong /= 0) stop 1\nend program\n")
