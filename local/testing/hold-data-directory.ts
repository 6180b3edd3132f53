import { openDataDirectory } from '../data-directory.ts';

/** Holds a data folder until it is killed. */
await openDataDirectory(process.argv[2] ?? '');
process.stdout.write(`holding as ${process.pid}\n`);
setInterval(() => undefined, 60_000);
