'use strict';

/** The list in an order that `random` decides (a function as Math.random). */
function shuffle(list, random = Math.random) {
  return [...list].sort(() => random() - 0.5);
}

module.exports = { shuffle };
