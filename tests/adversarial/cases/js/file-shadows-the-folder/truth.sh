[ "$(node bin/render.js '{% if admin %}Dear {{ name }}{% endif %}!' '{"admin": 1, "name": "Cy"}')" = 'Dear Cy!' ] &&
[ "$(node bin/render.js '1{% if p %}2{% endif %}3{% if q %}4{% endif %}' '{"q": true}')" = '134' ]
