"""Methods on arrays; nothing here has heard of mechanics."""
