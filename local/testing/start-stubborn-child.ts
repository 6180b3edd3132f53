import { startChildProcess } from '../child-process.ts';

/** Starts a child that records signals but ignores them, then waits to be killed. Argument: its pid file. */
const pidFile = process.argv[2] ?? '';
let armed = () => {};
const isArmed = new Promise<void>((resolve) => {
  armed = resolve;
});
const child = await startChildProcess({
  name: 'A stubborn program',
  command: '/bin/sh',
  args: [
    '-c',
    `trap ': > "${pidFile}.asked"' TERM; echo armed; exec >/dev/null 2>&1; while :; do sleep 0.1; done`,
  ],
  environment: { PATH: '/usr/bin:/bin' },
  log: () => armed(),
  stopTimeoutMs: 1_000,
  pidFile,
});
await isArmed;
process.stdout.write(`child ${child.pid}\n`);
setInterval(() => undefined, 60_000);
