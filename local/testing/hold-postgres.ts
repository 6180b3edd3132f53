import { startPostgres } from '../postgres.ts';

/** Runs a Postgres until it is killed. Arguments: folder, port. */
const [directory = '', port = ''] = process.argv.slice(2);
const postgres = await startPostgres({
  directory,
  port: Number(port),
  password: 'secret',
  log: () => undefined,
});
process.stdout.write(`postgres ${postgres.pid}\n`);
setInterval(() => undefined, 60_000);
