import { copyName } from '../../core/copy-name.ts';
import { DomainError, notFound } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import type { TemplateCache } from '../../core/rendering/template-cache.ts';
import type { TemplateRow } from '../../db/entities/template.ts';
import type { Orm } from '../../db/orm.ts';
import {
  findStepsOfTemplate,
  findVersionsOfTemplate,
  holdWorkflowsOfTemplate,
  type PinnedVersion,
  type TemplateStep,
} from '../../db/repositories/templates/template-usage.ts';
import {
  countTemplates,
  deleteTemplate,
  findTemplate,
  insertTemplate,
  listTemplates,
  type TemplateFields,
  updateTemplate,
} from '../../db/repositories/templates/templates.ts';
import type { TemplateUsage } from '../presenters/template.ts';
import { offsetWindow } from '../schemas/pagination.ts';
import {
  type CreateTemplateBody,
  type ListTemplatesQuery,
  maxTemplateNameLength,
  type PatchTemplateBody,
} from '../schemas/templates.ts';
import { requireLiquid } from './liquid-faults.ts';
import { holdSenderDomain } from './sender-domains.ts';

export interface TemplatesService {
  list(projectId: string, query: ListTemplatesQuery): Promise<{ templates: TemplateRow[]; total: number }>;
  /** @throws DomainError `NOT_FOUND` */
  get(projectId: string, id: string): Promise<TemplateRow>;
  /** @throws DomainError `BAD_REQUEST` for Liquid that does not parse, `SENDER_DOMAIN_REFUSED` */
  create(projectId: string, body: CreateTemplateBody): Promise<TemplateRow>;
  /**
   * Changes what is named; null clears what is optional. The sender's domain is looked at only when the sender
   * changes, so that the rest can be edited while a domain waits for its records.
   *
   * @throws DomainError `BAD_REQUEST` for Liquid that does not parse, `NOT_FOUND`, `SENDER_DOMAIN_REFUSED`
   */
  patch(projectId: string, id: string, body: PatchTemplateBody): Promise<TemplateRow>;
  /** @throws DomainError `NOT_FOUND`, `CONFLICT` while workflow steps or executions send it, which `details` names */
  remove(projectId: string, id: string): Promise<void>;
  /** A template with the same content under another name. @throws DomainError `NOT_FOUND` */
  duplicate(projectId: string, id: string): Promise<TemplateRow>;
  /** What sends the template. @throws DomainError `NOT_FOUND` */
  usage(projectId: string, id: string): Promise<TemplateUsage>;
}

function toFields(body: CreateTemplateBody): TemplateFields {
  return {
    name: body.name,
    description: body.description || null,
    subject: body.subject,
    body: body.body,
    fromEmail: body.from,
    fromName: body.fromName || null,
    replyTo: body.replyTo || null,
    type: body.type,
  };
}

/** The fields of a template after a change; an optional one that is not named stays. */
function changedFields(row: TemplateRow, body: PatchTemplateBody): TemplateFields {
  return toFields({
    name: body.name ?? row.name,
    description: body.description === undefined ? row.description : body.description,
    subject: body.subject ?? row.subject,
    body: body.body ?? row.body,
    from: body.from ?? row.fromEmail,
    fromName: body.fromName === undefined ? row.fromName : body.fromName,
    replyTo: body.replyTo === undefined ? row.replyTo : body.replyTo,
    type: body.type ?? row.type,
  });
}

function stillSent(workflowSteps: TemplateStep[]): DomainError {
  return new DomainError('CONFLICT', "The template can't be deleted while workflow steps send it", {
    details: { workflowSteps },
    suggestion: 'Delete these steps or give them another template first.',
  });
}

function stillPinned(workflowVersions: PinnedVersion[]): DomainError {
  return new DomainError('CONFLICT', "The template can't be deleted while executions send it", {
    details: { workflowVersions },
    suggestion:
      'Executions follow the version of the workflow that they started with: wait for their end, or cancel them. ' +
      "An enabled workflow whose steps can't run yet starts the last version that could: finish its steps first.",
  });
}

/** Reusable contents of emails. */
export function createTemplatesService(orm: Orm, compiled: TemplateCache): TemplatesService {
  const get = async (projectId: string, id: string) => {
    const row = await findTemplate(orm.em.fork(), projectId, id);
    if (row === undefined) throw notFound('Template');
    return row;
  };

  return {
    get,

    async list(projectId, query) {
      const filter = { search: query.search || undefined, type: query.type };
      const order = { by: query.sort, direction: query.dir };
      const [templates, total] = await Promise.all([
        listTemplates(orm.em.fork(), projectId, filter, order, offsetWindow(query)),
        countTemplates(orm.em.fork(), projectId, filter),
      ]);
      return { templates, total };
    },

    async create(projectId, body) {
      requireLiquid(compiled, body);
      return orm.em.fork().transactional(async (em) => {
        await holdSenderDomain(em, projectId, body.from);
        return insertTemplate(em, newId(), projectId, toFields(body));
      });
    },

    async patch(projectId, id, body) {
      requireLiquid(compiled, body);
      return orm.em.fork().transactional(async (em) => {
        const row = await findTemplate(em, projectId, id, 'update');
        if (row === undefined) throw notFound('Template');
        if (body.from !== undefined && body.from !== row.fromEmail) {
          await holdSenderDomain(em, projectId, body.from);
        }
        const changed = await updateTemplate(em, projectId, id, changedFields(row, body));
        if (changed === undefined) throw notFound('Template');
        return changed;
      });
    },

    async remove(projectId, id) {
      await orm.em.fork().transactional(async (em) => {
        await holdWorkflowsOfTemplate(em, projectId, id);
        const row = await findTemplate(em, projectId, id, 'delete');
        if (row === undefined) throw notFound('Template');
        // Only now: it sees the steps of those who held the template before.
        const workflowSteps = await findStepsOfTemplate(em, projectId, id);
        if (workflowSteps.length > 0) throw stillSent(workflowSteps);
        const versions = await findVersionsOfTemplate(em, projectId, id);
        if (versions.length > 0) throw stillPinned(versions);
        await deleteTemplate(em, projectId, id);
      });
    },

    async duplicate(projectId, id) {
      return orm.em.fork().transactional(async (em) => {
        // The sender's domain can't be removed while this template sends from it.
        const row = await findTemplate(em, projectId, id, 'keep');
        if (row === undefined) throw notFound('Template');
        const name = copyName(row.name, maxTemplateNameLength);
        return insertTemplate(em, newId(), projectId, changedFields(row, { name }));
      });
    },

    async usage(projectId, id) {
      await get(projectId, id);
      const em = orm.em.fork();
      return {
        // A campaign has content of its own, so no campaign refers to a template.
        campaigns: [],
        workflowSteps: await findStepsOfTemplate(em, projectId, id),
        workflowVersions: await findVersionsOfTemplate(em, projectId, id),
      };
    },
  };
}
