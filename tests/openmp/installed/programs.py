"""The programs that `./x soak` runs with the stock libgomp and with Callisto's, where they are installed.

    name       what the line of results says
    needs      commands, or Python modules written as "py:NAME", R packages as "r:NAME", libraries for a C program as "lib:NAME"
    inputs     files that inputs.py makes before: {file: function}
    before     a command of the shell that prepares more, once, with the stock library
    command    a command of the shell; it runs in a folder of its own, inputs are in $IN
    compares   a command of the shell that prints what must be equal; nothing: the standard output of `command`
    drops      a regular expression: lines of the output that tell times and places

`command` is written so that right results do not depend on the number of threads: integers, or few digits.
"""

import dataclasses


@dataclasses.dataclass
class Program:
    name: str
    needs: list
    command: str
    inputs: dict = dataclasses.field(default_factory=dict)
    before: str = ""
    compares: str = ""
    drops: str = ""


def python(text):
    return "$PYTHON - <<'END'\n" + text + "\nEND"


def c_program(text, options="-O2"):
    return f"cat > $IN/$NAME.c <<'END'\n{text}\nEND\ngcc -w -fopenmp {options.replace('FILE', '$IN/$NAME.c')} -o $IN/$NAME"


PICTURE = {"big.ppm": "picture"}
HYBRID = """#include <mpi.h>
#include <omp.h>
#include <stdio.h>
int main(int c, char** v) { int got, rank, n; MPI_Init_thread(&c, &v, MPI_THREAD_FUNNELED, &got); MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n); unsigned long sum = 0, all = 0;
  for (int r = 0; r < 300; r++) {
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : sum)
    for (int i = 0; i < 20000; i++) sum += (unsigned long)(i ^ r ^ rank) * 2654435761ul >> 7;
    MPI_Allreduce(&sum, &all, 1, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD); sum = all / 2; }
  if (rank == 0) printf("%lu\\n", all); MPI_Finalize(); }"""

