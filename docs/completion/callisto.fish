# fish completion for callisto; install as callisto.fish in share/fish/vendor_completions.d.
# Made by tools/cli_words.py from the program's parser; `./x words` makes it anew.

# The subcommand on the command line, such as 'bench gap', and behind it how many arguments there are already.
function __callisto_words
    set -l paths 'analyze' 'draw' 'info' 'pagerank' 'betweenness' 'closeness' 'eigenvector' 'katz' 'hits' 'triangles' 'clustering' 'communities' 'compare-groups' 'components' 'scc' 'biconnected' 'topological' 'kcore' 'bfs' 'sssp' 'path' 'flow' 'diameter' 'eccentricity' 'forest' 'truss' 'similarity' 'matching' 'colouring' 'independent-set' 'walks' 'subgraph' 'watch' 'convert' 'generate' 'demo' 'run' 'status' 'top' 'set' 'reset' 'broker' 'machine'
    set -l valued --along --alpha --around --at-least --at-most --attributes --batch --best --beta --by --cache --color --colours --column --columns --communities --confidence --contexts --core --coschedule --damping --degree --delta --depth --directions --distances --each --encoding --error --exponent --form --format --header --hops --ids --interval --iterations --jobs-per-user --labels --least --least-common --length --levels --limit --measure --member --members --method --metrics --names --names-to --order --output --p --pairs --policy --q --quality --random-weights --repeats --resolution --samples --scale --searches --seconds --seed --seeds --seeds-file --separator --shortest --side --sizes --socket --source --sources --start --stream --svg --target --threads --threshold --to --tolerance --top --trace --values --vertex-table --vertex-table-to --vertices --weight --weights --weights-column --what --where -k -o
    set -l path ''
    set -l arguments 0
    set -l skip 0
    for word in (commandline -opc)[2..]
        if test $skip = 1
            set skip 0
        else if contains -- $word $valued
            set skip 1
        else if string match -q -- '-*' $word
            continue
        else if test $arguments = 0; and contains -- (string trim "$path $word") $paths
            set path (string trim "$path $word")
        else
            set arguments (math $arguments + 1)
        end
    end
    echo $path
    echo $arguments
end

# True if the subcommand is one of the arguments; '' is none.
function __callisto_at
    set -l words (__callisto_words)
    contains -- "$words[1]" $argv
end

# True if the word to complete is the argument of this number.
function __callisto_argument
    set -l words (__callisto_words)
    test (math $words[2] + 1) = $argv[1]
end

# True if the first word is this one.
function __callisto_first
    set -l words (commandline -opc)
    test "$words[2]" = $argv[1]
end

# The numbers of the jobs that share the machine.
function __callisto_jobs
    command -q callisto; or return
    callisto status --json 2>/dev/null | string replace -r -f '^\s*"job": (\d+).*' '$1'
end

# True if the word to complete looks like a file's name.
function __callisto_names_file
    string match -q -r '[./~]' -- (commandline -ct)
end

complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a analyze -d 'Give an overview of a graph, as a page with pictures'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a draw -d 'Draw a graph, or its communities, as SVG'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a info -d 'Say what a graph file holds'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a pagerank -d 'Rank the vertices of a graph by importance'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a betweenness -d 'Rank the vertices by the shortest paths that lead through them'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a closeness -d 'Rank the vertices by how near all others are to them'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a eigenvector -d 'Rank the vertices by the scores of those that point to them'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a katz -d 'Rank the vertices by the walks that lead to them, longer ones counting less'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a hits -d 'Rank the vertices as authorities, and as hubs that point to them'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a triangles -d 'Count the triangles of a graph'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a clustering -d 'Find how many neighbours of a vertex are neighbours themselves'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a communities -d 'Find groups of vertices with many edges inside'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a compare-groups -d 'Tell how much two divisions of vertices into groups agree'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a components -d 'Find the connected components of a graph'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a scc -d 'Find the strongly connected components of a graph'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a biconnected -d 'Find bridges, articulation points and biconnected components'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a topological -d 'Order the vertices of a graph without cycles so that arcs lead forward'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a kcore -d 'Find how deep in the graph every vertex lies'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a bfs -d 'Find how many arcs away every vertex is from a source'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a sssp -d 'Find the shortest weighted paths from a source'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a path -d 'Find the shortest paths between two vertices'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a flow -d 'Find the largest flow between two vertices, and the least cut'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a diameter -d 'Find how far apart two vertices are at most'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a eccentricity -d 'Find how far away the farthest vertex is, from every vertex'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a forest -d 'Find the lightest edges that connect all vertices'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a truss -d 'Find how deep in triangles every edge lies'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a similarity -d 'Find vertices that are alike by the neighbours that they share'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a matching -d 'Match neighbours in pairs, until none is left to match'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a colouring -d 'Give every vertex a colour that none of its neighbours has'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a independent-set -d 'Find vertices of which no two are neighbours, until none can be added'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a walks -d 'Make random walks, also those of node2vec'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a subgraph -d 'Write some vertices of a graph and the edges between'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a watch -d 'Keep analyses up to date while edges come and go'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a convert -d 'Write a graph in another format'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a generate -d 'Make a synthetic graph'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a demo -d 'Compare Callisto with OpenMP'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a run -d 'Run a program as a job among others'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a status -d 'Show the jobs that share the machine, and where they run'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a top -d 'Watch the jobs that share the machine'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a set -d 'Change the weight of a job that runs'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a reset -d 'Clear up what ended jobs left in the table'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a broker -d 'Divide the machine among users that do not trust each other'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a machine -d 'Show the machine, its limits, and where the threads run'
complete -c callisto -n '__callisto_at '\'''\''' -f
complete -c callisto -n '__callisto_at '\''generate'\''; and __callisto_argument 1' -f -a 'kronecker uniform power-law grid' -d MODEL
complete -c callisto -n '__callisto_at '\''run'\''' -x -a '(__fish_complete_subcommand --fcs-skip=2 --weight --contexts --coschedule)' -d PROGRAM
complete -c callisto -n '__callisto_at '\''status'\''' -f
complete -c callisto -n '__callisto_at '\''top'\''' -f
complete -c callisto -n '__callisto_at '\''set'\''' -f -a '(__callisto_jobs)' -d job
complete -c callisto -n '__callisto_at '\''reset'\''' -f
complete -c callisto -n '__callisto_at '\''broker'\''' -f
complete -c callisto -n '__callisto_at '\''machine'\''' -f
complete -c callisto -n '__callisto_at '\'''\'' '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''compare-groups'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''generate'\'' '\''demo'\'' '\''run'\'' '\''status'\'' '\''top'\'' '\''set'\'' '\''reset'\'' '\''broker'\'' '\''machine'\''' -s h -l help -d 'Print this help'
complete -c callisto -n '__callisto_at '\'''\''' -s V -l version -d 'Print the version'
complete -c callisto -n '__callisto_at '\'''\'' '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''compare-groups'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''generate'\'' '\''demo'\'' '\''status'\'' '\''top'\'' '\''set'\'' '\''reset'\'' '\''broker'\'' '\''machine'\''' -l color -x -a 'auto always never' -d 'When to write in colours'
complete -c callisto -n '__callisto_at '\''analyze'\''' -s o -l output -r -F -d 'Write the page to FILE'
complete -c callisto -n '__callisto_at '\''analyze'\''' -l samples -x -d 'Random sources of betweenness'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''betweenness'\''' -l seed -x -d 'Choose the sources by this seed'
complete -c callisto -n '__callisto_at '\''analyze'\''' -l top -x -d 'Show the K best vertices, and the K largest components and communities'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''pagerank'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''clustering'\'' '\''communities'\'' '\''flow'\'' '\''matching'\'' '\''walks'\'' '\''watch'\''' -l weights -x -a 'strength none' -d 'What weights of edges are'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''demo'\''' -l format -x -a 'edge-list weighted-edge-list table matrix-market dimacs metis graphml gexf gml pajek gapbs-sg gapbs-wsg ligra adjacency-list npz npy json dot lgl' -d 'Format of the input instead of what its content shows'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''demo'\''' -l undirected -d 'Ignore the direction of edges'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''demo'\''' -l directed -d 'Take edges as directed, whatever a header says'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''generate'\'' '\''demo'\''' -l repeats -x -a 'sum min max first keep' -d 'What becomes of edges that repeat others'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''generate'\'' '\''demo'\''' -l keep-repeats -d 'The same as --repeats keep'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''generate'\'' '\''demo'\''' -l drop-loops -d 'Drop edges from a vertex to itself'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''demo'\''' -l columns -x -d 'Columns of a table, by name or by number from 1'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''demo'\''' -l weights-column -x -d 'Column of the weights, by name or number'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''demo'\''' -l separator -x -a 'tab blank , '\'';'\'' '\''|'\''' -d 'Character between columns'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''demo'\''' -l header -x -a 'yes no' -d 'Whether the first line of a table names the columns'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''demo'\''' -l ids -x -a 'numbers names' -d 'What vertices are called'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''demo'\''' -l bipartite -d 'Take ids of the first column as other vertices than those of the second'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''demo'\''' -l names -r -F -d 'File with the names of numbered vertices'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''demo'\''' -l skip-bad-lines -d 'Leave out the lines of a list or table that are no edges, and tell of them'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''demo'\''' -l encoding -x -d 'Encoding of the file, such as UTF-16, latin1 or cp850'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''demo'\''' -l member -x -d 'File to read of an archive'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''demo'\''' -l attributes -x -a 'all none' -d 'Further columns to read'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''demo'\''' -l vertex-table -r -F -d 'Table with columns of the vertices'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''demo'\''' -l where -x -d 'Keep the vertices and edges for which CONDITION is true, such as '\''city == "Bern" and weight > 2'\'''
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''generate'\'' '\''demo'\'' '\''machine'\''' -l threads -x -d 'Threads that work, 1 or more'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''generate'\'' '\''demo'\'' '\''machine'\''' -l stats -d 'Show at the end what each loop did'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''generate'\'' '\''demo'\'' '\''machine'\''' -l trace -r -F -d 'Write a timeline of the loops to FILE, for ui.perfetto.dev'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''compare-groups'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''generate'\'' '\''demo'\'' '\''status'\'' '\''reset'\'' '\''machine'\''' -l json -d 'Print one JSON object instead of text'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''compare-groups'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''generate'\'' '\''demo'\'' '\''status'\'' '\''machine'\''' -s q -l quiet -d 'Print the bare result only, and no progress'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''draw'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''compare-groups'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''watch'\'' '\''convert'\'' '\''generate'\'' '\''demo'\'' '\''status'\'' '\''machine'\''' -l no-progress -d 'Show no progress line'
complete -c callisto -n '__callisto_at '\''draw'\''' -s o -l output -r -F -d 'Draw into FILE'
complete -c callisto -n '__callisto_at '\''draw'\''' -l what -x -a 'graph communities' -d 'Draw the graph, or communities as circles'
complete -c callisto -n '__callisto_at '\''draw'\''' -l sizes -r -a 'degree pagerank betweenness equal' -d 'What areas of circles show'
complete -c callisto -n '__callisto_at '\''draw'\''' -l colours -x -a 'communities none' -d 'What colours show'
complete -c callisto -n '__callisto_at '\''draw'\''' -l labels -x -d 'Name the N largest circles, if their names do not overlap'
complete -c callisto -n '__callisto_at '\''draw'\''' -l communities -x -d 'Draw the N largest communities'
complete -c callisto -n '__callisto_at '\''draw'\''' -l side -x -d 'Side of the drawing, in pixels'
complete -c callisto -n '__callisto_at '\''info'\''' -l verify -d 'Check every checksum and every row of a native file'
complete -c callisto -n '__callisto_at '\''info'\'' '\''triangles'\'' '\''diameter'\'' '\''machine'\''' -s o -l output -r -F -d 'Write the result to FILE'
complete -c callisto -n '__callisto_at '\''pagerank'\''' -l damping -x -d 'Probability of following an edge, at least 0 and below 1'
complete -c callisto -n '__callisto_at '\''pagerank'\''' -l tolerance -x -d 'Stop when an iteration changes all scores together by no more than this'
complete -c callisto -n '__callisto_at '\''pagerank'\''' -l power -d 'Plain power iteration from equal scores, which takes more iterations'
complete -c callisto -n '__callisto_at '\''pagerank'\''' -l iterations -x -d 'Stop after this many iterations'
complete -c callisto -n '__callisto_at '\''pagerank'\''' -l seeds -x -d 'Begin again only at these vertices'
complete -c callisto -n '__callisto_at '\''pagerank'\''' -l seeds-file -r -F -d 'Begin again only at the vertices in FILE, one a line, a weight behind it or not'
complete -c callisto -n '__callisto_at '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\''' -l top -x -d 'Show the K highest scores'
complete -c callisto -n '__callisto_at '\''pagerank'\''' -l verify -d 'Check the result by its sum and one sequential iteration'
complete -c callisto -n '__callisto_at '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\''' -s o -l output -r -F -d 'Write all scores to FILE'
complete -c callisto -n '__callisto_at '\''betweenness'\''' -l samples -x -d 'Estimate from K random sources instead of all'
complete -c callisto -n '__callisto_at '\''betweenness'\''' -l error -x -d 'Estimate, until normalized scores are proved to be within E of the exact ones'
complete -c callisto -n '__callisto_at '\''betweenness'\'' '\''closeness'\''' -l confidence -x -d 'Probability with which --error holds'
complete -c callisto -n '__callisto_at '\''betweenness'\''' -l normalized -d 'Divide by the number of pairs of other vertices'
complete -c callisto -n '__callisto_at '\''betweenness'\''' -l edges -d 'Rank the edges instead of the vertices'
complete -c callisto -n '__callisto_at '\''betweenness'\'' '\''closeness'\'' '\''path'\'' '\''diameter'\'' '\''eccentricity'\''' -l weights -x -a 'length none' -d 'What weights of edges are'
complete -c callisto -n '__callisto_at '\''betweenness'\''' -l form -x -a 'auto flat nested inner' -d 'Where the parallelism lies'
complete -c callisto -n '__callisto_at '\''betweenness'\''' -l verify -d 'Check the result by Brandes'\'' algorithm, one source after the other'
complete -c callisto -n '__callisto_at '\''closeness'\''' -l harmonic -d 'Sum reciprocal distances'
complete -c callisto -n '__callisto_at '\''closeness'\''' -l outgoing -d 'Take distances from the vertex, not to it'
complete -c callisto -n '__callisto_at '\''closeness'\''' -l normalized -d 'Divide harmonic sums by n - 1'
complete -c callisto -n '__callisto_at '\''closeness'\''' -l samples -x -d 'Estimate from distances to K random vertices instead of all'
complete -c callisto -n '__callisto_at '\''closeness'\''' -l error -x -d 'Estimate from as many vertices as bound the error by E'
complete -c callisto -n '__callisto_at '\''closeness'\''' -l seed -x -d 'Choose the sample by this seed'
complete -c callisto -n '__callisto_at '\''closeness'\''' -l verify -d 'Check the result by Dijkstra'\''s algorithm from 100 vertices'
complete -c callisto -n '__callisto_at '\''eigenvector'\'' '\''katz'\'' '\''hits'\''' -l tolerance -x -d 'Stop when the residual, as a share, is no more than this'
complete -c callisto -n '__callisto_at '\''eigenvector'\'' '\''katz'\'' '\''hits'\''' -l iterations -x -d 'Stop after this many products with the matrix'
complete -c callisto -n '__callisto_at '\''eigenvector'\'' '\''katz'\'' '\''hits'\''' -l verify -d 'Check the result by the definition, with sequential products'
complete -c callisto -n '__callisto_at '\''katz'\''' -l alpha -x -d 'Weight of each step of a walk, below 1 / the largest eigenvalue'
complete -c callisto -n '__callisto_at '\''katz'\''' -l beta -x -d 'What each vertex gets besides'
complete -c callisto -n '__callisto_at '\''katz'\''' -l unscaled -d 'Leave scores as they are'
complete -c callisto -n '__callisto_at '\''hits'\''' -l hubs -d 'Rank by hubs, not by authorities'
complete -c callisto -n '__callisto_at '\''triangles'\'' '\''clustering'\''' -l verify -d 'Check the result by merging the neighbours of every edge'\''s ends'
complete -c callisto -n '__callisto_at '\''clustering'\''' -l directions -d 'Count directed triangles'
complete -c callisto -n '__callisto_at '\''clustering'\''' -l top -x -d 'Show the K vertices of most triangles'
complete -c callisto -n '__callisto_at '\''clustering'\'' '\''sssp'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''matching'\'' '\''walks'\'' '\''convert'\'' '\''generate'\''' -l random-weights -x -d 'Give edges random whole weights from 1 to 255, whatever they had'
complete -c callisto -n '__callisto_at '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''biconnected'\'' '\''topological'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''path'\'' '\''flow'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\''' -s o -l output -r -F -d 'Write to FILE'
complete -c callisto -n '__callisto_at '\''communities'\''' -l method -x -a 'leiden louvain labels' -d 'leiden or louvain, which maximize a quality, or labels'
complete -c callisto -n '__callisto_at '\''communities'\''' -l quality -x -a 'modularity cpm' -d 'modularity, or cpm'
complete -c callisto -n '__callisto_at '\''communities'\''' -l resolution -x -d 'Of the quality'
complete -c callisto -n '__callisto_at '\''communities'\''' -l directions -x -a 'follow ignore' -d 'Of a directed graph'
complete -c callisto -n '__callisto_at '\''communities'\''' -l iterations -x -d 'Of leiden and louvain'
complete -c callisto -n '__callisto_at '\''communities'\''' -l seed -x -d 'Choose the order in which vertices move by this seed'
complete -c callisto -n '__callisto_at '\''communities'\''' -l members -r -F -d 'Write the members of all communities to FILE, '\''community<TAB>member'\'' a line, the largest community first'
complete -c callisto -n '__callisto_at '\''communities'\''' -l top -x -d 'Show the K largest communities'
complete -c callisto -n '__callisto_at '\''communities'\''' -l verify -d 'Check the result by sequential sums'
complete -c callisto -n '__callisto_at '\''components'\'' '\''scc'\''' -l top -x -d 'Show the K largest components'
complete -c callisto -n '__callisto_at '\''components'\''' -l verify -d 'Check the result by sequential searches'
complete -c callisto -n '__callisto_at '\''scc'\''' -l verify -d 'Check the result by Kosaraju'\''s algorithm'
complete -c callisto -n '__callisto_at '\''biconnected'\''' -l bridges -d 'List the bridges'
complete -c callisto -n '__callisto_at '\''biconnected'\''' -l edges -d 'Tell the biconnected component of each edge, rather than of vertices'
complete -c callisto -n '__callisto_at '\''biconnected'\''' -l top -x -d 'Show the K vertices in most biconnected components, the largest of these with --edges, or the first bridges'
complete -c callisto -n '__callisto_at '\''biconnected'\''' -l verify -d 'Check the result by the depth-first search of Hopcroft and Tarjan'
complete -c callisto -n '__callisto_at '\''topological'\''' -l verify -d 'Check the result by looking at each arc'
complete -c callisto -n '__callisto_at '\''kcore'\''' -l top -x -d 'Show the K vertices of highest coreness'
complete -c callisto -n '__callisto_at '\''kcore'\''' -l verify -d 'Check the result by the sequential algorithm of Batagelj and Zaversnik'
complete -c callisto -n '__callisto_at '\''bfs'\'' '\''sssp'\''' -l source -x -d 'Search from vertex U'
complete -c callisto -n '__callisto_at '\''bfs'\'' '\''sssp'\''' -l sources -x -d 'Search from N vertices drawn at random, one after the other, and show the times'
complete -c callisto -n '__callisto_at '\''bfs'\'' '\''sssp'\''' -l seed -x -d 'Seed for --sources'
complete -c callisto -n '__callisto_at '\''bfs'\''' -l depth -x -d 'Look no farther than D arcs from the source'
complete -c callisto -n '__callisto_at '\''bfs'\''' -l top -x -d 'Count the vertices at the K smallest distances'
complete -c callisto -n '__callisto_at '\''bfs'\''' -l verify -d 'Check the result by a sequential search with a queue'
complete -c callisto -n '__callisto_at '\''sssp'\''' -l target -x -d 'Show a shortest path from U to V, and search no farther than it takes'
complete -c callisto -n '__callisto_at '\''sssp'\''' -l delta -x -d 'Width of a bucket of delta-stepping'
complete -c callisto -n '__callisto_at '\''sssp'\''' -l top -x -d 'Show the K vertices farthest away'
complete -c callisto -n '__callisto_at '\''sssp'\''' -l verify -d 'Check the result by Dijkstra'\''s algorithm with a binary heap'
complete -c callisto -n '__callisto_at '\''path'\''' -l all -d 'Count all shortest paths, and list the first'
complete -c callisto -n '__callisto_at '\''path'\''' -l limit -x -d 'With --all'
complete -c callisto -n '__callisto_at '\''path'\''' -s k -l shortest -x -d 'Find the N shortest paths without repeated vertices'
complete -c callisto -n '__callisto_at '\''path'\''' -l verify -d 'Check the result by plain searches from the ends'
complete -c callisto -n '__callisto_at '\''flow'\''' -l edges -d 'List the edges that carry the flow, rather than those of the cut'
complete -c callisto -n '__callisto_at '\''flow'\''' -l top -x -d 'Show the K edges of the cut with the largest capacities, or with --edges of the largest flows'
complete -c callisto -n '__callisto_at '\''flow'\''' -l verify -d 'Check the result by what flows in and out, and the capacity of the cut'
complete -c callisto -n '__callisto_at '\''diameter'\''' -l searches -x -d 'Stop with bounds after N searches'
complete -c callisto -n '__callisto_at '\''diameter'\'' '\''eccentricity'\''' -l along -x -a 'both out in' -d 'Follow arcs in both directions, from a vertex'
complete -c callisto -n '__callisto_at '\''diameter'\''' -l verify -d 'Check the result by sequential searches from up to 1,000 vertices'
complete -c callisto -n '__callisto_at '\''eccentricity'\''' -l top -x -d 'Show the K vertices of highest eccentricity'
complete -c callisto -n '__callisto_at '\''eccentricity'\''' -l verify -d 'Check the result by sequential searches from some vertices'
complete -c callisto -n '__callisto_at '\''forest'\''' -l heaviest -d 'Find the heaviest edges instead'
complete -c callisto -n '__callisto_at '\''forest'\''' -l verify -d 'Check the result by Kruskal'\''s algorithm'
complete -c callisto -n '__callisto_at '\''truss'\''' -l least -x -d 'Write only the edges of the K-truss'
complete -c callisto -n '__callisto_at '\''truss'\''' -l top -x -d 'Count the edges of the K highest values'
complete -c callisto -n '__callisto_at '\''truss'\''' -l verify -d 'Check the result by peeling edge by edge'
complete -c callisto -n '__callisto_at '\''similarity'\''' -l threshold -x -d 'Find all pairs that are at least so alike'
complete -c callisto -n '__callisto_at '\''similarity'\''' -l best -x -d 'Find the K vertices most alike to each vertex'
complete -c callisto -n '__callisto_at '\''similarity'\''' -l pairs -r -F -d 'Compare the pairs in FILE, two vertices a line'
complete -c callisto -n '__callisto_at '\''similarity'\''' -l measure -x -a 'jaccard overlap cosine common adamic-adar resource-allocation' -d 'Divide the common neighbours by those that one of the two has'
complete -c callisto -n '__callisto_at '\''similarity'\''' -l least-common -x -d 'Leave out pairs with fewer than N common neighbours'
complete -c callisto -n '__callisto_at '\''similarity'\''' -l top -x -d 'Show the K pairs most alike'
complete -c callisto -n '__callisto_at '\''similarity'\''' -l verify -d 'Check the result by all common neighbours of some vertices'
complete -c callisto -n '__callisto_at '\''matching'\''' -l seed -x -d 'Take edges in the random order of this seed'
complete -c callisto -n '__callisto_at '\''matching'\''' -l verify -d 'Check the result by its definition'
complete -c callisto -n '__callisto_at '\''colouring'\''' -l by -x -a 'smallest-last largest-first random' -d 'Order in which vertices take the smallest free colour'
complete -c callisto -n '__callisto_at '\''colouring'\''' -l seed -x -d 'Put vertices of equal rank in the random order of this seed'
complete -c callisto -n '__callisto_at '\''colouring'\''' -l top -x -d 'Count the vertices of the first K colours'
complete -c callisto -n '__callisto_at '\''colouring'\''' -l verify -d 'Check the result vertex by vertex'
complete -c callisto -n '__callisto_at '\''independent-set'\''' -l seed -x -d 'Take vertices in the random order of this seed'
complete -c callisto -n '__callisto_at '\''independent-set'\''' -l verify -d 'Check the result by the sequential loop over the vertices'
complete -c callisto -n '__callisto_at '\''walks'\''' -l length -x -d 'Most vertices of a walk'
complete -c callisto -n '__callisto_at '\''walks'\''' -l each -x -d 'Walks from each vertex'
complete -c callisto -n '__callisto_at '\''walks'\''' -l start -x -d 'Begin at this vertex'
complete -c callisto -n '__callisto_at '\''walks'\''' -l p -x -d 'node2vec'
complete -c callisto -n '__callisto_at '\''walks'\''' -l q -x -d 'node2vec'
complete -c callisto -n '__callisto_at '\''walks'\''' -l seed -x -d 'Draw by this seed'
complete -c callisto -n '__callisto_at '\''walks'\''' -l verify -d 'Check the result step by step'
complete -c callisto -n '__callisto_at '\''subgraph'\'' '\''convert'\'' '\''generate'\''' -l to -x -a 'native edge-list weighted-edge-list table matrix-market dimacs metis graphml gexf gml pajek gapbs-sg gapbs-wsg' -d 'Format of OUT whatever its suffix'
complete -c callisto -n '__callisto_at '\''subgraph'\'' '\''convert'\'' '\''generate'\''' -l names-to -r -F -d 'Write the vertices'\'' names to FILE, one a line in order of labels'
complete -c callisto -n '__callisto_at '\''subgraph'\'' '\''convert'\'' '\''generate'\''' -l vertex-table-to -r -F -d 'Write the attributes of vertices to FILE, a table with a line a vertex'
complete -c callisto -n '__callisto_at '\''subgraph'\'' '\''convert'\'' '\''generate'\''' -l order -x -a 'hubs labels' -d 'Order of the vertices in a native file'
complete -c callisto -n '__callisto_at '\''subgraph'\''' -l largest-component -d 'Keep the largest connected component'
complete -c callisto -n '__callisto_at '\''subgraph'\''' -l largest-strong -d 'Keep the largest strongly connected component'
complete -c callisto -n '__callisto_at '\''subgraph'\''' -l core -x -d 'Keep the K-core'
complete -c callisto -n '__callisto_at '\''subgraph'\''' -l around -x -d 'Keep this vertex and those few hops away'
complete -c callisto -n '__callisto_at '\''subgraph'\''' -l hops -x -d 'Hops of --around, in either direction of arcs'
complete -c callisto -n '__callisto_at '\''subgraph'\''' -l vertices -r -F -d 'Keep the vertices in FILE, the first field of each line'
complete -c callisto -n '__callisto_at '\''subgraph'\''' -l values -r -F -d 'Keep vertices by their values in FILE, as a kernel'\''s --output writes them'
complete -c callisto -n '__callisto_at '\''subgraph'\''' -l column -x -d 'Column of FILE that has the value'
complete -c callisto -n '__callisto_at '\''subgraph'\''' -l at-least -x -d 'Keep vertices with a value of X or more'
complete -c callisto -n '__callisto_at '\''subgraph'\''' -l at-most -x -d 'Keep vertices with a value of X or less'
complete -c callisto -n '__callisto_at '\''watch'\''' -l stream -x -d 'Read edits from FILE'
complete -c callisto -n '__callisto_at '\''watch'\''' -l levels -x -d 'Watch how many arcs each vertex is away from LABEL'
complete -c callisto -n '__callisto_at '\''watch'\''' -l distances -x -d 'Watch the shortest weighted paths from LABEL'
complete -c callisto -n '__callisto_at '\''watch'\''' -l pagerank -d 'Watch PageRank'
complete -c callisto -n '__callisto_at '\''watch'\''' -l components -d 'Watch connected components'
complete -c callisto -n '__callisto_at '\''watch'\''' -l batch -x -d 'Edits that are applied at once'
complete -c callisto -n '__callisto_at '\''watch'\''' -l top -x -d 'Show K changed vertices of each update'
complete -c callisto -n '__callisto_at '\''generate'\''' -l scale -x -d 'Make 2^S vertices, 1 to 37'
complete -c callisto -n '__callisto_at '\''generate'\''' -l vertices -x -d 'Make N vertices'
complete -c callisto -n '__callisto_at '\''generate'\''' -l degree -x -d 'Draw D edges for each vertex'
complete -c callisto -n '__callisto_at '\''generate'\''' -l exponent -x -d 'Exponent of the degree distribution, above 2'
complete -c callisto -n '__callisto_at '\''generate'\''' -l seed -x -d 'The graph depends on this and the options above, not on the number of threads'
complete -c callisto -n '__callisto_at '\''generate'\''' -l directed -d 'Make arcs'
complete -c callisto -n '__callisto_at '\''demo'\''' -l scale -x -d 'Without FILE, generate the Kronecker graph of 2^S vertices'
complete -c callisto -n '__callisto_at '\''demo'\''' -l cache -x -a '(__fish_complete_directories)' -d 'Keep the generated graph in DIR'
complete -c callisto -n '__callisto_at '\''demo'\''' -l svg -r -F -d 'Draw into FILE'
complete -c callisto -n '__callisto_at '\''run'\'' '\''set'\''' -l weight -x -d 'Its share relative to other jobs'\'', 1 to 1000'
complete -c callisto -n '__callisto_at '\''run'\''' -l contexts -x -d 'Where it may run'
complete -c callisto -n '__callisto_at '\''run'\''' -l coschedule -x -a 'on off' -d 'on'
complete -c callisto -n '__callisto_at '\''run'\''' -l no-openmp -d 'Leave OpenMP programs to their own library'
complete -c callisto -n '__callisto_at '\''run'\''' -l check -d 'Only tell what OpenMP library it has, and whether it is replaced'
complete -c callisto -n '__callisto_at '\''status'\''' -l trace -r -F -d 'Write a timeline of where jobs run into FILE, for ui.perfetto.dev'
complete -c callisto -n '__callisto_at '\''status'\''' -l seconds -x -d 'For so long'
complete -c callisto -n '__callisto_at '\''status'\''' -l metrics -r -F -d 'Write what the broker tells of jobs and users into FILE, in Prometheus'\'' text format'
complete -c callisto -n '__callisto_at '\''top'\''' -l interval -x -d 'Draw so often'
complete -c callisto -n '__callisto_at '\''reset'\''' -s q -l quiet -d 'Print nothing'
complete -c callisto -n '__callisto_at '\''broker'\''' -l socket -x -d 'Listen there'
complete -c callisto -n '__callisto_at '\''broker'\''' -l jobs-per-user -x -d 'The most jobs of a user'
complete -c callisto -n '__callisto_at '\''broker'\''' -l weight -x -d 'The user'\''s share beside other users'\'''
complete -c callisto -n '__callisto_at '\''broker'\''' -l policy -r -F -d 'Follow the rules in FILE'
complete -c callisto -n '__callisto_at '\''broker'\''' -l check -d 'Check the policy, and end'
complete -c callisto -n '__callisto_at '\''broker'\''' -s q -l quiet -d 'Do not say where it listens'
complete -c callisto -n '__callisto_first help' -f -a 'analyze draw info pagerank betweenness closeness eigenvector katz hits triangles clustering communities compare-groups components scc biconnected topological kcore bfs sssp path flow diameter eccentricity forest truss similarity matching colouring independent-set walks subgraph watch convert generate demo run status top set reset broker machine'
