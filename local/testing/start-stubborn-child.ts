import { startChildProcess } from '../child-process.ts';

/** Starts a child that ignores what asks it to end, and then waits to be killed. */
const child = await startChildProcess({
  name: 'A stubborn program',
  command: '/bin/sh',
  args: ['-c', "trap '' TERM; sleep 300 & wait; wait"],
  environment: { PATH: '/usr/bin:/bin' },
  log: () => undefined,
  stopTimeoutMs: 1_000,
  ...(process.argv[2] === undefined ? {} : { pidFile: process.argv[2] }),
});
process.stdout.write(`child ${child.pid}\n`);
setInterval(() => undefined, 60_000);
