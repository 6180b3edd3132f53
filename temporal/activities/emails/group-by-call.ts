import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import type { StoredContent } from '../../../db/statements/emails/load-contents.ts';

/** Emails that leave together, in one call if the provider supports it. */
export interface PlannedCall {
  emails: ClaimedEmail[];
  /** By `performance.now()`; no email's slot is later. */
  at: number;
}

/** How long an email may wait for others to share its call. */
const togetherMs = 20;
/**
 * Limit on the bodies: with the plain text and JSON escapes added, about the size of one SES call. More would leave in
 * several calls, one after the other.
 */
const mostCharacters = 512 * 1024;

/**
 * Emails of one sender whose slots lie close together share a call. An email with attachments leaves alone: its call
 * takes long, and all emails of an unanswered call are in doubt.
 *
 * @param atOf the time of an email's slot, by `performance.now()`
 * @param emailsPerCall maximum that the provider accepts
 */
export function groupByCall(
  emails: readonly ClaimedEmail[],
  storedOf: (email: ClaimedEmail) => StoredContent | undefined,
  atOf: (email: ClaimedEmail) => number,
  emailsPerCall: number,
): PlannedCall[] {
  const planned: PlannedCall[] = [];
  const open = new Map<string, PlannedCall & { since: number; characters: number }>();
  for (const email of inTurns(emails).sort((one, other) => atOf(one) - atOf(other))) {
    const at = atOf(email);
    const stored = storedOf(email);
    const characters = stored?.content.body.length ?? 0;
    const sender = senderOf(email, stored);
    const call = sender === undefined ? undefined : open.get(sender);
    const hasRoom =
      call !== undefined &&
      call.emails.length < emailsPerCall &&
      call.characters + characters <= mostCharacters;
    if (hasRoom && at - call.since <= togetherMs) {
      call.emails.push(email);
      call.characters += characters;
      call.at = at;
    } else {
      const next = { emails: [email], at, since: at, characters };
      planned.push(next);
      if (sender !== undefined) open.set(sender, next);
    }
  }
  return planned;
}

/** Orders emails so that projects take turns: with a slow provider, the last ones of a claim do not leave in time. */
function inTurns(emails: readonly ClaimedEmail[]): ClaimedEmail[] {
  const byProject = [...Map.groupBy(emails, ({ projectId }) => projectId).values()];
  const turns = byProject.flatMap((ofProject) => ofProject.map((email, turn) => ({ email, turn })));
  return turns.sort((one, other) => one.turn - other.turn).map(({ email }) => email);
}

/** What the emails of a call must have in common; undefined for an email that leaves alone. */
function senderOf({ projectId }: ClaimedEmail, stored: StoredContent | undefined): string | undefined {
  if (stored === undefined || stored.attachments.length > 0) return undefined;
  const { fromEmail, fromName, replyTo } = stored.content;
  return JSON.stringify([projectId, fromEmail, fromName, replyTo]);
}
