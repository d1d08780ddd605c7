# `./x global-demo`: the programs of the Grappa paper over 1, 2 and 4 ranks, beside what others have published. Sourced
# by ./x.
# shellcheck shell=bash

# mpi_launcher: the first launcher that is installed, with what it needs to run more ranks than CPUs, in `launcher`.
launcher=()
mpi_launcher() {
  local name
  for name in mpirun.openmpi mpirun.mpich mpirun; do
    command -v "$name" >/dev/null || continue
    launcher=("$name")
    if "$name" --version 2>/dev/null | grep -q 'Open MPI\|OpenRTE'; then
      launcher+=(--oversubscribe)
      ((EUID != 0)) || launcher+=(--allow-run-as-root)
    fi
    return
  done
  die "global-demo: no mpirun; install openmpi-bin or mpich"
}

# demo_row NAME UNIT PUBLISHED PROGRAM ARGUMENT...: a row of the table, one number for each count of ranks.
demo_row() {
  local name=$1 unit=$2 published=$3 ranks line value cells=""
  shift 3
  for ranks in 1 2 4; do
    line=$(CALLISTO_GLOBAL_THREADS=1 timeout 600 "${launcher[@]}" -n "$ranks" "$@" 2>&1) ||
      die "global-demo: $name on $ranks ranks: ${line##*$'\n'}"
    value=$(sed -n 's/.*\(median\|harmonic mean\) \([0-9.]*\) M.*/\2/p' <<<"$line" | tail -1)
    [[ -n $value ]] || die "global-demo: $name on $ranks ranks printed no rate: ${line##*$'\n'}"
    cells+=" $(printf '%8s' "$value") |"
  done
  printf '| %-28s | %-13s |%s %s |\n' "$name" "$unit" "$cells" "$published"
}

show_global_table() {
  local bin=build/release/bin
  printf '| %-28s | %-13s | %8s | %8s | %8s | %s |\n' program unit "1 rank" "2 ranks" "4 ranks" "others"
  printf '| --- | --- | ---: | ---: | ---: | --- |\n'
  demo_row "GUPS, messages, 256 MiB" "M updates/s" "published, a node: Grappa 16 (16 cores), Conveyors 310 (32 cores)" "$bin/gups" --repeats 2
  demo_row "GUPS, one packet an update" "M updates/s" "without aggregation" \
    "$bin/gups" --no-aggregation --log2-words 20 --updates-per-word 1 --repeats 1
  if [[ -x $bin/array_gups ]]; then demo_row "GUPS, array" "M updates/s" "as above" "$bin/array_gups"; fi
  if [[ -x $bin/uts_mem ]]; then
    demo_row "UTS-Mem T1" "M vertices/s" "Grappa 8.6 on a rank, 6.1 on two, measured for docs/results/global.md" "$bin/uts_mem" T1 3
    demo_row "UTS-Mem T3" "M vertices/s" "Grappa 10.7 on a rank, 7.9 on two, measured likewise" "$bin/uts_mem" T3 3
  fi
  demo_row "Graph500 BFS, scale 18" "M edges/s" "Graph500 3's MPI program: 73 on a rank, 57 on two, elsewhere" \
    "$bin/graph500" --scale 18 --searches 16
  demo_row "Graph500 BFS, posts, 16" "M edges/s" "a message an arc, as Grappa's program" \
    "$bin/graph500" --scale 16 --searches 4 --posts 1
  demo_row "IntSort A, exchange" "M keys/s" "NAS' MPI program: 73 on a rank, 130 on two" "$bin/int_sort" A exchange 3
  demo_row "IntSort A, posts" "M keys/s" "Grappa 48 on a rank, 31 on two, elsewhere" "$bin/int_sort" A posts 1
  demo_row "PageRank, scale 18" "M arcs/s" "the command's kernel" "$bin/pagerank" --scale 18
  demo_row "PageRank, posts, scale 16" "M arcs/s" "a message an arc, as Grappa's program" \
    "$bin/pagerank" --scale 16 --posts 1 --runs 1
  say "$(nproc) CPUs; ranks have one thread each; more ranks than CPUs share them"
}
