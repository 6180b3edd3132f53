import { setTimeout as delay } from 'node:timers/promises';
import type { Lane } from '../../core/outbox-lanes.ts';
import { maxEmailsPerBatch } from '../contracts/email-batch.ts';
import { type FirstTry, type LaneOptions, OutboxLane } from './outbox-lane.ts';

export interface RelayOptions
  extends Omit<LaneOptions, 'lane' | 'commandsARound' | 'firstTry' | 'roundsAtATime'> {
  /** Tells the workers of other processes that emails are waiting. */
  notifyWorkers: () => Promise<void>;
  /** Concurrent rounds of emails. */
  emailRoundsAtATime: number;
}

const dueMarginMs = 10;
/** A busy process commits hundreds of times a second. */
const notifyEveryMs = 10;

/**
 * Delivers committed commands to Temporal, emails only when a first try has left them open. Runs in every process: its
 * own commits wake it, and every second it polls for commands left by a crashed process. Emails have their own lane, so
 * that they never wait behind the executions started by an import.
 */
export function createOutboxRelay(options: RelayOptions) {
  let firstTry: FirstTry | undefined;
  const notifyWorkers = sharingCalls(options.notifyWorkers);
  const emails = new OutboxLane({
    ...options,
    firstTry: () => firstTry,
    lane: 'emails',
    // Should end within the timeout of its first try, even on a busy machine.
    commandsARound: () => maxEmailsPerBatch,
    roundsAtATime: options.emailRoundsAtATime,
  });
  const work = new OutboxLane({
    ...options,
    lane: 'work',
    // One call each, and four in sequence: a project whose first command arrives during a round waits for its end.
    commandsARound: (callsAtATime) => 4 * callsAtATime,
    roundsAtATime: 1,
  });
  const all = [emails, work];
  const planned = new Set<number>();
  let running: Promise<void>[] | undefined;

  function wakeEmails(): void {
    if (firstTry === undefined) notifyWorkers();
    else emails.wake();
  }

  function wake(): void {
    wakeEmails();
    work.wake();
  }

  return {
    start() {
      running ??= all.map((lane) => lane.run());
    },
    /** Call after a commit that may have left commands of any kind. */
    wake,
    /** Call after a commit that left only emails. */
    wakeEmails,
    /** Call after a commit of another process. */
    wakeLane(lane: Lane) {
      if (lane === 'work') work.wake();
      else if (firstTry !== undefined) emails.wake();
    },
    /** A time in the past, such as that of a command which was due while its transaction ran, wakes at once. */
    wakeIn(ms: number) {
      const at = Math.ceil((Date.now() + Math.max(0, ms) + dueMarginMs) / dueMarginMs) * dueMarginMs;
      if (planned.has(at)) return;
      planned.add(at);
      const timer = setTimeout(() => {
        planned.delete(at);
        wake();
      }, at - Date.now());
      timer.unref();
    },
    /** Makes this process handle emails, until called with undefined. */
    useFirstTry(of: FirstTry | undefined) {
      firstTry = of;
      emails.wake();
    },
    async stop() {
      for (const lane of all) lane.stop();
      await Promise.all(running ?? []);
    },
  };
}

/**
 * The first call goes out immediately; calls shortly after it share one. Errors are ignored: polling covers lost
 * notifications.
 */
function sharingCalls(call: () => Promise<void>): () => void {
  let isDue = false;
  let isRunning = false;
  async function run(): Promise<void> {
    isRunning = true;
    while (isDue) {
      isDue = false;
      await call().catch(() => undefined);
      await delay(notifyEveryMs);
    }
    isRunning = false;
  }
  return () => {
    isDue = true;
    if (!isRunning) void run();
  };
}
