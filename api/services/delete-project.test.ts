import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { Domain, DomainRemoval } from '../../db/entities/domain.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { createTestProject } from '../../test/setup/start-test-api.ts';
import { deleteProject } from './delete-project.ts';

const database = useTestDatabase();

it('records every domain of a deleted project, even one that is being added concurrently', async () => {
  const { id: projectId } = await createTestProject(database);
  const em = database.em();
  const add = (domain: string, by = em) => by.insert(Domain, { id: randomUUID(), projectId, domain });
  await add('old.example');
  let deleted: Promise<void> | undefined;
  await em.fork().transactional(async (adding) => {
    await add('new.example', adding);
    deleted = em.fork().transactional((deleting) => deleteProject(deleting, projectId));
    // By now the deletion waits for the domain.
    await new Promise((resolve) => setTimeout(resolve, 300));
  });
  await deleted;
  const removals = await em.find(DomainRemoval, { projectId });
  expect(removals.map(({ domain }) => domain).toSorted()).toEqual(['new.example', 'old.example']);
});
