import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Em } from '../../db/orm.ts';
import { acceptEmails } from '../../db/repositories/emails/accept-emails.ts';
import { sql } from '../../db/sql.ts';
import type { HandOver } from '../../providers/email/email-provider.ts';
import { insertProject } from '../../test/setup/campaigns.ts';
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts';
import { acceptInput } from '../../test/setup/inputs.ts';
import { type DispatchContext, dispatchEmails } from './dispatch-emails.ts';

let database: TestDatabase;
let em: Em;
let handedOver: string[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(() => {
  em = database.orm.em.fork();
  handedOver = [];
});

function context(answer: HandOver): DispatchContext {
  return {
    em,
    provider: {
      handOver: async ({ emailId }) => {
        handedOver.push(emailId);
        return answer;
      },
    },
    rates: { account: null, project: null },
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
    unknownSeconds: 120,
    signal: new AbortController().signal,
    count: () => undefined,
  };
}

async function accept(projectId: string, address: string): Promise<string> {
  const [[email] = []] = await acceptEmails(em, [acceptInput(projectId, [address])]);
  return email?.emailId ?? expect.unreachable();
}

const statusOf = async (id: string) => {
  const [email] = await sql<{ status: string }>(em, 'select status from emails where id = $1', [id]);
  return email?.status;
};

it('an email of a disabled project does not keep those of others waiting', async () => {
  const [disabled, other] = [await insertProject(em), await insertProject(em)];
  const ids = [await accept(disabled, 'a@example.com'), await accept(other, 'b@example.com')];
  await sql(em, 'update projects set disabled = true where id = $1', [disabled]);
  const busy = context({ outcome: 'later', reason: 'Throttled', retryInMs: 2_000 });
  expect(await dispatchEmails(busy, ids)).toEqual({ openIds: ids, retryInMs: 2_000, sent: 0, ended: 0 });
  expect(handedOver).toEqual(ids.slice(1));
  const free = context({ outcome: 'accepted', messageId: 'm-1' });
  const round = await dispatchEmails(free, ids);
  expect(round).toEqual({ openIds: ids.slice(0, 1), retryInMs: 5 * 60_000, sent: 1, ended: 0 });
});

it('what the provider took is recorded, also when the database fails in between', async () => {
  const id = await accept(await insertProject(em), 'a@example.com');
  await sql(em, 'create sequence records');
  await sql(
    em,
    `create function fail_twice() returns trigger language plpgsql as $$
     begin
       if nextval('records') <= 2 then raise exception 'the disk is slow'; end if;
       return null;
     end $$`,
  );
  const trigger = `create trigger fail_twice before update on emails for each statement execute function fail_twice()`;
  const dispatch = context({ outcome: 'accepted', messageId: 'm-2' });
  const { handOver } = dispatch.provider;
  dispatch.provider = {
    handOver: async (email) => {
      await sql(database.orm.em.fork(), trigger);
      return handOver(email);
    },
  };
  expect(await dispatchEmails(dispatch, [id])).toMatchObject({ sent: 1, openIds: [] });
  expect([handedOver, await statusOf(id)]).toEqual([[id], 'SENT']);
});
