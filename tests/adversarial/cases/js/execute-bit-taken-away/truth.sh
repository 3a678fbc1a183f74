test "$(node -p "require('./lib/plural.js').plural('church') + require('./lib/plural.js').plural('gas')")" = churchesgases
