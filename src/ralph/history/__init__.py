"""What the journal adds up to, for views. Reads only."""
