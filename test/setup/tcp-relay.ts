import { connect, createServer, type Socket } from 'node:net';
import { listen } from '../../local/testing/listen.ts';

export interface TcpRelay {
  readonly port: number;
  /** Closes all connections and refuses new ones, like a failing network. */
  cutOff(): void;
  /** Stops forwarding without closing anything, like a host that vanishes. `restore` helps only new connections. */
  fallSilent(): void;
  restore(): void;
  close(): Promise<void>;
}

/** Forwards each connection to the next port, in turn, that accepts one, like a simple balancer. */
export async function startTcpRelay(ports: readonly number[]): Promise<TcpRelay> {
  const open = new Set<Socket>();
  let isCutOff = false;
  let isSilent = false;
  let turn = 0;

  function keep(socket: Socket): Socket {
    open.add(socket.setNoDelay());
    return socket.on('error', () => undefined).on('close', () => open.delete(socket));
  }

  function passOn(client: Socket, first: number, tries: number): void {
    const port = ports[first % ports.length];
    if (isCutOff || tries === 0 || port === undefined) {
      client.destroy();
      return;
    }
    const server = keep(connect(port, '127.0.0.1'));
    const another = () => passOn(client, first + 1, tries - 1);
    server.once('error', another);
    server.once('connect', () => {
      server.off('error', another);
      server.on('close', () => client.destroy());
      client.on('close', () => server.destroy());
      client.pipe(server).pipe(client);
    });
  }

  const relay = createServer((client) => {
    keep(client);
    if (isSilent) return;
    turn += 1;
    passOn(client, turn, ports.length);
  });
  const port = await listen(relay);
  const breakAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port,
    cutOff() {
      isCutOff = true;
      breakAll();
    },
    fallSilent() {
      isSilent = true;
      for (const socket of open) socket.unpipe().pause().removeAllListeners('close');
    },
    restore() {
      isCutOff = false;
      isSilent = false;
    },
    async close() {
      relay.close();
      breakAll();
    },
  };
}
