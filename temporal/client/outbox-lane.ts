import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { createAlarmClock } from '../../core/alarm-clock.ts';
import type { Lane } from '../../core/outbox-lanes.ts';
import type { Orm } from '../../db/orm.ts';
import {
  type DueCommand,
  findProjectTurns,
  lockDueCommands,
} from '../../db/statements/outbox/due-commands.ts';
import { deliverCommands } from './deliver-commands.ts';
import { planCalls } from './plan-calls.ts';
import type { WorkflowCall } from './workflow-call.ts';

export interface RelayRound {
  lane: Lane;
  commands: number;
}

/** A worker's first try of emails, without a workflow. */
export interface FirstTry {
  /**
   * Never rejects.
   *
   * @returns emails that need a workflow, because they failed or take long, and the delay in milliseconds before it
   */
  run: (emailIds: string[]) => Promise<{ openIds: string[]; retryInMs: number }>;
  /** Called once the commands of a first try are deleted. */
  onCommit: () => void;
}

export interface LaneOptions {
  orm: Orm;
  client: Client;
  /** First try of this process's email worker; while undefined, the lane is idle. */
  firstTry?: () => FirstTry | undefined;
  taskQueue: string;
  warn: (message: string, error: unknown) => void;
  /** Runs a round, which returns the ids of the workflows it called. */
  around?: ((round: RelayRound, deliver: () => Promise<string[]>) => Promise<string[]>) | undefined;
  lane: Lane;
  commandsARound: (callsAtATime: number) => number;
  /** Each round holds a connection to Postgres until its commands are delivered. */
  roundsAtATime: number;
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
 * while the maximum number of rounds runs. Delivery is at least once: when the process dies, the round's commands are
 * delivered again, idempotently by their ids.
 */
export class OutboxLane {
  readonly #options: LaneOptions;
  readonly #alarm = createAlarmClock();
  #isStopped = false;
  /** While Temporal is down, commits do not shorten the backoff. */
  #ignoresWakes = false;
  #lastProject: string | null = null;
  #callsAtATime = mostCalls;
  #failures = 0;
  readonly #running = new Set<Promise<void>>();
  #failure: { error: unknown } | undefined;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    while (!this.#isStopped) {
      if (this.#lastProject === null) this.#alarm.silence();
      try {
        const { taken, hasMore } = await this.#round();
        if (hasMore) continue;
        if (taken === 0) await delay(emptyIntervalMs[this.#options.lane]);
        await this.#alarm.sleep(pollIntervalMs);
      } catch (error) {
        await this.#backOff(error);
      }
    }
    await Promise.all(this.#running);
  }

  wake(): void {
    if (!this.#ignoresWakes) this.#alarm.ring();
  }

  stop(): void {
    this.#isStopped = true;
    this.#alarm.ring();
  }

  async #round(): Promise<{ taken: number; hasMore: boolean }> {
    const { orm, lane, firstTry, commandsARound, roundsAtATime } = this.#options;
    if (firstTry !== undefined && firstTry() === undefined) return { taken: 0, hasMore: false };
    this.#throwFailure();
    const turns = await findProjectTurns(orm.em.fork(), lane, this.#lastProject, projectsARound);
    const allDue = turns.filter((turn) => turn.isDue).map((turn) => turn.projectId);
    const capacity = commandsARound(this.#callsAtATime);
    const due = allDue.slice(0, capacity);
    const last = due.length < allDue.length ? due.at(-1) : turns[projectsARound - 1]?.projectId;
    const share = Math.max(1, Math.floor(capacity / due.length));
    const counts = due.length === 0 ? [] : await this.#begin(due, share);
    this.#lastProject = last ?? null;
    while (this.#running.size >= roundsAtATime) await Promise.race(this.#running);
    this.#throwFailure();
    if (due.length === 0 && this.#running.size === 0) this.#recover();
    return {
      taken: counts.reduce((sum, count) => sum + count, 0),
      hasMore: this.#lastProject !== null || counts.some((count) => count === share),
    };
  }

  /** @returns the number of commands locked per project, as soon as they are locked; delivery continues */
  #begin(projectIds: readonly string[], share: number): Promise<number[]> {
    const locked = Promise.withResolvers<number[]>();
    const round = this.#deliver(projectIds, share, locked.resolve)
      .then(
        () => this.#recover(),
        (error) => {
          this.#failure = { error };
          locked.resolve([]);
        },
      )
      .finally(() => this.#running.delete(round));
    this.#running.add(round);
    return locked.promise;
  }

  #recover(): void {
    this.#failures = 0;
    this.#ignoresWakes = false;
  }

  #throwFailure(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }

  #deliver(
    projectIds: readonly string[],
    share: number,
    onLocked: (counts: number[]) => void,
  ): Promise<void> {
    const { orm, lane, around } = this.#options;
    const firstTry = this.#options.firstTry?.();
    let due: DueCommand[] = [];
    const delivered = orm.em.fork().transactional(async (em) => {
      due = await lockDueCommands(em, lane, projectIds, share);
      onLocked([...Map.groupBy(due, (command) => command.projectId).values()].map(({ length }) => length));
      const deliver = async () => {
        const tried = firstTry && (await tryEmails(firstTry, due));
        const calls = inTurns(planCalls(tried?.left ?? due, tried?.retryInMs));
        const callsAtATime = this.#callsAtATime;
        this.#adapt(await deliverCommands(em, calls, tried, { ...this.#options, callsAtATime }));
        return calls.map((call) => call.workflowId);
      };
      if (around === undefined || due.length === 0) await deliver();
      else await around({ lane, commands: due.length }, deliver);
    });
    return delivered.then(() => {
      if (due.length > 0) firstTry?.onCommit();
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
    // With only one concurrent call, a call that times out would block all others.
    this.#callsAtATime = mostCalls;
    this.#ignoresWakes = true;
    if (this.#isStopped) return;
    this.#alarm.silence();
    await this.#alarm.sleep(Math.min(5_000, 250 * 2 ** Math.min(this.#failures, 5)));
  }
}

/** The first call of each project, then the second of each: the oldest commands first would be those of a backlog. */
function inTurns(calls: readonly WorkflowCall[]): WorkflowCall[] {
  const projects = [...Map.groupBy(calls, (call) => call.commands[0]?.projectId).values()];
  const turns = Math.max(0, ...projects.map(({ length }) => length));
  return Array.from({ length: turns }, (_, turn) =>
    projects.flatMap((own) => own.slice(turn, turn + 1)),
  ).flat();
}

async function tryEmails(firstTry: FirstTry, due: readonly DueCommand[]) {
  if (due.length === 0) return { left: [], done: [], retryInMs: 0 };
  const { openIds, retryInMs } = await firstTry.run(due.map((command) => command.subjectId));
  const open = new Set(openIds);
  const done = due.filter(({ subjectId }) => !open.has(subjectId)).map(({ id }) => id);
  return { left: due.filter(({ subjectId }) => open.has(subjectId)), done, retryInMs };
}
