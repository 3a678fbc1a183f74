// A little Markdown.
function render(text) {
  return text.trim().split(/\n{2,}/).map((part) => `<p>${part.replace(/\n/g, ' ')}</p>\n`).join('');
}

module.exports = { render };
