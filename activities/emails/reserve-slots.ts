import type { Em } from '../../db/orm.ts';
import type { ClaimedEmail } from '../../db/repositories/emails/claim-emails.ts';
import { takeSendSlots } from '../../db/repositories/emails/take-send-slots.ts';

export interface SendRates {
  /** Emails a second of the provider account, over all projects and processes; null: no limit. */
  account: number | null;
  /** Emails a second of each project; null: no limit. */
  project: number | null;
}

export interface Reservation {
  /** Emails that may leave, each with the delay after which it may. */
  granted: { email: ClaimedEmail; inMs: number }[];
  /** Emails that have to wait for a later round. */
  held: ClaimedEmail[];
  /** When a later round is worth it; 0 when nothing is held. */
  retryInMs: number;
}

/** Takes permits for the emails from the buckets of their projects and then of the account. */
export async function reserveSlots(em: Em, emails: ClaimedEmail[], rates: SendRates): Promise<Reservation> {
  let granted = emails.map((email) => ({ email, inMs: 0 }));
  const held: ClaimedEmail[] = [];
  let retryInMs = 0;

  const take = async (key: string, wanted: typeof granted, rate: number) => {
    const slots = await takeSendSlots(em, key, wanted.length, rate);
    for (const { email } of wanted.slice(slots.granted)) held.push(email);
    if (slots.granted < wanted.length) retryInMs = Math.max(retryInMs, slots.retryInMs);
    return wanted.slice(0, slots.granted).map((slot, index) => ({
      email: slot.email,
      inMs: Math.max(slot.inMs, slots.startInMs + (index * 1000) / rate),
    }));
  };

  if (rates.project !== null) {
    const afterProjects: typeof granted = [];
    for (const projectId of new Set(emails.map((email) => email.projectId))) {
      const own = granted.filter((slot) => slot.email.projectId === projectId);
      afterProjects.push(...(await take(projectId, own, rates.project)));
    }
    granted = afterProjects;
  }
  if (rates.account !== null && granted.length > 0) granted = await take('account', granted, rates.account);
  return { granted, held, retryInMs };
}
