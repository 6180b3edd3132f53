import { expect, it, vi } from 'vitest';
import { projectEm } from '../../db/project-em.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { useProject } from '../../test/setup/projects.ts';
import { createTemplateTurns } from './template-turns.ts';
import { findReferringWorkflows } from './workflow-references.ts';
import { createWorkflowsService } from './workflows.ts';

const database = useTestDatabase();
const project = useProject(database.em);

it('the steps of one workflow are checked before those of the next are read', async () => {
  const workflows = createWorkflowsService(database.orm, createTemplateTurns());
  for (const name of ['a', 'b']) {
    await workflows.create(project.id, { name, eventName: `event ${name}`, allowReentry: false });
  }
  const em = projectEm(database.orm, project.id);
  const order: string[] = [];
  const find = em.find.bind(em);
  vi.spyOn(em, 'find').mockImplementation((...asked: Parameters<typeof find>) => {
    order.push('read');
    return find(...asked);
  });
  const found = await findReferringWorkflows(em, project.id, (_, { eventName }) => {
    order.push(eventName);
    return eventName === 'event a';
  });
  expect(found).toEqual([{ id: expect.any(String), name: 'a' }]);
  expect(order).toEqual(['read', 'read', 'event b', 'read', 'event a']);
});
