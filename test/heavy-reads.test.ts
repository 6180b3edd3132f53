import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { sql } from '../db/testing/sql.ts';
import type { TestAnswer } from './setup/answer.ts';
import { useTestProduct } from './setup/product.ts';
import { createTestSender } from './setup/sender.ts';

const product = useTestProduct({ HEAVY_READS_PER_PROJECT: '1' });

/** One runs and 12 wait. */
const taken = 13;

it('searches of a project wait for each other, are refused beyond a limit, and do not delay other requests', async () => {
  const [one, other] = [await createTestSender(product.url), await createTestSender(product.url)];
  const { body: segment } = await one.post('/segments', { name: 'All', type: 'STATIC' });
  const searches: Promise<TestAnswer>[] = [];
  await product.em().transactional(async (em) => {
    await sql(em, 'lock table contacts in access exclusive mode');
    for (let search = 0; search < taken; search += 1) searches.push(one.get('/contacts?search=reader'));
    // Heavy reads of all kinds share the limit; the first answers are those that found no place.
    for (;;) {
      const answer = await Promise.race([one.post(`/segments/${segment.id}/refresh`, {}), delay(200)]);
      if (answer === undefined) continue;
      expect([answer.status, answer.body.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
      expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
      break;
    }
    for (const path of ['/workflows/fields', '/events/opened/usage', '/contacts/fields/email/usage']) {
      expect([path, (await one.get(path)).status]).toEqual([path, 429]);
    }
    expect((await one.get('/segments')).status).toBe(200);
    expect((await other.get('/segments')).status).toBe(200);
  });
  const statuses = new Set((await Promise.all(searches)).map(({ status }) => status));
  expect([...statuses]).toContain(200);
  expect((await one.get('/contacts?search=reader')).status).toBe(200);
});
