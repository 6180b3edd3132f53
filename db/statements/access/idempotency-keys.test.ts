import { v7 as uuidv7 } from 'uuid';
import { expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { untilBlocking } from '../../../test/setup/until-blocking.ts';
import type { Em } from '../../orm.ts';
import { sql as run } from '../../testing/sql.ts';
import { createExpiries } from '../sweeps/expiries.ts';
import { claimKeys, type KeyClaim, settleClaims } from './idempotency-keys.ts';

const { em, sql } = useTestDatabase();

it('claims and settles keys concurrently without a deadlock: both lock them in the same order', async () => {
  const projectId = uuidv7();
  const claimOf = (key: string): KeyClaim => ({ projectId, key, request: 'POST /v1/send', token: uuidv7() });
  const [first, last] = [claimOf('first'), claimOf('last')];
  await claimKeys(em(), [first, last], 24);
  let settling: Promise<void> | undefined;
  await em().transactional(async (own) => {
    // As a repeat of both requests locks them.
    const lock = ({ key }: KeyClaim) =>
      run(own, 'select from idempotency_keys where project_id = $1 and key = $2 for update', [
        projectId,
        key,
      ]);
    await lock(first);
    // The key that is released would come last.
    settling = settleClaims(em(), [
      { ...last, statusCode: 200, createdId: null },
      { ...first, statusCode: 400, createdId: null },
    ]);
    await untilBlocking(own);
    await lock(last);
  });
  await settling;
  expect(
    await sql('select key, status_code as status from idempotency_keys where project_id = $1', [projectId]),
  ).toEqual([{ key: 'last', status: 200 }]);
});

it('removes expired keys while requests reclaim them, without a deadlock', async () => {
  const projectId = uuidv7();
  const lock = (own: Em, key: string) =>
    run(own, 'select from idempotency_keys where project_id = $1 and key = $2 for update', [projectId, key]);
  // The sweep finds them in this order.
  for (const key of ['last', 'first']) {
    await sql(
      `insert into idempotency_keys (project_id, key, request, token, expires_at)
       values ($1, $2, 'POST /v1/send', uuidv7(), now() - interval '1 hour')`,
      [projectId, key],
    );
  }
  let expiring: Promise<unknown> | undefined;
  await em().transactional(async (own) => {
    await lock(own, 'first');
    expiring = createExpiries(7).idempotencyKeys?.(em(), null);
    await Promise.race([untilBlocking(own), expiring]);
    await lock(own, 'last');
  });
  expect(await expiring).toMatchObject({ count: 1 });
});
