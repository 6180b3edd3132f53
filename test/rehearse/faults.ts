import { setTimeout as delay } from 'node:timers/promises';
import { sql } from '../../db/testing/sql.ts';
import type { CrashablePostgres } from '../setup/own-postgres.ts';
import type { Member } from './member.ts';
import type { Stage } from './stage.ts';

export interface Fault {
  name: string;
  /** The processes that it hits. They come back by themselves, and must be ready before they are hit again. */
  members: readonly Member[];
  /** Resolves when the other parts that it broke are back. */
  run(): Promise<void>;
}

/** mulberry32: the same seed gives the same numbers. @returns numbers from 0 up to, but not including, 1 */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The faults of one turn. The seed determines which process each fault hits. */
export function faultsOf(stage: Stage, random: () => number): Fault[] {
  const { apis, workers, postgres, temporal, temporalLine, clickhouse, clickhouseLine } = stage;
  const oneOf = (members: readonly Member[]) => {
    const member = members[Math.floor(random() * members.length)];
    if (member === undefined) throw new Error('There is no process to break');
    return member;
  };
  const [worker, api, both] = [oneOf(workers), oneOf(apis), [oneOf(workers), oneOf(apis)]];
  const [deployedWorker, deployedApi, paused] = [oneOf(workers), oneOf(apis), oneOf(workers)];
  return [
    kill([worker]),
    elsewhere('Postgres crashes (immediate shutdown)', () => crashed(postgres, 'SIGQUIT', 500)),
    kill([api]),
    elsewhere('kill -9 Temporal, down for 3 s', () => restarted(temporal, 3_000)),
    elsewhere('all connections to Postgres break', () => breakConnections(stage)),
    kill(both),
    elsewhere('kill -9 ClickHouse, down for 5 s', () => restarted(clickhouse, 5_000)),
    elsewhere('kill -9 Postgres, down for 5 s', () => crashed(postgres, 'SIGKILL', 5_000)),
    ...faultsOfDatabase(temporal.database),
    elsewhere('SES throttles and loses answers for 5 s', () => disturbSes(stage)),
    elsewhere('Temporal is cut off for 6 s', () => cutOff(temporalLine, 6_000)),
    { name: `${paused.name} is frozen for 10 s`, members: [paused], run: () => pause(paused, 10_000) },
    restartInOrder(deployedApi),
    elsewhere('ClickHouse is cut off for 6 s', () => cutOff(clickhouseLine, 6_000)),
    restartInOrder(deployedWorker),
  ];
}

function faultsOfDatabase(database: CrashablePostgres | undefined): Fault[] {
  if (database === undefined) return [];
  return [
    elsewhere("Temporal's Postgres crashes (immediate shutdown)", () => crashed(database, 'SIGQUIT', 500)),
    elsewhere("kill -9 Temporal's Postgres, down for 8 s", () => crashed(database, 'SIGKILL', 8_000)),
  ];
}

const elsewhere = (name: string, run: () => Promise<void>): Fault => ({ name, members: [], run });

const kill = (members: readonly Member[]): Fault => ({
  name: `kill -9 ${members.map(({ name }) => name).join(' and ')}`,
  members,
  run: async () => void (await Promise.all(members.map((member) => member.kill()))),
});

const restartInOrder = (member: Member): Fault => ({
  name: `${member.name} restarts gracefully`,
  members: [member],
  run: () => member.stop(),
});

async function crashed(
  postgres: CrashablePostgres,
  signal: 'SIGQUIT' | 'SIGKILL',
  awayMs: number,
): Promise<void> {
  await postgres.crash(signal);
  await delay(awayMs);
  await postgres.restart();
}

async function restarted(
  machine: { kill(): Promise<void>; start(): Promise<void> },
  awayMs: number,
): Promise<void> {
  await machine.kill();
  await delay(awayMs);
  await machine.start();
}

async function cutOff(line: { cutOff(): void; restore(): void }, ms: number): Promise<void> {
  line.cutOff();
  await delay(ms);
  line.restore();
}

/**
 * Freezes a process like a virtual machine that its host does not schedule for a while: it continues with outdated
 * knowledge.
 */
async function pause({ pid }: Member, ms: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await delay(ms);
  process.kill(pid, 'SIGCONT');
}

async function breakConnections(stage: Stage): Promise<void> {
  await sql(
    stage.em(),
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and application_name like 'posthaste%'`,
  );
}

async function disturbSes({ ses }: Stage): Promise<void> {
  const set = (faults: object) =>
    fetch(`${ses.url}/api/faults`, { method: 'PUT', body: JSON.stringify(faults) });
  await set({ latencyMs: 50, throttleEvery: 4, dropReplyEvery: 5 });
  await delay(5_000);
  await set({});
}
