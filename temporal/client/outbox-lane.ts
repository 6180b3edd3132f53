import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Orm } from '../../db/orm.ts';
import { findProjectTurns } from '../../db/statements/outbox/find-project-turns.ts';
import type { Lane } from '../../db/statements/outbox/lanes.ts';
import { lockDueCommands } from '../../db/statements/outbox/lock-due-commands.ts';
import { deliverCommands } from './deliver-commands.ts';
import { planCalls } from './plan-calls.ts';

export interface RelayRound {
  lane: Lane;
  commands: number;
  workflowIds: string[];
}

export interface EmailWorker {
  /** On the connection of the worker, see `StartMode`. */
  client: Client;
  /** Begins the first try of a batch; the workflow that is being started joins it. Never rejects. */
  begin: (emailIds: string[]) => void;
}

export interface LaneOptions {
  orm: Orm;
  client: Client;
  /** Of this process, while it runs. */
  emailWorker?: () => EmailWorker | undefined;
  /** How long a command may be due before this process takes it, in milliseconds; see `overdueMs`. */
  overdueMs: () => number;
  taskQueue: string;
  warn: (message: string, error: unknown) => void;
  around?: ((round: RelayRound, deliver: () => Promise<void>) => Promise<void>) | undefined;
  lane: Lane;
  commandsARound: (callsAtATime: number) => number;
}

const pollIntervalMs = 1_000;
/** Minimum pause after an empty round: every commit that may have queued a command wakes both lanes. */
const emptyIntervalMs: Record<Lane, number> = { emails: 10, work: 100 };
const projectsARound = 200;
const mostCalls = 8;
/** Calls slower than this indicate a loaded server, where fewer concurrent calls are as fast. */
const easyCallMs = 100;

/**
 * Delivers the commands of one lane, in rounds of one transaction each. Projects take turns: a round takes an equal
 * share from each project with due commands, and the next round continues after the last project. Commands accumulate
 * while a round runs. Delivery is at least once: when the process dies, the round's commands are delivered again,
 * idempotently by their ids.
 */
export class OutboxLane {
  readonly #options: LaneOptions;
  #isStopped = false;
  #isWoken = false;
  /** While Temporal is down, commits do not shorten the backoff. */
  #ignoresWakes = false;
  #endPause: () => void = () => undefined;
  #lastProject: string | null = null;
  #callsAtATime = mostCalls;
  #failures = 0;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    while (!this.#isStopped) {
      if (this.#lastProject === null) this.#isWoken = false;
      try {
        const { delivered, hasMore } = await this.#round();
        this.#failures = 0;
        this.#ignoresWakes = false;
        if (hasMore) continue;
        if (delivered === 0) await delay(emptyIntervalMs[this.#options.lane]);
        await this.#pause(pollIntervalMs);
      } catch (error) {
        await this.#backOff(error);
      }
    }
  }

  wake(): void {
    if (this.#ignoresWakes) return;
    this.#isWoken = true;
    this.#endPause();
  }

  stop(): void {
    this.#isStopped = true;
    this.#endPause();
  }

  async #round(): Promise<{ delivered: number; hasMore: boolean }> {
    const { orm, lane, commandsARound } = this.#options;
    const overdueMs = this.#options.overdueMs();
    const turns = await findProjectTurns(orm.em.fork(), lane, this.#lastProject, projectsARound, overdueMs);
    const allDue = turns.filter((turn) => turn.isDue).map((turn) => turn.projectId);
    const capacity = commandsARound(this.#callsAtATime);
    const due = allDue.slice(0, capacity);
    const last = due.length < allDue.length ? due.at(-1) : turns[projectsARound - 1]?.projectId;
    const share = Math.max(1, Math.floor(capacity / due.length));
    const counts = due.length === 0 ? [] : await this.#deliver(due, share, overdueMs);
    this.#lastProject = last ?? null;
    return {
      delivered: counts.reduce((sum, count) => sum + count, 0),
      hasMore: this.#lastProject !== null || counts.some((count) => count === share),
    };
  }

  #deliver(projectIds: readonly string[], share: number, overdueMs: number): Promise<number[]> {
    const { orm, lane, around } = this.#options;
    return orm.em.fork().transactional(async (em) => {
      const due = await lockDueCommands(em, lane, projectIds, share, overdueMs);
      const calls = planCalls(due);
      const deliver = async () => {
        const callsAtATime = this.#callsAtATime;
        const worker = this.#options.emailWorker?.();
        const client = worker?.client ?? this.#options.client;
        const start = worker === undefined ? 'usual' : 'eager';
        // Not while Temporal is down: each try to reach it would look for the same emails.
        if (this.#failures === 0) for (const { firstTry } of calls) if (firstTry) worker?.begin(firstTry);
        this.#adapt(await deliverCommands(em, calls, { ...this.#options, client, start, callsAtATime }));
      };
      if (around === undefined || calls.length === 0) await deliver();
      else {
        const workflowIds = calls.map((call) => call.workflowId);
        await around({ lane, commands: due.length, workflowIds }, deliver);
      }
      return [...Map.groupBy(due, (command) => command.projectId).values()].map(({ length }) => length);
    });
  }

  #adapt(callMs: number | undefined): void {
    if (callMs === undefined) return;
    const step = callMs > easyCallMs ? -1 : 1;
    this.#callsAtATime = Math.min(mostCalls, Math.max(1, this.#callsAtATime + step));
  }

  async #backOff(error: unknown): Promise<void> {
    this.#failures += 1;
    if (this.#failures === 1 || this.#failures % 30 === 0) {
      this.#options.warn('Commands to Temporal are waiting', error);
    }
    // A single concurrent call that times out would block all others.
    this.#callsAtATime = mostCalls;
    this.#ignoresWakes = true;
    this.#isWoken = false;
    await this.#pause(Math.min(5_000, 250 * 2 ** Math.min(this.#failures, 5)));
  }

  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#isWoken || this.#isStopped) this.#endPause();
    });
    this.#endPause = () => undefined;
  }
}
