"""What failed: which lines of an output say so, a hash that stays when only noise changes, and what to show."""
