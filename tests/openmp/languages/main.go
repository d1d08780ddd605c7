// Goroutines compute while others call C with OpenMP regions, and the collector runs: Go's signals reach all threads.
package main

/*
#cgo CFLAGS: -fopenmp -O2
#cgo LDFLAGS: -fopenmp
static double harmonic(int terms, int threads) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(threads)
  for (int i = 1; i <= terms; ++i) sum += 1.0 / i;
  return sum;
}
*/
import "C"

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

func main() {
	threads, _ := strconv.Atoi(os.Args[1])
	var stop atomic.Bool
	var all sync.WaitGroup
	for g := 0; g < 4; g++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for x := uint64(1); !stop.Load(); {
				for i := 0; i < 1000000; i++ {
					x = x*6364136223846793005 + 1
				}
			}
		}()
	}
	wrong := 0
	for i := 0; i < 30; i++ {
		if math.Abs(float64(C.harmonic(200000, C.int(threads)))-12.783290810429621) > 1e-9 {
			wrong++
		}
		runtime.GC()
	}
	stop.Store(true)
	all.Wait()
	if wrong != 0 {
		fmt.Println("wrong:", wrong)
		os.Exit(1)
	}
	fmt.Println("good")
}
