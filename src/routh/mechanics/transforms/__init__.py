"""Other variables than velocities: Legendre, Hamilton, Routh, Gibbs and Appell."""
