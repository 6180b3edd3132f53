import { orNotFound } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json-value.ts';
import { renderEmail } from '../../core/rendering/email-document.ts';
import { createEmailTemplates } from '../../core/rendering/email-template.ts';
import { storedOptions } from '../../core/rendering/render-stored.ts';
import { CampaignBatch } from '../../db/entities/campaign.ts';
import { Contact } from '../../db/entities/contact.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import type { Em, Orm } from '../../db/orm.ts';
import type { LoggedEmail } from '../../db/statements/emails/email-log-row.ts';
import { loadTexts } from '../../db/statements/emails/load-contents.ts';
import {
  findSendingExecution,
  listAttachments,
  listEmailEvents,
  readEmail,
} from '../../db/statements/emails/read-email.ts';
import { workflowIds } from '../../temporal/contracts/workflow-ids.ts';
import type { ProjectPlaces } from './project-places.ts';
import { runInShortPlace } from './short-place.ts';
import type { TemplateTurns } from './template-turns.ts';

type RenderInTurn = <Result>(work: () => Result) => Promise<Result>;

export interface EmailDetailOptions {
  orm: Orm;
  templates: TemplateTurns;
  links: { apiUrl: string; linkKey: Buffer };
  viewsByLink: ProjectPlaces;
}

async function findRunId(em: Em, email: LoggedEmail): Promise<string | null> {
  const { id, campaignId, workflowId, contactId } = email;
  if (campaignId !== null) {
    const batch = await em.getRepository(CampaignBatch).findNumberOf(campaignId, id);
    return batch === undefined
      ? workflowIds.ofSubject('campaign', campaignId)
      : workflowIds.campaignBatch(campaignId, batch);
  }
  if (workflowId === null || contactId === null) return null;
  const execution = await findSendingExecution(em, contactId, workflowId, email);
  return execution === undefined ? null : workflowIds.workflowExecution(workflowId, contactId, execution);
}

/** The data that an email is rendered with, as its contact is now; nulls without a contact. */
async function readRecipient(em: Em, contactId: string | null) {
  const fields = ['email', 'data', 'subscribed'] as const;
  const contact = contactId === null ? null : await em.findOne(Contact, { id: contactId }, { fields });
  return {
    contactEmail: contact?.email ?? null,
    // as: read from a jsonb column.
    contactData: (contact?.data ?? null) as JsonObject | null,
    subscribed: contact?.subscribed ?? null,
  };
}

export function createEmailDetailService(options: EmailDetailOptions) {
  const { orm, links, viewsByLink } = options;
  const { cache, inTurn } = options.templates;
  const templates = createEmailTemplates({ cache });

  /** `gone` once the content or the contact was deleted, `failed` when it exceeds a limit of renderings. */
  async function renderBody(projectId: string, email: LoggedEmail, inTurn: RenderInTurn) {
    // The request's variables, which the content still has, are about the contact.
    const isErased = email.toEmail === '';
    if (email.contentId === null || isErased) return 'gone';
    const em = projectEm(orm, projectId);
    const content = (await loadTexts(em, [email.contentId])).get(email.contentId);
    if (content === undefined) return 'gone';
    const stored = { ...email, projectId, ...(await readRecipient(em, email.contactId)) };
    const rendered = await inTurn(() => {
      const compiled = templates.compile(content);
      return compiled.ok ? renderEmail(compiled.template, storedOptions(content, stored, links)) : compiled;
    });
    if (!rendered.ok) return 'failed';
    return {
      ...rendered.email,
      fromName: content.fromName,
      replyTo: content.replyTo,
      attachments: await listAttachments(em, content.id),
    };
  }

  return {
    /** @throws DomainError `NOT_FOUND` */
    async get(projectId: string, id: string) {
      const email = orNotFound(await readEmail(orm.em.fork(), projectId, id), 'Email');
      // One after the other: a place among the short reads stands for one connection.
      const events = await listEmailEvents(orm.em.fork(), projectId, email);
      const runId = await findRunId(orm.em.fork(), email);
      const body = await renderBody(projectId, email, (work) => inTurn(projectId, work));
      return { email, events, body: typeof body === 'string' ? null : body, runId };
    },

    /**
     * What its reader sees who opens it in a browser, or why there is nothing.
     * @throws DomainError `SERVICE_UNAVAILABLE` when too many readers of the project wait
     */
    view(projectId: string, id: string) {
      // Of another owner than the project's requests, which anybody with a link could hold up otherwise.
      const owner = `${projectId} by link`;
      return runInShortPlace(viewsByLink.run, owner, async () => {
        const email = await readEmail(orm.em.fork(), projectId, id);
        if (email === undefined) return 'gone';
        return renderBody(projectId, email, (work) => inTurn(owner, work, 'SERVICE_UNAVAILABLE'));
      });
    },
  };
}
