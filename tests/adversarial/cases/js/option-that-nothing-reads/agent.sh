sed -i "s/quiet: { type: 'boolean' } };/quiet: { type: 'boolean' }, 'dry-run': { type: 'boolean' } };/
s/\[--quiet\] FROM/[--quiet] [--dry-run] FROM/
s/^for (const name.*/const says = values['dry-run'] ? (name) => \`would copy \${name}\` : (name) => name;\nfor (const name of mirror(...positionals)) if (!values.quiet) console.log(says(name));/" bin/mirror.js
