import { created, defineRoute, ok } from '../edge/define-route.ts';
import { presentOffsetPage } from '../presenters/page.ts';
import { presentWorkflow, presentWorkflowWithGraph } from '../presenters/workflow.ts';
import { ifMatchHeadersSchema } from '../schemas/if-match.ts';
import { examplePage } from '../schemas/pagination.ts';
import * as schemas from '../schemas/workflows.ts';

const triggerId = '01980d9c-3333-7000-8000-000000000001';
const emailId = '01980d9c-3333-7000-8000-000000000002';
const templateId = '01980d9c-7a4e-7c31-9f5b-2f6d8a1c0e47';

const example = {
  id: '01980d9c-2222-7000-8000-000000000001',
  name: 'Welcome',
  description: 'Greets new users',
  enabled: false,
  triggerType: 'EVENT',
  triggerConfig: { eventName: 'signed up' },
  allowReentry: false,
  projectId: '01980d9c-1111-7000-8000-000000000001',
  version: 2,
  liveVersion: 2,
  createdAt: '2026-01-31T09:00:00.000Z',
  updatedAt: '2026-01-31T09:05:00.000Z',
};

const exampleWithGraph = {
  ...example,
  steps: [
    {
      id: triggerId,
      type: 'TRIGGER',
      name: 'Trigger',
      position: null,
      config: { eventName: 'signed up' },
      templateId: null,
      updatedAt: example.updatedAt,
    },
    {
      id: emailId,
      type: 'SEND_EMAIL',
      name: 'Welcome email',
      position: { x: 0, y: 120 },
      config: { templateId },
      templateId,
      updatedAt: example.updatedAt,
    },
  ],
  transitions: [
    { id: '01980d9c-4444-7000-8000-000000000001', fromStepId: triggerId, toStepId: emailId, branch: null },
  ],
  faults: [],
};

export const listWorkflows = defineRoute('GET /workflows', {
  summary: 'List workflows, newest first',
  query: schemas.listWorkflowsQuerySchema,
  responses: ok('A page of workflows.', schemas.workflowPageSchema, examplePage(example)),
  async handler(ctx, { project, query }) {
    const [workflows, total] = await ctx.services.workflows.list(project.id, query);
    ctx.body = presentOffsetPage(workflows.map(presentWorkflow), total, query);
  },
});

export const listWorkflowFields = defineRoute('GET /workflows/fields', {
  summary: 'Fields for CONDITION steps',
  description: `Fields of contacts, then events. A field of type \`event\` tests the event's history (\`triggered\`,
\`countGreaterThan\`, …); other fields under \`event.\` are the data of the event that started the execution. A condition
can also use \`context.<path>\`, \`email.<activity>\` and \`segment.<id>\`. At most 10,000 fields of contacts,
1,000 names of events and 1,000 fields of their data are listed.`,
  responses: ok('The fields.', schemas.workflowFieldsSchema, {
    fields: [
      { field: 'subscribed', type: 'boolean', source: 'contact' },
      { field: 'data.plan', type: 'string', source: 'contact' },
      { field: 'event.order placed', type: 'event', source: 'event' },
      { field: 'event.total', type: 'number', source: 'event' },
    ],
  }),
  async handler(ctx, { project }) {
    ctx.body = { fields: await ctx.services.workflowFields.list(project.id) };
  },
});

export const createWorkflow = defineRoute('POST /workflows', {
  summary: 'Create a workflow',
  description: 'It is disabled and has a TRIGGER step to connect other steps to.',
  body: schemas.createWorkflowBodySchema,
  bodyExample: { name: 'Welcome', description: 'Greets new users', eventName: 'signed up' },
  idempotent: 'byPath',
  responses: created('The workflow.', schemas.workflowWithGraphSchema, {
    ...exampleWithGraph,
    version: 1,
    liveVersion: 1,
    steps: exampleWithGraph.steps.slice(0, 1),
    transitions: [],
  }),
  async handler(ctx, { project, body }) {
    ctx.body = presentWorkflowWithGraph(await ctx.services.workflows.create(project.id, body));
  },
});

export const getWorkflow = defineRoute('GET /workflows/:id', {
  summary: 'Get a workflow with its steps and transitions',
  responses: ok('The workflow.', schemas.workflowWithGraphSchema, exampleWithGraph),
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    ctx.body = presentWorkflowWithGraph(await ctx.services.workflows.get(project.id, params.id));
  },
});

export const patchWorkflow = defineRoute('PATCH /workflows/:id', {
  summary: 'Update a workflow, switch it on or off',
  description: `Only the fields sent change. Enabling checks the workflow: every step is reachable, every config is complete, every branch
leads somewhere, and no loop runs without a DELAY or WAIT_FOR_EVENT step. A 400 lists all faults in \`errors\`. At most 50
enabled workflows may start with the same event (409). After disabling, active executions continue to their end.`,
  headers: ifMatchHeadersSchema,
  body: schemas.patchWorkflowBodySchema,
  bodyExample: { enabled: true, allowReentry: true },
  responses: ok('The workflow after the change.', schemas.workflowSchema, {
    ...example,
    enabled: true,
    allowReentry: true,
  }),
  errors: ['NOT_FOUND', 'BAD_REQUEST', 'CONFLICT'],
  async handler(ctx, { project, body, params, headers }) {
    const workflow = await ctx.services.workflows.patch(project.id, params.id, body, headers['if-match']);
    ctx.body = presentWorkflow(workflow);
  },
});

export const deleteWorkflow = defineRoute('DELETE /workflows/:id', {
  summary: 'Delete a workflow',
  description: 'With its steps and past executions; 409 while executions are under way.',
  responses: { 204: { description: 'Deleted.' } },
  errors: ['NOT_FOUND', 'CONFLICT'],
  handler: (ctx, { project, params }) => ctx.services.workflows.remove(project.id, params.id),
});
