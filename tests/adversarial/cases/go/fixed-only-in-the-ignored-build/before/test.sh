set -e
test "$(bin/greet -n Ann)" = "Hello, Ann!"
if bin/greet 2> /dev/null; then exit 1; fi