PROGRAMS = [
    # Pictures and text.
    Program("ImageMagick", ["convert"], "convert $IN/big.ppm -resize 60% -blur 0x6 -sharpen 0x2 rgb:out", PICTURE,
            compares="md5sum < out"),
    Program("GraphicsMagick", ["gm"], "gm convert $IN/big.ppm -resize 60% -blur 0x4 -equalize rgb:out", PICTURE,
            compares="md5sum < out"),
    Program("pngquant", ["pngquant", "convert"], "pngquant --force -o out $IN/big.png", PICTURE,
            before="convert $IN/big.ppm $IN/big.png", compares="md5sum < out"),
    Program("G'MIC", ["gmic"], "gmic $IN/big.ppm -resize 50%,50% -blur 8 -denoise 5,5,2 -o out.ppm", PICTURE,
            compares="md5sum < out.ppm"),
    Program("Tesseract", ["tesseract", "convert"], "tesseract $IN/page.png - 2>&1",
            before="for i in $(seq 25); do echo \"Line $i: the quick brown fox jumps over the lazy dog $((i * 7919))\"; done | "
                   "convert -size 1400x1000 -pointsize 24 -font DejaVu-Sans text:- -append $IN/page.png || "
                   "convert -size 1400x1000 -pointsize 24 caption:'The quick brown fox jumps over the lazy dog' $IN/page.png"),
    Program("darktable", ["darktable-cli", "convert"],
            "darktable-cli $IN/big.jpg out.png --core --configdir config --library :memory: --disable-opencl 2>&1",
            PICTURE, before="convert $IN/big.ppm -resize 50% $IN/big.jpg", compares="convert out.png rgb:- | md5sum", drops=r".*"),
    Program("enfuse", ["enfuse", "convert"], "enfuse --output=out.ppm $IN/dark.tif $IN/light.tif", PICTURE,
            before="convert $IN/big.ppm -resize 40% -level 0,130% $IN/dark.tif; convert $IN/big.ppm -resize 40% -level 0,70% $IN/light.tif",
            compares="convert out.ppm -resize 20x20 -depth 5 txt:- | head -50 | wc -l"),
    Program("msgmerge", ["msgmerge"], "msgmerge -q -o out $IN/old.po $IN/new.pot",
            {"old.po": "messages", "new.pot": "changed_messages"}, compares="md5sum < out"),
    # Sequences.
    Program("VSEARCH", ["vsearch"], "vsearch --cluster_fast $IN/dna.fa --id 0.8 --centroids out --quiet",
            {"dna.fa": "sequences"}, compares="md5sum < out"),
    Program("Clustal Omega", ["clustalo"], "clustalo -i $IN/protein.fa -o out --force", {"protein.fa": "proteins"},
            compares="md5sum < out"),
    Program("FastTree", ["fasttreeMP"], "fasttreeMP -nt -nosupport -quiet $IN/tree.phy", {"tree.phy": "alignment"}),
    Program("IQ-TREE", ["iqtree2"], "iqtree2 -s $IN/tree.phy -m JC -T 2 -seed 5 -quiet -pre out -redo", {"tree.phy": "alignment"},
            compares="grep -o 's[0-9]*' out.treefile | sort"),
    Program("RAxML", ["raxmlHPC-PTHREADS"], "raxmlHPC-PTHREADS -s $IN/tree.phy -n out -m GTRCAT -p 7 -T 2",
            {"tree.phy": "alignment"}, compares="grep -o 's[0-9]*' RAxML_bestTree.out | sort", drops=r".*"),
    Program("MMseqs2", ["mmseqs"], "mmseqs easy-linclust $IN/protein.fa out tmp -v 0", {"protein.fa": "proteins"},
            compares="sort out_cluster.tsv"),
    Program("MEGAHIT", ["megahit"], "megahit -r $IN/reads.fa -o out -t 2 --force 2> log", {"reads.fa": "reads"},
            compares="grep -v '>' out/final.contigs.fa | wc -c", drops=r".*"),
    Program("mothur", ["mothur"], "mothur -q '#set.dir(output=.); dist.seqs(fasta=$IN/mothur.fa, processors=2)' > log",
            {"mothur.fa": "proteins"}, before="true", compares="ls *.dist | wc -l", drops=r".*"),
    # Science.
    Program("LAMMPS", ["lmp"], "OMP_NUM_THREADS=2 lmp -sf omp -pk omp 2 -in $IN/argon.in -log none -echo none | grep -E '^ +[0-9]+ '",
            {"argon.in": "argon"}),
    Program("GROMACS", ["gmx"], "gmx mdrun -s $IN/water.tpr -nt 2 -ntmpi 1 -ntomp 2 -nb cpu -reprod -deffnm out > log 2>&1",
            {"water.mdp": "water", "water.top": "topology"},
            before="cd $IN && gmx solvate -cs spc216.gro -box 2.2 2.2 2.2 -p water.top -o water.gro && "
                   "gmx grompp -f water.mdp -c water.gro -p water.top -o water.tpr -maxwarn 5",
            compares="printf 'Temperature\\n' | gmx energy -f out.edr 2> log2 | grep '^Temperature' | cut -c1-30"),
    Program("Quantum ESPRESSO", ["pw.x", "/usr/share/espresso/pseudo/Si.pz-vbc.UPF"],
            "OMP_NUM_THREADS=2 pw.x -in $IN/silicon.in > out", {"silicon.in": "silicon"},
            compares="grep '^!' out | cut -c1-45"),
    Program("xtb", ["xtb"], "xtb $IN/caffeine.xyz --gfn 2 > out 2>&1", {"caffeine.xyz": "molecule"},
            compares="grep 'TOTAL ENERGY' out | cut -c1-50"),
    Program("primecount", ["primecount"], "primecount 3e14"),
    Program("Octave", ["octave-cli"], "octave-cli --no-history --eval 'a = reshape(mod(1:640000, 97), 800, 800); "
            "b = a * a'\"'\"'; disp(sum(b(:))); disp(round(det(a(1:50, 1:50) + 50 * eye(50)) / 1e60))'"),
    # Statistics.
    Program("R data.table", ["Rscript", "r:data.table"],
            "Rscript -e 'library(data.table); setDTthreads(2); d <- data.table(k = (1:2000000) %% 1013L, v = 1:2000000); "
            "r <- d[, .(s = sum(as.numeric(v)), n = .N), by = k][order(-s)]; print(head(r)); fwrite(d[1:300000], \"out.csv\"); "
            "print(nrow(fread(\"out.csv\")))'"),
    Program("R mgcv", ["Rscript", "r:mgcv"],
            "Rscript -e 'library(mgcv); set.seed(2); d <- gamSim(1, n = 4000, verbose = FALSE); "
            "print(round(sum(fitted(bam(y ~ s(x0) + s(x1) + s(x2), data = d, nthreads = 2, discrete = TRUE))), 3))'"),
    Program("R Rtsne", ["Rscript", "r:Rtsne"],
            "Rscript -e 'library(Rtsne); set.seed(3); x <- matrix(rnorm(6000), 600); "
            "print(dim(Rtsne(x, max_iter = 200, num_threads = 2)$Y))'"),
    # Python.
    Program("scikit-learn", ["py:sklearn"], python("""
import numpy
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingClassifier
x = numpy.random.default_rng(1).normal(size=(20000, 12))
y = (x[:, 0] + x[:, 1] ** 2 > 1).astype(int)
print(round(KMeans(12, n_init=3, random_state=1).fit(x).inertia_, 1))
print(round(HistGradientBoostingClassifier(max_iter=40, random_state=1).fit(x, y).score(x, y), 3))""")),
    Program("LightGBM", ["py:lightgbm"], python("""
import numpy, lightgbm
x = numpy.random.default_rng(1).normal(size=(20000, 20))
y = (x[:, 0] * x[:, 1] + x[:, 2] > 0).astype(int)
m = lightgbm.train({'objective': 'binary', 'verbose': -1, 'deterministic': True, 'force_row_wise': True, 'seed': 1},
                   lightgbm.Dataset(x, y), 60)
print(round(float(m.predict(x[:500]).sum()), 4))""")),
    Program("XGBoost", ["py:xgboost"], python("""
import numpy, xgboost
x = numpy.random.default_rng(1).normal(size=(20000, 20)).astype('f')
y = (x[:, 0] * x[:, 1] + x[:, 2] > 0).astype(int)
m = xgboost.train({'objective': 'binary:logistic', 'seed': 1}, xgboost.DMatrix(x, y), 40)
print(round(float(m.predict(xgboost.DMatrix(x[:500])).sum()), 2))""")),
    Program("implicit", ["py:implicit"], python("""
import numpy, scipy.sparse, implicit
r = numpy.random.default_rng(1)
m = scipy.sparse.csr_matrix((numpy.ones(60000, 'f'), (r.integers(0, 3000, 60000), r.integers(0, 800, 60000))), (3000, 800))
a = implicit.als.AlternatingLeastSquares(factors=24, iterations=6, random_state=1, use_gpu=False)
a.fit(m, show_progress=False)
print(round(float(numpy.abs(a.user_factors @ a.item_factors.T).sum()) / 1e3, 1))""")),
    Program("hnswlib", ["py:hnswlib"], python("""
import numpy, hnswlib
x = numpy.random.default_rng(1).normal(size=(6000, 24)).astype('f')
i = hnswlib.Index('l2', 24)
i.init_index(6000, ef_construction=100, M=12)
i.add_items(x)
i.set_ef(400)
print(int((i.knn_query(x[:1000], 1)[0][:, 0] == numpy.arange(1000)).sum() > 990))""")),
    Program("numba", ["py:numba"], python("""
import numba, numpy
numba.config.THREADING_LAYER = 'omp'
@numba.njit(parallel=True)
def f(n):
    s = 0
    for i in numba.prange(n):
        s += i * i % 7
    return s
print(sum(f(1000000) for _ in range(20)), numba.threading_layer())""")),
    Program("faiss", ["py:faiss"], python("""
import numpy, faiss
x = numpy.random.default_rng(1).normal(size=(20000, 32)).astype('f')
i = faiss.IndexFlatL2(32)
i.add(x)
print(int(i.search(x[:2000], 3)[1][:, 0].sum()))""")),
    Program("PyTorch", ["py:torch"], python("""
import torch
torch.manual_seed(1)
x = torch.randn(400, 400)
c = torch.nn.Conv2d(3, 16, 3)
print(round(float((x @ x).abs().mean()), 2), round(float(c(torch.randn(8, 3, 64, 64)).sum()), 1))""")),
    # Libraries, by a program in C or C++.
    Program("BLIS", ["gcc", "lib:blis"], "BLIS_NUM_THREADS=4 $IN/$NAME",
            before=c_program("""#include <stdio.h>
#include <stdlib.h>
void cblas_dgemm(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*, int);
int main(void) { int n = 400; double *a = malloc(8l * n * n), *b = malloc(8l * n * n), *c = calloc(n * n, 8);
  for (int i = 0; i < n * n; i++) { a[i] = i % 13; b[i] = i % 7; }
  for (int r = 0; r < 10; r++) cblas_dgemm(101, 111, 111, n, n, n, 1, a, n, b, n, 1, c, n);
  double s = 0; for (int i = 0; i < n * n; i++) s += c[i]; printf("%.0f\\n", s); }""", "-O2 FILE -lblis")),
    Program("GraphBLAS", ["gcc", "lib:graphblas", "/usr/include/suitesparse/GraphBLAS.h"], "$IN/$NAME",
            before=c_program("""#include <suitesparse/GraphBLAS.h>
#include <stdio.h>
int main(void) { GrB_Index n = 8000; GrB_Matrix a, c; GrB_init(GrB_NONBLOCKING); GrB_Matrix_new(&a, GrB_INT64, n, n);
  for (long i = 0; i < 80000; i++) GrB_Matrix_setElement_INT64(a, i % 5, i * 7919 % n, i * 104729 % n);
  GrB_Matrix_new(&c, GrB_INT64, n, n); int64_t s = 0;
  for (int r = 0; r < 5; r++) GrB_mxm(c, 0, 0, GrB_PLUS_TIMES_SEMIRING_INT64, a, a, 0);
  GrB_Matrix_reduce_INT64(&s, 0, GrB_PLUS_MONOID_INT64, c, 0); printf("%ld\\n", (long)s); GrB_finalize(); }""",
                             "-O1 FILE -lgraphblas")),
    Program("MUMPS", ["gcc", "lib:dmumps_seq", "/usr/include/mumps_seq/mpi.h"], "OMP_NUM_THREADS=2 $IN/$NAME",
            before=c_program("""#include <dmumps_c.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) { int w = 120, n = w * w, k = 0; int *i = malloc(20l * n), *j = malloc(20l * n); double *a = malloc(40l * n), *b = malloc(8l * n);
  for (int y = 0; y < w; y++) for (int x = 0; x < w; x++) { int p = y * w + x; b[p] = p % 11;
    i[k] = j[k] = p + 1; a[k++] = 4.1;
    if (x) { i[k] = p + 1; j[k] = p; a[k++] = -1; } if (x < w - 1) { i[k] = p + 1; j[k] = p + 2; a[k++] = -1; }
    if (y) { i[k] = p + 1; j[k] = p + 1 - w; a[k++] = -1; } if (y < w - 1) { i[k] = p + 1; j[k] = p + 1 + w; a[k++] = -1; } }
  DMUMPS_STRUC_C m = {0}; m.job = -1; m.par = 1; m.sym = 0; m.comm_fortran = -987654; dmumps_c(&m);
  m.n = n; m.nnz = k; m.irn = i; m.jcn = j; m.a = a; m.rhs = b; m.icntl[0] = m.icntl[1] = m.icntl[2] = -1; m.icntl[3] = 0; m.icntl[15] = 2;
  m.job = 6; dmumps_c(&m); double s = 0; for (int p = 0; p < n; p++) s += b[p]; printf("%.4f %d\\n", s, m.infog[0]); m.job = -2; dmumps_c(&m); }""",
                             "-O1 -I/usr/include/mumps_seq FILE -ldmumps_seq")),
    Program("dlib", ["g++", "lib:dlib"], "OMP_NUM_THREADS=2 $IN/$NAME",
            before="cat > $IN/$NAME.cc <<'END'\n#include <dlib/matrix.h>\n#include <cstdio>\nint main() { dlib::matrix<double> a(600, 600); "
                   "for (long i = 0; i < a.size(); i++) a(i) = i % 17; dlib::matrix<double> b = a * trans(a); "
                   "std::printf(\"%.0f\\n\", sum(b)); }\nEND\n"
                   "g++ -w -O1 -fopenmp $IN/$NAME.cc -o $IN/$NAME -ldlib -lblas -llapack"),
    Program("OpenCV", ["g++", "lib:opencv_imgproc", "/usr/include/opencv4/opencv2/imgproc.hpp"], "$IN/$NAME",
            before="cat > $IN/$NAME.cc <<'END'\n#include <opencv2/imgproc.hpp>\n#include <cstdio>\nint main() { cv::Mat a(1200, 1600, CV_8UC1); "
                   "for (int y = 0; y < a.rows; y++) for (int x = 0; x < a.cols; x++) a.at<uchar>(y, x) = uchar(x * y >> 3); cv::Mat b; "
                   "_Pragma(\"omp parallel for\") for (int i = 0; i < 4; i++) { cv::Mat c; cv::GaussianBlur(a, c, cv::Size(0, 0), 3); "
                   "if (i == 3) b = c; } std::printf(\"%.0f\\n\", cv::sum(b)[0]); }\nEND\n"
                   "g++ -w -O1 -fopenmp -I/usr/include/opencv4 $IN/$NAME.cc -o $IN/$NAME -lopencv_imgproc -lopencv_core"),
    # Ranks with threads.
    Program("Open MPI and threads", ["mpicc.openmpi", "mpirun.openmpi"],
            "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=2 mpirun.openmpi --oversubscribe -n 2 "
            "--mca btl_vader_single_copy_mechanism none --mca mpi_yield_when_idle 1 $IN/$NAME 2> /dev/null",
            before=f"cat > $IN/$NAME.c <<'END'\n{HYBRID}\nEND\nmpicc.openmpi -w -O1 -fopenmp $IN/$NAME.c -o $IN/$NAME"),
    Program("MPICH and threads", ["mpicc.mpich", "mpirun.mpich"], "OMP_NUM_THREADS=2 mpirun.mpich -n 2 $IN/$NAME 2> /dev/null",
            before=f"cat > $IN/$NAME.c <<'END'\n{HYBRID}\nEND\nmpicc.mpich -w -O1 -fopenmp $IN/$NAME.c -o $IN/$NAME"),
]
