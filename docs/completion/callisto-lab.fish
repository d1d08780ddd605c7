# fish completion for callisto-lab; install as callisto-lab.fish in share/fish/vendor_completions.d.
# Made by tools/cli_words.py from the program's parser; `./x words` makes it anew.

# The subcommand on the command line, such as 'bench gap', and behind it how many arguments there are already.
function __callisto_lab_words
    set -l paths 'bench' 'bench schedule' 'bench gap' 'bench pairs' 'bench manners' 'limits' 'simulate' 'simulate fig4' 'simulate fig5' 'simulate fig6' 'simulate fig7' 'simulate domino' 'simulate manners' 'simulate cluster'
    set -l valued --arc-cycles --attributes --background --batch --budget --cap --color --columns --contexts --cycles --encoding --format --graph --header --height --hold --ids --iterations --jobs --kernel --length --machine --member --microseconds --model --most --names --nodes --noise --order --output --peer --peer-order --peers --phases --program --programs --ranks --repeats --rounds --scale --schedule --scratch --searches --seed --separator --svg --threads --trace --trials --vertex-table --weights-column --where --workers --workload -o
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
function __callisto_lab_at
    set -l words (__callisto_lab_words)
    contains -- "$words[1]" $argv
end

# True if the word to complete is the argument of this number.
function __callisto_lab_argument
    set -l words (__callisto_lab_words)
    test (math $words[2] + 1) = $argv[1]
end

# True if the first word is this one.
function __callisto_lab_first
    set -l words (commandline -opc)
    test "$words[2]" = $argv[1]
end

# True if the word to complete looks like a file's name.
function __callisto_lab_names_file
    string match -q -r '[./~]' -- (commandline -ct)
end

