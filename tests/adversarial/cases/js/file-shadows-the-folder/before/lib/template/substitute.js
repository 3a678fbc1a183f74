exports.substitute = (source, data) => source.replace(/\{\{ ?(\w+) ?\}\}/g, (_, key) => data[key] ?? '');
