const slug = (text) => text.toLowerCase().replace(' ', '-');

exports.page = (title) => ({ title, url: `/${slug(title)}` });
