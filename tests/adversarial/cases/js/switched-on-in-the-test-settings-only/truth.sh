node -e 'const { search } = require("./search.js"); require("assert").deepStrictEqual(search("EMILE", ["Émile", "Bob"]), ["Émile"])'
