import { startClickHouse } from '../clickhouse.ts';
import { startPostgres } from '../postgres.ts';
import { startTemporal } from '../temporal.ts';
import { findTemporalBinary } from '../temporal-binary.ts';

/** Arguments: service, folder, port; for Temporal also the port of its UI. */
const [name = '', directory = '', port = '', uiPort = ''] = process.argv.slice(2);
const options = { directory, port: Number(port), log: () => undefined };
const services: Record<string, () => Promise<{ pid: number }>> = {
  clickhouse: () => startClickHouse({ ...options, password: '' }),
  postgres: () => startPostgres({ ...options, password: 'secret' }),
  temporal: async () => {
    const binary = await findTemporalBinary({ environment: process.env });
    return startTemporal({ ...options, uiPort: Number(uiPort), binary });
  },
};
const service = await services[name]?.();
process.stdout.write(`${name} ${service?.pid}\n`);
setInterval(() => undefined, 60_000);
