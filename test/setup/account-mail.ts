import { createPasswords } from '../../api/services/passwords.ts';
import { User } from '../../db/entities/user.ts';
import { eventually } from './eventually.ts';
import { type InboxMessage, readInbox } from './inbox.ts';
import {
  callApi,
  createOwnProject,
  createTestPerson,
  personOf,
  type TestPerson,
  testPassword,
} from './people.ts';
import { type OwnProduct, startTestProduct, type TestProduct, useTestProduct } from './product.ts';

const domain = 'accounts.test';

/** Starts a product that sends account emails; the sender's domain is verified at the local SES. */
export async function startProductWithAccountMail(
  environment: Record<string, string> = {},
): Promise<OwnProduct> {
  const stack = await startTestProduct({
    ACCOUNT_EMAIL_FROM: `service@${domain}`,
    AUTH_RATE_LIMIT_PER_MINUTE: '0',
    ...environment,
  });
  const { secretKey } = await createOwnProject(await createTestPerson(stack.url));
  const headers = { Authorization: `Bearer ${secretKey}` };
  const added = await callApi(stack.url, 'POST', '/domains', { domain }, headers);
  await callApi(stack.url, 'GET', `/domains/${added.body.id}/verify`, undefined, headers);
  return stack;
}

/** Such a product, shared by a test file. */
export const useProductWithAccountMail = (environment?: Parameters<typeof useTestProduct>[0]): TestProduct =>
  useTestProduct(environment, startProductWithAccountMail);

let verified = 0;
let passwordHash: Promise<string> | undefined;

/**
 * A signed-in person with `testPassword`. Inserted, because a sign-up hashes the password, which is slow by design,
 * and mails a link.
 */
export async function createVerifiedPerson(stack: TestProduct): Promise<TestPerson> {
  verified += 1;
  passwordHash ??= createPasswords().hash(testPassword);
  const email = `person-${process.pid}-verified-${verified}@example.com`;
  const em = stack.em();
  const user = em.create(User, { email, name: null, passwordHash: await passwordHash, emailVerified: true });
  await em.flush();
  const client = { devices: [], address: '127.0.0.1', userAgent: undefined };
  const { session } = await stack.product.services.sessions.open(user, client);
  return personOf(stack.url, { id: user.id, email }, `token=${session}`);
}

export interface AccountMessage extends InboxMessage {
  link: URL;
  token: string;
}

export async function accountMessages(stack: TestProduct, to: string): Promise<AccountMessage[]> {
  const { messages } = await readInbox(stack.ses, { to });
  return messages.toReversed().map((message) => {
    const link = new URL(/href="([^"]+)"/.exec(message.html)?.[1]?.replaceAll('&amp;', '&') ?? 'none:');
    return { ...message, link, token: link.searchParams.get('token') ?? '' };
  });
}

export async function mailedToken(stack: TestProduct, to: string, path: string, count = 1): Promise<string> {
  const found = await eventually(
    async () => (await accountMessages(stack, to)).filter(({ link }) => link.pathname === path),
    (messages) => messages.length >= count,
  );
  return found.at(-1)?.token ?? '';
}
