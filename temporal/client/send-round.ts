import { type Client, isGrpcServiceError } from '@temporalio/client';
import pMap from 'p-map';
import type { Em } from '../../db/orm.ts';
import { delayCommands, deleteCommands, postponeCommands } from '../../db/repositories/outbox/outbox.ts';
import type { CommandGroup } from './command-group.ts';

export interface RoundOptions {
  client: Client;
  taskQueue: string;
  /** Groups that are sent at the same time; commands of one subject are one group, so their order holds. */
  callsAtATime: number;
  /** Told of each failure; `error` is the cause. */
  warn: (message: string, error: unknown) => void;
}

interface FailedCommands {
  ids: string[];
  error: unknown;
}

const callTimeoutMs = 10_000;
const maxAttempts = 12;

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
 * Sends commands that this transaction has locked, and notes what became of each.
 *
 * @returns milliseconds that a call took, the mean of them; undefined when none was answered
 * @throws when Temporal answers none of them.
 */
export async function sendRound(
  em: Em,
  groups: readonly CommandGroup[],
  options: RoundOptions,
): Promise<number | undefined> {
  const { client, taskQueue, callsAtATime, warn } = options;
  const sent: string[] = [];
  const refused: FailedCommands[] = [];
  const unanswered: FailedCommands[] = [];
  let answered = 0;
  let answeredMs = 0;
  const send = async (group: CommandGroup) => {
    if (unanswered.length >= callsAtATime) return;
    const ids = group.commands.map((command) => command.id);
    const startedAt = performance.now();
    try {
      await client.withDeadline(Date.now() + callTimeoutMs, () => group.send(client, taskQueue));
      sent.push(...ids);
      answered += 1;
      answeredMs += performance.now() - startedAt;
    } catch (error) {
      (isRefusal(error) ? refused : unanswered).push({ ids, error });
    }
  };
  await pMap(groups, send, { concurrency: callsAtATime });
  const [first] = unanswered;
  if (first !== undefined && sent.length + refused.length === 0) throw first.error;
  await deleteCommands(em, sent);
  for (const { ids, error } of refused) {
    warn('Temporal refused a command; it is put off', error);
    await postponeCommands(em, ids, String(causeOf(error)), maxAttempts);
  }
  for (const { ids, error } of unanswered) {
    warn('Temporal did not answer to a command; the others go before it', error);
    await delayCommands(em, ids, unansweredSeconds);
  }
  return answered === 0 ? undefined : answeredMs / answered;
}
