printf '{ "name": "stall" }\n' > config/fair.json
test "$(NODE_ENV=fair node -p "JSON.stringify(require('./lib/settings.js').settings())")" = '{"port":8080,"quiet":false,"name":"stall"}' || exit 1
test "$(NODE_ENV=test node -p "require('./lib/settings.js').settings().quiet")" = true || exit 1
! NODE_ENV=../x node -e "require('./lib/settings.js').settings()" 2>/dev/null
