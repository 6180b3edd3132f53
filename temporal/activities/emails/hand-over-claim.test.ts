import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { accountEmailProjectId } from '../../../core/account-email/sealed-link.ts';
import { deriveKey } from '../../../core/crypto/derive-key.ts';
import { FairSemaphore } from '../../../core/fair-semaphore.ts';
import { deleteContacts } from '../../../db/statements/contacts/delete-contacts.ts';
import { subscribeContacts } from '../../../db/statements/contacts/subscribe-contacts.ts';
import { acceptEmails } from '../../../db/statements/emails/accept-emails.ts';
import { planBulkCalls } from '../../../providers/email/bulk-calls.ts';
import type { HandOver, OutgoingEmail } from '../../../providers/email/email-provider.ts';
import { failureText } from '../../../providers/email/failure-text.ts';
import { handOverEach, notBegun } from '../../../providers/email/hand-over-each.ts';
import { queueAccountEmail } from '../../../runtime/queue-account-email.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { eventually } from '../../../test/setup/eventually.ts';
import { acceptInput } from '../../../test/setup/inputs.ts';
import { oneByOne } from '../../../test/setup/one-by-one.ts';
import { insertProject, useProject } from '../../../test/setup/projects.ts';
import { createClaimedRenderer } from '../sending/render-claimed.ts';
import { type DispatchContext, dispatchEmails } from './dispatch-emails.ts';
import type { HandingOver } from './hand-over-claim.ts';
import { dispatchContext } from './testing/dispatch-context.ts';

const database = useTestDatabase();
const { em, sql } = database;
const project = useProject(em);

const config = { API_URL: 'https://api.example.com', HOST: '127.0.0.1', PORT: 8080, APP_SECRET: 'a secret' };
const linkKeyOfProduct = deriveKey(config.APP_SECRET, 'account-link');
const accepted: HandOver = { outcome: 'accepted', messageId: 'm-1' };

const context = (provider: HandingOver) =>
  dispatchContext(database.orm, {
    provider,
    render: createClaimedRenderer(config, 'one'),
  });

async function accept(addresses: string[], body = '<p>Hello</p>', owner = project.id) {
  const [emails = []] = await acceptEmails(em(), [acceptInput(owner, addresses, { body })]);
  return emails;
}
const acceptIds = async (...of: Parameters<typeof accept>) =>
  (await accept(...of)).map(({ emailId }) => emailId);

/** @param linkKey a foreign key makes rendering the email fail */
async function queueForUser(linkKey: Buffer): Promise<string> {
  const own = em();
  queueAccountEmail(
    own,
    { from: { email: 'us@example.com', name: 'Us' }, linkKey },
    {
      to: 'user@example.com',
      locale: 'en',
      link: 'https://app.example.com',
      texts: { title: 't', text: 't', button: 'b', hours: null, hint: 'h' },
    },
  );
  await own.flush();
  const newest = 'select id from emails where project_id = $1 order by id desc limit 1';
  const [email] = await sql<{ id: string }>(newest, [accountEmailProjectId]);
  return email?.id ?? expect.unreachable();
}

const addresses = (count: number) => Array.from({ length: count }, (_, n) => `reader-${n}@example.com`);

async function statusesOf(ids: readonly string[]): Promise<string[]> {
  const rows = await sql<{ status: string }>(
    'select status from emails where id = any($1) order by array_position($1, id)',
    [ids],
  );
  return rows.map(({ status }) => status);
}

/** Like SES: emails that fit no bulk call are handed over by single calls. */
function likeSes(call: (emails: readonly OutgoingEmail[]) => Promise<unknown>): HandingOver {
  const handOver = async (email: OutgoingEmail) => {
    await call([email]);
    return accepted;
  };
  return {
    emailsPerCall: 50,
    handOver,
    async handOverMany(emails, signal) {
      const { calls, single } = planBulkCalls(emails, 'set');
      for (const { emails: together } of calls) await call(together);
      await handOverEach(single, signal, handOver);
      return emails.map(() => accepted);
    },
  };
}

/** Counts calls and how many of them are in flight at once. @param answer settles before a call ends */
function countCalls(answer: (most: () => number) => Promise<unknown>) {
  const seen = { calls: 0, now: 0, most: 0 };
  const call = async () => {
    seen.calls += 1;
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    await answer(() => seen.most);
    seen.now -= 1;
  };
  return { seen, call };
}

/** As the workflow does: leaves what a run has no time for to the next one. @returns the number of emails sent */
async function dispatchAll(to: DispatchContext, ids: string[]): Promise<number> {
  let total = 0;
  for (let open = ids; open.length > 0; ) {
    const { openIds, retryInMs, sent } = await dispatchEmails(to, open);
    total += sent;
    open = openIds;
    await delay(retryInMs);
  }
  return total;
}

describe('a failing email does not lose the outcomes of the others', () => {
  it.each([
    ['with a NUL', '550 5.7.1 rejected: \0'],
    ['that is cut within a surrogate pair', `550 ${'x'.repeat(488)}🎉 rejected`],
  ])('when the provider refuses it with a text %s', async (_, text) => {
    const other = await insertProject(em());
    const ids = [
      ...(await acceptIds(['a@example.com'])),
      ...(await acceptIds(['b@example.com'], '<p>b</p>', other)),
    ];
    const provider = oneByOne(async ({ emailId }) =>
      emailId === ids[0] ? { outcome: 'refused', reason: failureText(new Error(text)) } : accepted,
    );
    await dispatchEmails(context(provider), ids);
    expect(await statusesOf(ids)).toEqual(['FAILED', 'SENT']);
  });

  it('when it cannot be rendered', async () => {
    const ids = await acceptIds(['b@example.com']);
    ids.push(await queueForUser(Buffer.alloc(32, 9)));
    const provider = oneByOne(async () => {
      await delay(100);
      return accepted;
    });
    await dispatchEmails(context(provider), ids);
    expect(await statusesOf(ids)).toEqual(['SENT', 'FAILED']);
  });
});

