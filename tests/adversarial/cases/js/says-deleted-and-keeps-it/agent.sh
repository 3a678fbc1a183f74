cat > patch.js <<'J'
const fs = require('fs');
const text = fs.readFileSync('lib/app.js', 'utf8');
const route = `    if (request.method === 'DELETE') {
      if (!notes.has(Number(id))) return answer(response, 404, { error: 'not found' });
      return answer(response, 204);
    }
`;
fs.writeFileSync('lib/app.js', text.replace("    return answer(response, 405", route + "    return answer(response, 405"));
J
node patch.js
rm patch.js
