"""What the page asks, computed: one module per ask, plain data in and plain data out."""
