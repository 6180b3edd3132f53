import { LockMode } from '@mikro-orm/core';
import { describe, expect, it } from 'vitest';
import { newId } from '../core/new-id.ts';
import { allProjects } from '../db/entities/project-em.ts';
import { Template } from '../db/entities/template.ts';
import { Workflow } from '../db/entities/workflow.ts';
import { lockRecord } from '../db/lock-record.ts';
import type { Em } from '../db/orm.ts';
import { startExecution } from '../db/statements/workflows/start-execution.ts';
import { sql } from '../db/testing/sql.ts';
import { buildWorkflow, onlyExecution, trackEvent } from './setup/running-workflows.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { createTemplate } from './setup/templates.ts';
import { untilBlocking } from './setup/until-blocking.ts';
import { addStep, createContact, readWorkflow } from './setup/workflows.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

describe('a template that a workflow step sends', () => {
  async function addStep(em: Em, templateId: string) {
    const [workflowId, stepId] = [newId(), newId()];
    await sql(
      em,
      "insert into workflows (id, project_id, name, event_name) values ($1, $2, 'Onboarding', 'joined')",
      [workflowId, sender.projectId],
    );
    await sql(
      em,
      `insert into workflow_steps (id, workflow_id, type, name, template_id) values ($1, $2, 'SEND_EMAIL', 'Greet', $3)`,
      [stepId, workflowId, templateId],
    );
    return { workflowId, workflowName: 'Onboarding', stepId, stepName: 'Greet' };
  }

  it("says so, and can't be deleted before the step is", async () => {
    const id = await createTemplate(sender);
    const step = await addStep(stack.em(), id);
    expect((await sender.get(`/templates/${id}/usage`)).body).toEqual({
      campaigns: [],
      workflowSteps: [step],
      workflowVersions: [],
    });
    const unused = await createTemplate(sender);
    const { data } = (await sender.get(`/templates/usage?ids=${id}&ids=${unused}&ids=${newId()}`)).body;
    const counts = [
      { templateId: id, workflows: 1 },
      { templateId: unused, workflows: 0 },
    ];
    expect(data).toHaveLength(2);
    expect(data).toEqual(expect.arrayContaining(counts));
    const other = await createTestSender(stack.url);
    expect((await other.get(`/templates/usage?ids=${id}`)).body.data).toEqual([]);
    const refused = await sender.delete(`/templates/${id}`);
    expect(refused.status).toBe(409);
    expect(refused.body.error).toMatchObject({ code: 'CONFLICT', details: { workflowSteps: [step] } });
    await stack.sql('delete from workflow_steps where id = $1', [step.stepId]);
    expect((await sender.delete(`/templates/${id}`)).status).toBe(204);
  });

  it('makes its deletion wait for a step that is just being added', async () => {
    const id = await createTemplate(sender);
    const adding = stack.em();
    await adding.begin();
    await adding.findOneOrFail(Template, id, { lockMode: LockMode.PESSIMISTIC_READ, ...allProjects });
    const deleting = sender.delete(`/templates/${id}`);
    await untilBlocking(adding);
    await addStep(adding, id);
    await adding.commit();
    expect((await deleting).status).toBe(409);
  });
});

