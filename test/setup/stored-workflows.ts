import { syncListener } from '../../api/services/workflow-listener.ts';
import { type DraftGraph, templateIdsOf } from '../../core/workflows/graph.ts';
import { allProjects } from '../../db/entities/project-em.ts';
import { Workflow, WorkflowVersion, WorkflowVersionTemplate } from '../../db/entities/workflow.ts';
import type { Em } from '../../db/orm.ts';

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
