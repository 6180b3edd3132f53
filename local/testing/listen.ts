import { once } from 'node:events';
import type { Server } from 'node:net';

/** Lets a server listen on 127.0.0.1. @returns the port, a free one by default */
export async function listen(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return address.port;
}
