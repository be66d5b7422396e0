"""Smaller models: some modes, modes with interfaces kept, balanced states."""
