import { beforeEach, describe, expect, it } from 'vitest';
import { acceptEmails } from '../../../db/statements/emails/accept-emails.ts';
import type { HandOver } from '../../../providers/email/email-provider.ts';
import { exampleEmail } from '../../../providers/testing/example-email.ts';
import type { SendRates } from '../../../runtime/send-rates.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { eventually } from '../../../test/setup/eventually.ts';
import { acceptInput } from '../../../test/setup/inputs.ts';
import { oneByOne } from '../../../test/setup/one-by-one.ts';
import { insertProject } from '../../../test/setup/projects.ts';
import { RenderTurns } from '../sending/render-turns.ts';
import { createEmailDispatcher, type EmailDispatcherDependencies } from './email-dispatcher.ts';

const database = useTestDatabase();
const { em, sql } = database;

const rendered: string[] = [];
const handedOver: string[] = [];
let answer: () => Promise<HandOver>;
let emailIds: string[] = [];
const never = new AbortController().signal;
const accepted: HandOver = { outcome: 'accepted', messageId: 'm-1' };
const noRates = { account: null, project: null };
const done = { openIds: [], retryInMs: 0, sent: 1, ended: 0 };

beforeEach(async () => {
  rendered.length = 0;
  handedOver.length = 0;
  answer = async () => accepted;
  emailIds = [await acceptOne()];
});

async function acceptOne(): Promise<string> {
  const project = await insertProject(em());
  const [[email] = []] = await acceptEmails(em(), [acceptInput(project, ['ada@example.com'])]);
  return email?.emailId ?? expect.unreachable();
}

/** As in one process. */
function createDispatcher({
  patienceMs = 60_000,
  rates = async (): Promise<SendRates> => noRates,
  callsAtOnce = 256,
} = {}) {
  const dependencies: EmailDispatcherDependencies = {
    orm: database.orm,
    provider: {
      ...oneByOne(({ emailId }) => {
        handedOver.push(emailId);
        return answer();
      }),
      callsAtOnce,
    },
    render: ({ id, projectId, toEmail }) => {
      rendered.push(id);
      return {
        ok: true,
        email: exampleEmail({ emailId: id, projectId, to: { email: toEmail, name: null } }),
      };
    },
    turns: new RenderTurns(1),
    rates,
    unknownSeconds: 120,
    count: () => undefined,
    warn: () => undefined,
    journaled: () => undefined,
  };
  return createEmailDispatcher(dependencies, patienceMs);
}

const begun = () => eventually(async () => handedOver.length, 1);

describe('a provider that answers slowly', () => {
  const isOpen = (ids: readonly string[]) =>
    sql<{ id: string }>('select id from emails where id = any($1) and not hand_over_begun', [ids]);

  it('has no more calls than connections, and projects take turns for them', async () => {
    const calls: PromiseWithResolvers<HandOver>[] = [];
    answer = () => {
      const call = Promise.withResolvers<HandOver>();
      calls.push(call);
      return call.promise;
    };
    const emails = createDispatcher({ callsAtOnce: 2 });
    const addresses = Array.from({ length: 8 }, (_, n) => `reader-${n}@example.com`);
    const [many = []] = await acceptEmails(em(), [acceptInput(await insertProject(em()), addresses)]);
    const busy = many.map(({ emailId }) => emailId);
    const busyRun = emails.dispatch(busy, never);
    const reach = (count: number) => eventually(async () => calls.length, count);
    await reach(2);
    const quietRun = emails.dispatch(emailIds, never);
    await eventually(
      async () => rendered,
      (ids) => ids.includes(emailIds[0] ?? ''),
    );
    // Had its hand-over begun, an email that only waits would be in doubt if this process died.
    expect(await isOpen(busy)).toHaveLength(6);
    calls[0]?.resolve(accepted);
    await reach(3);
    calls[1]?.resolve(accepted);
    await reach(4);
    expect(handedOver).toContain(emailIds[0]);

    answer = async () => accepted;
    for (const call of calls) call.resolve(accepted);
    expect(await quietRun).toEqual(done);
    expect(await busyRun).toMatchObject({ sent: 8, openIds: [] });
  });
});

describe('a first try', () => {
  it('leaves nothing to a workflow when the provider accepts the email', async () => {
    expect(await createDispatcher().tryFirst(emailIds)).toMatchObject({ openIds: [] });
    expect(handedOver).toEqual(emailIds);
  });

  it('that takes long is left to a workflow, which starts when the try is probably over', async () => {
    const provider = Promise.withResolvers<HandOver>();
    answer = () => provider.promise;
    const emails = createDispatcher({ patienceMs: 10 });
    expect(await emails.tryFirst(emailIds)).toEqual({ openIds: emailIds, retryInMs: 10_000 });
    await begun();
    provider.resolve(accepted);
    await emails.stop();
    expect(await emails.dispatch(emailIds, never)).toEqual({ ...done, sent: 0, ended: 1 });
    expect(handedOver).toEqual(emailIds);
  });

  it('leaves emails that the provider defers to a workflow, with their delay', async () => {
    const other = await acceptOne();
    answer = async () =>
      handedOver.at(-1) === other ? { outcome: 'later', reason: 'Throttled', retryInMs: 30_000 } : accepted;
    const { openIds, retryInMs } = await createDispatcher().tryFirst([...emailIds, other]);
    expect(openIds).toEqual([other]);
    expect(retryInMs).toBeGreaterThan(25_000);
    expect(handedOver).toHaveLength(2);
  });

  it('that waits for send slots continues, and its workflow does not take slots for the same emails', async () => {
    const emails = createDispatcher({ rates: async () => ({ account: 2, project: null }) });
    const ids = [...emailIds, await acceptOne(), await acceptOne(), await acceptOne(), await acceptOne()];
    expect(await emails.tryFirst(ids)).toEqual({ openIds: ids, retryInMs: 20_000 });
    await eventually(async () => handedOver.length, ids.length);
    await emails.stop();
    expect(handedOver.toSorted()).toEqual(ids.toSorted());
  });

  it('protects its claims from the activity of another process', async () => {
    const provider = Promise.withResolvers<HandOver>();
    answer = () => provider.promise;
    const emails = createDispatcher();
    const tried = emails.tryFirst(emailIds);
    await begun();
    const elsewhere = await createDispatcher().dispatch(emailIds, never);
    expect(elsewhere).toMatchObject({ openIds: emailIds, sent: 0 });
    provider.resolve(accepted);
    await Promise.all([tried, emails.stop()]);
    expect(await createDispatcher().dispatch(emailIds, never)).toMatchObject({ openIds: [], ended: 1 });
    expect(handedOver).toEqual(emailIds);
  });

  it('that fails is left to a workflow', async () => {
    const rates = () => Promise.reject(new Error('Postgres is away'));
    expect(await createDispatcher({ rates }).tryFirst(emailIds)).toEqual({
      openIds: emailIds,
      retryInMs: 0,
    });
    expect(handedOver).toEqual([]);
  });
});

it('a stopping process begins no first try, and ends with the ones it began', async () => {
  const emails = createDispatcher();
  const tried = emails.tryFirst(emailIds);
  await emails.stop();
  await tried;
  const [row] = await sql<{ status: string }>('select status from emails where id = $1', emailIds);
  expect(['QUEUED', 'SENT']).toContain(row?.status);
  const before = handedOver.length;
  expect(await emails.tryFirst(emailIds)).toEqual({ openIds: emailIds, retryInMs: 0 });
  expect(handedOver).toHaveLength(before);
});
