"""The methods of integration, one a file."""
