import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { beforeEach } from 'vitest';
import { type TestDatabase, useTestDatabase } from '../../../../test/setup/database.ts';
import { acceptInput } from '../../../../test/setup/inputs.ts';
import type { Em } from '../../../orm.ts';
import { sql } from '../../../testing/sql.ts';
import { acceptEmails } from '../accept-emails.ts';
import { claimEmails } from '../claim-emails.ts';
import { findOpenEmails } from '../find-open-emails.ts';
import { beginHandOvers } from '../hand-overs.ts';

export let database: TestDatabase;
export let em: Em;
export let projectId: string;

export const unknownSeconds = 120;
export const liveSeconds = 60;

export async function accept(count: number): Promise<string[]> {
  const addresses = Array.from({ length: count }, (_, index) => `user${index}@example.com`);
  const [emails = []] = await acceptEmails(em, [acceptInput(projectId, addresses)]);
  return emails.map((email) => email.emailId);
}

export async function acceptOne(): Promise<string> {
  const [emailId] = await accept(1);
  if (emailId === undefined) throw new Error('The call had a recipient');
  return emailId;
}

export const claim = async (emailIds: string[], token = uuidv7()) =>
  (await claimEmails(em, emailIds, token, unknownSeconds)).map((email) => email.id);

export const begin = (emailIds: string[], token: string) =>
  beginHandOvers(
    em,
    emailIds.map((emailId) => ({ emailId, token })),
  );

/** Claims the claimable emails and begins to hand them over. */
export async function claimAndBegin(emailIds: string[], token = uuidv7()): Promise<string[]> {
  const claimed = await claim(emailIds, token);
  await begin(claimed, token);
  return claimed;
}

export const findOpen = (emailIds: string[]) => findOpenEmails(em, emailIds, unknownSeconds, liveSeconds);

/** Moves the claim of an email into the past. */
export const age = (emailId: string, seconds: number) =>
  sql(em, 'update emails set claimed_at = claimed_at - make_interval(secs => $2) where id = $1', [
    emailId,
    seconds,
  ]);

export function useClaimStage(): void {
  const own = useTestDatabase(24);
  beforeEach(() => {
    database = own;
    em = own.em();
    projectId = randomUUID();
  });
}
