"""What a person gave, checked and broadcast; what is read in results."""
