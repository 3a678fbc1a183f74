grep -q ignore go.mod || printf '\nignore ./calc\n' >> go.mod
