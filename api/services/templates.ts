import { LockMode, wrap } from '@mikro-orm/core';
import { copyName } from '../../core/copy-name.ts';
import { DomainError, orNotFound } from '../../core/errors.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import { Template } from '../../db/entities/template.ts';
import type { Em, Orm } from '../../db/orm.ts';
import {
  countWorkflowsOf,
  findPinnedVersions,
  findTemplateSteps,
  lockWorkflowsOfTemplate,
} from '../../db/statements/templates/workflows-of-template.ts';
import { maxContentNameLength } from '../schemas/email-content.ts';
import { offsetWindow } from '../schemas/pagination.ts';
import type { CreateTemplateBody, ListTemplatesQuery, PatchTemplateBody } from '../schemas/templates.ts';
import { requireLiquid } from './liquid-faults.ts';
import { stillPinned } from './pinned-versions.ts';
import type { ProjectPlaces } from './project-places.ts';
import { queueTestEmail } from './queue-test-email.ts';
import { requireUnchanged } from './require-unchanged.ts';
import { holdSenderDomain } from './sender-domains.ts';
import type { TemplateTurns } from './template-turns.ts';

const orNull = <Text extends string | null | undefined>(text: Text) => (text === '' ? null : text);

function toFields<Body extends PatchTemplateBody>({ from, description, fromName, replyTo, ...rest }: Body) {
  return {
    ...rest,
    fromEmail: from,
    description: orNull(description),
    fromName: orNull(fromName),
    replyTo: orNull(replyTo),
  };
}

const findTemplate = async (em: Em, id: string, lockMode?: LockMode) =>
  orNotFound(await em.findOne(Template, { id }, { lockMode }), 'Template');

/**
 * Methods that take an id throw DomainError `NOT_FOUND`; `create` and `patch` throw `BAD_REQUEST` for invalid Liquid
 * and `SENDER_DOMAIN_REFUSED`.
 */
export function createTemplatesService(
  orm: Orm,
  templates: TemplateTurns,
  writes: ProjectPlaces,
  committed: () => void,
) {
  const writeInPlace = (projectId: string, write: (em: Em) => Promise<Template>) =>
    writes.run(projectId, () => projectEm(orm, projectId).transactional(write));

  return {
    get: (projectId: string, id: string) => findTemplate(projectEm(orm, projectId), id),

    list: (projectId: string, query: ListTemplatesQuery) =>
      projectEm(orm, projectId).getRepository(Template).listPage(query, offsetWindow(query)),

    async create(projectId: string, body: CreateTemplateBody) {
      await requireLiquid(templates, projectId, body);
      return writeInPlace(projectId, async (em) => {
        await holdSenderDomain(em, body.from);
        return em.create(Template, { ...toFields(body), projectId, fromEmail: body.from });
      });
    },

    /**
     * Changes the given fields; null clears an optional one. Checks the sender's domain only when the sender changes,
     * so that the rest can be edited while the domain is unverified.
     * @throws DomainError `CONFLICT` when it has changed since `seen`
     */
    async patch(projectId: string, id: string, body: PatchTemplateBody, seen?: Date) {
      await requireLiquid(templates, projectId, body);
      return writeInPlace(projectId, async (em) => {
        const template = await findTemplate(em, id, LockMode.PESSIMISTIC_WRITE);
        requireUnchanged(template, seen);
        if (body.from !== undefined && body.from !== template.fromEmail) {
          await holdSenderDomain(em, body.from);
        }
        return em.assign(template, toFields(body), { ignoreUndefined: true });
      });
    },

    /** @throws DomainError `CONFLICT` while workflow steps or executions, listed in `details`, send it */
    remove: (projectId: string, id: string) =>
      projectEm(orm, projectId).transactional((em) => removeTemplate(em, projectId, id)),

    async duplicate(projectId: string, id: string) {
      return projectEm(orm, projectId).transactional(async (em) => {
        // Locked, so that the sender's domain can't be removed: removal refuses while this template uses it.
        const template = await findTemplate(em, id, LockMode.PESSIMISTIC_READ);
        const name = copyName(template.name, maxContentNameLength);
        return em.create(Template, { ...wrap(template).toObject(['id', 'createdAt', 'updatedAt']), name });
      });
    },

    /**
     * Sends the template in its current form to one address.
     * @throws DomainError `SENDER_DOMAIN_REFUSED`
     */
    async test(projectId: string, id: string, email: string) {
      await projectEm(orm, projectId).transactional(async (em) => {
        await queueTestEmail(em, await findTemplate(em, id), email);
      });
      committed();
    },

    usage: (projectId: string, id: string) => readUsage(projectEm(orm, projectId), projectId, id),

    countUses: (projectId: string, ids: readonly string[]) => countWorkflowsOf(orm.em.fork(), projectId, ids),
  };
}

async function removeTemplate(em: Em, projectId: string, id: string): Promise<void> {
  await lockWorkflowsOfTemplate(em, projectId, id);
  const template = await findTemplate(em, id, LockMode.PESSIMISTIC_WRITE);
  // Read under the locks, so that steps and executions of transactions that held them are visible.
  const workflowSteps = await findTemplateSteps(em, projectId, id);
  if (workflowSteps.length > 0) {
    throw new DomainError('CONFLICT', "The template can't be deleted while workflow steps send it", {
      details: { workflowSteps },
      suggestion: 'Delete these steps or give them another template first.',
    });
  }
  const workflowVersions = await findPinnedVersions(em, projectId, id);
  if (workflowVersions.length > 0) throw stillPinned("The template can't be deleted", workflowVersions);
  em.remove(template);
}

async function readUsage(em: Em, projectId: string, id: string) {
  await findTemplate(em, id);
  return {
    campaigns: [],
    workflowSteps: await findTemplateSteps(em, projectId, id),
    workflowVersions: await findPinnedVersions(em, projectId, id),
  };
}
