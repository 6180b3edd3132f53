import { brokenConstraint } from '../../batching/is-rolled-back.ts';
import type { DomainRow, DomainStatus } from '../../entities/domain.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

const columns = `id, project_id as "projectId", domain, status, dkim_tokens as "dkimTokens",
  found_records as "foundRecords", needs_proof as "needsProof", checked_at as "checkedAt",
  verified_at as "verifiedAt", created_at as "createdAt", updated_at as "updatedAt"`;

/** Days within which a domain has to be proven; then it is no longer the project's. */
const claimDays = 7;

/** The project's domains, oldest first. */
export function listDomains(em: Em, projectId: string): Promise<DomainRow[]> {
  return sql(em, `select ${columns} from domains where project_id = $1 order by id`, [projectId]);
}

/** A domain by its id; with a project, only if it is that project's. */
export async function findDomain(em: Em, id: string, projectId?: string): Promise<DomainRow | undefined> {
  const [row] = await sql<DomainRow>(
    em,
    `select ${columns} from domains where id = $1 and ($2::uuid is null or project_id = $2)`,
    [id, projectId ?? null],
  );
  return row;
}

/**
 * Another project's domain of that name that has the better right to it: one that is verified, else the oldest that
 * still waits for its first check.
 */
export async function findEarlierClaim(
  em: Em,
  projectId: string,
  domain: string,
): Promise<DomainRow | undefined> {
  const [row] = await sql<DomainRow>(
    em,
    `select ${columns} from domains
     where domain = $2 and project_id <> $1 and (status = 'verified' or checked_at is null)
     order by status desc, id limit 1`,
    [projectId, domain],
  );
  return row;
}

export async function countDomains(em: Em, projectId: string): Promise<number> {
  const [row] = await sql<{ n: number }>(em, 'select count(*)::int as n from domains where project_id = $1', [
    projectId,
  ]);
  return row?.n ?? 0;
}

/** Whether a project has a domain of that name. */
export async function isClaimed(em: Em, domain: string): Promise<boolean> {
  return (await sql(em, 'select 1 from domains where domain = $1 limit 1', [domain])).length > 0;
}

/**
 * Adds a pending domain and the command to watch it; every process hears of it.
 *
 * @param domain `delaySeconds`: when the watch is to begin, unless `storeDkimTokens` has it begin before
 * @throws pg.DatabaseError `domains_project_domain` when the project has the domain
 */
export async function insertDomain(
  em: Em,
  domain: { id: string; projectId: string; domain: string; outboxId: string; delaySeconds: number },
): Promise<void> {
  await sql(
    em,
    `with added as (
       insert into domains (id, project_id, domain) values ($1, $2, $3) returning id, project_id
     ),
     command as (
       insert into outbox (id, kind, subject_id, project_id, next_attempt_at)
       select $4, 'domain.verify', id, project_id, now() + make_interval(secs => $5) from added
     )
     select pg_notify('project_changed', project_id::text) from added`,
    [domain.id, domain.projectId, domain.domain, domain.outboxId, domain.delaySeconds],
  );
}

/**
 * In a transaction: keeps a domain of the project from being removed before its end, for what is about to send
 * from it. Answers its status, undefined when it is not the project's.
 */
export async function holdDomain(
  em: Em,
  projectId: string,
  domain: string,
): Promise<DomainStatus | undefined> {
  const [row] = await sql<{ status: DomainStatus }>(
    em,
    'select status from domains where project_id = $1 and domain = $2 for key share',
    [projectId, domain],
  );
  return row?.status;
}

/** In a transaction: the name of a domain that is to be removed; nothing new can hold it from now on. */
export async function lockDomain(em: Em, id: string, projectId: string): Promise<string | undefined> {
  const [row] = await sql<{ domain: string }>(
    em,
    'select domain from domains where id = $1 and project_id = $2 for update',
    [id, projectId],
  );
  return row?.domain;
}

/**
 * Records that the provider knows a new domain, and has the watch over it begin at once.
 *
 * @param outboxId that of `insertDomain`
 * @returns undefined when it was removed meanwhile
 */
