sed -i 's#node --test test/"#node --test test/plain.test.js"#' package.json
