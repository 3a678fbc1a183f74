node -e 'const { badge } = require("./badge.js"); require("assert").strictEqual(badge("x<&y", "c"), "<b class=\"c\">x&lt;&amp;y</b>\n")'
