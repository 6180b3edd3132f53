import { z } from 'zod';

// A statement, because it writes the canceled executions and their commands together, however many there are.
export const cancelLockedSql = (locked: string) => `
  with locked as (${locked}),
  cancelled as (
    update workflow_executions x
    set status = 'CANCELLED', resume_at = null, completed_at = clock_timestamp()
    from locked l
    where x.id = l.id
    returning x.id, x.project_id, x.contact_id
  ),
  commanded as (
    insert into outbox (id, kind, subject_id, project_id)
    select uuidv7(), 'execution.cancel', id, project_id from cancelled
  )
  select id, contact_id as "contactId" from cancelled`;

export const cancelledSchema = z.object({ id: z.uuid(), contactId: z.uuid().nullable() });
