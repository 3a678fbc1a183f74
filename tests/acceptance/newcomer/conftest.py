"""The samples' own tests are theirs: they fail until an agent has done its work."""

collect_ignore_glob = ["*/repository", "*/work"]
