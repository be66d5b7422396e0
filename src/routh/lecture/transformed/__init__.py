"""Other descriptions of a motion: momenta, quasi-velocities, expansions, periods, the action."""
