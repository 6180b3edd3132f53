import { type Client, isGrpcServiceError } from '@temporalio/client';
import pMap from 'p-map';
import type { Em } from '../../db/orm.ts';
import {
  delayCommands,
  deleteCommands,
  postponeCommands,
} from '../../db/statements/outbox/settle-commands.ts';
import type { WorkflowCall } from './workflow-call.ts';

export interface DeliveryOptions {
  client: Client;
  taskQueue: string;
  /** Maximum concurrent calls. Commands of one subject share a call, which preserves their order. */
  callsAtATime: number;
  warn: (message: string, error: unknown) => void;
}

const callTimeoutMs = 10_000;
/** Emails can leave without Temporal, so a round of emails waits less for the ones that need it. */
const emailCallTimeoutMs = 3_000;
const maxAttempts = 12;

/** Delay before retrying a command that timed out while others succeeded. */
const unansweredSeconds = 5;

/**
 * gRPC codes with which Temporal rejects the command itself: invalid argument, not found, already exists, failed
 * precondition, out of range, unimplemented. All others mean that the server is down, overloaded or rejects this
 * client.
 */
const refusals = new Set([3, 5, 6, 9, 11, 12]);

function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? causeOf(error.cause) : error;
}

function isRefusal(error: unknown): boolean {
  const cause = causeOf(error);
  return isGrpcServiceError(cause) ? refusals.has(cause.code) : cause instanceof TypeError;
}

interface FailedCall {
  ids: string[];
  error: unknown;
}

interface Deliveries {
  delivered: string[];
  refused: FailedCall[];
  unanswered: FailedCall[];
  durationsMs: number[];
}

async function makeCalls(
  calls: readonly WorkflowCall[],
  { client, taskQueue, callsAtATime }: DeliveryOptions,
  timeoutMs: number,
): Promise<Deliveries> {
  const result: Deliveries = { delivered: [], refused: [], unanswered: [], durationsMs: [] };
  const make = async (call: WorkflowCall) => {
    if (result.unanswered.length >= callsAtATime) return;
    const ids = call.commands.map((command) => command.id);
    const startedAt = performance.now();
    try {
      await client.withDeadline(Date.now() + timeoutMs, () => call.send(client, taskQueue));
      result.delivered.push(...ids);
      result.durationsMs.push(performance.now() - startedAt);
    } catch (error) {
      (isRefusal(error) ? result.refused : result.unanswered).push({ ids, error });
    }
  };
  await pMap(calls, make, { concurrency: callsAtATime });
  return result;
}

/** Result of the first try for a round's emails. */
export interface DeliveredCommands {
  /** Ids of commands that need no call. */
  done: string[];
  /** When the other commands should be tried again. */
  retryInMs: number;
}

/**
 * Delivers commands locked by this transaction, then deletes or postpones them.
 *
 * @param tried result of the first try in a round of emails; commands that Temporal does not answer are then tried
 * again later instead of failing the round
 * @returns mean call duration in milliseconds; undefined when no call succeeded
 * @throws the first error when Temporal answers none of the calls and no email was tried
 */
export async function deliverCommands(
  em: Em,
  calls: readonly WorkflowCall[],
  tried: DeliveredCommands | undefined,
  options: DeliveryOptions,
): Promise<number | undefined> {
  const { delivered, refused, unanswered, durationsMs } = await makeCalls(
    calls,
    options,
    tried === undefined ? callTimeoutMs : emailCallTimeoutMs,
  );
  const [first] = unanswered;
  if (first !== undefined && tried === undefined && delivered.length + refused.length === 0)
    throw first.error;
  await deleteCommands(em, [...(tried?.done ?? []), ...delivered]);
  for (const { ids, error } of refused) {
    options.warn('Temporal refused a command; it is postponed', error);
    await postponeCommands(em, ids, String(causeOf(error)), maxAttempts);
  }
  for (const { ids, error } of unanswered) {
    options.warn('Temporal did not answer a command; it is delayed', error);
    await delayCommands(em, ids, Math.max(unansweredSeconds, (tried?.retryInMs ?? 0) / 1000));
  }
  if (durationsMs.length === 0) return undefined;
  return durationsMs.reduce((sum, ms) => sum + ms, 0) / durationsMs.length;
}
