// Runs the entry with the pinned Node, with as little code as possible in between.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/**
 * npm forwards a Ctrl-C that the terminal has already delivered; a repeat within this time counts as the same signal.
 */
const sameSignalMs = 500;

/**
 * By default, glibc keeps freed memory in many per-thread arenas: with large emails the process held 1,060 MB, with two
 * arenas 830 MB.
 */
const memory = { MALLOC_ARENA_MAX: '2' };

/**
 * `npm start` runs API, worker and ClickHouse in one process. V8 sizes its heap by the machine's memory, so garbage
 * piled up in each thread: 1,140 MB under 10,000 failing requests, 705 MB with these limits. The user's `NODE_OPTIONS`
 * win.
 */
const localHeap = '--max-semi-space-size=4 --max-old-space-size=1024';

/** @param {string} entry */
function environmentOf(entry) {
  const isLocal = /local[\\/]main\.ts$/.test(entry);
  const options = [isLocal ? localHeap : '', process.env.NODE_OPTIONS ?? ''].join(' ').trim();
  return { ...memory, ...process.env, ...(options !== '' && { NODE_OPTIONS: options }) };
}

/**
 * Runs `entry` and returns its exit code. Each signal is forwarded once. The child has its own session, so a Ctrl-C
 * reaches it only through here, and an IPC channel that tells it when we are killed.
 * @param {string} node
 * @param {string} entry
 * @param {string[]} args
 * @param {string} loader
 * @returns {Promise<number>}
 */
export function runEntry(node, entry, args, loader) {
  return new Promise((done, failed) => {
    const lastSent = new Map();
    // Before the child can show that it is running, so that no signal arrives without a handler.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) {
      process.on(signal, () => {
        const now = Date.now();
        if (now - (lastSent.get(signal) ?? 0) < sameSignalMs) return;
        lastSent.set(signal, now);
        child.kill(signal);
      });
    }
    const child = spawn(node, [loader, entry, ...args], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      detached: true,
      env: environmentOf(entry),
    });
    onNpmGone(() => child.kill('SIGTERM'));
    child.once('error', failed);
    child.once('exit', (code, signal) => done(code ?? 128 + (constants.signals[signal] ?? 0)));
  });
}

/**
 * A killed npm can't forward a signal, so its end must end us too. Applies only to npm: a shell that started us in the
 * background may exit.
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