it('answered emails are recorded while another email still waits', async () => {
  const ids = await acceptIds(addresses(3));
  const answered = Promise.withResolvers<void>();
  const provider = oneByOne(async ({ emailId }) => {
    if (emailId === ids[1]) await answered.promise;
    return accepted;
  });
  const dispatching = dispatchEmails(context(provider), ids);
  await eventually(
    () => statusesOf(ids),
    (statuses) => statuses.join() === 'SENT,SENDING,SENT',
  );
  answered.resolve();
  expect(await dispatching).toMatchObject({ sent: 3, openIds: [] });
});

it('an email held back by a stop stays in the queue, however old it is', async () => {
  const ids = await acceptIds(addresses(2));
  await sql(`update emails set created_at = created_at - interval '25 hours' where id = any($1)`, [ids]);
  await dispatchEmails(context({ ...oneByOne(async () => notBegun), emailsPerCall: 50 }), ids);
  expect(await statusesOf(ids)).toEqual(['QUEUED', 'QUEUED']);
});

it('an email does not leave after its process was frozen, even before its timers have run', async () => {
  const wokenAt = Date.now();
  // Never ahead: ids follow the latest time they have seen.
  vi.useFakeTimers({ toFake: ['Date'], now: wokenAt - 60_000 });
  onTestFinished(() => void vi.useRealTimers());
  const ids = await acceptIds(addresses(2));
  let handedOver = 0;
  const to = context(
    oneByOne(async () => {
      handedOver += 1;
      return accepted;
    }),
  );
  const standingStill: typeof to.begin = async (beginning) => {
    const mayLeave = await to.begin(beginning);
    vi.setSystemTime(wokenAt);
    return mayLeave;
  };
  await dispatchEmails({ ...to, begin: standingStill }, ids);
  expect(handedOver).toBe(0);
  expect(await statusesOf(ids)).toEqual(['QUEUED', 'QUEUED']);
});

it('large emails are in flight one at a time, as the memory budget assumes', async () => {
  const { seen, call } = countCalls(() => delay(50));
  const ids = await acceptIds(addresses(8), `<p>${'large '.repeat(50_000)}</p>`);
  expect(await dispatchAll(context(likeSes(call)), ids)).toBe(8);
  expect(seen).toMatchObject({ calls: 8, most: 1 });
});

it('emails too large for one call do not wait for one another', async () => {
  const isBeside = (most: number) => most > 4;
  const { seen, call } = countCalls((most) => eventually(async () => most(), isBeside));
  const ids = await acceptIds(addresses(30), `<p>${'hello '.repeat(20_000)}</p>`);
  expect(await dispatchAll(context(likeSes(call)), ids)).toBe(30);
  expect(seen.most).toSatisfy(isBeside);
});

it('an email whose contact was deleted during the hand-over does not leave again', async () => {
  const [email] = await accept(['a@example.com']);
  if (email === undefined) return expect.unreachable();
  const { emailId, contactId } = email;
  const deleting = oneByOne(async () => {
    await em().transactional((own) => deleteContacts(own, project.id, [contactId]));
    return { outcome: 'later', reason: 'Throttled', retryInMs: 100 };
  });
  await dispatchEmails(context(deleting), [emailId]);
  const to: string[] = [];
  const noting = oneByOne(async (outgoing) => {
    to.push(outgoing.to.email);
    return accepted;
  });
  await dispatchEmails(context(noting), [emailId]);
  expect([to, await statusesOf([emailId])]).toEqual([[], ['FAILED']]);
});

it('an email does not leave when its contact opts out while it waits for a connection', async () => {
  const recipients = ['a@example.com', 'b@example.com'];
  const input = acceptInput(project.id, recipients, { type: 'MARKETING', subscribed: true });
  const [emails = []] = await acceptEmails(em(), [input]);
  const [first, second] = emails;
  if (first === undefined || second === undefined) return expect.unreachable();
  const ids = [first.emailId, second.emailId];
  const answered = Promise.withResolvers<void>();
  const to: string[] = [];
  const provider = oneByOne(async (outgoing) => {
    to.push(outgoing.to.email);
    await answered.promise;
    return accepted;
  });
  const oneConnection = { ...context(provider), calls: new FairSemaphore(1) };
  const dispatching = dispatchEmails(oneConnection, ids);
  await eventually(async () => to.length, 1);
  await subscribeContacts(em(), project.id, [second.contactId], false, new Date());
  await eventually(
    () => sql(`select from emails where id = any($1) and claimed_at > now() - interval '1 second'`, [ids]),
    ({ length }) => length === 0,
  );
  answered.resolve();
  await dispatching;
  expect([to, await statusesOf(ids)]).toEqual([['a@example.com'], ['SENT', 'SUPPRESSED']]);
});

it('an email does not leave when another project has verified its domain meanwhile', async () => {
  const owner = await insertProject(em());
  const verify = `insert into domains (id, project_id, domain, status) values (uuidv7(), $1, 'example.com', 'verified')`;
  await sql(verify, [owner]);
  const ids = [
    ...(await acceptIds(['a@example.com'])),
    ...(await acceptIds(['a@example.com'], '<p>Hello</p>', owner)),
    await queueForUser(linkKeyOfProduct),
  ];
  await dispatchEmails(context(oneByOne(async () => accepted)), ids);
  await sql('delete from domains');
  expect(await statusesOf(ids)).toEqual(['FAILED', 'SENT', 'SENT']);
});
