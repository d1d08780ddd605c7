# bash completion for callisto; install as callisto in share/bash-completion/completions.

_callisto() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local subcommands='pagerank triangles info convert generate machine demo bench simulate'
  local formats='edge-list weighted-edge-list matrix-market dimacs metis gapbs-sg gapbs-wsg'
  local machines='sparc-t5-8 sparc-t4-2 x4-2 epyc-9754 epyc-9965 xeon-8360y xeon-6980p altra-q80 graviton4 epyc-guest-2'
  local reporting='--json --quiet --no-progress --help'
  local common="--threads --stats --trace $reporting"
  local build='--keep-repeats --drop-loops'
  local loading="--format --undirected $build"
  local subcommand=${COMP_WORDS[1]} sweep words=
  COMPREPLY=()

  if ((COMP_CWORD == 1)); then
    words="$subcommands --help --version"
  else
    case $previous in
      --format) words=$formats ;;
      --to) words="native $formats" ;;
      --peers | --output | -o | --svg | --cache | --graph | --trace) ;;  # files
      --threads | --damping | --tolerance | --iterations | --top) return ;;  # numbers
      --workload)
        words='even skewed pagerank triangles'
        [[ $subcommand != bench ]] || words='even skewed skew75 power tiny claims launches'
        ;;
      --rounds | --peer) return ;;
      --schedule) words='auto ranges' ;;  # others need quotes
      --machine) words=$machines ;;
      --batch | --hold | --noise | --cap | --cycles | --arc-cycles) return ;;
      --scale | --vertices | --degree | --exponent | --seed) return ;;
      *)
        if [[ $word == -* ]]; then
          case $subcommand in
            pagerank) words="$common $loading --output --damping --tolerance --iterations --top" ;;
            triangles) words="$common $loading --output" ;;
            info) words="$common $loading --output --verify" ;;
            convert) words="$common $loading --to" ;;
            generate) words="$common $build --to --scale --vertices --degree --exponent --seed --directed" ;;
            machine) words="$common --output" ;;
            demo) words="$common $loading --scale --cache --svg" ;;
            bench)
              words="--threads $reporting --workload --batch --schedule --peer --peers --rounds --quick --sweep --svg"
              ;;
            simulate)
              sweep='--schedule --batch --threads --hold --noise --cap --seed --cycles --output'
              sweep+=' --json --quiet --no-progress'
              if [[ ${COMP_WORDS[2]} == fig4 ]]; then
                words="$sweep --iterations"
              elif [[ ${COMP_WORDS[2]} == fig5 ]]; then
                words="$sweep $loading --machine --scale --arc-cycles"
              else
                words="--threads $reporting $loading --list --show --workload --graph --iterations --cycles --arc-cycles"
                words+=' --schedule --batch --hold --noise --joined --cap --seed --output --trace --calibrate --compare'
              fi
              ;;
          esac
        elif [[ $subcommand == generate ]] && ((COMP_CWORD == 2)); then
          words='kronecker uniform power-law'
        elif [[ $subcommand == bench ]] && ((COMP_CWORD == 2)); then
          words='schedule'
        elif [[ $subcommand == simulate ]] && ((COMP_CWORD == 2)); then
          words="fig4 fig5 $machines"
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
