# bash completion for callisto; install as callisto in share/bash-completion/completions.
# Made by tools/cli_words.py from the program's parser; `./x words` makes it anew.

_callisto() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} path= first=1 i
  local flags= valued= subcommands= kind= words= arguments=0 head= choice
  COMPREPLY=()
  # --option=VALUE comes as three words.
  [[ $previous != '=' ]] || previous=${COMP_WORDS[COMP_CWORD - 2]}

  # The subcommand, and the place of the first word behind its name.
  while ((first < COMP_CWORD)); do
    case "$path ${COMP_WORDS[first]}" in
      ' analyze' | ' draw' | ' info' | ' pagerank' | ' betweenness' | ' closeness' | ' eigenvector' | ' katz' | ' hits' | ' triangles' | ' clustering' | ' motifs' | ' cliques' | ' communities' | ' partition' | ' compare-groups' | ' components' | ' scc' | ' biconnected' | ' topological' | ' kcore' | ' bfs' | ' sssp' | ' path' | ' temporal' | ' flow' | ' diameter' | ' eccentricity' | ' forest' | ' truss' | ' similarity' | ' matching' | ' colouring' | ' independent-set' | ' walks' | ' embedding' | ' subgraph' | ' project' | ' watch' | ' convert' | ' generate' | ' demo' | ' run' | ' status' | ' top' | ' set' | ' reset' | ' broker' | ' machine') path+=" ${COMP_WORDS[first]}" ;;
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
      flags='--help --version --color'
      valued=' --color '
      subcommands='analyze draw info pagerank betweenness closeness eigenvector katz hits triangles clustering motifs cliques communities partition compare-groups components scc biconnected topological kcore bfs sssp path temporal flow diameter eccentricity forest truss similarity matching colouring independent-set walks embedding subgraph project watch convert generate demo run status top set reset broker machine help'
      ;;
    ' analyze')
      flags='--help --output --samples --seed --top --weights --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --threads --stats --trace --json --quiet --no-progress --color'
      valued=' -o --output --samples --seed --top --weights --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --threads --trace --color '
      ;;
    ' draw')
      flags='--help --output --what --sizes --colours --label-column --layout --places --labels --communities --side --weights --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --threads --stats --trace --json --quiet --no-progress --color'
      valued=' -o --output --what --sizes --colours --label-column --layout --places --labels --communities --side --weights --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --threads --trace --color '
      ;;
    ' info')
      flags='--help --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --threads --stats --trace --json --quiet --no-progress --color'
      valued=' -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --threads --trace --color '
      ;;
    ' pagerank')
      flags='--help --damping --tolerance --power --iterations --weights --seeds --seeds-file --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --damping --tolerance --iterations --weights --seeds --seeds-file --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' betweenness')
      flags='--help --samples --error --confidence --seed --normalized --edges --weights --form --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --samples --error --confidence --seed --weights --form --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' closeness')
      flags='--help --harmonic --outgoing --normalized --weights --samples --error --confidence --seed --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --weights --samples --error --confidence --seed --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' eigenvector')
      flags='--help --tolerance --iterations --weights --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --tolerance --iterations --weights --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' katz')
      flags='--help --alpha --beta --unscaled --tolerance --iterations --weights --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --alpha --beta --tolerance --iterations --weights --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' hits')
      flags='--help --hubs --tolerance --iterations --weights --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --tolerance --iterations --weights --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' triangles')
      flags='--help --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' clustering')
      flags='--help --directions --weights --top --verify --random-weights --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --weights --top --random-weights -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' motifs')
      flags='--help --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' cliques')
      flags='--help --list --at-least --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --at-least -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' communities')
      flags='--help --method --quality --resolution --directions --iterations --seed --members --weights --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --method --quality --resolution --directions --iterations --seed --members --weights --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' partition')
      flags='--help --parts --imbalance --seed --verify --weights --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --parts --imbalance --seed --weights -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' compare-groups')
      flags='--help --json --quiet --no-progress --color'
      valued=' --color '
      ;;
    ' components')
      flags='--help --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' scc')
      flags='--help --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' biconnected')
      flags='--help --bridges --edges --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' topological')
      flags='--help --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' kcore')
      flags='--help --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' bfs')
      flags='--help --source --sources --seed --depth --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --source --sources --seed --depth --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' sssp')
      flags='--help --source --sources --seed --target --delta --top --verify --random-weights --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --source --sources --seed --target --delta --top --random-weights -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' path')
      flags='--help --all --limit --shortest --weights --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --limit -k --shortest --weights -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' temporal')
      flags='--help --source --time --duration --from --until --strict --to --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --source --time --duration --from --until --to -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' flow')
      flags='--help --edges --weights --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --weights --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' diameter')
      flags='--help --searches --along --weights --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --random-weights --color'
      valued=' --searches --along --weights -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --random-weights --color '
      ;;
    ' eccentricity')
      flags='--help --along --weights --top --verify --random-weights --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --along --weights --top --random-weights -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' forest')
      flags='--help --heaviest --verify --random-weights --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --random-weights -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' truss')
      flags='--help --least --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --least --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' similarity')
      flags='--help --threshold --best --pairs --measure --least-common --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --threshold --best --pairs --measure --least-common --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' matching')
      flags='--help --weights --seed --verify --random-weights --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --weights --seed --random-weights -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' colouring')
      flags='--help --by --seed --top --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --by --seed --top -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' independent-set')
      flags='--help --seed --verify --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --seed -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' walks')
      flags='--help --length --each --start --p --q --seed --weights --verify --random-weights --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --length --each --start --p --q --seed --weights --random-weights -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' embedding')
      flags='--help --dimensions --steps --degree-power --seed --npy --weights --output --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --trials --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --dimensions --steps --degree-power --seed --npy --weights -o --output --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --trials --threads --trace --color '
      ;;
    ' subgraph')
      flags='--help --to --names-to --vertex-table-to --order --largest-component --largest-strong --core --around --hops --vertices --values --column --at-least --at-most --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --to --names-to --vertex-table-to --order --core --around --hops --vertices --values --column --at-least --at-most --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --threads --trace --color '
      ;;
    ' project')
      flags='--help --to --names-to --vertex-table-to --order --onto --weight --at-least --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --to --names-to --vertex-table-to --order --onto --weight --at-least --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --threads --trace --color '
      ;;
    ' watch')
      flags='--help --stream --levels --distances --pagerank --components --batch --top --weights --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --stream --levels --distances --batch --top --weights --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --threads --trace --color '
      ;;
    ' convert')
      flags='--help --to --names-to --vertex-table-to --order --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --random-weights --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --to --names-to --vertex-table-to --order --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --random-weights --threads --trace --color '
      ;;
    ' generate')
      flags='--help --to --names-to --vertex-table-to --order --scale --vertices --degree --exponent --seed --directed --random-weights --repeats --keep-repeats --drop-loops --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --to --names-to --vertex-table-to --order --scale --vertices --degree --exponent --seed --random-weights --repeats --threads --trace --color '
      ;;
    ' demo')
      flags='--help --scale --cache --svg --format --undirected --directed --repeats --keep-repeats --drop-loops --columns --weights-column --separator --header --ids --bipartite --names --skip-bad-lines --encoding --member --attributes --vertex-table --where --threads --stats --trace --json --quiet --no-progress --color'
      valued=' --scale --cache --svg --format --repeats --columns --weights-column --separator --header --ids --names --encoding --member --attributes --vertex-table --where --threads --trace --color '
      ;;
    ' run')
      flags='--help --weight --contexts --coschedule --no-openmp --check'
      valued=' --weight --contexts --coschedule '
      ;;
    ' status')
      flags='--help --json --quiet --no-progress --trace --seconds --metrics --color'
      valued=' --trace --seconds --metrics --color '
      ;;
    ' top')
      flags='--help --interval --color'
      valued=' --interval --color '
      ;;
    ' set')
      flags='--help --weight --color'
      valued=' --weight --color '
      ;;
    ' reset')
      flags='--help --json --quiet --color'
      valued=' --color '
      ;;
    ' broker')
      flags='--help --socket --jobs-per-user --weight --policy --check --quiet --color'
      valued=' --socket --jobs-per-user --weight --policy --color '
      ;;
    ' machine')
      flags='--help --output --threads --stats --trace --json --quiet --no-progress --color'
      valued=' -o --output --threads --trace --color '
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
      ' analyze --weights' | ' draw --weights' | ' pagerank --weights' | ' eigenvector --weights' | ' katz --weights' | ' hits --weights' | ' clustering --weights' | ' communities --weights' | ' partition --weights' | ' flow --weights' | ' matching --weights' | ' walks --weights' | ' embedding --weights' | ' watch --weights')
        kind=words words='strength none'
        ;;
      ' betweenness --weights' | ' closeness --weights' | ' path --weights' | ' diameter --weights' | ' eccentricity --weights')
        kind=words words='length none'
        ;;
      ' subgraph --to' | ' project --to' | ' convert --to' | ' generate --to')
        kind=words words='native edge-list weighted-edge-list table matrix-market dimacs metis graphml gexf gml pajek gapbs-sg gapbs-wsg json dot'
        ;;
      ' subgraph --vertices' | *' -o' | *' --output' | *' --names' | *' --vertex-table' | *' --trace' | *' --places' | *' --seeds-file' | *' --members' | *' --pairs' | *' --npy' | *' --names-to' | *' --vertex-table-to' | *' --values' | *' --svg' | *' --metrics' | *' --policy')
        kind=file
        ;;
      ' project --weight')
        kind=words words='common jaccard newman'
        ;;
      *' --color')
        kind=words words='auto always never'
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
      *' --what')
        kind=words words='graph communities'
        ;;
      *' --sizes')
        kind=or_file words='degree pagerank betweenness equal'
        ;;
      *' --colours')
        kind=words words='communities none'
        ;;
      *' --layout')
        kind=words words='communities forces given'
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
        kind=words words='jaccard overlap cosine common adamic-adar resource-allocation'
        ;;
      *' --by')
        kind=words words='smallest-last largest-first random'
        ;;
      *' --order')
        kind=words words='hubs labels'
        ;;
      *' --onto')
        kind=words words='from to'
        ;;
      *' --cache')
        kind=folder
        ;;
      *' --coschedule')
        kind=words words='on off'
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
      ' broker '[0-9]) kind=none ;;
      ' machine '[0-9]) kind=none ;;
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
