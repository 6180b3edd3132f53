import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** A project whose data are going. */
export interface ErasureRecord {
  id: string;
  projectId: string;
  /** Nothing that is made after this instant goes; now, when the project itself is gone. */
  until: Date;
  isProjectGone: boolean;
}

/** A reset as its caller sees it. */
export interface ProjectReset {
  id: string;
  startedAt: Date;
  /** Null while it runs. */
  erasedAt: Date | null;
  /** Deleted rows by table, so far. */
  done: Record<string, number>;
}

/**
 * In a transaction: records that the data of a project are to go, stops its campaigns, and orders the workflow.
 *
 * @throws pg.DatabaseError `project_erasures_reset` for a reset while one runs
 */
export async function recordErasure(
  em: Em,
  erasure: { id: string; projectId: string; isReset: boolean },
): Promise<void> {
  await sql(em, 'delete from project_erasures where project_id = $1 and is_reset and erased_at is not null', [
    erasure.projectId,
  ]);
  await sql(
    em,
    `with stopped as (
       update campaigns set status = 'CANCELLED', cancelled_at = clock_timestamp()
       where project_id = $2 and status in ('SCHEDULED', 'SENDING')
       returning id
     ),
     commands as (
       insert into outbox (id, kind, subject_id, project_id)
       select uuidv7(), 'campaign.changed', id, $2 from stopped
       union all
       select uuidv7(), 'project.erase', $1, $2
     )
     insert into project_erasures (id, project_id, is_reset, before) values ($1, $2, $3, clock_timestamp())`,
    [erasure.id, erasure.projectId, erasure.isReset],
  );
}

/** The last reset of a project. */
export async function findReset(em: Em, projectId: string): Promise<ProjectReset | undefined> {
  const [row] = await sql<ProjectReset>(
    em,
    `select id, created_at as "startedAt", erased_at as "erasedAt", done from project_erasures
     where project_id = $1 and is_reset order by created_at desc limit 1`,
    [projectId],
  );
  return row;
}

/** Postgres has none of the data any more. */
export async function markErased(em: Em, id: string): Promise<void> {
  await sql(em, 'update project_erasures set erased_at = now() where id = $1 and erased_at is null', [id]);
}

/** @returns undefined when it was carried out and closed */
export async function findErasure(em: Em, id: string): Promise<ErasureRecord | undefined> {
  const [row] = await sql<ErasureRecord>(
    em,
    `select e.id, e.project_id as "projectId", p.id is null as "isProjectGone",
       case when p.id is null then clock_timestamp() else e.before end as until
     from project_erasures e left join projects p on p.id = e.project_id
     where e.id = $1`,
    [id],
  );
  return row;
}

/**
 * In a transaction: the project and its members are gone, and its keys in every process. Whoever pays for it is not
 * charged again: a command ends the subscription. The identities of its domains are recorded as to go.
 */
export async function deleteProject(em: Em, projectId: string): Promise<void> {
  // In a statement of its own, so that the next one sees every domain: none is added from now on.
  await sql(em, 'select from projects where id = $1 for update', [projectId]);
  await sql(
    em,
    `with gone as (delete from projects where id = $1 returning id),
     removals as (
       insert into domain_removals (id, project_id, domain)
       select d.id, d.project_id, d.domain from domains d join gone on gone.id = d.project_id
     ),
     ended as (
       insert into outbox (id, kind, subject_id, project_id)
       select uuidv7(), 'billing.end', c.project_id, c.project_id from billing_customers c join gone on gone.id = c.project_id
     )
     select pg_notify('project_changed', id::text) from gone`,
    [projectId],
  );
}

/** Journals that the data are gone from here, in a transaction of its own behind those that deleted them. */
export async function journalErasure(em: Em, { id, projectId }: ErasureRecord): Promise<void> {
  await sql(
    em,
    `insert into events (id, project_id, name, kind, occurred_at)
     values ($1, $2, 'project.erased', 'activity', now()) on conflict (id) do nothing`,
    [id, projectId],
  );
}

/** Forgets an erasure that has been carried out everywhere, with its row in the journal; a reset is remembered. */
export async function closeErasure(em: Em, id: string): Promise<void> {
  await sql(
    em,
    `with marker as (delete from events where id = $1),
     closed as (select project_id from project_erasures where id = $1)
     delete from project_erasures e using closed
     where e.project_id = closed.project_id and (e.id = $1 or e.is_reset)
       and not exists (select from projects p where p.id = e.project_id)`,
    [id],
  );
}
