function order(names) {
  return [...names].sort();
}

module.exports = { order };
