# bash completion for callisto; install as callisto in share/bash-completion/completions.
# Made by tools/cli_words.py from the command's parser; `./x words` makes it anew.

_callisto() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} path= first=1 i
  local flags= valued= subcommands= kind= words= arguments=0 head= choice
  COMPREPLY=()
  # --option=VALUE comes as three words.
  [[ $previous != '=' ]] || previous=${COMP_WORDS[COMP_CWORD - 2]}

  # The subcommand, and the place of the first word behind its name.
  while ((first < COMP_CWORD)); do
    case "$path ${COMP_WORDS[first]}" in
      ' analyze' | ' draw' | ' info' | ' pagerank' | ' betweenness' | ' closeness' | ' eigenvector' | ' katz' | ' hits' | ' triangles' | ' clustering' | ' communities' | ' components' | ' scc' | ' kcore' | ' bfs' | ' sssp' | ' diameter' | ' eccentricity' | ' forest' | ' truss' | ' similarity' | ' matching' | ' colouring' | ' independent-set' | ' walks' | ' subgraph' | ' watch' | ' convert' | ' generate' | ' run' | ' status' | ' top' | ' set' | ' reset' | ' machine' | ' demo' | ' bench' | ' bench schedule' | ' bench gap' | ' bench pairs' | ' bench manners' | ' simulate' | ' simulate fig4' | ' simulate fig5' | ' simulate fig6' | ' simulate fig7' | ' simulate domino' | ' simulate manners') path+=" ${COMP_WORDS[first]}" ;;
      ' help') ;;
      *) break ;;
    esac
    first=$((first + 1))
  done

  # Behind the options of run stands another command.
  if [[ $path == ' run' ]]; then
    i=$first
    while ((i < COMP_CWORD)); do
      case ${COMP_WORDS[i]} in
        --) i=$((i + 1)) && break ;;
        --weight | --contexts | --coschedule) i=$((i + 2)) ;;
        -*) i=$((i + 1)) ;;
        *) break ;;
      esac
    done
    if ((i == COMP_CWORD)) && [[ $word != -* || $previous == -- ]]; then
      mapfile -t COMPREPLY < <(compgen -c -f -- "$word")
      return
    elif ((i < COMP_CWORD)); then
      if [[ ${COMP_WORDS[i]##*/} == callisto ]]; then
        COMP_WORDS=("${COMP_WORDS[@]:i}")
        COMP_CWORD=$((COMP_CWORD - i))
        _callisto
      elif declare -F _command_offset >/dev/null; then
        _command_offset "$i"
      else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
      fi
      return
    fi
  fi

  case $path in
    '')
      flags='--help --version'
      subcommands='analyze draw info pagerank betweenness closeness eigenvector katz hits triangles clustering communities components scc kcore bfs sssp diameter eccentricity forest truss similarity matching colouring independent-set walks subgraph watch convert generate run status top set reset machine demo bench simulate help'
      ;;
    ' analyze')
      flags='--help --output --samples --seed --top --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' -o --output --samples --seed --top --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' draw')
      flags='--help --output --what --sizes --colours --labels --communities --side --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' -o --output --what --sizes --colours --labels --communities --side --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' info')
      flags='--help --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' pagerank')
      flags='--help --damping --tolerance --power --iterations --weights --seeds --seeds-file --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --damping --tolerance --iterations --weights --seeds --seeds-file --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' betweenness')
      flags='--help --samples --error --confidence --seed --normalized --edges --weights --form --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --samples --error --confidence --seed --weights --form --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' closeness')
      flags='--help --harmonic --outgoing --normalized --weights --samples --error --confidence --seed --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --weights --samples --error --confidence --seed --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' eigenvector')
      flags='--help --tolerance --iterations --weights --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --tolerance --iterations --weights --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' katz')
      flags='--help --alpha --beta --unscaled --tolerance --iterations --weights --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --alpha --beta --tolerance --iterations --weights --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' hits')
      flags='--help --hubs --tolerance --iterations --weights --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --tolerance --iterations --weights --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' triangles')
      flags='--help --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' clustering')
      flags='--help --directions --weights --top --verify --random-weights --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --weights --top --random-weights -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' communities')
      flags='--help --method --quality --resolution --directions --iterations --seed --members --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --method --quality --resolution --directions --iterations --seed --members --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' components')
      flags='--help --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' scc')
      flags='--help --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' kcore')
      flags='--help --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' bfs')
      flags='--help --source --sources --seed --depth --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --source --sources --seed --depth --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' sssp')
      flags='--help --source --sources --seed --target --delta --top --verify --random-weights --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --source --sources --seed --target --delta --top --random-weights -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' diameter')
      flags='--help --searches --along --weights --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress --random-weights'
      valued=' --searches --along --weights -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace --random-weights '
      ;;
    ' eccentricity')
      flags='--help --along --weights --top --verify --random-weights --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --along --weights --top --random-weights -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' forest')
      flags='--help --heaviest --verify --random-weights --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --random-weights -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' truss')
      flags='--help --least --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --least --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' similarity')
      flags='--help --threshold --best --pairs --measure --least-common --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --threshold --best --pairs --measure --least-common --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' matching')
      flags='--help --weights --seed --verify --random-weights --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --weights --seed --random-weights -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' colouring')
      flags='--help --by --seed --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --by --seed --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' independent-set')
      flags='--help --seed --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --seed -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' walks')
      flags='--help --length --each --start --p --q --seed --weights --verify --random-weights --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --length --each --start --p --q --seed --weights --random-weights -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' subgraph')
      flags='--help --to --names-to --order --largest-component --largest-strong --core --around --hops --vertices --values --column --at-least --at-most --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --to --names-to --order --core --around --hops --vertices --values --column --at-least --at-most --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' watch')
      flags='--help --stream --levels --distances --pagerank --components --batch --top --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --stream --levels --distances --batch --top --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' convert')
      flags='--help --to --names-to --order --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --random-weights --threads --stats --trace --json --quiet --no-progress'
      valued=' --to --names-to --order --format --repeats --columns --weights-column --separator --header --ids --names --member --random-weights --threads --trace '
      ;;
    ' generate')
      flags='--help --to --names-to --order --scale --vertices --degree --exponent --seed --directed --random-weights --repeats --keep-repeats --drop-loops --threads --stats --trace --json --quiet --no-progress'
      valued=' --to --names-to --order --scale --vertices --degree --exponent --seed --random-weights --repeats --threads --trace '
      ;;
    ' run')
      flags='--help --weight --contexts --coschedule --no-openmp --check --traps'
      valued=' --weight --contexts --coschedule '
      ;;
    ' status')
      flags='--help --json --quiet --no-progress --trace --seconds'
      valued=' --trace --seconds '
      ;;
    ' top')
      flags='--help --interval'
      valued=' --interval '
      ;;
    ' set')
      flags='--help --weight'
      valued=' --weight '
      ;;
    ' reset')
      flags='--help --json --quiet'
      ;;
    ' machine')
      flags='--help --output --threads --stats --trace --json --quiet --no-progress'
      valued=' -o --output --threads --trace '
      ;;
    ' demo')
      flags='--help --scale --cache --svg --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --scale --cache --svg --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' bench')
      flags='--help'
      subcommands='schedule gap pairs manners'
      ;;
    ' bench schedule')
      flags='--help --workload --batch --schedule --peer --peers --rounds --quick --sweep --svg --threads --json --quiet --no-progress'
      valued=' --workload --batch --schedule --peer --peers --rounds --svg --threads '
      ;;
    ' bench gap')
      flags='--help --model --scale --kernel --trials --order --peer-order --seed --verify --peer --scratch --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --threads --stats --trace --json --quiet --no-progress'
      valued=' --model --scale --kernel --trials --order --peer-order --seed --peer --scratch --format --repeats --columns --weights-column --separator --header --ids --names --member --threads --trace '
      ;;
    ' bench pairs')
      flags='--help --programs --background --rounds --length --budget --scale --quick --markdown --output --scratch --json --quiet --no-progress'
      valued=' --programs --background --rounds --length --budget --scale -o --output --scratch '
      ;;
    ' bench manners')
      flags='--help --rounds --length --pairs --json --quiet --no-progress'
      valued=' --rounds --length '
      ;;
    ' simulate')
      flags='--help --list --show --workload --graph --iterations --cycles --arc-cycles --schedule --batch --threads --hold --noise --cap --seed --joined --output --trace --calibrate --compare --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member --json --quiet --no-progress'
      valued=' --workload --graph --iterations --cycles --arc-cycles --schedule --batch --threads --hold --noise --cap --seed -o --output --trace --format --repeats --columns --weights-column --separator --header --ids --names --member '
      subcommands='fig4 fig5 fig6 fig7 domino manners'
      ;;
    ' simulate fig4')
      flags='--help --iterations --cycles --schedule --batch --threads --hold --noise --cap --seed --output --json --quiet --no-progress'
      valued=' --iterations --cycles --schedule --batch --threads --hold --noise --cap --seed -o --output '
      ;;
    ' simulate fig5')
      flags='--help --machine --scale --arc-cycles --cycles --schedule --batch --threads --hold --noise --cap --seed --output --json --quiet --no-progress --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member'
      valued=' --machine --scale --arc-cycles --cycles --schedule --batch --threads --hold --noise --cap --seed -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member '
      ;;
    ' simulate fig6')
      flags='--help --machine --scale --threads --seed --output --json --quiet --no-progress --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member'
      valued=' --machine --scale --threads --seed -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member '
      ;;
    ' simulate fig7')
      flags='--help --machine --scale --threads --searches --seed --output --json --quiet --no-progress --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --member'
      valued=' --machine --scale --threads --searches --seed -o --output --format --repeats --columns --weights-column --separator --header --ids --names --member '
      ;;
    ' simulate domino')
      flags='--help --threads --cycles --height --phases --output --json --quiet --no-progress'
      valued=' --threads --cycles --height --phases -o --output '
      ;;
    ' simulate manners')
      flags='--help --jobs --rounds --contexts --length --json --quiet --no-progress'
      valued=' --jobs --rounds --contexts --length '
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
      ' pagerank --weights' | ' eigenvector --weights' | ' katz --weights' | ' hits --weights' | ' clustering --weights' | ' matching --weights' | ' walks --weights')
        kind=words words='strength none'
        ;;
      ' betweenness --weights' | ' closeness --weights' | ' diameter --weights' | ' eccentricity --weights')
        kind=words words='length none'
        ;;
      ' subgraph --order' | ' convert --order' | ' generate --order')
        kind=words words='hubs labels'
        ;;
      ' bench gap --order' | *' --peer-order')
        kind=words words='given hubs'
        ;;
      ' subgraph --vertices' | *' -o' | *' --output' | *' --names' | *' --trace' | *' --seeds-file' | *' --members' | *' --pairs' | *' --names-to' | *' --values' | *' --svg' | *' --graph')
        kind=file
        ;;
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
      ' bench gap --peer' | *' --cache' | *' --peers' | *' --scratch')
        kind=folder
        ;;
      *' --format')
        kind=words words='edge-list weighted-edge-list table matrix-market dimacs metis graphml gexf gml pajek gapbs-sg gapbs-wsg ligra adjacency-list npz'
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
      *' --what')
        kind=words words='graph communities'
        ;;
      *' --sizes')
        kind=or_file words='degree pagerank betweenness equal'
        ;;
      *' --colours')
        kind=words words='communities none'
        ;;
      *' --form')
        kind=words words='auto flat nested inner'
        ;;
      *' --method')
        kind=words words='leiden louvain labels'
        ;;
      *' --quality')
        kind=words words='modularity cpm'
        ;;
      *' --directions')
        kind=words words='follow ignore'
        ;;
      *' --along')
        kind=words words='both out in'
        ;;
      *' --measure')
        kind=words words='jaccard overlap'
        ;;
      *' --by')
        kind=words words='smallest-last largest-first random'
        ;;
      *' --to')
        kind=words words='native edge-list weighted-edge-list table matrix-market dimacs metis graphml gexf gml pajek gapbs-sg gapbs-wsg'
        ;;
      *' --coschedule')
        kind=words words='on off'
        ;;
      *' --model')
        kind=list words='kronecker uniform grid'
        ;;
      *' --kernel')
        kind=list words='bfs pr cc bc tc sssp'
        ;;
      *' --programs')
        kind=list words='barriers dynamic memory bursty loading storing spinlock dom_bc pagerank triangles betweenness sssp'
        ;;
      *' --background')
        kind=list words='dynamic memory pagerank none'
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
      ' generate 0') kind=words words='kronecker uniform power-law grid' ;;
      ' status '[0-9]) kind=none ;;
      ' top '[0-9]) kind=none ;;
      ' reset '[0-9]) kind=none ;;
      ' machine '[0-9]) kind=none ;;
      ' bench '[0-9]) kind=none ;;
      ' bench schedule '[0-9]) kind=none ;;
      ' bench manners '[0-9]) kind=none ;;
      ' simulate 0') kind=or_file words='altra-q80 epyc-9754 epyc-9965 epyc-guest-2 graviton4 sparc-t4-2 sparc-t5-8 x4-2 xeon-6980p xeon-8360y' ;;
      ' simulate fig4 0') kind=or_file words='altra-q80 epyc-9754 epyc-9965 epyc-guest-2 graviton4 sparc-t4-2 sparc-t5-8 x4-2 xeon-6980p xeon-8360y' ;;
      ' simulate domino 0') kind=or_file words='altra-q80 epyc-9754 epyc-9965 epyc-guest-2 graviton4 sparc-t4-2 sparc-t5-8 x4-2 xeon-6980p xeon-8360y' ;;
      ' simulate manners 0') kind=or_file words='altra-q80 epyc-9754 epyc-9965 epyc-guest-2 graviton4 sparc-t4-2 sparc-t5-8 x4-2 xeon-6980p xeon-8360y' ;;
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

complete -F _callisto callisto
