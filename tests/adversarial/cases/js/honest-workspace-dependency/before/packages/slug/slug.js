exports.slug = (text) => text.toLowerCase().match(/[a-z0-9]+/g)?.join('-') ?? '';
