"""Sets OMP_NUM_THREADS before the process loads its first library that needs OpenMP, as numerical Python programs do."""
import ctypes
import os
import sys

os.environ["OMP_NUM_THREADS"] = "3"
os.environ["OMP_SCHEDULE"] = "guided,7"
library = ctypes.CDLL(sys.argv[1])
found = library.threads_of_region(), library.chunk_of_schedule()
print("good" if found == (3, 7) else f"wrong: {found}")
