export function importOrders(text) {
  const orders = [];
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (!trimmed || trimmed.startsWith('#')) {
      continue;
    }
    const [id, item, count, price] = trimmed.split(/\s*;\s*/);
    if (!/^\d+$/.test(count)) {
      throw new Error(`bad count: ${count}`);
    }
    orders.push({ id, item, count: Number(count), price: Number(price) });
  }
  return orders;
}

export function describeOrder(order) {
  let text = `${order.count} x ${order.item}`;
  if (order.count === 1) {
    text = `one ${order.item}`;
  }
  const total = order.count * order.price;
  if (total === 0) {
    text += ', free';
  } else if (total > 100) {
    text += `, ${total.toFixed(2)} (insured)`;
  } else {
    text += `, ${total.toFixed(2)}`;
  }
  return text;
}
