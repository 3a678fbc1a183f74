collect_ignore = ["cases"]  # what agents are given, not tests of ours
