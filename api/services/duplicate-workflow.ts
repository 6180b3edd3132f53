import { copyName } from '../../core/copy-name.ts';
import { newId } from '../../core/new-id.ts';
import { Workflow, WorkflowStep, WorkflowTransition } from '../../db/entities/workflow.ts';
import type { Orm } from '../../db/orm.ts';
import { lockSegmentReferences } from '../../db/statements/segments/lock-segment-references.ts';
import { maxWorkflowNameLength } from '../schemas/workflows.ts';
import { editWorkflow, storeVersion, toDraft, type WorkflowGraph } from './edit-workflow.ts';

/**
 * Copies a workflow with its graph; the copy is disabled. Locking the original prevents deletion of its templates; the
 * reference lock prevents deletion of its segments.
 */
export function duplicateWorkflow(orm: Orm, projectId: string, id: string): Promise<WorkflowGraph> {
  return editWorkflow(orm, projectId, id, async (em, { workflow: original, steps, transitions }) => {
    await lockSegmentReferences(em, projectId);
    const { description, eventName, allowReentry } = original;
    const copiedName = copyName(original.name, maxWorkflowNameLength);
    const fields = { projectId, name: copiedName, description, eventName, allowReentry, version: 0 };
    const workflow = em.create(Workflow, fields);
    const ids = new Map(steps.map((step) => [step.id, newId()]));
    const copyOf = (stepId: string) => ids.get(stepId) ?? stepId;
    const copies = {
      workflow,
      steps: steps.map(({ id: from, type, name, position, config, templateId }) =>
        em.create(WorkflowStep, { id: copyOf(from), workflow, type, name, position, config, templateId }),
      ),
      transitions: transitions.map(({ fromStepId: from, toStepId: to, branch }) =>
        em.create(WorkflowTransition, { workflow, fromStepId: copyOf(from), toStepId: copyOf(to), branch }),
      ),
    };
    storeVersion(em, workflow, toDraft(copies));
    return copies;
  });
}
