import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { newIds } from '../../core/new-id.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { useProject } from '../../test/setup/projects.ts';
import { findReferringConditions, findReferringWorkflows } from './references.ts';

const { em, sql } = useTestDatabase();
const project = useProject(em);

const conditionOn = (field: string) => ({
  logic: 'AND',
  groups: [{ filters: [{ field, operator: 'exists' }] }],
});

/** Campaigns, oldest first. @returns their ids */
async function insertCampaigns(count: number, field: string): Promise<string[]> {
  const ids = newIds(count);
  await sql(
    `insert into campaigns (id, project_id, name, subject, body, from_email, type, status, audience_type, audience_condition,
       created_at, updated_at)
     select id, $2, 'Campaign', '', '', '', 'MARKETING', 'SENT', 'FILTERED', $3::jsonb, '2026-01-01', '2026-01-01'
     from unnest($1::uuid[]) id`,
    [ids, project.id, JSON.stringify(conditionOn(field))],
  );
  return ids;
}

it('parses only conditions that mention the text, one per turn of the event loop', async () => {
  const older = await insertCampaigns(70, 'data.plan');
  await insertCampaigns(70, 'data.city');
  const newer = await insertCampaigns(70, 'data.plan');
  let turn = 0;
  let isOver = false;
  const turning = (async () => {
    for (; !isOver; turn += 1) await nextTurn();
  })();
  const turns = new Set<number>();
  let parsed = 0;
  const found = await findReferringConditions(em(), project.id, 'campaigns', 'plan', () => {
    turns.add(turn);
    parsed += 1;
    return true;
  });
  isOver = true;
  await turning;
  expect(found.map(({ id }) => id)).toEqual([...older, ...newer].reverse());
  expect(parsed).toBe(140);
  expect(turns.size).toBe(140);
});

it.each(['say "hi"', 'back\\slash', 'tab\tand \u0001', 'größe 😀', '%_', ''])(
  'finds a name as JSON text escapes it: %j',
  async (name) => {
    const [id] = await insertCampaigns(1, `data.${name}x`);
    const found = await findReferringConditions(em(), project.id, 'campaigns', name, () => true);
    expect(found).toEqual([{ id, name: 'Campaign' }]);
  },
);

it('lists a workflow once, by its event or any of its steps', async () => {
  const [workflowId = '', ...steps] = newIds(61);
  await sql(
    `insert into workflows (id, project_id, name, event_name) values ($1, $2, 'Workflow', 'signed up')`,
    [workflowId, project.id],
  );
  await sql(
    `insert into workflow_steps (id, workflow_id, type, name, config)
     select id, $2, 'WAIT_FOR_EVENT', '', '{"eventName": "visited"}' from unnest($1::uuid[]) id`,
    [steps, workflowId],
  );
  const found = (text: string) =>
    findReferringWorkflows(
      em(),
      project.id,
      text,
      ({ config, eventName }) => config.eventName === text || eventName === text,
    );
  const once = [{ id: workflowId, name: 'Workflow' }];
  expect([await found('visited'), await found('signed up'), await found('left')]).toEqual([once, once, []]);
});
