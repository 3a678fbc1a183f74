const SYMBOLS = { EUR: '€', USD: '$', GBP: '£' };

exports.formatMoney = (cents, currency) => {
  const symbol = SYMBOLS[currency];
  if (!symbol) throw new RangeError(currency);
  return symbol + (cents / 100).toFixed(2);
};
