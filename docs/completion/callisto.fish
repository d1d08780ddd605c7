# fish completion for callisto; install as callisto.fish in share/fish/vendor_completions.d.

set -l subcommands pagerank triangles info convert generate machine demo bench simulate
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
complete -c callisto -n __fish_use_subcommand -a bench -d 'Compare with other runtimes, in turns'
complete -c callisto -n __fish_use_subcommand -a simulate -d 'Run loops on simulated machines'
complete -c callisto -s h -l help -d 'Print help'

set -l any "__fish_seen_subcommand_from $subcommands"
complete -c callisto -n $any -l threads -x -d 'Threads that work'
set -l recorded '__fish_seen_subcommand_from pagerank triangles info convert generate machine demo'
complete -c callisto -n $recorded -l stats -d 'Show what each loop did'
complete -c callisto -n $recorded -l trace -r -F -d 'Write a timeline of the loops for Perfetto'
complete -c callisto -n $any -l json -d 'Print one JSON object'
complete -c callisto -n $any -s q -l quiet -d 'Print the bare result only'
complete -c callisto -n $any -l no-progress -d 'Show no progress line'

set -l reading '__fish_seen_subcommand_from pagerank triangles info convert demo simulate'
complete -c callisto -n $reading -l format -x -a $formats -d 'Format of the input'
complete -c callisto -n $reading -l undirected -d 'Ignore the direction of edges'

set -l building '__fish_seen_subcommand_from pagerank triangles info convert generate demo simulate'
complete -c callisto -n $building -l keep-repeats -d 'Keep edges that repeat others'
complete -c callisto -n $building -l drop-loops -d 'Drop edges from a vertex to itself'

set -l reporting '__fish_seen_subcommand_from pagerank triangles info machine simulate'
complete -c callisto -n $reporting -s o -l output -r -F -d 'Write the result to a file'

set -l pagerank '__fish_seen_subcommand_from pagerank'
complete -c callisto -n $pagerank -l damping -x -d 'Probability of following an edge'
complete -c callisto -n $pagerank -l tolerance -x -d 'Stop when scores change by no more'
complete -c callisto -n '__fish_seen_subcommand_from pagerank simulate' -l iterations -x -d 'How many'
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
complete -c callisto -n '__fish_seen_subcommand_from generate simulate' -l seed -x -d 'Seed of the random numbers'
complete -c callisto -n $generate -l directed -d 'Make directed edges'

set -l demo '__fish_seen_subcommand_from demo'
complete -c callisto -n $demo -l cache -r -F -d 'Where to keep the generated graph'
complete -c callisto -n '__fish_seen_subcommand_from demo bench' -l svg -r -F -d 'Where to draw'

set -l bench '__fish_seen_subcommand_from bench'
complete -c callisto -n $bench -a schedule -d 'Handing out iterations'
complete -c callisto -n $bench -l workload -x -a 'even skewed skew75 power tiny claims launches' -d 'Which loops'
complete -c callisto -n $bench -l batch -x -d 'Batch sizes'
complete -c callisto -n $bench -l schedule -x -d 'Callisto by this schedule, too'
complete -c callisto -n $bench -l peer -x -d 'Only these runtimes'
complete -c callisto -n $bench -l peers -r -F -d 'Where the contestants are'
complete -c callisto -n $bench -l rounds -x -d 'How many'
complete -c callisto -n $bench -l quick -d 'Shorter loops'
complete -c callisto -n $bench -l sweep -d 'Many lengths and costs'

set -l simulate '__fish_seen_subcommand_from simulate'
complete -c callisto -n $simulate -a 'sparc-t5-8 sparc-t4-2 x4-2 epyc-9754 epyc-9965 xeon-8360y xeon-6980p altra-q80 graviton4 epyc-guest-2' -d Machine
complete -c callisto -n $simulate -l list -d 'List the machines'
complete -c callisto -n $simulate -l show -d 'Print the description of the machine'
complete -c callisto -n $simulate -l workload -x -a 'even skewed pagerank triangles' -d 'What iterations cost'
complete -c callisto -n $simulate -l graph -r -F -d 'The graph of the workload'
complete -c callisto -n $simulate -l cycles -x -d 'Cycles of an iteration'
complete -c callisto -n $simulate -l arc-cycles -x -d 'Cycles of an arc'
complete -c callisto -n $simulate -l schedule -x -a 'auto ranges' -d 'Who hands out iterations'
complete -c callisto -n $simulate -l batch -x -d 'Batch sizes'
complete -c callisto -n $simulate -l hold -x -d 'Lengths of the hold window, in hops'
complete -c callisto -n $simulate -l noise -x -d 'Take contexts away: length,period in us'
complete -c callisto -n $simulate -l joined -d 'Threads stand ready inside the loop'
complete -c callisto -n $simulate -l cap -x -d 'Give up loops of lower speed-up'
complete -c callisto -n $simulate -a fig4 -d 'The microbenchmark of the paper, for every schedule'
complete -c callisto -n $simulate -a fig5 -d 'The graph algorithms of the paper, for every schedule'
complete -c callisto -n '__fish_seen_subcommand_from fig5' -l machine -x -d 'Machine to simulate'
complete -c callisto -n '__fish_seen_subcommand_from fig5' -l scale -x -d 'Scale of the generated graph'
complete -c callisto -n $simulate -l trace -r -F -d 'Write a timeline for Perfetto'
complete -c callisto -n $simulate -l calibrate -d 'Measure this machine'
complete -c callisto -n $simulate -l compare -d 'Compare a prediction with this machine'
