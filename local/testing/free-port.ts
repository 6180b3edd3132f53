import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports below those that the system gives to whoever asks for any, by `ip_local_port_range` of Linux. */
const firstPort = 12_000;
const portsOfWorker = 5_000;
const workers = 4;

/** Test files that run at the same time have numbers of their own; what starts before them has none. */
const worker = Number(process.env.VITEST_POOL_ID ?? 0) % workers;
let next = randomInt(portsOfWorker);

/**
 * A TCP port of 127.0.0.1 that is free, and stays so until its owner listens: neither the system gives it to a connection
 * nor another test file to a server meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstPort + worker * portsOfWorker + (next++ % portsOfWorker);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
