"""What a change did to the files that judge it: which it touched, and which tests it weakened."""
