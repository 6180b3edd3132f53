import { v7 as uuidv7 } from 'uuid';
import { beforeEach, expect, it } from 'vitest';
import { handOverRecord, providerEvent } from '../../../test/setup/inputs.ts';
import { readEmail } from '../../../test/setup/read-database.ts';
import { untilBlocking } from '../../../test/setup/until-blocking.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../testing/sql.ts';
import { applyProviderEvents } from './apply-provider-events.ts';
import { recordHandOvers } from './hand-overs.ts';
import {
  acceptOne,
  begin,
  claim,
  claimAndBegin,
  database,
  em,
  useClaimStage,
} from './testing/claim-stage.ts';

useClaimStage();

let emailId: string;
const token = uuidv7();
beforeEach(async () => {
  emailId = await acceptOne();
});

/** Runs `second` while a transaction that has run `first` is open, and commits that one as soon as `second` waits. */
async function meanwhile<Result>(
  first: (em: Em) => Promise<unknown>,
  second: () => Promise<Result>,
): Promise<Result> {
  let waited: Promise<Result> | undefined;
  await database.em().transactional(async (transaction) => {
    await first(transaction);
    waited = second();
    await untilBlocking(transaction);
  });
  if (waited === undefined) throw new Error('The transaction ended before');
  return waited;
}

it('keeps the result of a provider event that commits first', async () => {
  await claimAndBegin([emailId], token);
  const delivered = providerEvent(emailId, 'delivery');
  const recorded = await meanwhile(
    (transaction) => applyProviderEvents(transaction, [delivered]),
    () => recordHandOvers(em, token, [handOverRecord(emailId)]),
  );
  expect(recorded).toBe(1);
  expect(await readEmail(em, emailId)).toMatchObject({ status: 'DELIVERED' });
});

it('applies a provider event to the result of a record that commits first', async () => {
  await claimAndBegin([emailId], token);
  const outcomes = await meanwhile(
    (transaction) => recordHandOvers(transaction, token, [handOverRecord(emailId)]),
    () => applyProviderEvents(em, [providerEvent(emailId, 'open')]),
  );
  expect(outcomes).toEqual(['applied']);
  expect(await readEmail(em, emailId)).toMatchObject({ status: 'OPENED', opens: 1 });
});

it('records and begins nothing of a claim that was taken over meanwhile', async () => {
  const take = (transaction: Em) =>
    sql(transaction, 'update emails set claim_token = $2 where id = $1', [emailId, uuidv7()]);
  await claim([emailId], token);
  expect(await meanwhile(take, () => begin([emailId], token))).toEqual([false]);
  await sql(em, 'update emails set claim_token = $2 where id = $1', [emailId, token]);
  expect(await meanwhile(take, () => recordHandOvers(em, token, [handOverRecord(emailId)]))).toBe(0);
  expect(await readEmail(em, emailId)).toMatchObject({ status: 'SENDING', attempts: 0, sentAt: null });
});
