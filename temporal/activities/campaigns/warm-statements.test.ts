import { expect, it } from 'vitest';
import { createOrm, readPools } from '../../../db/orm.ts';
import { freePort } from '../../../local/testing/free-port.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { keptOpen, warmStatements } from './warm-statements.ts';

const database = useTestDatabase();
const { sql } = database;

async function warm(url: string) {
  const warnings: string[] = [];
  const orm = createOrm({ url, poolSize: 6, keptOpen, warn: () => undefined });
  await warmStatements(orm, (message) => warnings.push(message));
  const idle = Object.fromEntries(readPools(orm).map((pool) => [pool.pool, pool.idle]));
  await orm.close();
  return { warnings, idle };
}

it('the first statements of a campaign run without effect, and leave connections open', async () => {
  const { warnings, idle } = await warm(database.url);
  expect(warnings).toEqual([]);
  expect(idle).toMatchObject({ prepared: keptOpen });
  expect(idle.statements).toBeGreaterThanOrEqual(keptOpen);
  const written = await sql(
    `select id::text from emails union all select id::text from events
     union all select campaign_id::text from campaign_batches union all select campaign_id::text from campaign_figure_changes
     union all select project_id::text from billing_usage`,
  );
  expect(written).toEqual([]);
});

it('an unreachable database only causes a warning', async () => {
  const { warnings } = await warm(`postgres://nobody@127.0.0.1:${await freePort()}/nothing`);
  expect(warnings).toHaveLength(1);
});
