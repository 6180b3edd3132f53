import { z } from 'zod';
import { idSchema } from '../../core/id-schema.ts';
import { defineRoute } from '../edge/define-route.ts';
import {
  executionSchema,
  executionWithStepsSchema,
  presentExecution,
  presentExecutionWithSteps,
} from '../presenters/execution.ts';
import { presentOffsetPage } from '../schemas/pagination.ts';
import {
  cancelledExecutionsSchema,
  executionPageSchema,
  listExecutionsQuerySchema,
  startExecutionBodySchema,
} from '../schemas/workflows.ts';

const tags = ['Workflows'];
const params = z.object({ id: idSchema });
const executionParams = z.object({ id: idSchema, executionId: idSchema });

const example = {
  id: '01980d9c-5555-7000-8000-000000000001',
  workflowId: '01980d9c-2222-7000-8000-000000000001',
  version: 2,
  contactId: '01980d9c-6666-7000-8000-000000000001',
  status: 'WAITING',
  currentStepId: '01980d9c-3333-7000-8000-000000000003',
  context: { coupon: 'SPRING' },
  event: { plan: 'pro' },
  resumeAt: '2026-02-01T09:00:00.000Z',
  exitReason: null,
  error: null,
  startedAt: '2026-01-31T09:00:00.000Z',
  completedAt: null,
};

export const startExecution = defineRoute({
  method: 'POST',
  path: '/workflows/:id/executions',
  auth: 'secretKey',
  tags,
  summary: 'Start an execution for a contact',
  description: `Also while the workflow is off, when its graph can run. 409 when the contact may not enter again: with \`allowReentry\`
while an execution is under way, without it ever.`,
  refuseDisabledProject: true,
  params,
  body: startExecutionBodySchema,
  bodyExample: { contactId: example.contactId, context: example.context },
  responses: {
    201: {
      description: 'The execution, which has just begun.',
      schema: executionSchema,
      example: { ...example, status: 'RUNNING', currentStepId: null, event: {}, resumeAt: null },
    },
  },
  errors: ['NOT_FOUND', 'BAD_REQUEST', 'CONFLICT'],
  async handler({ project, params: { id }, body, services }) {
    const execution = await services.workflowExecutions.start(project.id, id, body);
    return { status: 201, body: presentExecution(execution) };
  },
});

export const listExecutions = defineRoute({
  method: 'GET',
  path: '/workflows/:id/executions',
  auth: 'secretKey',
  tags,
  summary: 'List executions, newest first',
  params,
  query: listExecutionsQuerySchema,
  responses: {
    200: {
      description: 'A page of executions.',
      schema: executionPageSchema,
      example: { data: [example], total: 1, page: 1, pageSize: 20, totalPages: 1 },
    },
  },
  errors: ['NOT_FOUND', 'BAD_REQUEST'],
  async handler({ project, params: { id }, query, services }) {
    const { executions, total } = await services.workflowExecutions.list(project.id, id, query);
    return { status: 200, body: presentOffsetPage(executions.map(presentExecution), total, query) };
  },
});

export const getExecution = defineRoute({
  method: 'GET',
  path: '/workflows/:id/executions/:executionId',
  auth: 'secretKey',
  tags,
  summary: 'Get an execution with the steps that it has entered',
  params: executionParams,
  responses: {
    200: {
      description: 'The execution.',
      schema: executionWithStepsSchema,
      example: {
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
      },
    },
  },
  errors: ['NOT_FOUND'],
  async handler({ project, params: { id, executionId }, services }) {
    const found = await services.workflowExecutions.get(project.id, id, executionId);
    return { status: 200, body: presentExecutionWithSteps(found) };
  },
});

export const cancelExecution = defineRoute({
  method: 'DELETE',
  path: '/workflows/:id/executions/:executionId',
  auth: 'secretKey',
  tags,
  summary: 'Cancel an execution',
  description: 'No step of it begins any more. 409 when it has ended.',
  params: executionParams,
  responses: { 204: { description: 'Cancelled.' } },
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handler({ project, params: { id, executionId }, services }) {
    await services.workflowExecutions.cancel(project.id, id, executionId);
    return { status: 204 };
  },
});

export const cancelAllExecutions = defineRoute({
  method: 'POST',
  path: '/workflows/:id/executions/cancel-all',
  auth: 'secretKey',
  tags,
  summary: 'Cancel every execution that is under way',
  params,
  responses: {
    200: {
      description: 'How many there were.',
      schema: cancelledExecutionsSchema,
      example: { cancelled: 12 },
    },
  },
  errors: ['NOT_FOUND'],
  async handler({ project, params: { id }, services }) {
    return {
      status: 200,
      body: { cancelled: await services.workflowExecutions.cancelAll(project.id, id) },
    };
  },
});
