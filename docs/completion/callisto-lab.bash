# bash completion for callisto-lab; install as callisto-lab in share/bash-completion/completions.
# Made by tools/cli_words.py from the program's parser; `./x words` makes it anew.

_callisto_lab() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} path= first=1 i
  local flags= valued= subcommands= kind= words= arguments=0 head= choice
  COMPREPLY=()
  # --option=VALUE comes as three words.
  [[ $previous != '=' ]] || previous=${COMP_WORDS[COMP_CWORD - 2]}

  # The subcommand, and the place of the first word behind its name.
  while ((first < COMP_CWORD)); do
    case "$path ${COMP_WORDS[first]}" in
      ' bench' | ' bench schedule' | ' bench gap' | ' bench pairs' | ' bench manners' | ' limits' | ' simulate' | ' simulate fig4' | ' simulate fig5' | ' simulate fig6' | ' simulate fig7' | ' simulate domino' | ' simulate manners' | ' simulate cluster') path+=" ${COMP_WORDS[first]}" ;;
      ' help') ;;
      *) break ;;
    esac
    first=$((first + 1))
  done

  case $path in
    '')
      flags='--help --version --color'
      valued=' --color '
      subcommands='bench limits simulate help'
      ;;
    ' bench')
      flags='--help --color'
      valued=' --color '
      subcommands='schedule gap pairs manners'
      ;;
    ' bench schedule')
      flags='--help --workload --batch --schedule --peer --peers --rounds --quick --sweep --svg --threads --json --quiet --no-progress --color'
      valued=' --workload --batch --schedule --peer --peers --rounds --svg --threads --color '
      ;;
    ' bench gap')
      flags='--help --model --scale --kernel --trials --order --peer-order --seed --verify --peer --scratch --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --model --scale --kernel --trials --order --peer-order --seed --peer --scratch --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --threads --trace --color '
      ;;
    ' bench pairs')
      flags='--help --programs --background --rounds --length --budget --scale --quick --markdown --output --scratch --json --quiet --no-progress --color'
      valued=' --programs --background --rounds --length --budget --scale -o --output --scratch --color '
      ;;
    ' bench manners')
      flags='--help --rounds --length --pairs --json --quiet --no-progress --color'
      valued=' --rounds --length --color '
      ;;
    ' limits')
      flags='--help --workload --rounds --scale --most --threads --program --list --json --quiet --no-progress --color'
      valued=' --workload --rounds --scale --most --threads --program --color '
      ;;
    ' simulate')
      flags='--help --list --show --workload --graph --iterations --cycles --arc-cycles --schedule --batch --threads --hold --noise --cap --seed --joined --output --trace --calibrate --compare --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --json --quiet --no-progress --color'
      valued=' --workload --graph --iterations --cycles --arc-cycles --schedule --batch --threads --hold --noise --cap --seed -o --output --trace --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --color '
      subcommands='fig4 fig5 fig6 fig7 domino manners cluster'
      ;;
    ' simulate fig4')
      flags='--help --iterations --cycles --schedule --batch --threads --hold --noise --cap --seed --output --json --quiet --no-progress --color'
      valued=' --iterations --cycles --schedule --batch --threads --hold --noise --cap --seed -o --output --color '
      ;;
    ' simulate fig5')
      flags='--help --machine --scale --arc-cycles --cycles --schedule --batch --threads --hold --noise --cap --seed --output --json --quiet --no-progress --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --color'
      valued=' --machine --scale --arc-cycles --cycles --schedule --batch --threads --hold --noise --cap --seed -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --color '
      ;;
    ' simulate fig6')
      flags='--help --machine --scale --threads --seed --output --json --quiet --no-progress --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --color'
      valued=' --machine --scale --threads --seed -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --color '
      ;;
    ' simulate fig7')
      flags='--help --machine --scale --threads --searches --seed --output --json --quiet --no-progress --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --color'
      valued=' --machine --scale --threads --searches --seed -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --color '
      ;;
    ' simulate domino')
      flags='--help --threads --cycles --height --phases --output --json --quiet --no-progress --color'
      valued=' --threads --cycles --height --phases -o --output --color '
      ;;
    ' simulate manners')
      flags='--help --jobs --rounds --contexts --length --json --quiet --no-progress --color'
      valued=' --jobs --rounds --contexts --length --color '
      ;;
    ' simulate cluster')
      flags='--help --nodes --ranks --workers --microseconds --scale --seed --output --json --quiet --no-progress --color'
      valued=' --nodes --ranks --workers --microseconds --scale --seed -o --output --color '
      ;;
  esac
  for ((i = first; i < COMP_CWORD; i++)); do
    if [[ $valued == *" ${COMP_WORDS[i]} "* ]]; then
      i=$((i + 1))
    elif [[ ${COMP_WORDS[i]} != -* ]]; then
      arguments=$((arguments + 1))
    fi
  done
  # The value of an option, the name of an option, or an argument.
  if [[ $valued == *" $previous "* ]]; then
    case "$path $previous" in
      ' bench schedule --workload')
        kind=list words='even skewed skew75 power skewed-reversed skew75-reversed power-reversed tiny claims launches'
        ;;
      ' simulate --workload')
        kind=words words='even skewed pagerank triangles'
        ;;
      ' bench schedule --schedule')
        kind=words words='auto ranges counter(machine) counter(socket) counter(core) combine(core)/counter(core) combine(core,async)/counter(core)'
        ;;
      ' simulate --schedule' | ' simulate fig4 --schedule' | ' simulate fig5 --schedule')
        kind=words words='auto ranges counter(machine) counter(socket) counter(core) counter(thread) combine(core)/counter(core) combine(core,async)/counter(core)'
        ;;
      ' bench schedule --peer')
        kind=list words='libgomp libiomp5 onetbb taskflow dispenso parlay rayon none'
        ;;
      ' bench gap --peer' | *' --peers' | *' --scratch')
        kind=folder
        ;;
      *' --color')
        kind=words words='auto always never'
        ;;
      *' --svg' | *' --names' | *' --vertex-table' | *' --trace' | *' -o' | *' --output' | *' --program' | *' --graph')
        kind=file
        ;;
      *' --model')
        kind=list words='kronecker uniform grid'
        ;;
      *' --kernel')
        kind=list words='bfs pr cc bc tc sssp'
        ;;
      *' --order' | *' --peer-order')
        kind=words words='given hubs'
        ;;
      *' --format')
        kind=words words='edge-list weighted-edge-list table matrix-market dimacs metis graphml gexf gml pajek gapbs-sg gapbs-wsg ligra adjacency-list npz npy json dot lgl'
        ;;
      *' --repeats')
        kind=words words='sum min max first keep'
        ;;
      *' --separator')
        kind=words words='tab blank , ; |'
        ;;
      *' --header')
        kind=words words='yes no'
        ;;
      *' --ids')
        kind=words words='numbers names'
        ;;
      *' --attributes')
        kind=words words='all none'
        ;;
      *' --programs')
        kind=list words='barriers dynamic memory bursty loading storing spinlock dom_bc pagerank triangles betweenness sssp'
        ;;
      *' --background')
        kind=list words='dynamic memory pagerank none'
        ;;
      *' --most')
        kind=words words='2 4 8'
        ;;
      *' --machine')
        kind=or_file words='altra-q80 epyc-9754 epyc-9965 epyc-guest-2 graviton4 sparc-t4-2 sparc-t5-8 x4-2 xeon-6980p xeon-8360y'
        ;;
    esac
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$word")
    return
  else
    kind=file
    case "$path $arguments" in
      ' '[0-9]) kind=none ;;
      ' bench '[0-9]) kind=none ;;
      ' bench schedule '[0-9]) kind=none ;;
      ' bench manners '[0-9]) kind=none ;;
      ' simulate 0') kind=or_file words='altra-q80 epyc-9754 epyc-9965 epyc-guest-2 graviton4 sparc-t4-2 sparc-t5-8 x4-2 xeon-6980p xeon-8360y' ;;
      ' simulate fig4 0') kind=or_file words='altra-q80 epyc-9754 epyc-9965 epyc-guest-2 graviton4 sparc-t4-2 sparc-t5-8 x4-2 xeon-6980p xeon-8360y' ;;
      ' simulate domino 0') kind=or_file words='altra-q80 epyc-9754 epyc-9965 epyc-guest-2 graviton4 sparc-t4-2 sparc-t5-8 x4-2 xeon-6980p xeon-8360y' ;;
      ' simulate manners 0') kind=or_file words='altra-q80 epyc-9754 epyc-9965 epyc-guest-2 graviton4 sparc-t4-2 sparc-t5-8 x4-2 xeon-6980p xeon-8360y' ;;
      ' simulate cluster 0') kind=words words='gups uts workers programs reads tables paper scale model faults probe costs' ;;
      ' simulate cluster 1') kind=or_file words='ethernet-100g-tcp ethernet-100g infiniband-ndr interlagos-qdr' ;;
    esac
    if ((arguments == 0)) && [[ -n $subcommands ]]; then
      words="$subcommands $words"
      [[ $kind == or_file ]] || kind=words
    fi
  fi

  [[ $kind != list || $word != *,* ]] || head=${word%,*},
  for choice in $words; do
    [[ $head$choice == "$word"* ]] || continue
    choice=${choice//(/\\(}
    COMPREPLY+=("$head${choice//)/\\)}")
  done
  case $kind in
    or_file) ((${#COMPREPLY[@]})) && return ;;
    file | folder) ;;
    *) return ;;
  esac
  compopt -o filenames 2>/dev/null
  if [[ $kind == folder ]]; then
    mapfile -t COMPREPLY < <(compgen -d -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}

complete -F _callisto_lab callisto-lab
