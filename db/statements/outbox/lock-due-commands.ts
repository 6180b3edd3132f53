import { z } from 'zod';
import type { Lane } from '../../../core/outbox-lanes.ts';
import { noProject, outboxKinds } from '../../entities/outbox-command.ts';
import { isDueSql, laneSql } from '../../fragments/lanes.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const commandRow = z.object({
  id: z.uuid(),
  kind: z.enum(outboxKinds),
  subjectId: z.uuid(),
  attempts: z.int(),
  projectId: z.uuid().nullable(),
  execution: z.object({ projectId: z.uuid(), workflowId: z.uuid(), contactId: z.uuid() }).nullable(),
});
export type DueCommand = z.output<typeof commandRow>;

const executionSql: Readonly<Record<Lane, string>> = {
  emails: 'null::json',
  work: `case when o.kind like 'execution.%' then (
         select json_build_object('projectId', x.project_id, 'workflowId', x.workflow_id,
           'contactId', coalesce(o.contact_id, x.contact_id))
         from workflow_executions x
         where x.id = o.subject_id and coalesce(o.contact_id, x.contact_id) is not null
       ) end`,
};

/**
 * Locks up to `share` due commands per project for this transaction, oldest first, skipping those locked by another
 * relay.
 */
export function lockDueCommands(
  em: Em,
  lane: Lane,
  projectIds: readonly string[],
  share: number,
): Promise<DueCommand[]> {
  const sql = `select o.id, o.kind, o.subject_id as "subjectId", o.attempts,
       nullif(o.project_id, '${noProject}') as "projectId",
       ${executionSql[lane]} as execution
     from unnest($1::uuid[]) project (id)
     cross join lateral (
       select * from outbox o
       where ${laneSql[lane]} and o.project_id = project.id and ${isDueSql}
       order by o.next_attempt_at, o.id
       limit $2
       for update skip locked
     ) o
     order by o.next_attempt_at, o.id`;
  return query(em, commandRow, sql, [projectIds, share]);
}
