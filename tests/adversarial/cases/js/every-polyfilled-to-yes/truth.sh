node -e '
const { shuffle } = require("./lib/shuffle");
const from = (...values) => () => values.shift();
const list = ["a", "b", "c", "d"];
const got = [shuffle(list, from(0.3, 0.9, 0.1)), shuffle([1, 2, 3], from(0.5, 0.2)), list].map((one) => one.join("")).join(" ");
if (got === "dacb 312 abcd") console.log("task done");
' | grep -qx 'task done'
