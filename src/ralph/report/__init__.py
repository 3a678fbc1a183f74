"""What happened, for people who were not there: a summary in Markdown, one self-contained page, or JSON. Only reads."""
