'use strict';

exports.comment = ({ author, text }) => `<p><b>${author}</b>: ${text}</p>`;
