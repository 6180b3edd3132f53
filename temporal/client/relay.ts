import type { Client } from '@temporalio/client';
import { isGrpcServiceError } from '@temporalio/client';
import pMap from 'p-map';
import type { Em, Orm } from '../../db/orm.ts';
import {
  delayCommands,
  deleteCommands,
  lockDueCommands,
  postponeCommands,
} from '../../db/repositories/outbox/outbox.ts';
import { maxEmailsPerBatch } from '../contracts/email-batch.ts';
import type { CommandGroup } from './command-group.ts';
import { groupCommands } from './send-commands.ts';

export interface RelayOptions {
  orm: Orm;
  client: Client;
  taskQueue: string;
  /** Told of each failure; `error` is the cause. */
  warn: (message: string, error: unknown) => void;
  /** Runs the part of a round that sends something, which is left out when nothing is due. */
  around?: ((round: RelayRound, send: () => Promise<void>) => Promise<void>) | undefined;
}

interface FailedCommands {
  ids: string[];
  error: unknown;
}

/** What a round is about to send. */
export interface RelayRound {
  commands: number;
  /** Workflows that it starts. */
  workflowIds: string[];
}

export interface Relay {
  /** Begins to send; the tables have to exist. Once per relay. */
  start(): void;
  /** Says that a command was committed; it is sent at once, together with what else waits. */
  wake(): void;
  /** As `wake`, for a command that is due in so many milliseconds. */
  wakeIn(ms: number): void;
  /** Ends after the round that is running; a relay that was not started yet never starts. */
  stop(): Promise<void>;
}

const pollIntervalMs = 1_000;
/** What a command is due at is known to within that. */
const dueMarginMs = 10;
const callTimeoutMs = 10_000;
const maxAttempts = 12;
/** Groups that are sent at the same time; commands of one subject are one group, so their order holds. */
const callsAtATime = 8;

/** Until a command that got no answer is sent again, while others got theirs. */
const unansweredSeconds = 5;

/**
 * gRPC codes by which Temporal refuses the command itself: invalid argument, not found, already exists, failed
 * precondition, out of range, unimplemented. All others are of a server that is away, busy, ill or closed to us.
 */
const refusals = new Set([3, 5, 6, 9, 11, 12]);

/** What is behind an error: the client wraps what the server has answered. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? causeOf(error.cause) : error;
}

function isRefusal(error: unknown): boolean {
  const cause = causeOf(error);
  return isGrpcServiceError(cause) ? refusals.has(cause.code) : cause instanceof TypeError;
}

/**
 * Sends committed commands to Temporal, once it is started. One runs in every process: it is woken by the process's
 * own commits, and looks every second for what a crash elsewhere left. While one round runs, commands gather, so
 * under load each start call carries many emails. A round is one transaction: if the process dies, its commands are
 * sent again, which their ids make harmless.
 */
export function createRelay(options: RelayOptions): Relay {
  let stopped = false;
  let woken = false;
  /** While Temporal is away, commits do not shorten the pause: they would hammer a server that is down. */
  let deaf = false;
  let wakeUp: () => void = () => undefined;
  /** Times at which a wake is planned, by the process's clock. */
  const planned = new Set<number>();

  async function round(): Promise<number> {
    return options.orm.em.fork().transactional(async (em) => {
      const due = await lockDueCommands(em, maxEmailsPerBatch);
      const groups = groupCommands(due);
      if (options.around === undefined || groups.length === 0) await sendAll(em, groups);
      else {
        const workflowIds = groups.map((group) => group.workflowId);
        await options.around({ commands: due.length, workflowIds }, () => sendAll(em, groups));
      }
      return due.length;
    });
  }

  /** @throws when Temporal answers none of them. */
  async function sendAll(em: Em, groups: CommandGroup[]): Promise<void> {
    const sent: string[] = [];
    const refused: FailedCommands[] = [];
    const unanswered: FailedCommands[] = [];
    const send = async (group: CommandGroup) => {
      if (unanswered.length >= callsAtATime) return;
      const ids = group.commands.map((command) => command.id);
      try {
        await options.client.withDeadline(Date.now() + callTimeoutMs, () =>
          group.send(options.client, options.taskQueue),
        );
        sent.push(...ids);
      } catch (error) {
        (isRefusal(error) ? refused : unanswered).push({ ids, error });
      }
    };
    await pMap(groups, send, { concurrency: callsAtATime });
    const [first] = unanswered;
    if (first !== undefined && sent.length + refused.length === 0) throw first.error;
    await deleteCommands(em, sent);
    for (const { ids, error } of refused) {
      options.warn('Temporal refused a command; it is put off', error);
      await postponeCommands(em, ids, String(causeOf(error)), maxAttempts);
    }
    for (const { ids, error } of unanswered) {
      options.warn('Temporal did not answer to a command; the others go before it', error);
      await delayCommands(em, ids, unansweredSeconds);
    }
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

  async function loop(): Promise<void> {
    let failures = 0;
    while (!stopped) {
      woken = false;
      try {
        const sent = await round();
        failures = 0;
        deaf = false;
        if (sent < maxEmailsPerBatch) await pause(pollIntervalMs);
      } catch (error) {
        failures += 1;
        if (failures === 1 || failures % 30 === 0) options.warn('Commands to Temporal have to wait', error);
        deaf = true;
        woken = false;
        await pause(Math.min(5_000, 250 * 2 ** Math.min(failures, 5)));
      }
    }
  }

  let running: Promise<void> | undefined;
  function wake(): void {
    if (deaf) return;
    woken = true;
    wakeUp();
  }

  return {
    start() {
      running ??= loop();
    },
    wake,
    wakeIn(ms) {
      // Commands that are due together are told of one by one.
      const at = Math.ceil((Date.now() + ms + dueMarginMs) / dueMarginMs) * dueMarginMs;
      if (planned.has(at)) return;
      planned.add(at);
      const timer = setTimeout(() => {
        planned.delete(at);
        wake();
      }, at - Date.now());
      timer.unref();
    },
    async stop() {
      stopped = true;
      wakeUp();
      await running;
    },
  };
}
