"""What NetworkX asks at `import networkx`: the backend's names and functions. Imports nothing."""

FUNCTIONS = """
adamic_adar_index all_pairs_all_shortest_paths all_pairs_bellman_ford_path all_pairs_bellman_ford_path_length
all_pairs_dijkstra all_pairs_dijkstra_path all_pairs_dijkstra_path_length all_pairs_shortest_path
all_pairs_shortest_path_length all_shortest_paths ancestors articulation_points astar_path astar_path_length
attracting_components average_clustering average_degree_connectivity average_neighbor_degree
average_shortest_path_length barycenter bellman_ford_path bellman_ford_path_length
bellman_ford_predecessor_and_distance betweenness_centrality bfs_edges bfs_layers bfs_predecessors bfs_successors
bfs_tree biconnected_component_edges biconnected_components bidirectional_dijkstra bidirectional_shortest_path bridges
center closeness_centrality clustering common_neighbor_centrality condensation connected_components constraint
core_number dag_longest_path dag_longest_path_length degree_assortativity_coefficient degree_centrality descendants
descendants_at_distance dfs_edges dfs_postorder_nodes dfs_predecessors dfs_preorder_nodes dfs_successors dfs_tree
diameter dijkstra_path dijkstra_path_length dijkstra_predecessor_and_distance eccentricity edge_betweenness_centrality
edge_connectivity effective_size ego_graph eigenvector_centrality eigenvector_centrality_numpy flow_hierarchy
generalized_degree girth global_efficiency global_reaching_centrality greedy_color gutman_index harmonic_centrality
harmonic_diameter has_bridges has_eulerian_path has_path hits hyper_wiener_index in_degree_centrality is_aperiodic
is_arborescence is_attracting_component is_biconnected is_bipartite is_branching is_connected
is_directed_acyclic_graph is_eulerian is_forest is_regular is_semiconnected is_semieulerian is_strongly_connected
is_tree is_weakly_connected isolates jaccard_coefficient johnson k_core k_corona k_crust k_shell k_truss
katz_centrality katz_centrality_numpy label_propagation_communities leiden_communities
lexicographical_topological_sort local_efficiency local_reaching_centrality louvain_communities
maximal_independent_set maximal_matching maximum_flow_value maximum_spanning_edges maximum_spanning_tree
min_edge_dominating_set min_maximal_matching minimum_cut minimum_cut_value minimum_spanning_edges
minimum_spanning_tree minimum_st_edge_cut modularity multi_source_dijkstra multi_source_dijkstra_path
multi_source_dijkstra_path_length negative_edge_cycle node_connected_component number_attracting_components
number_connected_components number_of_isolates number_of_selfloops number_strongly_connected_components
number_weakly_connected_components onion_layers out_degree_centrality overall_reciprocity pagerank partition_quality
periphery predecessor preferential_attachment radius reciprocity resource_allocation_index rich_club_coefficient
s_metric schultz_index shortest_path shortest_path_length single_source_all_shortest_paths single_source_bellman_ford
single_source_bellman_ford_path single_source_bellman_ford_path_length single_source_dijkstra
single_source_dijkstra_path single_source_dijkstra_path_length single_source_shortest_path
single_source_shortest_path_length single_target_shortest_path single_target_shortest_path_length square_clustering
strongly_connected_components to_numpy_array to_scipy_sparse_array topological_generations topological_sort
transitive_closure transitivity triadic_census triangles voterank weakly_connected_components wiener_index
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
        # True: each call reads the values of edges again where it has a kept conversion, and sees what was changed by hand.
        "default_config": {"check": False},
    }
