import { expect, it } from 'vitest';
import { busy } from '../../core/testing/busy.ts';
import { WorkflowStep } from '../../db/entities/workflow.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { useProject } from '../../test/setup/projects.ts';
import { createProjectPlaces } from './project-places.ts';
import { createTemplateTurns } from './template-turns.ts';
import { createWorkflowGraphsService } from './workflow-graphs.ts';
import { createWorkflowsService } from './workflows.ts';

const database = useTestDatabase();
const project = useProject(database.em);
const fields = { name: 'x', eventName: 'signup', allowReentry: false };

it("the config of a step waits for its project's turn before the workflow is locked", async () => {
  const turns = createTemplateTurns();
  const graphs = createWorkflowGraphsService(database.orm, turns, createProjectPlaces(0));
  const workflows = createWorkflowsService(database.orm, turns);
  const { id } = (await workflows.create(project.id, fields)).workflow;
  const webhook = { type: 'WEBHOOK', name: 'x', config: { url: 'https://example.com' } } as const;
  const step = await graphs.addStep(project.id, id, webhook);
  await turns.inTurn(project.id, () => busy(1_000));

  let isResting = true;
  const rest = turns.inTurn(project.id, () => undefined).then(() => (isResting = false));
  const edits = [
    graphs.addStep(project.id, id, webhook),
    graphs.patchStep(project.id, id, step.id, { config: { ...webhook.config, method: 'PUT' } }),
  ].map((edit) => edit.then(() => isResting));
  // Neither needs a turn, so the wait holds no lock.
  await graphs.patchStep(project.id, id, step.id, { name: 'y' });
  expect(isResting).toBe(true);
  await rest;
  expect(await Promise.all(edits)).toEqual([false, false]);
  expect(await database.em().count(WorkflowStep, { workflow: id })).toBe(3);
});

it("the check of a workflow that is read waits for its project's turn, but not of one just written", async () => {
  const turns = createTemplateTurns();
  const workflows = createWorkflowsService(database.orm, turns);
  const { id } = (await workflows.create(project.id, fields)).workflow;
  await turns.inTurn(project.id, () => busy(1_000));

  let isRead = false;
  const read = workflows.get(project.id, id).finally(() => {
    isRead = true;
  });
  expect((await workflows.duplicate(project.id, id)).faults).toEqual([]);
  expect((await workflows.duplicate(project.id, id)).faults).toEqual([]);
  expect(isRead).toBe(false);
  expect((await read).faults).toEqual([]);
});
