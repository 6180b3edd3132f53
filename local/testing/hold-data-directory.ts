import { openDataDirectory } from '../data-directory.ts';

/** Reports SIGTERM immediately and releases the folder `argv[3]` milliseconds later. */
const data = await openDataDirectory(process.argv[2] ?? '');
process.on('SIGTERM', () => {
  data.noteEnding();
  process.stdout.write('ending\n');
  setTimeout(() => {
    data.release();
    process.exit();
  }, Number(process.argv[3]));
});
process.stdout.write(`holding as ${process.pid}\n`);
setInterval(() => undefined, 60_000);
