import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { sql } from '../../db/sql.ts';
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts';
import { eventually } from '../../test/setup/eventually.ts';
import { createTemporalClient } from './connect.ts';
import { createRelay, type Relay } from './relay.ts';

let database: TestDatabase;
let client: Client;
let relay: Relay | undefined;
let warnings: string[] = [];
beforeEach(async () => {
  database = await createTestDatabase();
  client = connect(inject('temporalAddress'));
  warnings = [];
});
afterEach(async () => {
  await relay?.stop();
  await client.connection.close();
  await database.close();
});

function connect(address: string): Client {
  return createTemporalClient({ environment: { TEMPORAL_ADDRESS: address }, dataConverter: undefined });
}

function start(taskQueue: string): void {
  const warn = (message: string) => warnings.push(message);
  relay = createRelay({ orm: database.orm, client, taskQueue, warn });
  relay.start();
}

const em = () => database.orm.em.fork();

async function order(kind: string, attempts = 0): Promise<string> {
  const id = randomUUID();
  await sql(em(), 'insert into outbox (id, kind, subject_id, attempts) values ($1, $2, $3, $4)', [
    id,
    kind,
    randomUUID(),
    attempts,
  ]);
  return id;
}

interface Left {
  id: string;
  attempts: number;
  isDead: boolean;
  error: string | null;
  isPutOff: boolean;
}
const left = () =>
  sql<Left>(
    em(),
    `select id, attempts, dead_at is not null as "isDead", last_error as error, next_attempt_at > now() as "isPutOff"
     from outbox order by attempts`,
  );

/** Temporal takes names of up to a thousand characters. */
const refusedQueue = 'q'.repeat(1_001);

describe('a command', () => {
  it('that Temporal refuses is put off and dies after twelve tries, and holds up no other', async () => {
    const refused = await order('domain.verify');
    const last = await order('domain.verify', 11);
    // A call without a task queue: nothing is there that it could end.
    await order('execution.cancel');
    start(refusedQueue);
    const commands = await eventually(left, (list) => list.length === 2 && list.every(({ error }) => error));
    expect(commands).toEqual([
      {
        id: refused,
        attempts: 1,
        isDead: false,
        error: expect.stringMatching(/task ?queue/i),
        isPutOff: true,
      },
      { id: last, attempts: 12, isDead: true, error: expect.stringMatching(/task ?queue/i), isPutOff: true },
    ]);
    expect(new Set(warnings)).toEqual(new Set(['Temporal refused a command; it is put off']));
  });

  it('that gets no answer lets the others go before it, and is not counted as refused', async () => {
    const unanswered = await order('domain.verify');
    await order('project.erase');
    const call = client.workflow.start.bind(client.workflow);
    // What a shard that is ill answers; the rest of the server is the real one.
    vi.spyOn(client.workflow, 'start').mockImplementation((type, options) => {
      if (type !== 'domainVerification') return call(type, options);
      const answer = Object.assign(new Error('shard'), { code: 4, details: 'shard', metadata: {} });
      return Promise.reject(new Error('Failed to start Workflow', { cause: answer }));
    });
    start(`relay-${randomUUID()}`);
    const commands = await eventually(left, (list) => list.length === 1);
    expect(commands).toEqual([{ id: unanswered, attempts: 0, isDead: false, error: null, isPutOff: true }]);
    await eventually(left, (list) => list[0]?.isPutOff === false, 10_000);
    vi.restoreAllMocks();
    await eventually(left, (list) => list.length === 0, 20_000);
  });

  it('waits as it is while Temporal is away', async () => {
    await client.connection.close();
    client = connect('127.0.0.1:1');
    const id = await order('domain.verify');
    start('away');
    await eventually(
      async () => warnings,
      (list) => list.length > 0,
      20_000,
    );
    expect(warnings).toEqual(['Commands to Temporal have to wait']);
    expect(await left()).toEqual([{ id, attempts: 0, isDead: false, error: null, isPutOff: false }]);
  });
});
