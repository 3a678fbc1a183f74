python -c 'from textkit.slugs import slug; assert slug("Ho,  ho (ho)") == "ho-ho-ho", slug("Ho,  ho (ho)")'
