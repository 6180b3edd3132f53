import { describe, expect, it } from 'vitest';
import { createOrm, type Orm } from '../../db/orm.ts';
import { insertDraft } from '../../test/setup/campaigns.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { testFixture } from '../../test/setup/fixtures.ts';
import { useProject } from '../../test/setup/projects.ts';
import { startTcpRelay, type TcpRelay } from '../../test/setup/tcp-relay.ts';
import { createCampaignsService } from './campaigns.ts';
import { createProjectSlots, type ProjectSlots } from './project-slots.ts';
import { createSegmentsService } from './segments.ts';
import { createTemplateTurns } from './template-turns.ts';

const database = useTestDatabase();
const project = useProject(database.em);
const writes = createProjectSlots(0);
const stage = testFixture(
  async () => {
    const url = new URL(database.url);
    const line = await startTcpRelay([Number(url.port)]);
    url.host = `127.0.0.1:${line.port}`;
    return { line, orm: createOrm({ url: url.href, poolSize: 2, warn: () => undefined }) };
  },
  ({ orm }: { line: TcpRelay; orm: Orm }) => orm.close(),
);

describe('what is saved when Postgres goes away before it is counted', () => {
  const heavyReads: ProjectSlots = {
    ...writes,
    async runSoon(_projectId, count) {
      await stage.line.close();
      return count();
    },
  };
  const namesIn = async (table: 'campaigns' | 'segments') =>
    (
      await database.sql<{ name: string }>(`select name from ${table} where project_id = $1`, [project.id])
    ).map(({ name }) => name);

  it('is answered: a campaign', async () => {
    const id = await insertDraft(database.em(), project.id);
    const campaigns = createCampaignsService(stage.orm, createTemplateTurns(), { writes, heavyReads });
    const { campaign, counters } = await campaigns.duplicate(project.id, id);
    expect(await namesIn('campaigns')).toContain(campaign.name);
    expect(counters).toMatchObject({ sent: 0, opened: 0 });
  });

  it('is answered: a segment', async () => {
    const filters = [{ field: 'email', operator: 'contains', value: '@example.com' }];
    const { name } = await createSegmentsService(stage.orm, heavyReads).create(project.id, {
      name: 'Clients',
      type: 'DYNAMIC',
      condition: { logic: 'AND', groups: [{ filters }] },
      trackMembership: false,
    });
    expect(await namesIn('segments')).toEqual([name]);
  });
});
