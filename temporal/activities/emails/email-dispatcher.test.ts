import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { acceptEmails } from '../../../db/statements/emails/accept-emails.ts';
import { sql } from '../../../db/testing/sql.ts';
import type { HandOver } from '../../../providers/email/email-provider.ts';
import { insertProject } from '../../../test/setup/campaigns.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts';
import { eventually } from '../../../test/setup/eventually.ts';
import { acceptInput } from '../../../test/setup/inputs.ts';
import { createEmailDispatcher } from './email-dispatcher.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const handedOver: string[] = [];
let answer: () => Promise<HandOver>;
let emailIds: string[] = [];
const never = new AbortController().signal;
const accepted: HandOver = { outcome: 'accepted', messageId: 'm-1' };
const done = { openIds: [], retryInMs: 0, sent: 1, ended: 0 };

beforeEach(async () => {
  handedOver.length = 0;
  answer = async () => accepted;
  const em = database.orm.em.fork();
  const project = await insertProject(em);
  const [[email] = []] = await acceptEmails(em, [acceptInput(project, ['ada@example.com'])]);
  emailIds = [email?.emailId ?? expect.unreachable()];
});

/** As one process has it. */
function createDispatcher(rates = async () => ({ account: null, project: null })) {
  return createEmailDispatcher({
    orm: database.orm,
    provider: {
      handOver: ({ emailId }) => {
        handedOver.push(emailId);
        return answer();
      },
    },
    render: ({ id, projectId, toEmail }) => ({
      ok: true,
      email: {
        emailId: id,
        projectId,
        from: { email: 'sender@example.com', name: null },
        to: { email: toEmail, name: null },
        replyTo: null,
        subject: 'Hello',
        html: '',
        text: '',
        headers: {},
        attachments: [],
      },
    }),
    rates,
    unknownSeconds: 120,
    countHandOver: () => undefined,
    journaled: () => undefined,
  });
}

it('the activity of a workflow joins the try that began before it', async () => {
  const provider = Promise.withResolvers<HandOver>();
  answer = () => provider.promise;
  const emails = createDispatcher();
  emails.begin(emailIds);
  await eventually(
    async () => handedOver.length,
    (count) => count === 1,
  );
  const joined = emails.dispatch(emailIds, never);
  provider.resolve(accepted);
  expect(await joined).toEqual(done);
  expect(handedOver).toEqual(emailIds);
  // A retry of the activity looks for itself.
  expect(await emails.dispatch(emailIds, never)).toEqual({ ...done, sent: 0, ended: 1 });
});

it('the activity of another process leaves the claims of a try alone', async () => {
  const provider = Promise.withResolvers<HandOver>();
  answer = () => provider.promise;
  const emails = createDispatcher();
  emails.begin(emailIds);
  await eventually(
    async () => handedOver.length,
    (count) => count === 1,
  );
  const elsewhere = await createDispatcher().dispatch(emailIds, never);
  expect(elsewhere).toMatchObject({ openIds: emailIds, sent: 0 });
  provider.resolve(accepted);
  await emails.stop();
  expect(await createDispatcher().dispatch(emailIds, never)).toMatchObject({ openIds: [], ended: 1 });
  expect(handedOver).toEqual(emailIds);
});

it('a try that fails is left to the activity', async () => {
  let calls = 0;
  const emails = createDispatcher(async () => {
    calls += 1;
    if (calls === 1) throw new Error('Postgres is away');
    return { account: null, project: null };
  });
  emails.begin(emailIds);
  expect(await emails.dispatch(emailIds, never)).toEqual(done);
  expect(handedOver).toEqual(emailIds);
});

it('a process that stops begins no try, and ends with those that it began', async () => {
  const emails = createDispatcher();
  emails.begin(emailIds);
  await emails.stop();
  const [row] = await sql<{ status: string }>(
    database.orm.em.fork(),
    'select status from emails where id = $1',
    emailIds,
  );
  expect(['QUEUED', 'SENT']).toContain(row?.status);
  const before = handedOver.length;
  emails.begin(emailIds);
  await emails.stop();
  expect(handedOver).toHaveLength(before);
});
