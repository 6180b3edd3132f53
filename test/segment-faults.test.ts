import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../db/testing/sql.ts';
import { freePort } from '../local/testing/free-port.ts';
import { createTemporalClient } from '../temporal/client/connect.ts';
import { newSegmentComputation } from '../temporal/contracts/segments.ts';
import { eventually } from './setup/eventually.ts';
import { useProcessStack } from './setup/process-stack.ts';
import { findWrongCounts } from './setup/read-database.ts';
import { createSegment, planIs } from './setup/segments.ts';
import { useSender } from './setup/sender.ts';

/** Three batches of a computation, and more members than a page counts. */
const contactCount = 50_100;

const stack = useProcessStack();
const sender = useSender(stack);
let segmentId: string;

beforeAll(async () => {
  await stack.startApi();
});
beforeEach(async () => {
  await stack.sql(
    `insert into contacts (id, project_id, email, data, created_at)
     select uuidv7(), $1, n || '@example.com', '{"plan": "pro"}', now() - n * interval '1 second'
     from generate_series(1, ${contactCount}) n`,
    [sender.projectId],
  );
  const segment = await createSegment(sender, {
    name: 'Pro',
    condition: planIs('pro'),
    trackMembership: true,
  });
  segmentId = segment.id;
  expect(segment.memberCount).toBe(contactCount);
});

/** Entry events, and how many contacts they are about. */
async function entries(): Promise<{ rows: number; contacts: number }> {
  const [row] = await stack.sql<{ rows: number; contacts: number }>(
    `select count(*)::int as rows, count(distinct contact_id)::int as contacts from events
     where project_id = $1 and name = 'segment.pro.entry'`,
    [sender.projectId],
  );
  return row ?? { rows: 0, contacts: 0 };
}

const everyContactOnce = { rows: contactCount, contacts: contactCount };

describe('a computation whose worker is killed in the middle', () => {
  it('continues in another one, and every entry is emitted once', async () => {
    const worker = await stack.startWorker();
    // The last contact is locked, so that the last batch waits.
    const [held, killed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = stack.em().transactional(async (em) => {
      await sql(em, `select 1 from contacts where project_id = $1 and email = '1@example.com' for update`, [
        sender.projectId,
      ]);
      held.resolve();
      await killed.promise;
    });
    await held.promise;
    const temporal = createTemporalClient(stack.environment);
    const workflow = await temporal.workflow.start('segmentComputation', {
      taskQueue: stack.environment.TEMPORAL_TASK_QUEUE ?? '',
      workflowId: randomUUID(),
      args: [newSegmentComputation],
    });
    await eventually(entries, ({ rows }) => rows > 0);
    await worker.kill();
    killed.resolve();
    await holding;
    const { rows } = await entries();
    expect(rows).toBeLessThan(contactCount);
    await stack.startWorker();
    expect(await workflow.result()).toMatchObject({ segments: 1, failed: 0, removed: 0 });
    await temporal.connection.close();
    expect(await entries()).toEqual(everyContactOnce);
    expect(await findWrongCounts(stack.em(), sender.projectId)).toEqual([]);
    expect((await sender.get(`/segments/${segmentId}`)).body.memberCount).toBe(contactCount);

    // In a project of this size, pages show the stored count until a page reaches the end of the members.
    const page = async (number: number) =>
      (await sender.get(`/segments/${segmentId}/contacts?page=${number}&pageSize=100`)).body;
    await stack.sql(
      `update contacts set data = '{}' where project_id = $1 and email in ('7@example.com', '8@example.com')`,
      [sender.projectId],
    );
    const pages = contactCount / 100;
    expect(await page(1)).toMatchObject({ total: contactCount, totalPages: pages });
    const last = await page(pages);
    expect([last.data.length, last.total]).toEqual([98, contactCount - 2]);
    expect(await page(pages + 5)).toMatchObject({ data: [], total: contactCount });
  });
});

describe('a segment computed by two processes at once', () => {
  it('emits every entry and every exit once', async () => {
    const port = await freePort();
    await stack.startApi({ PORT: String(port) });
    const other = `http://127.0.0.1:${port}`;
    const urls = [stack.url, other, stack.url, other];
    const computeEverywhere = async () => {
      const answers = await Promise.all(
        urls.map(async (url) => {
          const answer = await fetch(`${url}/segments/${segmentId}/compute`, {
            method: 'POST',
            headers: { Authorization: `Bearer ${sender.secretKey}` },
          });
          expect(answer.status).toBe(200);
          return (await answer.json()) as { added: number; removed: number; total: number };
        }),
      );
      const sum = (key: 'added' | 'removed') => answers.reduce((total, answer) => total + answer[key], 0);
      return {
        added: sum('added'),
        removed: sum('removed'),
        totals: [...new Set(answers.map(({ total }) => total))],
      };
    };
    expect(await computeEverywhere()).toEqual({ added: contactCount, removed: 0, totals: [contactCount] });
    expect(await entries()).toEqual(everyContactOnce);
    await stack.sql(
      `update contacts set data = '{"plan": "free"}' where project_id = $1 and email like '%1@example.com'`,
      [sender.projectId],
    );
    const left = contactCount / 10;
    expect(await computeEverywhere()).toEqual({ added: 0, removed: left, totals: [contactCount - left] });
    expect(await findWrongCounts(stack.em(), sender.projectId)).toEqual([]);
  });
});
