import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Domain, DomainRemoval } from '../../db/entities/domain.ts';
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts';
import { createTestProject } from '../../test/setup/start-test-api.ts';
import { deleteProject } from './delete-project.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

it('records every domain of a deleted project, also one that is being added right then', async () => {
  const { id: projectId } = await createTestProject(database);
  const em = database.orm.em.fork();
  const add = (domain: string, by = em) => by.insert(Domain, { id: randomUUID(), projectId, domain });
  await add('old.example');
  let deleted: Promise<void> | undefined;
  await em.fork().transactional(async (adding) => {
    await add('new.example', adding);
    deleted = em.fork().transactional((deleting) => deleteProject(deleting, projectId));
    // It waits for the domain by now.
    await new Promise((resolve) => setTimeout(resolve, 300));
  });
  await deleted;
  const removals = await em.find(DomainRemoval, { projectId });
  expect(removals.map(({ domain }) => domain).toSorted()).toEqual(['new.example', 'old.example']);
});
