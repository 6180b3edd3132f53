import { openDataDirectory } from '../data-directory.ts';

/** Holds a data folder until it is killed, or until `argv[3]` ms after SIGTERM, which it says at once. */
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
