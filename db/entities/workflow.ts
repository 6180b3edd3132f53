import { defineEntity, type FilterQuery, type InferEntity, p } from '@mikro-orm/core';
import { EntityRepository } from '@mikro-orm/postgresql';
import type { Branch, DraftGraph } from '../../core/workflows/graph.ts';
import type { StepType } from '../../core/workflows/step-config.ts';
import { containsText } from '../fragments/contains-sql.ts';
import { createdAt, laterThan, primaryId, updatedAt } from './columns.ts';

const WorkflowSchema = defineEntity({
  name: 'Workflow',
  repository: () => WorkflowRepository,
  tableName: 'workflows',
  indexes: [{ name: 'workflows_project', properties: ['projectId', 'createdAt', 'id'] }],
  properties: {
    id: primaryId(),
    projectId: p.uuid(),
    name: p.text(),
    description: p.text().nullable(),
    enabled: p.boolean().default(false),
    eventName: p.text(),
    allowReentry: p.boolean().default(false),
    version: p.integer().default(1),
    /**
     * Version that new executions are pinned to: the newest with a valid graph. Lower than `version` while the edited
     * graph has faults; null while no version is valid.
     */
    liveVersion: p.integer().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

export class Workflow extends WorkflowSchema.class {
  listensTo(): string | undefined {
    return this.enabled ? this.eventName : undefined;
  }

  /** Whether an execution can be started manually. A disabled workflow can only if its newest version is valid. */
  canStart(): boolean {
    return this.liveVersion != null && (this.enabled || this.liveVersion === this.version);
  }

  raiseVersion(canRun: boolean): void {
    this.version += 1;
    if (canRun) this.liveVersion = this.version;
  }
}
WorkflowSchema.setClass(Workflow);

const WorkflowStepSchema = defineEntity({
  name: 'WorkflowStep',
  tableName: 'workflow_steps',
  indexes: [
    { name: 'workflow_steps_workflow', properties: ['workflow'] },
    { name: 'workflow_steps_template', properties: ['templateId'], where: 'template_id is not null' },
  ],
  properties: {
    id: primaryId(),
    workflow: () => p.manyToOne(Workflow).createForeignKeyConstraint(false),
    type: p.text().$type<StepType>(),
    name: p.text(),
    position: p.json().$type<Record<string, unknown>>().nullable(),
    config: p.json().$type<Record<string, unknown>>().defaultRaw(`'{}'`),
    templateId: p.uuid().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

/** A step of the graph being edited; executions read their pinned version instead. */
export class WorkflowStep extends WorkflowStepSchema.class {
  /** For a change stored outside of the step: the event of a trigger. */
  touch(): void {
    this.updatedAt = laterThan(this.updatedAt);
  }
}
WorkflowStepSchema.setClass(WorkflowStep);

export const WorkflowTransition = defineEntity({
  name: 'WorkflowTransition',
  tableName: 'workflow_transitions',
  indexes: [{ name: 'workflow_transitions_workflow', properties: ['workflow'] }],
  uniques: [
    {
      name: 'workflow_transitions_from',
      expression:
        "create unique index workflow_transitions_from on workflow_transitions (from_step_id, coalesce(branch, ''))",
    },
  ],
  properties: {
    id: primaryId(),
    workflow: () => p.manyToOne(Workflow).createForeignKeyConstraint(false),
    fromStepId: p.uuid(),
    toStepId: p.uuid(),
    /** `yes` and `no`, `event` and `timeout`; null for a step's only transition. */
    branch: p.text().$type<Branch>().nullable(),
    createdAt: createdAt(),
  },
});

export type WorkflowTransition = InferEntity<typeof WorkflowTransition>;

/** Immutable graph of one version, so processes may cache it. Versions with faults have no row and never run. */
export const WorkflowVersion = defineEntity({
  name: 'WorkflowVersion',
  tableName: 'workflow_versions',
  properties: {
    workflowId: p.uuid().primary(),
    version: p.integer().primary(),
    graph: p.json().$type<DraftGraph>(),
    createdAt: createdAt(),
  },
});

export const WorkflowVersionTemplate = defineEntity({
  name: 'WorkflowVersionTemplate',
  tableName: 'workflow_version_templates',
  indexes: [{ name: 'workflow_version_templates_workflow', properties: ['workflowId'] }],
  properties: {
    templateId: p.uuid().primary(),
    workflowId: p.uuid().primary(),
    version: p.integer().primary(),
  },
});

export class WorkflowRepository extends EntityRepository<Workflow> {
  /** @param search case-insensitive substring of the name, description or event name */
  async listPage(
    search: string | undefined,
    window: { limit: number; offset: number },
  ): Promise<[Workflow[], number]> {
    const where: FilterQuery<Workflow> = {
      ...(search && { [containsText(['name', 'description', 'event_name'], search)]: [] }),
    };
    const rows = await this.find(where, { orderBy: { createdAt: 'desc', id: 'desc' }, ...window });
    // Not at the same time, as by `findAndCount`: a request's place stands for one connection.
    return [rows, await this.count(where)];
  }
}
