/* The threads of a region register with the Boehm collector, which stops them by signals, and looks for pointers on
 * their stacks. */
#define GC_THREADS
#include <gc.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
  struct node* next;
  long value;
};

int main(int count, char** arguments) {
  const int threads = count > 1 ? atoi(arguments[1]) : 2;
  long wrong = 0;
  GC_INIT();
  GC_allow_register_threads();
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
  {
    struct GC_stack_base base;
    GC_get_stack_base(&base);
    if (omp_get_thread_num() != 0) GC_register_my_thread(&base);
    for (int round = 0; round < 20; ++round) {
      struct node* list = 0;
      for (long i = 0; i < 5000; ++i) {
        struct node* const made = GC_MALLOC(sizeof *made);
        made->value = i;
        made->next = list;
        list = made;
      }
      if (round % 5 == 0) GC_gcollect();
      long left = 4999;
      for (const struct node* n = list; n != 0 && n->value == left; n = n->next) --left;
      if (left != -1) ++wrong;
    }
#pragma omp barrier
    if (omp_get_thread_num() != 0) GC_unregister_my_thread();
  }
  if (wrong != 0) printf("wrong: %ld lists\n", wrong);
  else puts("good");
  return wrong != 0;
}
