#!/usr/bin/env node
// Entry point of every command (`node local/bootstrap.mjs <entry.ts> [arguments]`). Plain JavaScript without
// dependencies, for Node 18 and later: installs what is missing, then runs the entry with the pinned Node version.
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled, SetupError } from './bootstrap/install.mjs';
import { runEntry } from './bootstrap/run-entry.mjs';

const oldestNode = 18;
const root = dirname(dirname(fileURLToPath(import.meta.url)));

async function main() {
  const [entry, ...args] = process.argv.slice(2);
  if (entry === undefined) throw new SetupError('Usage: node local/bootstrap.mjs <entry.ts> [arguments]');
  const major = Number(process.versions.node.split('.')[0]);
  if (major < oldestNode) {
    throw new SetupError(
      `Posthaste needs Node.js ${oldestNode} or later; this is ${process.version}. Install a newer one from https://nodejs.org and start again.`,
    );
  }
  const node = await ensureInstalled(root, { withTools: /^(test|bench)[\\/]/.test(entry) });
  process.exitCode = await runEntry(
    node,
    resolve(root, entry),
    args,
    join(root, 'local/bootstrap/entry.mjs'),
  );
}

main().catch((error) => {
  console.error(error instanceof SetupError ? error.message : error);
  process.exitCode = 1;
});
