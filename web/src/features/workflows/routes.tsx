import { createRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { startQueries } from '../../api/start-queries.ts';
import { projectRoute } from '../../shell/routes.tsx';
import { lazyComponent } from '../../ui/lazy-component.ts';
import { segmentsQuery } from '../segments/queries.ts';
import { executionStatuses } from './execution-status.ts';
import { executionQuery, templateNamesQuery, workflowListQuery, workflowQuery } from './queries.ts';

const page = z.int().positive().optional().catch(undefined);

export const workflowRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'workflows',
    validateSearch: z.object({ search: z.coerce.string().optional().catch(undefined), page }),
    beforeLoad: (context) => startQueries(context, [workflowListQuery(context.search)]),
    component: lazyComponent(() => import('./workflow-list-page.tsx'), 'WorkflowListPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'workflows/$workflowId',
    validateSearch: z.object({
      view: z.enum(['canvas', 'outline', 'executions']).optional().catch(undefined),
      /** Id of the step whose form is open. */
      step: z.string().optional().catch(undefined),
      status: z.enum(executionStatuses).optional().catch(undefined),
      /** Address of the contact whose executions are shown. */
      contact: z.coerce.string().optional().catch(undefined),
      /** Id of the step whose executions are shown. */
      at: z.uuid().optional().catch(undefined),
    }),
    beforeLoad(context) {
      const { workflowId } = context.params;
      // Statistics load once the graph is drawn; earlier, they would delay it.
      startQueries(context, [workflowQuery(workflowId), templateNamesQuery, segmentsQuery]);
    },
    component: lazyComponent(() => import('./workflow-page.tsx'), 'WorkflowPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'workflows/$workflowId/executions/$executionId',
    beforeLoad(context) {
      const { workflowId, executionId } = context.params;
      startQueries(context, [
        executionQuery(workflowId, executionId),
        workflowQuery(workflowId),
        templateNamesQuery,
        segmentsQuery,
      ]);
    },
    component: lazyComponent(() => import('./execution-page.tsx'), 'ExecutionPage'),
  }),
] as const;