export async function storeDkimTokens(
  em: Em,
  id: string,
  tokens: readonly string[],
  outboxId: string,
): Promise<DomainRow | undefined> {
  const [row] = await sql<DomainRow>(
    em,
    `with command as (update outbox set next_attempt_at = now() where id = $3)
     update domains set dkim_tokens = $2 where id = $1 returning ${columns}`,
    [id, tokens, outboxId],
  );
  return row;
}

/**
 * Records what a check saw. Every process is notified at once of a domain that changed its status. One that has proven itself
 * stays pending for as long as another project's of that name is verified.
 *
 * @param check its `dkimTokens` replace the stored ones
 * @returns the domain as it is now, undefined when it was removed meanwhile
 */
export async function recordDomainCheck(
  em: Em,
  id: string,
  check: { verified: boolean; found: readonly string[]; dkimTokens: readonly string[] },
): Promise<DomainRow | undefined> {
  try {
    return await writeDomainCheck(em, id, check);
  } catch (error) {
    if (brokenConstraint(error) !== 'domains_verified') throw error;
    // Another project's was verified at the same moment: now the statement sees it.
    return writeDomainCheck(em, id, check);
  }
}

async function writeDomainCheck(
  em: Em,
  id: string,
  check: { verified: boolean; found: readonly string[]; dkimTokens: readonly string[] },
): Promise<DomainRow | undefined> {
  const status: DomainStatus = check.verified ? 'verified' : 'pending';
  const [row] = await sql<DomainRow>(
    em,
    `with seen as (
       select id, case when exists (
         select from domains other where other.domain = d.domain and other.id <> d.id and other.status = 'verified'
       ) then 'pending' else $2 end as status
       from domains d where id = $1
     ),
     checked as (
       update domains d
       set status = seen.status, found_records = $3, dkim_tokens = $4, checked_at = now(),
         needs_proof = needs_proof or seen.status = 'pending',
         verified_at = case when seen.status = 'verified' then coalesce(verified_at, now()) else verified_at end,
         updated_at = case
           when d.status = seen.status and found_records = $3 and dkim_tokens = $4 then updated_at else now()
         end
       from seen where d.id = seen.id
       returning d.*, old.status <> new.status as changed
     )
     select ${columns}, case when changed then pg_notify('project_changed', project_id::text) end as told
     from checked`,
    [id, status, check.found, check.dkimTokens],
  );
  return row;
}

/** Removes a domain, if it is the project's, and records that its identity is to go; every process hears of it. */
export async function deleteDomain(em: Em, id: string, projectId: string): Promise<void> {
  await deleteWhere(em, 'id = $1 and project_id = $2', [id, projectId]);
}

/** Removes a domain as `deleteDomain` does, if it was never proven in its time. @returns whether it was removed */
export function expireDomain(em: Em, id: string): Promise<boolean> {
  return deleteWhere(
    em,
    `id = $1 and status = 'pending' and verified_at is null and created_at < now() - make_interval(days => $2)`,
    [id, claimDays],
  );
}

async function deleteWhere(em: Em, where: string, parameters: unknown[]): Promise<boolean> {
  const rows = await sql(
    em,
    `with removed as (delete from domains where ${where} returning id, project_id, domain),
     removal as (insert into domain_removals (id, project_id, domain) select id, project_id, domain from removed)
     select pg_notify('project_changed', project_id::text) from removed`,
    parameters,
  );
  return rows.length > 0;
}

/** A removed domain whose identity may still be at the provider. */
export interface RemovedDomain {
  id: string;
  domain: string;
}

export async function findDomainRemoval(em: Em, id: string): Promise<RemovedDomain | undefined> {
  const [row] = await sql<RemovedDomain>(em, 'select id, domain from domain_removals where id = $1', [id]);
  return row;
}

export function listDomainRemovals(em: Em, projectId: string): Promise<RemovedDomain[]> {
  return sql(em, 'select id, domain from domain_removals where project_id = $1 order by id', [projectId]);
}

/** The identity of a removed domain is gone for good. */
export async function closeDomainRemoval(em: Em, id: string): Promise<void> {
  await sql(em, 'delete from domain_removals where id = $1', [id]);
}
