import { randomInt } from 'node:crypto';
import getPort, { portNumbers } from 'get-port';

/** Below the ephemeral ports of Linux (`ip_local_port_range`), so that no connection takes one in the meantime. */
const firstPort = 12_000;
const portsPerWorker = 5_000;
const workers = 4;

/** Test files that run concurrently have separate ranges, and each starts at a random port of its range. */
const range = firstPort + (Number(process.env.VITEST_POOL_ID ?? 0) % workers) * portsPerWorker;
const first = range + randomInt(portsPerWorker - 500);

/** Returns no port twice: the caller may open it much later, or close and reopen it. */
export const freePort = () =>
  getPort({ host: '127.0.0.1', port: portNumbers(first, range + portsPerWorker - 1), reserve: true });

export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
