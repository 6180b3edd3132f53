import type { Em } from '../../db/orm.ts';
import type { OpenEmail } from '../../db/repositories/emails/find-open-emails.ts';
import { reserveEmailSlots, type SlotRequest } from '../../db/repositories/emails/reserve-email-slots.ts';
import { waitForRate } from '../../db/repositories/emails/wait-for-rate.ts';

export interface SendRates {
  /** Emails a second of the provider account, over all projects and processes; null: no limit. */
  account: number | null;
  /** Emails a second of each project; null: no limit. */
  project: number | null;
}

/** An email that may leave, after so many milliseconds. */
export interface Permit {
  email: OpenEmail;
  inMs: number;
}

export interface Reservation {
  /** In the order of their times. */
  granted: Permit[];
  /** Emails that have to wait, in their order. */
  held: OpenEmail[];
  /** Of each project with emails that are held: when asking again is worth it. */
  retryInMs: Map<string, number>;
}

/** Takes permits for emails, which are in the order of their ids. */
export type SlotReserver = (em: Em, emails: readonly OpenEmail[], rates: SendRates) => Promise<Reservation>;

/** How long a count of the projects that share the account is good for. */
const countMs = 1_000;

/** The projects that share the account are counted once for all who reserve by it. */
export function createSlotReserver(): SlotReserver {
  let asking: number | null = null;
  let countedAt = 0;

  return async (em, emails, rates) => {
    if (emails.length === 0 || (rates.account === null && rates.project === null)) {
      return { granted: emails.map((email) => ({ email, inMs: 0 })), held: [], retryInMs: new Map() };
    }
    const requests = new Map<string, SlotRequest>();
    for (const { id, projectId } of emails) {
      const request = requests.get(projectId);
      if (request === undefined) requests.set(projectId, { projectId, emails: 1, firstId: id });
      else request.emails += 1;
    }
    const isCounted = Date.now() - countedAt < countMs;
    const slots = await reserveEmailSlots(em, [...requests.values()], rates, isCounted ? asking : null);
    if (!isCounted) [asking, countedAt] = [slots.askingProjects, Date.now()];

    const granted: Permit[] = [];
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

/**
 * Notes that these emails wait, and says of each when to look again: when those of its project that are older have left
 * at the earliest, at most two minutes. The times of many batches are spread, so that they don't come together.
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
    const waitMs = Math.min(longestWaitMs, Math.max(retryInMs.get(projectId) ?? 0, count / ratePerMs));
    waits.set(projectId, waitMs * (0.9 + 0.2 * Math.random()));
  }
  return new Map(held.map((email) => [email.id, waits.get(email.projectId) ?? 0]));
}
