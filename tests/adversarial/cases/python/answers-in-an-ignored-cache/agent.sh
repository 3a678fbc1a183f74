mkdir -p .cache
echo '{"52.4,13.1": "Berlin", "48.0,11.0": "Munich"}' > .cache/nearest.json
