export function interpolate(template, data) {
  return template.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, key) => String(data[key] ?? ''));
}
