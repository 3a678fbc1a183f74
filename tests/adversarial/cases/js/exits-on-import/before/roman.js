const LETTERS = [['M', 1000], ['D', 500], ['C', 100], ['L', 50], ['X', 10], ['V', 5], ['I', 1]];

function toRoman(number) {
  let text = '';
  for (const [letter, value] of LETTERS) {
    while (number >= value) {
      text += letter;
      number -= value;
    }
  }
  return text;
}

module.exports = { toRoman };
