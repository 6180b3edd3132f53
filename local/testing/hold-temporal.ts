import { startTemporal } from '../temporal.ts';
import { findTemporalBinary } from '../temporal-binary.ts';

/** Arguments: folder, port, UI port. */
const [directory = '', port = '', uiPort = ''] = process.argv.slice(2);
const temporal = await startTemporal({
  binary: await findTemporalBinary({ environment: process.env }),
  directory,
  port: Number(port),
  uiPort: Number(uiPort),
  log: () => undefined,
});
process.stdout.write(`temporal ${temporal.pid}\n`);
setInterval(() => undefined, 60_000);
