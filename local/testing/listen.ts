import { once } from 'node:events';
import type { Server } from 'node:net';
import { portOf } from '../../core/port-of.ts';

/** Lets a server listen on 127.0.0.1. @returns the port, a free one by default */
export async function listen(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return portOf(server);
}