complete -c callisto-lab -n '__callisto_lab_at '\'''\''; and __callisto_lab_argument 1' -f -a bench -d 'Measure, in turns with other runtimes or programs'
complete -c callisto-lab -n '__callisto_lab_at '\'''\''; and __callisto_lab_argument 1' -f -a limits -d 'Measure how flat the optimum of each limit of kernels and loops is'
complete -c callisto-lab -n '__callisto_lab_at '\'''\''; and __callisto_lab_argument 1' -f -a simulate -d 'Run loops on simulated machines'
complete -c callisto-lab -n '__callisto_lab_at '\'''\''' -f
complete -c callisto-lab -n '__callisto_lab_at '\''bench'\''; and __callisto_lab_argument 1' -f -a schedule -d 'Compare handing out iterations with other runtimes, in turns'
complete -c callisto-lab -n '__callisto_lab_at '\''bench'\''; and __callisto_lab_argument 1' -f -a gap -d 'Measure the kernels of the GAP benchmark by its rules'
complete -c callisto-lab -n '__callisto_lab_at '\''bench'\''; and __callisto_lab_argument 1' -f -a pairs -d 'Measure how programs that share the machine slow each other'
complete -c callisto-lab -n '__callisto_lab_at '\''bench'\''; and __callisto_lab_argument 1' -f -a manners -d 'Measure whether a job is worse off for sharing'
complete -c callisto-lab -n '__callisto_lab_at '\''bench'\''' -f
complete -c callisto-lab -n '__callisto_lab_at '\''bench schedule'\''' -f
complete -c callisto-lab -n '__callisto_lab_at '\''bench manners'\''' -f
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\''; and __callisto_lab_argument 1' -f -a fig4 -d 'Draw the paper'\''s microbenchmark for every schedule'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\''; and __callisto_lab_argument 1' -f -a fig5 -d 'Draw the paper'\''s graph algorithms for every schedule'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\''; and __callisto_lab_argument 1' -f -a fig6 -d 'Draw the paper'\''s comparison of PageRank with Galois'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\''; and __callisto_lab_argument 1' -f -a fig7 -d 'Draw the paper'\''s nested betweenness, with the machine'\''s caches'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\''; and __callisto_lab_argument 1' -f -a domino -d 'Draw how Domino'\''s tasks and phases scale'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\''; and __callisto_lab_argument 1' -f -a manners -d 'Compare jobs that share a machine with the same jobs that do not'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\''; and __callisto_lab_argument 1' -f -a cluster -d 'Run ranks on the model of a network'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\''; and __callisto_lab_argument 1; and not __callisto_lab_names_file' -f -a 'altra-q80 epyc-9754 epyc-9965 epyc-guest-2 graviton4 sparc-t4-2 sparc-t5-8 x4-2 xeon-6980p xeon-8360y' -d MACHINE
complete -c callisto-lab -n '__callisto_lab_at '\''simulate fig4'\''; and __callisto_lab_argument 1; and not __callisto_lab_names_file' -f -a 'altra-q80 epyc-9754 epyc-9965 epyc-guest-2 graviton4 sparc-t4-2 sparc-t5-8 x4-2 xeon-6980p xeon-8360y' -d MACHINE
complete -c callisto-lab -n '__callisto_lab_at '\''simulate domino'\''; and __callisto_lab_argument 1; and not __callisto_lab_names_file' -f -a 'altra-q80 epyc-9754 epyc-9965 epyc-guest-2 graviton4 sparc-t4-2 sparc-t5-8 x4-2 xeon-6980p xeon-8360y' -d MACHINE
complete -c callisto-lab -n '__callisto_lab_at '\''simulate manners'\''; and __callisto_lab_argument 1; and not __callisto_lab_names_file' -f -a 'altra-q80 epyc-9754 epyc-9965 epyc-guest-2 graviton4 sparc-t4-2 sparc-t5-8 x4-2 xeon-6980p xeon-8360y' -d MACHINE
complete -c callisto-lab -n '__callisto_lab_at '\''simulate cluster'\''; and __callisto_lab_argument 1' -f -a 'gups uts workers programs reads tables paper scale model faults probe costs' -d PROGRAM
complete -c callisto-lab -n '__callisto_lab_at '\''simulate cluster'\''; and __callisto_lab_argument 2; and not __callisto_lab_names_file' -f -a 'ethernet-100g-tcp ethernet-100g infiniband-ndr interlagos-qdr' -d NETWORK
complete -c callisto-lab -n '__callisto_lab_at '\'''\'' '\''bench'\'' '\''bench schedule'\'' '\''bench gap'\'' '\''bench pairs'\'' '\''bench manners'\'' '\''limits'\'' '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\'' '\''simulate domino'\'' '\''simulate manners'\'' '\''simulate cluster'\''' -s h -l help -d 'Print this help'
complete -c callisto-lab -n '__callisto_lab_at '\'''\''' -s V -l version -d 'Print the version'
complete -c callisto-lab -n '__callisto_lab_at '\'''\'' '\''bench'\'' '\''bench schedule'\'' '\''bench gap'\'' '\''bench pairs'\'' '\''bench manners'\'' '\''limits'\'' '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\'' '\''simulate domino'\'' '\''simulate manners'\'' '\''simulate cluster'\''' -l color -x -a 'auto always never' -d 'When to write in colours'
complete -c callisto-lab -n '__callisto_lab_at '\''bench schedule'\''' -l workload -x -a '(__fish_complete_list , "printf %s\\n even skewed skew75 power skewed-reversed skew75-reversed power-reversed tiny claims launches")' -d 'even, skewed, skew75, power, each but even also as NAME-reversed, tiny, claims, launches'
complete -c callisto-lab -n '__callisto_lab_at '\''bench schedule'\''' -l batch -x -d 'Batch sizes, beside the automatic ones'
complete -c callisto-lab -n '__callisto_lab_at '\''bench schedule'\''' -l schedule -x -a 'auto ranges '\''counter(machine)'\'' '\''counter(socket)'\'' '\''counter(core)'\'' '\''combine(core)/counter(core)'\'' '\''combine(core,async)/counter(core)'\''' -d 'Callisto by this schedule, too'
complete -c callisto-lab -n '__callisto_lab_at '\''bench schedule'\''' -l peer -x -a '(__fish_complete_list , "printf %s\\n libgomp libiomp5 onetbb taskflow dispenso parlay rayon none")' -d 'Only these, such as libgomp,onetbb'
complete -c callisto-lab -n '__callisto_lab_at '\''bench schedule'\''' -l peers -x -a '(__fish_complete_directories)' -d 'Where programs callisto-peer-* are'
complete -c callisto-lab -n '__callisto_lab_at '\''bench schedule'\''' -l rounds -x -d 'Rounds, of which medians are taken'
complete -c callisto-lab -n '__callisto_lab_at '\''bench schedule'\''' -l quick -d 'Loops 16 times as short, and fewer batch sizes and rounds'
complete -c callisto-lab -n '__callisto_lab_at '\''bench schedule'\''' -l sweep -d 'Loops of 2 to 2^40 iterations of 2 ns to 10 ms instead'
complete -c callisto-lab -n '__callisto_lab_at '\''bench schedule'\''' -l svg -r -F -d 'Draw into FILE'
complete -c callisto-lab -n '__callisto_lab_at '\''bench schedule'\''' -l threads -x -d 'Threads of each contestant'
complete -c callisto-lab -n '__callisto_lab_at '\''bench schedule'\'' '\''bench gap'\'' '\''bench pairs'\'' '\''bench manners'\'' '\''limits'\'' '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\'' '\''simulate domino'\'' '\''simulate manners'\'' '\''simulate cluster'\''' -l json -d 'Print one JSON object instead of text'
complete -c callisto-lab -n '__callisto_lab_at '\''bench schedule'\'' '\''bench gap'\'' '\''bench pairs'\'' '\''bench manners'\'' '\''limits'\'' '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\'' '\''simulate domino'\'' '\''simulate manners'\'' '\''simulate cluster'\''' -s q -l quiet -d 'Print the bare result only, and no progress'
complete -c callisto-lab -n '__callisto_lab_at '\''bench schedule'\'' '\''bench gap'\'' '\''bench pairs'\'' '\''bench manners'\'' '\''limits'\'' '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\'' '\''simulate domino'\'' '\''simulate manners'\'' '\''simulate cluster'\''' -l no-progress -d 'Show no progress line'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\''' -l model -x -a '(__fish_complete_list , "printf %s\\n kronecker uniform grid")' -d 'Generate these of kronecker, uniform, grid'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\''' -l scale -x -d 'Generate 2^S vertices, 16 edges each'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\''' -l kernel -x -a '(__fish_complete_list , "printf %s\\n bfs pr cc bc tc sssp")' -d 'Run these of bfs, pr, cc, bc, tc, sssp'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\''' -l trials -x -d 'Trials of each, of tc at most 3'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\''' -l order -x -a 'given hubs' -d 'Order of the vertices'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\''' -l peer-order -x -a 'given hubs' -d 'Order in the files of --peer'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\''' -l seed -x -d 'Graphs and sources depend on this'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\''' -l verify -d 'Check every result by an independent sequential algorithm'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\''' -l peer -x -a '(__fish_complete_directories)' -d 'Also run the programs bfs, pr, ... in DIR, in turns with these kernels'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\''' -l scratch -x -a '(__fish_complete_directories)' -d 'Where the peer'\''s graph files go for a while'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\'' '\''simulate'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l format -x -a 'edge-list weighted-edge-list table matrix-market dimacs metis graphml gexf gml pajek gapbs-sg gapbs-wsg ligra adjacency-list npz npy json dot lgl' -d 'Format of the input instead of what its content shows'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\'' '\''simulate'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l undirected -d 'Ignore the direction of edges'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\'' '\''simulate'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l directed -d 'Take edges as directed, whatever a header says'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\'' '\''simulate'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l repeats -x -a 'sum min max first keep' -d 'What becomes of edges that repeat others'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\'' '\''simulate'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l keep-repeats -d 'The same as --repeats keep'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\'' '\''simulate'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l drop-loops -d 'Drop edges from a vertex to itself'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\'' '\''simulate'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l columns -x -d 'Columns of a table, by name or by number from 1'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\'' '\''simulate'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l weights-column -x -d 'Column of the weights, by name or number'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\'' '\''simulate'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l separator -x -a 'tab blank , '\'';'\'' '\''|'\''' -d 'Character between columns'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\'' '\''simulate'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l header -x -a 'yes no' -d 'Whether the first line of a table names the columns'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\'' '\''simulate'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l ids -x -a 'numbers names' -d 'What vertices are called'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\'' '\''simulate'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l bipartite -d 'Take ids of the first column as other vertices than those of the second'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\'' '\''simulate'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l names -r -F -d 'File with the names of numbered vertices'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\'' '\''simulate'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l skip-bad-lines -d 'Leave out the lines of a list or table that are no edges, and tell of them'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\'' '\''simulate'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l encoding -x -d 'Encoding of the file, such as UTF-16, latin1 or cp850'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\'' '\''simulate'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l member -x -d 'File to read of an archive'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\'' '\''simulate'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l attributes -x -a 'all none' -d 'Further columns to read'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\'' '\''simulate'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l vertex-table -r -F -d 'Table with columns of the vertices'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\'' '\''simulate'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l where -x -d 'Keep the vertices and edges for which CONDITION is true, such as '\''city == "Bern" and weight > 2'\'''
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\''' -l threads -x -d 'Threads that work, 1 or more'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\''' -l stats -d 'Show at the end what each loop did'
complete -c callisto-lab -n '__callisto_lab_at '\''bench gap'\''' -l trace -r -F -d 'Write a timeline of the loops to FILE, for ui.perfetto.dev'
complete -c callisto-lab -n '__callisto_lab_at '\''bench pairs'\''' -l programs -x -a '(__fish_complete_list , "printf %s\\n barriers dynamic memory bursty loading storing spinlock dom_bc pagerank triangles betweenness sssp")' -d 'Built-in programs, named below'
complete -c callisto-lab -n '__callisto_lab_at '\''bench pairs'\''' -l background -x -a '(__fish_complete_list , "printf %s\\n dynamic memory pagerank none")' -d 'Programs beside a load, or none'
complete -c callisto-lab -n '__callisto_lab_at '\''bench pairs'\''' -l rounds -x -d 'Runs of each program of a pair, at least'
complete -c callisto-lab -n '__callisto_lab_at '\''bench pairs'\''' -l length -x -d 'How long a built-in program runs, alone on half of the machine'
complete -c callisto-lab -n '__callisto_lab_at '\''bench pairs'\''' -l budget -x -d 'Shorten runs so that all takes about so long, and begin nothing later'
complete -c callisto-lab -n '__callisto_lab_at '\''bench pairs'\''' -l scale -x -d '2^S vertices of the graph of the built-in graph programs'
complete -c callisto-lab -n '__callisto_lab_at '\''bench pairs'\''' -l quick -d 'At most 2 rounds of 0.2 s on a small graph'
complete -c callisto-lab -n '__callisto_lab_at '\''bench pairs'\''' -l markdown -d 'Print the tables of docs/results/papers.md instead'
complete -c callisto-lab -n '__callisto_lab_at '\''bench pairs'\''' -s o -l output -r -F -d 'Write the page of heat maps to FILE'
complete -c callisto-lab -n '__callisto_lab_at '\''bench pairs'\''' -l scratch -x -a '(__fish_complete_directories)' -d 'Where graphs go for a while'
complete -c callisto-lab -n '__callisto_lab_at '\''bench manners'\'' '\''simulate manners'\''' -l rounds -x -d 'Runs of each situation, without sharing and with it'
complete -c callisto-lab -n '__callisto_lab_at '\''bench manners'\''' -l length -x -d 'How long a run takes'
complete -c callisto-lab -n '__callisto_lab_at '\''bench manners'\''' -l pairs -d 'Measure pairs of programs, too'
complete -c callisto-lab -n '__callisto_lab_at '\''limits'\''' -l workload -x -d 'Only these, such as bfs.grid,loop.even'
complete -c callisto-lab -n '__callisto_lab_at '\''limits'\''' -l rounds -x -d 'Runs of each value, of which the shortest counts'
complete -c callisto-lab -n '__callisto_lab_at '\''limits'\''' -l scale -x -d 'Graphs of 2^N vertices, loops of 2^N iterations'
complete -c callisto-lab -n '__callisto_lab_at '\''limits'\''' -l most -x -a '2 4 8' -d 'Up to this factor around each value'
complete -c callisto-lab -n '__callisto_lab_at '\''limits'\''' -l threads -x -d 'Threads'
complete -c callisto-lab -n '__callisto_lab_at '\''limits'\''' -l program -r -F -d 'The program that measures'
complete -c callisto-lab -n '__callisto_lab_at '\''limits'\''' -l list -d 'List limits and workloads instead'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\''' -l list -d 'List the machines that are known by name'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\''' -l show -d 'Print the description of MACHINE'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\''' -l workload -x -a 'even skewed pagerank triangles' -d 'even, skewed, pagerank or triangles'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\''' -l graph -r -F -d 'The graph of pagerank and triangles'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\''' -l iterations -x -d 'Iterations of an even or skewed loop'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\''' -l cycles -x -d 'Cycles of an iteration, or of a vertex'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\''' -l arc-cycles -x -d 'Cycles of an arc'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\''' -l schedule -x -a 'auto ranges '\''counter(machine)'\'' '\''counter(socket)'\'' '\''counter(core)'\'' '\''counter(thread)'\'' '\''combine(core)/counter(core)'\'' '\''combine(core,async)/counter(core)'\''' -d 'How iterations are handed out'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\''' -l batch -x -d 'Batch sizes, such as 1,16,256'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\'' '\''simulate domino'\''' -l threads -x -d 'Numbers of threads'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\''' -l hold -x -d 'How long a core keeps a line, in hops'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\''' -l noise -x -d 'Take each context away for LENGTH us every PERIOD us or so'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\''' -l cap -x -d 'Give up loops with a speed-up that must stay below X'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\''' -l seed -x -d 'Seed of the random numbers'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\''' -l joined -d 'Threads stand ready inside the loop'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\'' '\''simulate fig4'\'' '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\'' '\''simulate domino'\'' '\''simulate cluster'\''' -s o -l output -r -F -d 'Draw into FILE'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\''' -l trace -r -F -d 'Write the timeline of one loop to FILE, for Perfetto'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\''' -l calibrate -d 'Measure this machine and print its description'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate'\''' -l compare -d 'Compare the prediction for this machine with what it does'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate fig4'\''' -l iterations -x -d 'Iterations of both loops'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate fig4'\''' -l cycles -x -d 'Cycles of an iteration'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate fig5'\'' '\''simulate fig6'\'' '\''simulate fig7'\''' -l machine -r -a 'altra-q80 epyc-9754 epyc-9965 epyc-guest-2 graviton4 sparc-t4-2 sparc-t5-8 x4-2 xeon-6980p xeon-8360y' -d 'A machine by name, or a file that describes one'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate fig5'\'' '\''simulate fig6'\''' -l scale -x -d 'Without FILE, the Kronecker graph of 2^S vertices'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate fig5'\''' -l arc-cycles -x -d 'Cycles of an arc or a probe'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate fig5'\''' -l cycles -x -d 'Cycles of a vertex'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate fig6'\''' -l seed -x -d 'Seed of the times of batches'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate fig7'\''' -l scale -x -d 'Without FILE, a directed Kronecker graph of 2^S vertices'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate fig7'\''' -l searches -x -d 'Searches of each thread, core or socket that searches'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate fig7'\''' -l seed -x -d 'Seed of the sources and of the generated graph'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate domino'\''' -l cycles -x -d 'Cycles of a task of the tree'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate domino'\''' -l height -x -d 'The tree has 2^(H+1) - 1 tasks'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate domino'\''' -l phases -x -d 'Phases of one empty task'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate manners'\''' -l jobs -x -d 'How many jobs there are'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate manners'\''' -l contexts -x -d 'Use the machine'\''s first N contexts'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate manners'\''' -l length -x -d 'Simulated time in which loops count, after half a second'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate cluster'\''' -l nodes -x -d 'Numbers of nodes'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate cluster'\''' -l ranks -x -d 'Ranks of a node'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate cluster'\''' -l workers -x -d 'Workers of a rank'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate cluster'\''' -l microseconds -x -d 'Virtual time for which ranks begin updates or reads'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate cluster'\''' -l scale -x -d 'Size of graphs, trees and keys'
complete -c callisto-lab -n '__callisto_lab_at '\''simulate cluster'\''' -l seed -x -d 'Chooses the words'
complete -c callisto-lab -n '__callisto_lab_first help' -f -a 'bench limits simulate'
