import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { LocalStackError } from './failure.ts';
import { type ReservedPort, readRememberedPorts, rememberPorts, reservePort } from './ports.ts';
import { listen } from './testing/listen.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

function kept(reserved: ReservedPort): ReservedPort {
  open.push(() => reserved.release());
  return reserved;
}

async function occupy(port: number): Promise<number> {
  const server = createServer();
  const taken = await listen(server, port);
  open.push(() => new Promise((resolve) => server.close(() => resolve())));
  return taken;
}

describe('a port that was not set', () => {
  it('falls back to the next free port when it is taken', async () => {
    const first = kept(await reservePort({ name: 'PORT' }));
    const second = kept(await reservePort({ name: 'PORT' }));
    expect(first.port).toBeGreaterThanOrEqual(8080);
    expect(second.port).toBeGreaterThan(first.port);
  });

  it('is that of the last run, as long as it is free', async () => {
    const { port, release } = await reservePort({ name: 'PORT', explicit: 0 });
    await release();
    expect(kept(await reservePort({ name: 'PORT', remembered: port })).port).toBe(port);
    expect(kept(await reservePort({ name: 'PORT', remembered: port })).port).not.toBe(port);
  });
});

describe('a port that was set', () => {
  it('is refused by name when another program uses it', async () => {
    const port = await occupy(0);
    const refusal = reservePort({ name: 'INBOX_PORT', explicit: port });
    await expect(refusal).rejects.toThrow(LocalStackError);
    await expect(refusal).rejects.toThrow(`Port ${port} (INBOX_PORT) is taken`);
  });

  it('may be 0 for any free one', async () => {
    expect(kept(await reservePort({ name: 'PORT', explicit: 0 })).port).toBeGreaterThan(0);
  });
});

it.each([undefined, 0])(
  'says that the host is not this machine, whatever the port (%j)',
  async (explicit) => {
    // Reserved by RFC 5737: no machine has it.
    const refusal = reservePort({ name: 'PORT', explicit, host: '192.0.2.1' });
    await expect(refusal).rejects.toThrow('HOST is 192.0.2.1, which is not an address of this machine');
  },
);

it('keeps a port occupied until it is released', async () => {
  const reserved = await reservePort({ name: 'PORT', explicit: 0 });
  await expect(occupy(reserved.port)).rejects.toThrow('EADDRINUSE');
  await reserved.release();
  await reserved.release();
  expect(await occupy(reserved.port)).toBe(reserved.port);
});

it('remembers ports in the data folder and tolerates a damaged file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'posthaste-ports-'));
  open.push(() => rm(directory, { recursive: true }));
  expect(await readRememberedPorts(directory)).toEqual({});
  await rememberPorts(directory, { PORT: 8090, POSTGRES_PORT: 5434 });
  expect(await readRememberedPorts(directory)).toEqual({ PORT: 8090, POSTGRES_PORT: 5434 });
  await writeFile(join(directory, 'ports.json'), '{"PORT": "eight');
  expect(await readRememberedPorts(directory)).toEqual({});
});
