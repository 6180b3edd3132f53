import { syncListener } from '../../api/services/workflow-listener.ts';
import { type DraftGraph, templateIdsOf } from '../../core/workflows/graph.ts';
import { allProjects } from '../../db/entities/project-em.ts';
import { Workflow, WorkflowVersion, WorkflowVersionTemplate } from '../../db/entities/workflow.ts';
import type { Em } from '../../db/orm.ts';
import { sql } from '../../db/testing/sql.ts';

interface StoredFields {
  id: string;
  projectId: string;
  allowReentry: boolean;
  enabled?: boolean;
}

/** Stores a version as the service does after an edit, but accepts invalid graphs. */
function storeVersion(em: Em, workflow: Workflow, graph: DraftGraph): void {
  workflow.raiseVersion(true);
  const { id: workflowId, version } = workflow;
  em.create(WorkflowVersion, { workflowId, version, graph });
  for (const templateId of templateIdsOf(graph)) {
    em.create(WorkflowVersionTemplate, { templateId, workflowId, version });
  }
}

export async function storeWorkflow(
  em: Em,
  { enabled = true, ...fields }: StoredFields,
  graph: DraftGraph,
): Promise<void> {
  await em.transactional(async (inner) => {
    const { eventName } = graph;
    const workflow = inner.create(Workflow, { ...fields, name: 'Stored', eventName, enabled, version: 0 });
    storeVersion(inner, workflow, graph);
    await syncListener(inner, workflow, eventName);
  });
}

export async function storeNextVersion(em: Em, id: string, graph: DraftGraph): Promise<void> {
  await em.transactional(async (inner) =>
    storeVersion(inner, await inner.findOneOrFail(Workflow, id, allProjects), graph),
  );
}

export async function toggleWorkflow(em: Em, id: string): Promise<void> {
  await em.transactional(async (inner) => {
    const workflow = await inner.findOneOrFail(Workflow, id, allProjects);
    workflow.enabled = !workflow.enabled;
    await syncListener(inner, workflow, workflow.eventName);
  });
}

/** Stores enabled workflows without steps that start on the event, for any contact and each time. */
export async function storeListeners(
  em: Em,
  projectId: string,
  eventName: string,
  count: number,
): Promise<void> {
  await sql(
    em,
    `with workflow as (
       insert into workflows (id, project_id, name, enabled, event_name, allow_reentry, version, live_version)
       select gen_random_uuid(), $1, 'Stored', true, $2, true, 1, 1 from generate_series(1, $3::int)
       returning id)
     insert into event_listeners select $1, $2, '00000000-0000-0000-0000-000000000000', id, id from workflow`,
    [projectId, eventName, count],
  );
}
