import { startPostgres } from '../postgres.ts';

/** Arguments: folder, port. */
const [directory = '', port = ''] = process.argv.slice(2);
const postgres = await startPostgres({
  directory,
  port: Number(port),
  password: 'secret',
  log: () => undefined,
});
process.stdout.write(`postgres ${postgres.pid}\n`);
setInterval(() => undefined, 60_000);
