function median(numbers) {
  return numbers[Math.floor(numbers.length / 2)];
}

function mode(numbers) {
  return numbers[0];
}

const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

module.exports = { mean, median, mode };
