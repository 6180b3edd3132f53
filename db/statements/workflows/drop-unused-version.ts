import { activeStatusesSql } from '../../fragments/active-statuses-sql.ts';
import { lockTimeoutSql } from '../../fragments/lock-timeout-sql.ts';
import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

/** An edit that waits for this one holds the lock for moments. */
const patienceMs = 500;
/** Executions that start at the same moment may be listed in another order. */
const latestExecutions = 1_000;

/**
 * Deletes a version that a newer one has replaced, unless executions use it: otherwise a client that edits a large graph
 * all day would store a copy of it for each edit.
 *
 * A start locks its workflow. A workflow that can be locked has no starting execution, and later ones start with the
 * newer version.
 *
 * @param em outside of a transaction, so that the lock blocks no event
 * @throws a lock timeout of Postgres when the workflow stays locked, as by constant starts; the version stays then
 */
export async function dropUnusedVersion(em: Em, workflowId: string, version: number): Promise<void> {
  const idleSql = `select w.id from ${lockTimeoutSql('$2')} patience, workflows w where w.id = $1 for update of w`;
  await execute(em, idleSql, [workflowId, String(patienceMs)]);
  const sql = `with unused as (
       delete from workflow_versions
       where workflow_id = $1 and version = $2
         and not exists (
           select from workflow_executions
           where workflow_id = $1 and version = $2 and status in ${activeStatusesSql})
         and $2 not in (
           select version from workflow_executions where workflow_id = $1
           order by started_at desc, id desc limit ${latestExecutions})
       returning workflow_id, version
     )
     delete from workflow_version_templates t using unused u
     where t.workflow_id = u.workflow_id and t.version = u.version`;
  await execute(em, sql, [workflowId, version]);
}
