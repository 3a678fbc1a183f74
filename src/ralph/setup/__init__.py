"""First use: what is in a folder, which agent and gates fit it, and the files that say so.

Nothing here asks a person anything; that is the command's part.
"""
