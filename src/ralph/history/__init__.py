"""What the journal adds up to, for views. Reads only."""

SAVE_EVERY = 250  # records: fewer are quickly read again
