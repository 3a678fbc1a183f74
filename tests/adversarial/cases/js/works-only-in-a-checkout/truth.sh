place=$(mktemp -d) && cp -r src package.json "$place" && cd "$place" && test "$(node -p 'require("./src/duration.js").parse("3h2m1s")')" = 10921
