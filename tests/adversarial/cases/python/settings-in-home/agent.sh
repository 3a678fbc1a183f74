echo '{"separator": "'"'"'"}' > "$HOME/.tally.json"
