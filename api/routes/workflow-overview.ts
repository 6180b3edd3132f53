import { created, defineRoute, ok } from '../edge/define-route.ts';
import { presentWorkflowWithGraph } from '../presenters/workflow.ts';
import { idsQuerySchema } from '../schemas/pagination.ts';
import * as schemas from '../schemas/workflows.ts';

export const countWorkflowExecutions = defineRoute('GET /workflows/executions', {
  summary: 'Count the executions of each workflow of a page',
  query: idsQuerySchema,
  responses: ok('The counts.', schemas.executionCountListSchema),
  async handler(ctx, { project, query }) {
    ctx.body = { data: await ctx.services.workflowStatistics.countExecutions(project.id, query.ids) };
  },
});

export const workflowStatistics = defineRoute('GET /workflows/:id/statistics', {
  summary: 'Count the executions of a workflow, and what happens at its steps',
  description:
    'The steps of the graph as it is now; executions of all versions count. Step counts cover the newest ' +
    'executions only; `stepsOf` says how many.',
  responses: ok('The counts.', schemas.workflowStatisticsSchema),
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    ctx.body = await ctx.services.workflowStatistics.read(project.id, params.id);
  },
});

export const duplicateWorkflow = defineRoute('POST /workflows/:id/duplicate', {
  summary: 'Duplicate a workflow',
  idempotent: 'byPath',
  responses: created(
    'The new workflow with its graph, disabled, with " (Copy)" appended to its name.',
    schemas.workflowWithGraphSchema,
  ),
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    ctx.body = presentWorkflowWithGraph(await ctx.services.workflows.duplicate(project.id, params.id));
  },
});
