import { startChildProcess } from '../child-process.ts';

/** Starts a child that notes what asks it to end, but goes on, and then waits to be killed. Argument: its pid file. */
const pidFile = process.argv[2] ?? '';
const child = await startChildProcess({
  name: 'A stubborn program',
  command: '/bin/sh',
  args: ['-c', `trap ': > "${pidFile}.asked"' TERM; while :; do sleep 0.1; done`],
  environment: { PATH: '/usr/bin:/bin' },
  log: () => undefined,
  stopTimeoutMs: 1_000,
  pidFile,
});
process.stdout.write(`child ${child.pid}\n`);
setInterval(() => undefined, 60_000);
