import { expect, it, onTestFinished } from 'vitest';
import { linksPerHour } from '../../core/accounts/limits.ts';
import { newId } from '../../core/new-id.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { eventually } from '../../test/setup/eventually.ts';
import { createLinkMailer } from './link-mailer.ts';
import { createLinkRequestsService } from './link-requests.ts';
import { createOneTimeLinks } from './one-time-links.ts';
import { createProjectPlaces } from './project-places.ts';

const database = useTestDatabase();
const { sql } = database;

function createProcess(from: { email: string; name: string } | null) {
  const { orm } = database;
  const oneTimeLinks = createOneTimeLinks({
    from,
    siteUrl: 'https://example.com',
    tokenKey: Buffer.alloc(32),
    linkKey: Buffer.alloc(32),
  });
  const [writes, nothing] = [createProjectPlaces(0), () => undefined];
  const linkMailer = createLinkMailer({ orm, oneTimeLinks, writes, emailsQueued: nothing, warn: nothing });
  onTestFinished(linkMailer.stop);
  return { ...linkMailer, ...createLinkRequestsService({ orm, oneTimeLinks, linkMailer }) };
}

const sender = { email: 'service@example.com', name: 'Service' };

async function addUser(isVerified = false): Promise<string> {
  const id = newId();
  const email = `${id}@example.com`;
  await sql('insert into users (id, email, email_verified) values ($1, $2, $3)', [id, email, isVerified]);
  return email;
}

const countWaiting = async (email: string) =>
  (await sql('select from link_requests where email = $1', [email])).length;

const tokensOf = (email: string) =>
  sql<{ purpose: string }>(
    'select t.purpose from account_tokens t join users u on u.id = t.user_id where u.email = $1 order by t.purpose',
    [email],
  );

it('keeps to the limit of an hour over all processes', async () => {
  const email = await addUser();
  await sql(
    `insert into link_requests (id, email, purpose, language)
     select uuidv7(), $1, 'reset-password', 'en' from generate_series(1, 30)`,
    [email],
  );
  for (let n = 0; n < 4; n += 1) createProcess(sender).start();
  await eventually(() => countWaiting(email), 0);
  expect(await tokensOf(email)).toHaveLength(linksPerHour);
});

it('mails no verification link to a verified address, and nothing to an unknown one', async () => {
  const [verified, unknown] = [await addUser(true), `${newId()}@example.com`];
  const api = createProcess(sender);
  api.start();
  for (const email of [verified, unknown]) {
    await api.requestVerification({ email });
    await api.requestPasswordReset({ email });
  }
  for (const email of [verified, unknown]) await eventually(() => countWaiting(email), 0);
  expect(await tokensOf(verified)).toEqual([{ purpose: 'reset-password' }]);
  const emails = await sql<{ to_email: string }>('select to_email from emails where to_email = any($1)', [
    [verified, unknown],
  ]);
  expect(emails).toEqual([{ to_email: verified }]);
});

it('leaves the links to other processes where no account emails are configured', async () => {
  const [known, unknown] = [await addUser(), `${newId()}@example.com`];
  const [mailing, silent] = [createProcess(sender), createProcess(null)];
  for (const email of [known, unknown]) await mailing.requestPasswordReset({ email });
  silent.start();
  await eventually(() => countWaiting(unknown), 0);
  expect(await countWaiting(known)).toBe(1);
  mailing.start();
  await eventually(() => countWaiting(known), 0);
  expect(await tokensOf(known)).toHaveLength(1);
});
