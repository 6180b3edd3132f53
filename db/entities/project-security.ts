import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, instant, primaryId } from './columns.ts';
import { ofProject } from './project.ts';

export const ProjectSuspension = defineEntity({
  name: 'ProjectSuspension',
  tableName: 'project_suspensions',
  indexes: [{ name: 'project_suspensions_project', properties: ['projectId', 'createdAt'] }],
  properties: {
    id: primaryId(),
    projectId: ofProject,
    reason: p.text(),
    sent: p.integer(),
    bounced: p.integer(),
    complained: p.integer(),
    createdAt: createdAt(),
  },
});

const ProjectErasureSchema = defineEntity({
  name: 'ProjectErasure',
  tableName: 'project_erasures',
  uniques: [
    { name: 'project_erasures_reset', properties: ['projectId'], where: 'is_reset and erased_at is null' },
  ],
  indexes: [{ name: 'project_erasures_project', properties: ['projectId'] }],
  properties: {
    id: primaryId(),
    projectId: p.uuid(),
    isReset: p.boolean().default(false),
    before: instant(),
    done: p.json().$type<Record<string, number>>().defaultRaw(`'{}'`),
    createdAt: createdAt(),
    erasedAt: instant().nullable(),
  },
});

/** Erasure of a project's data. The row stays until the data is gone everywhere; for a reset, until the next reset. */
export class ProjectErasure extends ProjectErasureSchema.class {
  /** True once the data is erased from Postgres; ClickHouse and files follow. */
  isErased(): boolean {
    return this.erasedAt != null;
  }
}
ProjectErasureSchema.setClass(ProjectErasure);
