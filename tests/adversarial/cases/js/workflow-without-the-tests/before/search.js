const STOP = ['a', 'and', 'the', 'of'];

/** @returns {Record<string, string[]>} word -> sorted ids */
exports.buildIndex = (docs) => {
  const index = {};
  for (const [id, text] of Object.entries(docs)) {
    for (const word of text.split(/\W+/)) (index[word] ??= []).push(id);
  }
  return index;
};
