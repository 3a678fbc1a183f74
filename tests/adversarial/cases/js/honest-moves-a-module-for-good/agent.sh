mkdir -p lib
[ -e lib/strings.mjs ] || git mv helpers.mjs lib/strings.mjs || mv helpers.mjs lib/strings.mjs
sed -i "s/text.split('').reverse()/[...text].reverse()/" lib/strings.mjs
sed -i 's#./helpers.mjs#./lib/strings.mjs#' main.mjs helpers.test.mjs
