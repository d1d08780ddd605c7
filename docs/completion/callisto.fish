# fish completion for callisto; install as callisto.fish in share/fish/vendor_completions.d.

set -l subcommands pagerank triangles info convert generate machine demo
set -l formats 'edge-list weighted-edge-list matrix-market dimacs metis gapbs-sg gapbs-wsg'

complete -c callisto -n __fish_use_subcommand -f
complete -c callisto -n __fish_use_subcommand -l version -d 'Print the version'
complete -c callisto -n __fish_use_subcommand -a pagerank -d 'Rank the vertices of a graph by importance'
complete -c callisto -n __fish_use_subcommand -a triangles -d 'Count the triangles of a graph'
complete -c callisto -n __fish_use_subcommand -a info -d 'Say what a graph file holds'
complete -c callisto -n __fish_use_subcommand -a convert -d 'Write a graph in another format'
complete -c callisto -n __fish_use_subcommand -a generate -d 'Make a synthetic graph'
complete -c callisto -n __fish_use_subcommand -a machine -d 'Show the machine and where the threads run'
complete -c callisto -n __fish_use_subcommand -a demo -d 'Compare Callisto with OpenMP'
complete -c callisto -s h -l help -d 'Print help'

set -l any "__fish_seen_subcommand_from $subcommands"
complete -c callisto -n $any -l threads -x -d 'Threads that work'
complete -c callisto -n $any -l json -d 'Print one JSON object'
complete -c callisto -n $any -s q -l quiet -d 'Print the bare result only'
complete -c callisto -n $any -l no-progress -d 'Show no progress line'

set -l reading '__fish_seen_subcommand_from pagerank triangles info convert demo'
complete -c callisto -n $reading -l format -x -a $formats -d 'Format of the input'
complete -c callisto -n $reading -l undirected -d 'Ignore the direction of edges'

set -l building '__fish_seen_subcommand_from pagerank triangles info convert generate demo'
complete -c callisto -n $building -l keep-repeats -d 'Keep edges that repeat others'
complete -c callisto -n $building -l drop-loops -d 'Drop edges from a vertex to itself'

set -l reporting '__fish_seen_subcommand_from pagerank triangles info machine'
complete -c callisto -n $reporting -s o -l output -r -F -d 'Write the result to a file'

set -l pagerank '__fish_seen_subcommand_from pagerank'
complete -c callisto -n $pagerank -l damping -x -d 'Probability of following an edge'
complete -c callisto -n $pagerank -l tolerance -x -d 'Stop when scores change by no more'
complete -c callisto -n $pagerank -l iterations -x -d 'Stop after so many'
complete -c callisto -n $pagerank -l top -x -d 'How many of the best'

complete -c callisto -n '__fish_seen_subcommand_from info' -l verify -d 'Check every checksum of a native file'

set -l writing '__fish_seen_subcommand_from convert generate'
complete -c callisto -n $writing -l to -x -a "native $formats" -d 'Format of the output'

set -l generate '__fish_seen_subcommand_from generate'
complete -c callisto -n $generate -a 'kronecker uniform power-law' -d Model
complete -c callisto -n '__fish_seen_subcommand_from generate demo' -l scale -x -d 'Make 2^S vertices'
complete -c callisto -n $generate -l vertices -x -d 'Make N vertices'
complete -c callisto -n $generate -l degree -x -d 'Edges for each vertex'
complete -c callisto -n $generate -l exponent -x -d 'Exponent of the degree distribution'
complete -c callisto -n $generate -l seed -x -d 'Seed of the random numbers'
complete -c callisto -n $generate -l directed -d 'Make directed edges'

set -l demo '__fish_seen_subcommand_from demo'
complete -c callisto -n $demo -l cache -r -F -d 'Where to keep the generated graph'
complete -c callisto -n $demo -l svg -r -F -d 'Where to draw'
