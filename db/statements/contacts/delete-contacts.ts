import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { execute, query } from '../../sql.ts';
import { lockBelongingsSql, removeBelongingsSql } from './contact-belongings-sql.ts';

const lockSql = `with ${lockBelongingsSql} select count(*) from listener_held`;

const deleteSql = `
with ${lockBelongingsSql},
removed as (
  delete from contacts c using held h where c.id = h.id returning c.id
),
erasure as (
  insert into contact_erasures (contact_id, project_id) select id, $1 from removed
),
${removeBelongingsSql}
select id from removed`;

/**
 * Deletes contacts and their data. Emails and executions stay for the figures, without address, subject and data; queued
 * emails and active executions are canceled. Records the contacts in `contact_erasures`: their journal rows, and rows that
 * concurrent transactions write, are erased later from Postgres and ClickHouse.
 *
 * @param em in a transaction
 * @returns the ids that existed
 */
export async function deleteContacts(em: Em, projectId: string, ids: readonly string[]): Promise<string[]> {
  // Locks in a separate statement, so that the next one sees everything committed by the transactions it waited for.
  await execute(em, lockSql, [projectId, ids]);
  const rows = await query(em, z.object({ id: z.uuid() }), deleteSql, [projectId, ids]);
  return rows.map((row) => row.id);
}
