import { workflowIds } from '../../temporal/contracts/workflow-ids.ts';
import { created, defineRoute, ok } from '../edge/define-route.ts';
import { presentLargePage } from '../presenters/page.ts';
import { present } from '../presenters/present.ts';
import * as schemas from '../schemas/executions.ts';
import { deepPages } from '../schemas/pagination.ts';
import type { TemporalRuns } from '../services/temporal-runs.ts';
import type { ExecutionOfContact } from '../services/workflow-executions.ts';

function presentExecution({ execution, contactEmail }: ExecutionOfContact, runs: TemporalRuns) {
  const { id, workflowId, contactId } = execution;
  const run = runs(contactId ? workflowIds.workflowExecution(workflowId, contactId, id) : null);
  return present(schemas.executionSchema, { ...execution, contactEmail, ...run });
}

const example = {
  id: '01980d9c-5555-7000-8000-000000000001',
  workflowId: '01980d9c-2222-7000-8000-000000000001',
  version: 2,
  contactId: '01980d9c-6666-7000-8000-000000000001',
  contactEmail: 'ada@example.com',
  status: 'WAITING',
  currentStepId: '01980d9c-3333-7000-8000-000000000003',
  context: { coupon: 'SPRING' },
  event: { plan: 'pro' },
  resumeAt: '2026-02-01T09:00:00.000Z',
  exitReason: null,
  error: null,
  startedAt: '2026-01-31T09:00:00.000Z',
  completedAt: null,
  temporalWorkflowId:
    'workflow/01980d9c-2222-7000-8000-000000000001/contact/01980d9c-6666-7000-8000-000000000001/01980d9c-5555-7000-8000-000000000001',
  temporalUrl: null,
};

export const startExecution = defineRoute('POST /workflows/:id/executions', {
  summary: 'Start an execution for a contact',
  description: `Works for a disabled workflow too if its graph can run. 409 when the contact may not enter again: with \`allowReentry\`
while an execution is active, otherwise always.`,
  refuseDisabledProject: true,
  body: schemas.startExecutionBodySchema,
  bodyExample: { contactId: example.contactId, context: example.context },
  idempotent: 'byPath',
  responses: created('The new execution.', schemas.executionSchema, {
    ...example,
    status: 'RUNNING',
    currentStepId: null,
    event: {},
    resumeAt: null,
  }),
  errors: ['NOT_FOUND', 'BAD_REQUEST', 'CONFLICT'],
  async handler(ctx, { project, body, params }) {
    const execution = await ctx.services.workflowExecutions.start(project.id, params.id, body);
    ctx.body = presentExecution(execution, ctx.services.temporalRuns);
  },
});

export const listExecutions = defineRoute('GET /workflows/:id/executions', {
  summary: 'List executions, newest first',
  description: deepPages,
  query: schemas.listExecutionsQuerySchema,
  responses: ok('A page of executions.', schemas.executionPageSchema, {
    data: [example],
    total: 1,
    totalAccuracy: 'exact',
    page: 1,
    pageSize: 20,
    totalPages: 1,
    cursor: null,
  }),
  errors: ['NOT_FOUND', 'BAD_REQUEST'],
  async handler(ctx, { project, query, params }) {
    const found = await ctx.services.workflowExecutions.list(project.id, params.id, query);
    const executions = found.rows.map((one) => presentExecution(one, ctx.services.temporalRuns));
    ctx.body = presentLargePage(executions, found, query);
  },
});

export const getExecution = defineRoute('GET /workflows/:id/executions/:executionId', {
  summary: 'Get an execution with its steps so far',
  responses: ok('The execution.', schemas.executionWithStepsSchema, {
    ...example,
    steps: [
      {
        visit: 1,
        stepId: example.currentStepId,
        type: 'DELAY',
        name: 'Wait a day',
        branch: null,
        output: null,
        error: null,
        startedAt: example.startedAt,
        completedAt: null,
      },
    ],
  }),
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    const found = await ctx.services.workflowExecutions.get(project.id, params.id, params.executionId);
    ctx.body = {
      ...presentExecution(found, ctx.services.temporalRuns),
      steps: found.steps.map(({ run, step }) =>
        present(schemas.stepRunSchema, { ...run, type: step?.type, name: step?.name }),
      ),
    };
  },
});

export const cancelExecution = defineRoute('DELETE /workflows/:id/executions/:executionId', {
  summary: 'Cancel an execution',
  description: 'No further step begins. 409 when it has ended.',
  responses: { 204: { description: 'Cancelled.' } },
  errors: ['NOT_FOUND', 'CONFLICT'],
  handler: (ctx, { project, params }) =>
    ctx.services.workflowExecutions.cancel(project.id, params.id, params.executionId),
});

export const retryExecution = defineRoute('POST /workflows/:id/executions/:executionId/retry', {
  summary: 'Retry a failed execution',
  description: `Continues at the step that failed and repeats no step before it: in the live version of the workflow, where the step may
have been corrected, or in its own version if the live one has that step no longer. A repeated webhook has the same \`webhook-id\`.
409 when it has not failed, the contact is in the workflow again, or nothing is left to repeat: the contact or the
step was deleted, an event that it waited for did not fit, or it was stopped as part of an endless loop.`,
  refuseDisabledProject: true,
  responses: ok('The execution.', schemas.executionSchema, { ...example, status: 'RUNNING', resumeAt: null }),
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handler(ctx, { project, params }) {
    const execution = await ctx.services.executionRetries.retry(project.id, params.id, params.executionId);
    ctx.body = presentExecution(execution, ctx.services.temporalRuns);
  },
});

export const retryFailedExecutions = defineRoute('POST /workflows/:id/executions/retry-failed', {
  summary: 'Retry failed executions',
  description:
    'As for a single one, such as after an outage of a webhook. Of several of a contact, the newest continues.',
  refuseDisabledProject: true,
  place: 'byService',
  body: schemas.retryFailedBodySchema,
  bodyExample: { failedSince: '2026-01-31T09:00:00Z' },
  responses: ok('Number of executions.', schemas.retriedExecutionsSchema, { retried: 12, skipped: 1 }),
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params, body }) {
    ctx.body = await ctx.services.executionRetries.retryFailed(project.id, params.id, body);
  },
});

export const cancelAllExecutions = defineRoute('POST /workflows/:id/executions/cancel-all', {
  summary: 'Cancel all active executions',
  description: 'Those that start during the call stay.',
  place: 'byService',
  responses: ok('Number of cancelled executions.', schemas.cancelledExecutionsSchema, { cancelled: 12 }),
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    ctx.body = { cancelled: await ctx.services.workflowExecutions.cancelAll(project.id, params.id) };
  },
});
