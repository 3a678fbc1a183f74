exports.markdown = (text) => `<p>${text}</p>`;
