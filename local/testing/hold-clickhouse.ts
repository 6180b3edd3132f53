import { startClickHouse } from '../clickhouse.ts';

/** Arguments: folder, port. */
const [directory = '', port = ''] = process.argv.slice(2);
const clickhouse = await startClickHouse({
  directory,
  port: Number(port),
  password: '',
  log: () => undefined,
});
process.stdout.write(`clickhouse ${clickhouse.pid}\n`);
setInterval(() => undefined, 60_000);
