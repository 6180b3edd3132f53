import type { Em } from '../../../db/orm.ts';
import type { OpenEmail } from '../../../db/statements/emails/find-open-emails.ts';
import {
  mostOlderCounted,
  reserveEmailSlots,
  type SlotRequest,
  waitForRate,
} from '../../../db/statements/emails/send-slots.ts';
import type { SendRates } from '../../../runtime/send-rates.ts';

export interface SendSlot {
  email: OpenEmail;
  inMs: number;
}

export interface Reservation {
  granted: SendSlot[];
  held: OpenEmail[];
  retryInMs: Map<string, number>;
}

export type SlotReserver = ReturnType<typeof createSlotReserver>;

const countMs = 1_000;

export function createSlotReserver() {
  let asking: number | null = null;
  let countedAt = 0;

  /** Reserves send slots for emails, which must be in id order. */
  return async (em: Em, emails: readonly OpenEmail[], rates: SendRates): Promise<Reservation> => {
    if (emails.length === 0 || (rates.account === null && rates.project === null)) {
      return { granted: emails.map((email) => ({ email, inMs: 0 })), held: [], retryInMs: new Map() };
    }
    const requests = new Map<string, SlotRequest>();
    for (const { id, projectId } of emails) {
      const request = requests.get(projectId);
      if (request === undefined) requests.set(projectId, { projectId, emails: 1, firstId: id });
      else request.emails += 1;
    }
    const isCounted = performance.now() - countedAt < countMs;
    const slots = await reserveEmailSlots(em, [...requests.values()], rates, isCounted ? asking : null);
    if (!isCounted) [asking, countedAt] = [slots.askingProjects, performance.now()];

    const granted: SendSlot[] = [];
    const held: OpenEmail[] = [];
    for (const email of emails) {
      const inMs = slots.inMs.get(email.projectId)?.shift();
      if (inMs === undefined) held.push(email);
      else granted.push({ email, inMs });
    }
    return {
      granted: granted.toSorted((one, other) => one.inMs - other.inMs),
      held,
      retryInMs: slots.retryInMs,
    };
  };
}

const longestWaitMs = 120_000;
/** For emails far from their turn. Even with jitter below five minutes: after those they would count as stranded. */
const farWaitMs = 220_000;

/**
 * Records that the held emails are waiting.
 *
 * @returns a retry delay in milliseconds for each email id: when the older emails of its project should have left, at
 * most two minutes, or 220 seconds behind 10,000 emails, with jitter so that many batches do not retry together
 */
export async function waitTheirTurn(
  em: Em,
  { held, retryInMs }: Reservation,
  rates: SendRates,
): Promise<Map<string, number>> {
  const older = await waitForRate(em, held);
  const ratePerMs =
    Math.min(rates.account ?? Number.POSITIVE_INFINITY, rates.project ?? Number.POSITIVE_INFINITY) / 1000;
  const waits = new Map<string, number>();
  for (const [projectId, count] of older) {
    const mostMs = count < mostOlderCounted ? longestWaitMs : farWaitMs;
    const waitMs = Math.min(mostMs, Math.max(retryInMs.get(projectId) ?? 0, count / ratePerMs));
    waits.set(projectId, waitMs * (0.9 + 0.2 * Math.random()));
  }
  return new Map(held.map((email) => [email.id, waits.get(email.projectId) ?? 0]));
}
