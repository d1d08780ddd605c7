// A library's region calls Java back from each of its threads.
class Members {
  private static int calls;

  static native int run(int threads);

  static synchronized int call(int thread) {
    ++calls;
    return thread;
  }

  public static void main(String[] arguments) {
    System.load(arguments[0]);
    int threads = Integer.parseInt(arguments[1]);
    int failed = run(threads);
    System.out.println(failed == 0 && calls == 200 * threads ? "good" : "wrong: " + failed + ", " + calls);
  }
}
