// Runs the entry with the pinned Node and stays as thin as possible in between.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** npm forwards a Ctrl-C that the terminal has already delivered; within this time it is the same one. */
const sameSignalMs = 500;

/**
 * By default the C library keeps freed memory apart for each of many threads: a product that handed large emails over
 * held 1,060 MB, and 830 MB with two such stores.
 */
const memory = { MALLOC_ARENA_MAX: '2' };

/**
 * `npm start` runs API, worker and ClickHouse in one process. With the defaults of V8, which follow the memory of the
 * machine, garbage piled up in each of its threads: 1,140 MB beside 10,000 failing requests, 705 MB with these bounds.
 * `NODE_OPTIONS` of the user win.
 */
const localHeap = '--max-semi-space-size=4 --max-old-space-size=1024';

/** @param {string} entry */
function environmentOf(entry) {
  const isLocal = /local[\\/]main\.ts$/.test(entry);
  const options = [isLocal ? localHeap : '', process.env.NODE_OPTIONS ?? ''].join(' ').trim();
  return { ...memory, ...process.env, ...(options !== '' && { NODE_OPTIONS: options }) };
}

/**
 * Starts `entry` and answers its exit code. Signals are handed on once each. The child has a session of its own,
 * so a Ctrl-C reaches it only through here, and a channel by which it notices when we are killed.
 *
 * @param {string} node
 * @param {string} entry
 * @param {string[]} args
 * @param {string} loader
 * @returns {Promise<number>}
 */
export function runEntry(node, entry, args, loader) {
  return new Promise((done, failed) => {
    const child = spawn(node, [loader, entry, ...args], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      detached: true,
      env: environmentOf(entry),
    });
    const lastSent = new Map();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) {
      process.on(signal, () => {
        const now = Date.now();
        if (now - (lastSent.get(signal) ?? 0) < sameSignalMs) return;
        lastSent.set(signal, now);
        child.kill(signal);
      });
    }
    onNpmGone(() => child.kill('SIGTERM'));
    child.once('error', failed);
    child.once('exit', (code, signal) => done(code ?? 128 + (constants.signals[signal] ?? 0)));
  });
}

/**
 * A killed npm can't hand a signal on, so its end is ours too. Only npm's: a shell that has started us in the
 * background may leave.
 */
function onNpmGone(act) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    act();
  }, 250);
  timer.unref();
}
