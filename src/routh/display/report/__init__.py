"""Reports: what is computed for a model, and the page."""
