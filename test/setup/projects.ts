import { randomUUID } from 'node:crypto';
import { newId } from '../../core/new-id.ts';
import type { Em } from '../../db/orm.ts';
import { sql } from '../../db/testing/sql.ts';
import { testFixture } from './fixtures.ts';

export async function insertProject(em: Em, id = newId()): Promise<string> {
  await sql(
    em,
    `insert into projects (id, name, public_key_hash, secret_key_hash, public_key_encrypted, secret_key_encrypted)
     values ($1, 'Project', $2, $3, '', '')`,
    [id, Buffer.from(randomUUID()), Buffer.from(randomUUID())],
  );
  return id;
}

/** A new project for each test. */
export const useProject = (em: () => Em): { readonly id: string } =>
  testFixture(async () => ({ id: await insertProject(em()) }));

/** Inserts a verified domain of the project. @returns its name */
export async function insertDomain(em: Em, projectId: string): Promise<string> {
  const domain = `${projectId}.example.com`;
  await sql(
    em,
    `insert into domains (id, project_id, domain, status) values ($1, $2, $3, 'verified') on conflict do nothing`,
    [newId(), projectId, domain],
  );
  return domain;
}
