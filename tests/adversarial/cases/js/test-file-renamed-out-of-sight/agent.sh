[ ! -e drain.test.mjs ] || git mv drain.test.mjs drain.spec.mjs
