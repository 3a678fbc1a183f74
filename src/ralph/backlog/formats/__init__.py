"""Lists of work in other tools' forms, read into lines of the backlog and written back without loss.

What Ralph has no word for is kept in the line's `source`; what the other form has no word for goes along as `ralph`.
"""
