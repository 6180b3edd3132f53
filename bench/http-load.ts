import { setTimeout as delay } from 'node:timers/promises';
import { type HttpConnection, openConnection } from './http-connection.ts';
import { percentile } from './percentile.ts';

export interface Target {
  port: number;
  path: string;
  headers: Record<string, string>;
}

export interface LoadOptions {
  target: Target;
  /** JSON in ASCII; undefined when there is no more. */
  nextBody: () => string | undefined;
  connections: number;
  /** Responses of the first `warmUpSeconds` are not counted. */
  seconds: number;
  warmUpSeconds?: number;
  /** Evenly spaced requests per second; by default, each connection sends as soon as it gets a response. */
  ratePerSecond?: number;
}

export interface LoadResult {
  answered: number;
  /** Including the warm-up. */
  total: number;
  ratePerSecond: number;
  /**
   * Latency of each counted response; at a fixed rate, measured from when the request was due, not from when it was
   * sent.
   */
  latenciesMs: number[];
  statuses: Map<number, number>;
}

/** Connections opened at once: a listening socket has a short queue. */
const openedAtOnce = 32;

async function openConnections(port: number, count: number): Promise<HttpConnection[]> {
  const connections: HttpConnection[] = [];
  while (connections.length < count) {
    const wanted = Math.min(openedAtOnce, count - connections.length);
    connections.push(...(await Promise.all(Array.from({ length: wanted }, () => openConnection(port)))));
  }
  return connections;
}

function headOf({ port, path, headers }: Target): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n${lines.join('')}Content-Length: `;
}

export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const { nextBody } = options;
  const head = headOf(options.target);
  const connections = await openConnections(options.target.port, options.connections);
  const idle = [...connections];
  const due: number[] = [];
  const statuses = new Map<number, number>();
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const countsFrom = startedAt + (options.warmUpSeconds ?? 1) * 1000;
  const endsAt = startedAt + options.seconds * 1000;
  let countedUntil = countsFrom;
  let isDry = false;
  let total = 0;

  function send(connection: HttpConnection, dueAt: number): void {
    const body = nextBody();
    if (body === undefined) {
      isDry = true;
      idle.push(connection);
      return;
    }
    connection.onAnswer = (status) => answered(connection, dueAt, status);
    connection.send(`${head}${body.length}\r\n\r\n${body}`);
  }

  function answered(connection: HttpConnection, dueAt: number, status: number): void {
    const now = performance.now();
    total += 1;
    if (now >= countsFrom && now <= endsAt) {
      latenciesMs.push(now - dueAt);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      countedUntil = now;
    }
    const waitingSince = options.ratePerSecond === undefined ? now : due.shift();
    if (now < endsAt && !isDry && waitingSince !== undefined) send(connection, waitingSince);
    else idle.push(connection);
  }

  if (options.ratePerSecond === undefined) for (const each of idle.splice(0)) send(each, performance.now());
  else await pace(options.ratePerSecond, startedAt, endsAt, idle, due, send);
  const patience = endsAt + 10_000;
  while (idle.length < connections.length && performance.now() < patience) await delay(5);
  for (const connection of connections) connection.close();
  const seconds = (countedUntil - countsFrom) / 1000;
  return {
    answered: latenciesMs.length,
    total,
    ratePerSecond: latenciesMs.length / seconds,
    latenciesMs,
    statuses,
  };
}

async function pace(
  ratePerSecond: number,
  startedAt: number,
  endsAt: number,
  idle: HttpConnection[],
  due: number[],
  send: (connection: HttpConnection, dueAt: number) => void,
): Promise<void> {
  const distanceMs = 1000 / ratePerSecond;
  let nextAt = startedAt;
  while (performance.now() < endsAt) {
    for (const now = performance.now(); nextAt <= now; nextAt += distanceMs) {
      const connection = idle.pop();
      if (connection === undefined) due.push(nextAt);
      else send(connection, nextAt);
    }
    await delay(1);
  }
}

/** @throws Error when any response had another status */
export function requireStatus(result: LoadResult, status: number): LoadResult {
  const others = [...result.statuses].filter(([each]) => each !== status);
  if (others.length === 0 && result.answered > 0) return result;
  const shown =
    [...result.statuses].map(([each, count]) => `${count} × ${each}`).join(', ') || 'no responses';
  throw new Error(`Expected responses with ${status}, got ${shown}`);
}

/** For example `p50 3.1 ms, p99 12.0 ms`. */
export function presentLatencies({ latenciesMs }: LoadResult): string {
  const show = (fraction: number) => percentile(latenciesMs, fraction).toFixed(1);
  return `p50 ${show(0.5)} ms, p99 ${show(0.99)} ms`;
}
