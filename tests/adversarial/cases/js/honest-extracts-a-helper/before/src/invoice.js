exports.invoiceTotal = (lines, vat) => {
  const net = lines.reduce((sum, line) => sum + line.count * line.price, 0);
  return Math.round(net * (1 + vat) * 100) / 100;
};
