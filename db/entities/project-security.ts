import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, instant, primaryId } from './columns.ts';
import { Project } from './project.ts';

/**
 * What became of a project's emails on a UTC day, simulator addresses left out; a bounce counts on the day when it
 * came in. The exact figures are these and the changes.
 */
export const ProjectEmailDay = defineEntity({
  name: 'ProjectEmailDay',
  tableName: 'project_email_days',
  indexes: [
    {
      name: 'project_email_days_unjudged',
      expression:
        'create index project_email_days_unjudged on project_email_days (project_id, day) where not judged',
    },
  ],
  properties: {
    projectId: p.uuid().primary(),
    day: p.date().primary(),
    sent: p.integer().default(0),
    bounced: p.integer().default(0),
    complained: p.integer().default(0),
    /** False from a change of the figures until the project was judged by them. */
    judged: p.boolean().default(true),
  },
});

/** What a statement changed in the figures; appended, so that nobody waits for anybody, and folded every minute. */
export const ProjectEmailChange = defineEntity({
  name: 'ProjectEmailChange',
  tableName: 'project_email_changes',
  properties: {
    projectId: p.uuid().primary(),
    id: p.uuid().primary().defaultRaw('uuidv7()'),
    day: p.date(),
    sent: p.integer().default(0),
    bounced: p.integer().default(0),
    complained: p.integer().default(0),
  },
});

/** When and why a project was disabled by itself, with the figures of the week before. */
export const ProjectSuspension = defineEntity({
  name: 'ProjectSuspension',
  tableName: 'project_suspensions',
  indexes: [{ name: 'project_suspensions_project', properties: ['projectId', 'createdAt'] }],
  properties: {
    id: primaryId(),
    projectId: () =>
      p.manyToOne(Project).mapToPk().fieldName('project_id').updateRule('no action').deleteRule('cascade'),
    reason: p.text(),
    sent: p.integer(),
    bounced: p.integer(),
    complained: p.integer(),
    createdAt: createdAt(),
  },
});

/** A project whose data are going; the row stays until they are gone everywhere, that of a reset until the next one. */
export const ProjectErasure = defineEntity({
  name: 'ProjectErasure',
  tableName: 'project_erasures',
  indexes: [
    { name: 'project_erasures_project', properties: ['projectId'] },
    {
      name: 'project_erasures_reset',
      expression:
        'create unique index project_erasures_reset on project_erasures (project_id) where is_reset and erased_at is null',
    },
  ],
  properties: {
    id: primaryId(),
    projectId: p.uuid(),
    /** Whether the project itself stays. */
    isReset: p.boolean().default(false),
    /** Nothing that is made after this instant goes. */
    before: instant(),
    /** Deleted rows by table, as far as it has come. */
    done: p.json().$type<Record<string, number>>().defaultRaw(`'{}'`),
    createdAt: createdAt(),
    /** When Postgres had none of them any more. */
    erasedAt: instant().nullable(),
  },
});