describe('a template that only running executions send', () => {
  const day = { type: 'DELAY', config: { amount: 1, unit: 'days' } };

  /** An enabled workflow that waits for a day and then sends the template. */
  async function build(templateId: string) {
    const mail = { type: 'SEND_EMAIL', config: { templateId } };
    const id = await buildWorkflow(sender, { day, mail }, [
      ['start', 'day'],
      ['day', 'mail'],
    ]);
    const { steps } = await readWorkflow(sender, id);
    const stepId: string = steps.find(({ name }: { name: string }) => name === 'mail').id;
    return { id, stepId };
  }

  it("can't be deleted before they end, nor can its domain", async () => {
    const id = await createTemplate(sender);
    const workflow = await build(id);
    await trackEvent(sender, 'signup');
    await onlyExecution(sender, workflow.id, 'WAITING');
    const { version } = await readWorkflow(sender, workflow.id);
    expect((await sender.delete(`/workflows/${workflow.id}/steps/${workflow.stepId}`)).status).toBe(204);
    const refused = await sender.delete(`/templates/${id}`);
    expect(refused.status, JSON.stringify(refused.body)).toBe(409);
    const pinned = [{ workflowId: workflow.id, workflowName: 'Welcome', version }];
    expect(refused.body.error).toMatchObject({ code: 'CONFLICT', details: { workflowVersions: pinned } });
    expect((await sender.get(`/templates/${id}/usage`)).body).toMatchObject({
      workflowSteps: [],
      workflowVersions: pinned,
    });
    const uses = await sender.get(`/templates/usage?ids=${id}`);
    expect(uses.body.data).toEqual([{ templateId: id, workflows: 1 }]);
    const { body } = await sender.get(`/domains/project/${sender.projectId}`);
    expect((await sender.delete(`/domains/${body.data[0].id}`)).status).toBe(409);

    await sender.post(`/workflows/${workflow.id}/executions/cancel-all`, {});
    expect((await sender.delete(`/templates/${id}`)).status).toBe(204);
  });

  it("can't be deleted while new executions would send it", async () => {
    const id = await createTemplate(sender);
    const workflow = await build(id);
    // An unreachable step: the workflow continues with the previous version.
    const loose = await addStep(sender, workflow.id, { type: 'EXIT', name: 'loose' });
    await sender.delete(`/workflows/${workflow.id}/steps/${workflow.stepId}`);
    expect((await sender.delete(`/templates/${id}`)).status).toBe(409);
    await sender.delete(`/workflows/${workflow.id}/steps/${loose.id}`);
    expect((await sender.delete(`/templates/${id}`)).status).toBe(204);
  });

  it('makes its deletion wait for an execution that is just being started', async () => {
    const id = await createTemplate(sender);
    const workflow = await build(id);
    const contactId = await createContact(sender, 'ada@example.com');
    const { version } = await readWorkflow(sender, workflow.id);
    const starting = stack.em();
    await starting.begin();
    await lockRecord(starting, Workflow, { id: workflow.id }, { mode: 'for key share', ...allProjects });
    await startExecution(starting, {
      id: newId(),
      workflowId: workflow.id,
      version,
      contactId,
      context: {},
    });
    await sender.delete(`/workflows/${workflow.id}/steps/${workflow.stepId}`);
    const deleting = sender.delete(`/templates/${id}`);
    await untilBlocking(starting);
    await starting.commit();
    expect((await deleting).status).toBe(409);
  });
});

describe('the domain that a template sends from', () => {
  const domainId = async () =>
    (await sender.get(`/domains/project/${sender.projectId}`)).body.data[0].id as string;

  it("can't be removed before the template is", async () => {
    const id = await createTemplate(sender);
    const refused = await sender.delete(`/domains/${await domainId()}`);
    expect(refused.status).toBe(409);
    expect(refused.body.error).toMatchObject({
      code: 'CONFLICT',
      details: { templates: [{ id, name: 'Welcome' }] },
    });
    await sender.delete(`/templates/${id}`);
    expect((await sender.delete(`/domains/${await domainId()}`)).status).toBe(204);
  });

  it('is removed or stays, but never leaves a template behind', async () => {
    for (let round = 0; round < 8; round++) {
      const fresh = await createTestSender(stack.url);
      const { body } = await fresh.get(`/domains/project/${fresh.projectId}`);
      const made = Array.from({ length: 4 }, (_, index) =>
        fresh.post('/templates', { name: `${index}`, subject: 's', body: 'b', from: `a@${fresh.domain}` }),
      );
      const removed = await fresh.delete(`/domains/${body.data[0].id}`);
      const statuses = (await Promise.all(made)).map((answer) => answer.status);
      const { total } = (await fresh.get('/templates')).body;
      expect(total).toBe(statuses.filter((status) => status === 201).length);
      expect([removed.status, total > 0]).toEqual(total > 0 ? [409, true] : [204, false]);
    }
  });
});
