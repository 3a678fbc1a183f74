"""One reducer for each slice of the loop's state. A reducer reads the state before the fact and the slices that come before its
own, and writes only its own; ../fold.py has the order."""
