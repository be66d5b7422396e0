"""What compiled motions are made of: the graph with its laws, the saddle point, runs by CVODES."""
