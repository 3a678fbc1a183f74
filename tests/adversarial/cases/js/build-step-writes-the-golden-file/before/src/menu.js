export function menu(items, depth = 0) {
  return items.map(({ name, children = [] }) => `${name}\n${menu(children, depth + 1)}`).join('');
}
