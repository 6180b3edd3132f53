import { afterEach, beforeEach, expect, it } from 'vitest';
import { insertDraft } from '../../test/setup/campaigns.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { eventually } from '../../test/setup/eventually.ts';
import { fileFixture, testFixture } from '../../test/setup/fixtures.ts';
import { insertDomain } from '../../test/setup/projects.ts';
import { createTestProject, startTestApi } from '../../test/setup/start-test-api.ts';
import type { Edge } from '../edge/create-edge.ts';
import { createCampaign, replaceCampaign } from '../routes/campaigns.ts';
import { createTemplate, patchTemplate } from '../routes/templates.ts';
import { createStep, patchStep } from '../routes/workflow-graphs.ts';
import { createCampaignsService } from './campaigns.ts';
import { createProjectPlaces, type ProjectPlaces } from './project-places.ts';
import { createTemplateTurns, type TemplateTurns } from './template-turns.ts';
import { createTemplatesService } from './templates.ts';
import { createTemporalRuns } from './temporal-runs.ts';
import { createWorkflowGraphsService } from './workflow-graphs.ts';
import { createWorkflowsService } from './workflows.ts';

const database = useTestDatabase();
const project = fileFixture(() => createTestProject(database));

let order: string[] = [];
/** The checks wait for it. */
let turn = Promise.withResolvers<void>();
turn.resolve();
afterEach(() => turn.resolve());

function createServices({ writes }: Edge) {
  const { orm } = database;
  const turns: TemplateTurns = {
    ...createTemplateTurns(),
    async inTurn(_projectId, work) {
      order.push('check');
      await turn.promise;
      return work();
    },
  };
  const run: ProjectPlaces['run'] = (projectId, work) => {
    order.push('place');
    return writes.run(projectId, work);
  };
  const noted = { ...writes, run };
  return {
    campaigns: createCampaignsService(orm, turns, { writes: noted, heavyReads: createProjectPlaces(0) }),
    templates: createTemplatesService(orm, turns, noted, () => undefined),
    temporalRuns: createTemporalRuns(null),
    workflowGraphs: createWorkflowGraphsService(orm, turns, noted),
  };
}

const api = testFixture(
  () =>
    startTestApi({
      database,
      routes: [createCampaign, createStep, createTemplate, patchStep, patchTemplate, replaceCampaign],
      services: createServices,
      // Two places for the writes of all projects.
      environment: { DATABASE_POOL_SIZE: '5' },
    }),
  ({ close }) => close(),
);

const webhook = { type: 'WEBHOOK', name: 'call', config: { url: 'https://example.com' } } as const;
const content = { name: 'News', subject: 'News', body: 'Hello {{ name }}', type: 'MARKETING' };
let from: string;
let paths: Record<'campaign' | 'step' | 'steps' | 'template', string>;
const request = (method: string, path: string, body: object) =>
  api.request(path, { method, key: project.secretKey, body });

beforeEach(async () => {
  const em = database.em();
  from = `news@${await insertDomain(em, project.id)}`;
  const template = await request('POST', '/templates', { ...content, from });
  const workflows = createWorkflowsService(database.orm, createTemplateTurns());
  const { workflow } = await workflows.create(project.id, {
    name: 'x',
    eventName: 'signup',
    allowReentry: false,
  });
  const steps = `/workflows/${workflow.id}/steps`;
  const step = await request('POST', steps, webhook);
  const campaign = `/campaigns/${await insertDraft(em, project.id)}`;
  paths = { campaign, steps, step: `${steps}/${step.body.id}`, template: `/templates/${template.body.id}` };
});

it.each([
  ['a new template', 201, () => request('POST', '/templates', { ...content, from })],
  ['a changed template', 200, () => request('PATCH', paths.template, { body: '{{ other }}' })],
  ['a new campaign', 201, () => request('POST', '/campaigns', { ...content, from, audienceType: 'ALL' })],
  [
    'a changed campaign',
    200,
    () => request('PUT', paths.campaign, { ...content, from, audienceType: 'ALL' }),
  ],
  ['a new step', 201, () => request('POST', paths.steps, webhook)],
  ['a changed step', 200, () => request('PATCH', paths.step, { config: webhook.config })],
])(
  'the Liquid of %s waits for its turn before it takes a place among the writes',
  async (_, status, save) => {
    order = [];
    turn = Promise.withResolvers();
    const saves = Promise.all([save(), save()]);
    // Should the test fail, its connections are closed.
    saves.catch(() => undefined);
    await eventually(async () => order.length, 2);
    expect(await api.edge.writes.runSoon('another project', async () => 'a place')).toBe('a place');
    expect(order).toEqual(['check', 'check']);
    turn.resolve();
    expect((await saves).map((answer) => answer.status)).toEqual([status, status]);
    expect(order).toEqual(['check', 'check', 'place', 'place']);
  },
);
