# bash completion for callisto; install as callisto in share/bash-completion/completions.

_callisto() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local subcommands='analyze pagerank triangles betweenness bfs sssp components scc kcore communities clustering diameter info convert generate machine demo bench simulate run status top reset'
  local formats='edge-list weighted-edge-list matrix-market dimacs metis gapbs-sg gapbs-wsg'
  local machines='sparc-t5-8 sparc-t4-2 x4-2 epyc-9754 epyc-9965 xeon-8360y xeon-6980p altra-q80 graviton4 epyc-guest-2'
  local reporting='--json --quiet --no-progress --help'
  local common="--threads --stats --trace $reporting"
  local build='--keep-repeats --drop-loops'
  local loading="--format --undirected $build"
  local subcommand=${COMP_WORDS[1]} sweep words=
  COMPREPLY=()

  # Behind the options of run stands another command.
  if [[ $subcommand == run ]] && ((COMP_CWORD > 1)) && [[ $word != -* && $previous != --weight && $previous != --contexts && $previous != --coschedule ]]; then
    mapfile -t COMPREPLY < <(compgen -c -f -- "$word")
    return
  fi

  if ((COMP_CWORD == 1)); then
    words="$subcommands --help --version"
  else
    case $previous in
      --format) words=$formats ;;
      --order | --peer-order)
        words='hubs labels'
        [[ $subcommand != bench ]] || words='given hubs'
        ;;
      --to) words="native $formats" ;;
      --peers | --scratch | --output | -o | --svg | --cache | --graph | --trace | --seeds-file) ;;  # files
      --threads | --damping | --tolerance | --iterations | --top | --seeds | --resolution) return ;;  # numbers
      --trials | --samples | --source | --sources | --depth | --delta | --searches | --random-weights) return ;;
      --workload)
        words='even skewed pagerank triangles'
        [[ $subcommand != bench ]] || words='even skewed skew75 power tiny claims launches'
        ;;
      --peer) [[ ${COMP_WORDS[2]} == gap ]] || return ;;
      --model) words='kronecker uniform grid' ;;
      --kernel) words='bfs pr cc bc tc sssp' ;;
      --rounds | --length | --budget | --weight | --contexts | --interval | --seconds) return ;;
      --coschedule) words='on off' ;;
      --programs) words='barriers dynamic memory bursty loading storing spinlock pagerank triangles betweenness sssp' ;;
      --background) words='dynamic memory pagerank none' ;;
      --schedule) words='auto ranges' ;;  # others need quotes
      --method) words='louvain labels' ;;
      --form) words='auto flat nested inner' ;;
      --machine) words=$machines ;;
      --batch | --hold | --noise | --cap | --cycles | --arc-cycles) return ;;
      --scale | --vertices | --degree | --exponent | --seed) return ;;
      *)
        if [[ $word == -* ]]; then
          case $subcommand in
            analyze) words="$common $loading --output --samples --seed --top" ;;
            pagerank) words="$common $loading --output --damping --tolerance --power --iterations --seeds --seeds-file --top --verify" ;;
            triangles) words="$common $loading --output --verify" ;;
            betweenness) words="$common $loading --output --samples --seed --normalized --form --top --verify" ;;
            bfs) words="$common $loading --output --source --sources --seed --depth --top --verify" ;;
            sssp)
              words="$common $loading --output --source --sources --seed --delta --random-weights --top --verify"
              ;;
            components | scc | kcore | clustering) words="$common $loading --output --top --verify" ;;
            communities) words="$common $loading --output --method --resolution --top --verify" ;;
            diameter) words="$common $loading --output --searches --verify" ;;
            info) words="$common $loading --output --verify" ;;
            convert) words="$common $loading --to --order --random-weights" ;;
            generate)
              words="$common $build --to --order --random-weights --scale --vertices --degree --exponent --seed --directed"
              ;;
            machine) words="$common --output" ;;
            demo) words="$common $loading --scale --cache --svg" ;;
            bench)
              if [[ ${COMP_WORDS[2]} == gap ]]; then
                words="$common $loading --model --scale --kernel --trials --seed --verify --order"
                words+=' --peer --peer-order --scratch'
              elif [[ ${COMP_WORDS[2]} == pairs ]]; then
                words="$reporting --programs --background --rounds --length --budget --scale --quick --markdown --output"
                words+=' --scratch'
              else
                words="--threads $reporting --workload --batch --schedule --peer --peers --rounds --quick --sweep --svg"
              fi
              ;;
            run) words='--weight --contexts --coschedule --no-openmp --help' ;;
            status) words="$reporting --trace --seconds" ;;
            top) words='--interval --help' ;;
            reset) words='--json --quiet --help' ;;
            simulate)
              sweep='--schedule --batch --threads --hold --noise --cap --seed --cycles --output'
              sweep+=' --json --quiet --no-progress'
              if [[ ${COMP_WORDS[2]} == fig4 ]]; then
                words="$sweep --iterations"
              elif [[ ${COMP_WORDS[2]} == fig5 ]]; then
                words="$sweep $loading --machine --scale --arc-cycles"
              elif [[ ${COMP_WORDS[2]} == fig7 ]]; then
                words="$loading --machine --scale --threads --searches --seed --output --json --quiet --no-progress"
              else
                words="--threads $reporting $loading --list --show --workload --graph --iterations --cycles --arc-cycles"
                words+=' --schedule --batch --hold --noise --joined --cap --seed --output --trace --calibrate --compare'
              fi
              ;;
          esac
        elif [[ $subcommand == generate ]] && ((COMP_CWORD == 2)); then
          words='kronecker uniform power-law grid'
        elif [[ $subcommand == bench ]] && ((COMP_CWORD == 2)); then
          words='schedule gap pairs'
        elif [[ $subcommand == simulate ]] && ((COMP_CWORD == 2)); then
          words="fig4 fig5 fig7 $machines"
        fi
        ;;
    esac
  fi

  if [[ -n $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}

complete -F _callisto callisto
