import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Orm } from '../../db/orm.ts';
import { findProjectTurns, type Lane, lockDueCommands } from '../../db/repositories/outbox/outbox.ts';
import { groupCommands } from './send-commands.ts';
import { sendRound } from './send-round.ts';

/** What a round is about to send. */
export interface RelayRound {
  lane: Lane;
  commands: number;
  /** Workflows that it starts. */
  workflowIds: string[];
}

export interface LaneOptions {
  orm: Orm;
  client: Client;
  taskQueue: string;
  /** Told of each failure; `error` is the cause. */
  warn: (message: string, error: unknown) => void;
  /** Runs the part of a round that sends something, which is left out when nothing is due. */
  around?: ((round: RelayRound, send: () => Promise<void>) => Promise<void>) | undefined;
  lane: Lane;
  /** Most commands of one transaction. */
  commandsARound: (callsAtATime: number) => number;
}

export interface RelayLane {
  run(): Promise<void>;
  /** Something was committed; it is sent at once. */
  wake(): void;
  stop(): void;
}

const pollIntervalMs = 1_000;
/**
 * Between two looks of which the first found nothing, however often the lane is woken: it is woken by every commit that
 * may have left something, for this lane or another.
 */
const emptyIntervalMs: Record<Lane, number> = { emails: 10, work: 100 };
/** Projects that one look steps over, whether they have anything due or not. */
const projectsALook = 200;
const mostCalls = 8;
/** A call that takes longer is of a server that has enough to do: it answers a few calls no slower than many. */
const easyCallMs = 100;

/**
 * Sends the commands of one lane, in rounds of one transaction. Projects take turns: a round takes the same share of
 * each that has something due, and the next round goes on behind the last of them. While a round runs, commands
 * gather. If the process dies, the commands of its round are sent again, which their ids make harmless.
 */
export function createRelayLane(options: LaneOptions): RelayLane {
  const { orm, lane } = options;
  let stopped = false;
  let woken = false;
  /** While Temporal is away, commits do not shorten the pause: they would hammer a server that is down. */
  let deaf = false;
  let wakeUp: () => void = () => undefined;
  /** The project whose turn was last; null at the beginning of a cycle. */
  let lastProject: string | null = null;
  let callsAtATime = mostCalls;

  /** @returns whether commands were sent, and whether more of them may be due */
  async function round(): Promise<{ sent: number; hasMore: boolean }> {
    const turns = await findProjectTurns(orm.em.fork(), lane, lastProject, projectsALook);
    const allDue = turns.filter((turn) => turn.isDue).map((turn) => turn.projectId);
    const room = options.commandsARound(callsAtATime);
    const due = allDue.slice(0, room);
    const last = due.length < allDue.length ? due.at(-1) : turns[projectsALook - 1]?.projectId;
    const share = Math.max(1, Math.floor(room / due.length));
    const counts = due.length === 0 ? [] : await send(due, share);
    lastProject = last ?? null;
    return {
      sent: counts.reduce((sum, count) => sum + count, 0),
      hasMore: lastProject !== null || counts.some((count) => count === share),
    };
  }

  /** @returns how many commands of each project were taken */
  function send(projectIds: readonly string[], share: number): Promise<number[]> {
    return orm.em.fork().transactional(async (em) => {
      const due = await lockDueCommands(em, lane, projectIds, share);
      const groups = groupCommands(due);
      const sendAll = async () => {
        const callMs = await sendRound(em, groups, { ...options, callsAtATime });
        if (callMs !== undefined) {
          callsAtATime =
            callMs > easyCallMs ? Math.max(1, callsAtATime - 1) : Math.min(mostCalls, callsAtATime + 1);
        }
      };
      if (options.around === undefined || groups.length === 0) await sendAll();
      else {
        const workflowIds = groups.map((group) => group.workflowId);
        await options.around({ lane, commands: due.length, workflowIds }, sendAll);
      }
      return [...Map.groupBy(due, (command) => command.projectId).values()].map(({ length }) => length);
    });
  }

  async function pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
      if (woken || stopped) wakeUp();
    });
    wakeUp = () => undefined;
  }

  return {
    async run() {
      let failures = 0;
      while (!stopped) {
        if (lastProject === null) woken = false;
        try {
          const { sent, hasMore } = await round();
          failures = 0;
          deaf = false;
          if (hasMore) continue;
          if (sent === 0) await delay(emptyIntervalMs[lane]);
          await pause(pollIntervalMs);
        } catch (error) {
          failures += 1;
          if (failures === 1 || failures % 30 === 0) options.warn('Commands to Temporal have to wait', error);
          // One that gets no answer must not stand before all others, as the only call that is open.
          callsAtATime = mostCalls;
          deaf = true;
          woken = false;
          await pause(Math.min(5_000, 250 * 2 ** Math.min(failures, 5)));
        }
      }
    },
    wake() {
      if (deaf) return;
      woken = true;
      wakeUp();
    },
    stop() {
      stopped = true;
      wakeUp();
    },
  };
}
