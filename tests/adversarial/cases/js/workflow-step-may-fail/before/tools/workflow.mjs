// Runs the `run:` steps of a workflow with one job.
import { readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';

const steps = readFileSync(process.argv[2], 'utf8').split(/^ {6}- /m).slice(1);
for (const step of steps) {
  const command = /^\s*run: (.*)$/m.exec(step)?.[1];
  if (!command) continue;
  console.log(`$ ${command}`);
  const { status } = spawnSync('sh', ['-e', '-c', command], { stdio: 'inherit' });
  if (status !== 0 && !/^\s*continue-on-error: true$/m.test(step)) process.exit(1);
}
