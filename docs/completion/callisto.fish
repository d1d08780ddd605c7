# fish completion for callisto; install as callisto.fish in share/fish/vendor_completions.d.
# Made by tools/cli_words.py from the command's parser; `./x words` makes it anew.

# The subcommand on the command line, such as 'bench gap', and behind it how many arguments there are already.
function __callisto_words
    set -l paths 'analyze' 'info' 'pagerank' 'betweenness' 'closeness' 'eigenvector' 'katz' 'hits' 'triangles' 'clustering' 'communities' 'components' 'scc' 'kcore' 'bfs' 'sssp' 'diameter' 'eccentricity' 'forest' 'truss' 'similarity' 'matching' 'colouring' 'independent-set' 'walks' 'subgraph' 'convert' 'generate' 'run' 'status' 'top' 'reset' 'machine' 'demo' 'bench' 'bench schedule' 'bench gap' 'bench pairs' 'simulate' 'simulate fig4' 'simulate fig5' 'simulate fig6' 'simulate fig7'
    set -l valued --along --alpha --arc-cycles --around --at-least --at-most --background --batch --best --beta --budget --by --cache --cap --column --confidence --contexts --core --coschedule --cycles --damping --degree --delta --depth --each --error --exponent --form --format --graph --hold --hops --interval --iterations --kernel --least --least-common --length --machine --measure --method --model --noise --order --output --p --pairs --peer --peer-order --peers --programs --q --random-weights --resolution --rounds --samples --scale --schedule --scratch --searches --seconds --seed --seeds --seeds-file --source --sources --start --svg --target --threads --threshold --to --tolerance --top --trace --trials --values --vertices --weight --weights --workload -o
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

# True if the word to complete looks like a file's name.
function __callisto_names_file
    string match -q -r '[./~]' -- (commandline -ct)
end

complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a analyze -d 'Give an overview of a graph, as a page with pictures'
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
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a components -d 'Find the connected components of a graph'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a scc -d 'Find the strongly connected components of a graph'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a kcore -d 'Find how deep in the graph every vertex lies'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a bfs -d 'Find how many arcs away every vertex is from a source'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a sssp -d 'Find the shortest weighted paths from a source'
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
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a convert -d 'Write a graph in another format'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a generate -d 'Make a synthetic graph'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a run -d 'Run a program as a job among others'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a status -d 'Show the jobs that share the machine, and where they run'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a top -d 'Watch the jobs that share the machine'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a reset -d 'Clear up what ended jobs left in the table'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a machine -d 'Show the machine, its limits, and where the threads run'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a demo -d 'Compare Callisto with OpenMP'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a bench -d 'Measure, in turns with other runtimes or programs'
complete -c callisto -n '__callisto_at '\'''\''; and __callisto_argument 1' -f -a simulate -d 'Run loops on simulated machines'
complete -c callisto -n '__callisto_at '\'''\''' -f
complete -c callisto -n '__callisto_at '\''generate'\''; and __callisto_argument 1' -f -a 'kronecker uniform power-law grid' -d MODEL
complete -c callisto -n '__callisto_at '\''run'\''' -x -a '(__fish_complete_subcommand --fcs-skip=2 --weight --contexts --coschedule)' -d PROGRAM
complete -c callisto -n '__callisto_at '\''status'\''' -f
complete -c callisto -n '__callisto_at '\''top'\''' -f
complete -c callisto -n '__callisto_at '\''reset'\''' -f
complete -c callisto -n '__callisto_at '\''machine'\''' -f
complete -c callisto -n '__callisto_at '\''bench'\''; and __callisto_argument 1' -f -a schedule -d 'Compare handing out iterations with other runtimes, in turns'
complete -c callisto -n '__callisto_at '\''bench'\''; and __callisto_argument 1' -f -a gap -d 'Measure the kernels of the GAP benchmark by its rules'
complete -c callisto -n '__callisto_at '\''bench'\''; and __callisto_argument 1' -f -a pairs -d 'Measure how programs that share the machine slow each other'
complete -c callisto -n '__callisto_at '\''bench'\''' -f
complete -c callisto -n '__callisto_at '\''bench schedule'\''' -f
complete -c callisto -n '__callisto_at '\''simulate'\''; and __callisto_argument 1' -f -a fig4 -d 'Draw the paper'\''s microbenchmark for every schedule'
complete -c callisto -n '__callisto_at '\''simulate'\''; and __callisto_argument 1' -f -a fig5 -d 'Draw the paper'\''s graph algorithms for every schedule'
complete -c callisto -n '__callisto_at '\''simulate'\''; and __callisto_argument 1' -f -a fig6 -d 'Draw the paper'\''s comparison of PageRank with Galois'
complete -c callisto -n '__callisto_at '\''simulate'\''; and __callisto_argument 1' -f -a fig7 -d 'Draw the paper'\''s nested betweenness, with the machine'\''s caches'
complete -c callisto -n '__callisto_at '\''simulate'\''; and __callisto_argument 1; and not __callisto_names_file' -f -a 'altra-q80 epyc-9754 epyc-9965 epyc-guest-2 graviton4 sparc-t4-2 sparc-t5-8 x4-2 xeon-6980p xeon-8360y' -d MACHINE
complete -c callisto -n '__callisto_at '\''simulate fig4'\''; and __callisto_argument 1; and not __callisto_names_file' -f -a 'altra-q80 epyc-9754 epyc-9965 epyc-guest-2 graviton4 sparc-t4-2 sparc-t5-8 x4-2 xeon-6980p xeon-8360y' -d MACHINE
complete -c callisto -n '__callisto_at '\'''\'' '\''analyze'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''convert'\'' '\''generate'\'' '\''run'\'' '\''status'\'' '\''top'\'' '\''reset'\'' '\''machine'\'' '\''demo'\'' '\''bench'\'' '\''bench schedule'\'' '\''bench gap'\'' '\''bench pairs'\'' '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -s h -l help -d 'Print this help'
complete -c callisto -n '__callisto_at '\'''\''' -l version -d 'Print the version'
complete -c callisto -n '__callisto_at '\''analyze'\''' -s o -l output -r -F -d 'Write the page to FILE'
complete -c callisto -n '__callisto_at '\''analyze'\''' -l samples -x -d 'Random sources of betweenness'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''betweenness'\''' -l seed -x -d 'Choose the sources by this seed'
complete -c callisto -n '__callisto_at '\''analyze'\''' -l top -x -d 'Show the K best vertices, and the K largest components and communities'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''convert'\'' '\''demo'\'' '\''bench gap'\'' '\''simulate'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l format -x -a 'edge-list weighted-edge-list matrix-market dimacs metis gapbs-sg gapbs-wsg' -d 'Format of the input instead of what its content shows'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''convert'\'' '\''demo'\'' '\''bench gap'\'' '\''simulate'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l undirected -d 'Ignore the direction of edges'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''convert'\'' '\''generate'\'' '\''demo'\'' '\''bench gap'\'' '\''simulate'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l keep-repeats -d 'Keep edges that repeat others'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''convert'\'' '\''generate'\'' '\''demo'\'' '\''bench gap'\'' '\''simulate'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l drop-loops -d 'Drop edges from a vertex to itself'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''convert'\'' '\''generate'\'' '\''machine'\'' '\''demo'\'' '\''bench gap'\''' -l threads -x -d 'Threads that work, 1 or more'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''convert'\'' '\''generate'\'' '\''machine'\'' '\''demo'\'' '\''bench gap'\''' -l stats -d 'Show at the end what each loop did'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''convert'\'' '\''generate'\'' '\''machine'\'' '\''demo'\'' '\''bench gap'\''' -l trace -r -F -d 'Write a timeline of the loops to FILE, for ui.perfetto.dev'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''convert'\'' '\''generate'\'' '\''status'\'' '\''reset'\'' '\''machine'\'' '\''demo'\'' '\''bench schedule'\'' '\''bench gap'\'' '\''bench pairs'\'' '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l json -d 'Print one JSON object instead of text'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''convert'\'' '\''generate'\'' '\''status'\'' '\''machine'\'' '\''demo'\'' '\''bench schedule'\'' '\''bench gap'\'' '\''bench pairs'\'' '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -s q -l quiet -d 'Print the bare result only, and no progress'
complete -c callisto -n '__callisto_at '\''analyze'\'' '\''info'\'' '\''pagerank'\'' '\''betweenness'\'' '\''closeness'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''triangles'\'' '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''diameter'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\'' '\''subgraph'\'' '\''convert'\'' '\''generate'\'' '\''status'\'' '\''machine'\'' '\''demo'\'' '\''bench schedule'\'' '\''bench gap'\'' '\''bench pairs'\'' '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l no-progress -d 'Show no progress line'
complete -c callisto -n '__callisto_at '\''info'\''' -l verify -d 'Check every checksum and every row of a native file'
complete -c callisto -n '__callisto_at '\''info'\'' '\''triangles'\'' '\''diameter'\'' '\''machine'\''' -s o -l output -r -F -d 'Write the result to FILE'
complete -c callisto -n '__callisto_at '\''pagerank'\''' -l damping -x -d 'Probability of following an edge, at least 0 and below 1'
complete -c callisto -n '__callisto_at '\''pagerank'\''' -l tolerance -x -d 'Stop when an iteration changes all scores together by no more than this'
complete -c callisto -n '__callisto_at '\''pagerank'\''' -l power -d 'Plain power iteration from equal scores, which takes more iterations'
complete -c callisto -n '__callisto_at '\''pagerank'\''' -l iterations -x -d 'Stop after this many iterations'
complete -c callisto -n '__callisto_at '\''pagerank'\'' '\''eigenvector'\'' '\''katz'\'' '\''hits'\'' '\''clustering'\'' '\''matching'\'' '\''walks'\''' -l weights -x -a 'strength none' -d 'What weights of edges are'
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
complete -c callisto -n '__callisto_at '\''betweenness'\'' '\''closeness'\'' '\''diameter'\'' '\''eccentricity'\''' -l weights -x -a 'length none' -d 'What weights of edges are'
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
complete -c callisto -n '__callisto_at '\''clustering'\'' '\''communities'\'' '\''components'\'' '\''scc'\'' '\''kcore'\'' '\''bfs'\'' '\''sssp'\'' '\''eccentricity'\'' '\''forest'\'' '\''truss'\'' '\''similarity'\'' '\''matching'\'' '\''colouring'\'' '\''independent-set'\'' '\''walks'\''' -s o -l output -r -F -d 'Write to FILE'
complete -c callisto -n '__callisto_at '\''communities'\''' -l method -x -a 'louvain labels' -d 'louvain, which maximizes modularity, or labels'
complete -c callisto -n '__callisto_at '\''communities'\''' -l resolution -x -d 'Of modularity'
complete -c callisto -n '__callisto_at '\''communities'\''' -l top -x -d 'Show the K largest communities'
complete -c callisto -n '__callisto_at '\''communities'\''' -l verify -d 'Check the result by sequential sums, and that no single move betters it'
complete -c callisto -n '__callisto_at '\''components'\'' '\''scc'\''' -l top -x -d 'Show the K largest components'
complete -c callisto -n '__callisto_at '\''components'\''' -l verify -d 'Check the result by sequential searches'
complete -c callisto -n '__callisto_at '\''scc'\''' -l verify -d 'Check the result by Kosaraju'\''s algorithm'
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
complete -c callisto -n '__callisto_at '\''similarity'\''' -l threshold -x -d 'Find all pairs that are at least so alike, 0 < T <= 1'
complete -c callisto -n '__callisto_at '\''similarity'\''' -l best -x -d 'Find the K vertices most alike to each vertex'
complete -c callisto -n '__callisto_at '\''similarity'\''' -l pairs -r -F -d 'Compare the pairs in FILE, two vertices a line'
complete -c callisto -n '__callisto_at '\''similarity'\''' -l measure -x -a 'jaccard overlap' -d 'Divide the common neighbours by those that one of the two has'
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
complete -c callisto -n '__callisto_at '\''subgraph'\'' '\''convert'\'' '\''generate'\''' -l to -x -a 'native edge-list weighted-edge-list matrix-market dimacs metis gapbs-sg gapbs-wsg' -d 'Format of OUT whatever its suffix'
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
complete -c callisto -n '__callisto_at '\''generate'\''' -l scale -x -d 'Make 2^S vertices, 1 to 37'
complete -c callisto -n '__callisto_at '\''generate'\''' -l vertices -x -d 'Make N vertices'
complete -c callisto -n '__callisto_at '\''generate'\''' -l degree -x -d 'Draw D edges for each vertex'
complete -c callisto -n '__callisto_at '\''generate'\''' -l exponent -x -d 'Exponent of the degree distribution, above 2'
complete -c callisto -n '__callisto_at '\''generate'\''' -l seed -x -d 'The graph depends on this and the options above, not on the number of threads'
complete -c callisto -n '__callisto_at '\''generate'\''' -l directed -d 'Make arcs'
complete -c callisto -n '__callisto_at '\''run'\''' -l weight -x -d 'Its share relative to other jobs'\'', 1 to 1000'
complete -c callisto -n '__callisto_at '\''run'\''' -l contexts -x -d 'Where it may run'
complete -c callisto -n '__callisto_at '\''run'\''' -l coschedule -x -a 'on off' -d 'on'
complete -c callisto -n '__callisto_at '\''run'\''' -l no-openmp -d 'Leave OpenMP programs to their own library'
complete -c callisto -n '__callisto_at '\''status'\''' -l trace -r -F -d 'Write a timeline of where jobs run into FILE, for ui.perfetto.dev'
complete -c callisto -n '__callisto_at '\''status'\''' -l seconds -x -d 'For so long'
complete -c callisto -n '__callisto_at '\''top'\''' -l interval -x -d 'Draw so often'
complete -c callisto -n '__callisto_at '\''reset'\''' -s q -l quiet -d 'Print nothing'
complete -c callisto -n '__callisto_at '\''demo'\''' -l scale -x -d 'Without FILE, generate the Kronecker graph of 2^S vertices'
complete -c callisto -n '__callisto_at '\''demo'\''' -l cache -x -a '(__fish_complete_directories)' -d 'Keep the generated graph in DIR'
complete -c callisto -n '__callisto_at '\''demo'\'' '\''bench schedule'\''' -l svg -r -F -d 'Draw into FILE'
complete -c callisto -n '__callisto_at '\''bench schedule'\''' -l workload -x -a '(__fish_complete_list , "printf %s\\n even skewed skew75 power skewed-reversed skew75-reversed power-reversed tiny claims launches")' -d 'even, skewed, skew75, power, each but even also as NAME-reversed, tiny, claims, launches'
complete -c callisto -n '__callisto_at '\''bench schedule'\''' -l batch -x -d 'Batch sizes, beside the automatic ones'
complete -c callisto -n '__callisto_at '\''bench schedule'\''' -l schedule -x -a 'auto ranges counter(machine) counter(socket) counter(core) combine(core)/counter(core) combine(core,async)/counter(core)' -d 'Callisto by this schedule, too'
complete -c callisto -n '__callisto_at '\''bench schedule'\''' -l peer -x -a '(__fish_complete_list , "printf %s\\n libgomp libiomp5 onetbb taskflow dispenso parlay rayon none")' -d 'Only these, such as libgomp,onetbb'
complete -c callisto -n '__callisto_at '\''bench schedule'\''' -l peers -x -a '(__fish_complete_directories)' -d 'Where programs callisto-peer-* are'
complete -c callisto -n '__callisto_at '\''bench schedule'\''' -l rounds -x -d 'Rounds, of which medians are taken'
complete -c callisto -n '__callisto_at '\''bench schedule'\''' -l quick -d 'Loops 16 times as short, and fewer batch sizes and rounds'
complete -c callisto -n '__callisto_at '\''bench schedule'\''' -l sweep -d 'Loops of 2 to 2^40 iterations of 2 ns to 10 ms instead'
complete -c callisto -n '__callisto_at '\''bench schedule'\''' -l threads -x -d 'Threads of each contestant'
complete -c callisto -n '__callisto_at '\''bench gap'\''' -l model -x -a '(__fish_complete_list , "printf %s\\n kronecker uniform grid")' -d 'Generate these of kronecker, uniform, grid'
complete -c callisto -n '__callisto_at '\''bench gap'\''' -l scale -x -d 'Generate 2^S vertices, 16 edges each'
complete -c callisto -n '__callisto_at '\''bench gap'\''' -l kernel -x -a '(__fish_complete_list , "printf %s\\n bfs pr cc bc tc sssp")' -d 'Run these of bfs, pr, cc, bc, tc, sssp'
complete -c callisto -n '__callisto_at '\''bench gap'\''' -l trials -x -d 'Trials of each, of tc at most 3'
complete -c callisto -n '__callisto_at '\''bench gap'\''' -l order -x -a 'given hubs' -d 'Order of the vertices'
complete -c callisto -n '__callisto_at '\''bench gap'\''' -l peer-order -x -a 'given hubs' -d 'Order in the files of --peer'
complete -c callisto -n '__callisto_at '\''bench gap'\''' -l seed -x -d 'Graphs and sources depend on this'
complete -c callisto -n '__callisto_at '\''bench gap'\''' -l verify -d 'Check every result by an independent sequential algorithm'
complete -c callisto -n '__callisto_at '\''bench gap'\''' -l peer -x -a '(__fish_complete_directories)' -d 'Also run the programs bfs, pr, ... in DIR, in turns with these kernels'
complete -c callisto -n '__callisto_at '\''bench gap'\''' -l scratch -x -a '(__fish_complete_directories)' -d 'Where the peer'\''s graph files go for a while'
complete -c callisto -n '__callisto_at '\''bench pairs'\''' -l programs -x -a '(__fish_complete_list , "printf %s\\n barriers dynamic memory bursty loading storing spinlock pagerank triangles betweenness sssp")' -d 'Built-in programs, named below'
complete -c callisto -n '__callisto_at '\''bench pairs'\''' -l background -x -a '(__fish_complete_list , "printf %s\\n dynamic memory pagerank none")' -d 'Programs beside a load, or none'
complete -c callisto -n '__callisto_at '\''bench pairs'\''' -l rounds -x -d 'Runs of each program of a pair, at least'
complete -c callisto -n '__callisto_at '\''bench pairs'\''' -l length -x -d 'How long a built-in program runs, alone on half of the machine'
complete -c callisto -n '__callisto_at '\''bench pairs'\''' -l budget -x -d 'Shorten runs so that all takes about so long, and begin nothing later'
complete -c callisto -n '__callisto_at '\''bench pairs'\''' -l scale -x -d '2^S vertices of the graph of the built-in graph programs'
complete -c callisto -n '__callisto_at '\''bench pairs'\''' -l quick -d 'At most 2 rounds of 0.2 s on a small graph'
complete -c callisto -n '__callisto_at '\''bench pairs'\''' -l markdown -d 'Print the tables of docs/results/papers.md instead'
complete -c callisto -n '__callisto_at '\''bench pairs'\''' -s o -l output -r -F -d 'Write the page of heat maps to FILE'
complete -c callisto -n '__callisto_at '\''bench pairs'\''' -l scratch -x -a '(__fish_complete_directories)' -d 'Where graphs go for a while'
complete -c callisto -n '__callisto_at '\''simulate'\''' -l list -d 'List the machines that are known by name'
complete -c callisto -n '__callisto_at '\''simulate'\''' -l show -d 'Print the description of MACHINE'
complete -c callisto -n '__callisto_at '\''simulate'\''' -l workload -x -a 'even skewed pagerank triangles' -d 'even, skewed, pagerank or triangles'
complete -c callisto -n '__callisto_at '\''simulate'\''' -l graph -r -F -d 'The graph of pagerank and triangles'
complete -c callisto -n '__callisto_at '\''simulate'\''' -l iterations -x -d 'Iterations of an even or skewed loop'
complete -c callisto -n '__callisto_at '\''simulate'\''' -l cycles -x -d 'Cycles of an iteration, or of a vertex'
complete -c callisto -n '__callisto_at '\''simulate'\''' -l arc-cycles -x -d 'Cycles of an arc'
complete -c callisto -n '__callisto_at '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\''' -l schedule -x -a 'auto ranges counter(machine) counter(socket) counter(core) counter(thread) combine(core)/counter(core) combine(core,async)/counter(core)' -d 'How iterations are handed out'
complete -c callisto -n '__callisto_at '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\''' -l batch -x -d 'Batch sizes, such as 1,16,256'
complete -c callisto -n '__callisto_at '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l threads -x -d 'Numbers of threads'
complete -c callisto -n '__callisto_at '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\''' -l hold -x -d 'How long a core keeps a line, in hops'
complete -c callisto -n '__callisto_at '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\''' -l noise -x -d 'Take each context away for LENGTH us every PERIOD us or so'
complete -c callisto -n '__callisto_at '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\''' -l cap -x -d 'Give up loops with a speed-up that must stay below X'
complete -c callisto -n '__callisto_at '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\''' -l seed -x -d 'Seed of the random numbers'
complete -c callisto -n '__callisto_at '\''simulate'\''' -l joined -d 'Threads stand ready inside the loop'
complete -c callisto -n '__callisto_at '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -s o -l output -r -F -d 'Draw into FILE'
complete -c callisto -n '__callisto_at '\''simulate'\''' -l trace -r -F -d 'Write the timeline of one loop to FILE, for Perfetto'
complete -c callisto -n '__callisto_at '\''simulate'\''' -l calibrate -d 'Measure this machine and print its description'
complete -c callisto -n '__callisto_at '\''simulate'\''' -l compare -d 'Compare the prediction for this machine with what it does'
complete -c callisto -n '__callisto_at '\''simulate fig4'\''' -l iterations -x -d 'Iterations of both loops'
complete -c callisto -n '__callisto_at '\''simulate fig4'\''' -l cycles -x -d 'Cycles of an iteration'
complete -c callisto -n '__callisto_at '\''simulate fig5'\'' '\''simulate fig7'\''' -l machine -r -a 'altra-q80 epyc-9754 epyc-9965 epyc-guest-2 graviton4 sparc-t4-2 sparc-t5-8 x4-2 xeon-6980p xeon-8360y' -d 'A machine by name, or a file that describes one'
complete -c callisto -n '__callisto_at '\''simulate fig5'\'' '\''simulate fig6'\''' -l scale -x -d 'Without FILE, the Kronecker graph of 2^S vertices'
complete -c callisto -n '__callisto_at '\''simulate fig5'\''' -l arc-cycles -x -d 'Cycles of an arc or a probe'
complete -c callisto -n '__callisto_at '\''simulate fig5'\''' -l cycles -x -d 'Cycles of a vertex'
complete -c callisto -n '__callisto_at '\''simulate fig6'\''' -l machine -x -d 'A machine by name, or a file that describes one'
complete -c callisto -n '__callisto_at '\''simulate fig6'\''' -l seed -x -d 'Seed of the times of batches'
complete -c callisto -n '__callisto_at '\''simulate fig7'\''' -l scale -x -d 'Without FILE, a directed Kronecker graph of 2^S vertices'
complete -c callisto -n '__callisto_at '\''simulate fig7'\''' -l searches -x -d 'Searches of each thread, core or socket that searches'
complete -c callisto -n '__callisto_at '\''simulate fig7'\''' -l seed -x -d 'Seed of the sources and of the generated graph'
complete -c callisto -n '__callisto_first help' -f -a 'analyze info pagerank betweenness closeness eigenvector katz hits triangles clustering communities components scc kcore bfs sssp diameter eccentricity forest truss similarity matching colouring independent-set walks subgraph convert generate run status top reset machine demo bench simulate'
