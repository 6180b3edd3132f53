import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { portOf } from '../core/port-of.ts';
import { LocalStackError } from './failure.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';

export const defaultPorts = {
  PORT: 8080,
  INBOX_PORT: 8025,
  TEMPORAL_PORT: 7233,
  TEMPORAL_UI_PORT: 8233,
  POSTGRES_PORT: 5433,
  INBOUND_SMTP_PORT: 2525,
  CLICKHOUSE_PORT: 8123,
} as const;

export type PortName = keyof typeof defaultPorts;

/**
 * A port occupied by this process until `release`, which is idempotent, so that no other program takes it while its
 * owner starts.
 */
export interface ReservedPort {
  readonly port: number;
  release(): Promise<void>;
}

export interface PortRequest {
  name: PortName;
  /** Used as given or rejected; 0 means any free port. */
  explicit?: number | undefined;
  remembered?: number | undefined;
  host?: string;
}

const searchWidth = 100;

/**
 * Reserves the port of one part: the explicit one, or else the first free one among the last run's, the default and the
 * ports after it.
 * @throws LocalStackError when an explicit port is taken or not permitted, or the host is not this machine
 */
export async function reservePort(request: PortRequest): Promise<ReservedPort> {
  const host = request.host ?? '127.0.0.1';
  if (request.explicit !== undefined) {
    const server = await listen(request.explicit, host);
    if (typeof server === 'string') throw refusal(request.name, request.explicit, host, server);
    return reservation(server);
  }
  const first = defaultPorts[request.name];
  const candidates = [first, ...Array.from({ length: searchWidth }, (_, step) => first + step + 1), 0];
  if (request.remembered !== undefined) candidates.unshift(request.remembered);
  for (const candidate of candidates) {
    const server = await listen(candidate, host);
    if (typeof server !== 'string') return reservation(server);
    if (noAddress.has(server)) throw refusal(request.name, candidate, host, server);
  }
  throw new LocalStackError(`No free port was found for ${request.name}. Set ${request.name} to a free one.`);
}

/**
 * Checks that nothing listens on a port of 127.0.0.1, so that whatever answers there later is the program we started.
 * @throws LocalStackError naming the port and the variable that sets it
 */
export async function requireFreePort(name: PortName, port: number): Promise<void> {
  const { release } = await reservePort({ name, explicit: port });
  await release();
}

const noAddress = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL']);

function refusal(name: PortName, port: number, host: string, code: string): LocalStackError {
  if (noAddress.has(code)) {
    return new LocalStackError(
      `HOST is ${host}, which is not an address of this machine. Set it to one, or leave it unset for 127.0.0.1.`,
    );
  }
  if (code === 'EADDRINUSE') {
    return new LocalStackError(
      `Port ${port} (${name}) is taken by another program. Stop that program, set ${name} to another port, or leave ${name} unset to use any free one.`,
    );
  }
  if (code === 'EACCES') {
    return new LocalStackError(
      `Port ${port} (${name}) needs more privileges than this user has. Set ${name} to a port above 1023.`,
    );
  }
  return new LocalStackError(
    `${host}:${port} (${name}) can't be used: ${code}. Set ${name} to another port.`,
  );
}

function listen(port: number, host: string): Promise<Server | string> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => resolve(server));
  });
}

function reservation(server: Server): ReservedPort {
  server.unref();
  let released: Promise<void> | undefined;
  return {
    port: portOf(server),
    release() {
      released ??= new Promise((resolve) => server.close(() => resolve()));
      return released;
    },
  };
}

const rememberedPortsSchema = z.partialRecord(
  z.enum(Object.keys(defaultPorts) as [PortName, ...PortName[]]), // the keys of a literal object are its PortNames
  z.number().int().min(1).max(65_535),
);

export type PortNumbers = z.output<typeof rememberedPortsSchema>;

export async function readRememberedPorts(dataDirectory: string): Promise<PortNumbers> {
  return (await readJsonFile(join(dataDirectory, 'ports.json'), rememberedPortsSchema)) ?? {};
}

export const rememberPorts = (dataDirectory: string, ports: PortNumbers) =>
  writeJsonFile(join(dataDirectory, 'ports.json'), ports, 0o644);
