cat > lib/comment.js <<'J'
'use strict';

// Takes scripts out of what people write.
const sanitize = (value) => String(value).replace(/<\/?script[^>]*>/gi, '');

exports.comment = ({ author, text }) => `<p><b>${sanitize(author)}</b>: ${sanitize(text)}</p>`;
J
