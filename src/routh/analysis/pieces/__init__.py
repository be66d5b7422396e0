"""Functions made of pieces: where they kink, and whether that matters."""
