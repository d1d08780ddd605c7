"""What NetworkX asks at `import networkx`: the backend's names and functions. Imports nothing."""

FUNCTIONS = """
adamic_adar_index all_pairs_all_shortest_paths all_pairs_dijkstra all_pairs_dijkstra_path
all_pairs_dijkstra_path_length all_pairs_shortest_path all_pairs_shortest_path_length all_shortest_paths ancestors
astar_path_length attracting_components average_clustering average_shortest_path_length barycenter
bellman_ford_path_length betweenness_centrality bfs_edges bfs_layers bfs_predecessors bfs_successors bfs_tree
bidirectional_dijkstra bidirectional_shortest_path bridges center closeness_centrality clustering
common_neighbor_centrality connected_components core_number degree_centrality descendants descendants_at_distance
dfs_edges dfs_postorder_nodes dfs_predecessors dfs_preorder_nodes dfs_successors dfs_tree diameter dijkstra_path
dijkstra_path_length dijkstra_predecessor_and_distance eccentricity edge_betweenness_centrality eigenvector_centrality
eigenvector_centrality_numpy flow_hierarchy global_efficiency global_reaching_centrality greedy_color
harmonic_centrality harmonic_diameter has_bridges has_path hits in_degree_centrality is_arborescence
is_attracting_component is_biconnected is_bipartite is_branching is_connected is_directed_acyclic_graph is_eulerian
is_forest is_strongly_connected is_tree is_weakly_connected jaccard_coefficient k_core k_corona k_crust k_shell
k_truss katz_centrality katz_centrality_numpy label_propagation_communities leiden_communities
local_reaching_centrality louvain_communities maximal_independent_set maximal_matching maximum_spanning_edges
maximum_spanning_tree minimum_spanning_edges minimum_spanning_tree modularity multi_source_dijkstra
multi_source_dijkstra_path multi_source_dijkstra_path_length node_connected_component number_attracting_components
number_connected_components number_strongly_connected_components number_weakly_connected_components
out_degree_centrality pagerank periphery predecessor preferential_attachment radius resource_allocation_index
shortest_path shortest_path_length single_source_all_shortest_paths single_source_dijkstra single_source_dijkstra_path
single_source_dijkstra_path_length single_source_shortest_path single_source_shortest_path_length
single_target_shortest_path single_target_shortest_path_length square_clustering strongly_connected_components
transitivity triangles weakly_connected_components wiener_index
""".split()


def get_info():
    """Returns the description of the backend "callisto" for NetworkX."""
    return {
        "backend_name": "callisto",
        "project": "callisto-graph",
        "package": "callisto_graph",
        "url": "https://github.com/callisto-rts/callisto",
        "short_summary": "Graph kernels on all cores, and conversion in C++",
        "functions": {name: {} for name in FUNCTIONS},
        "default_config": {},
    }
