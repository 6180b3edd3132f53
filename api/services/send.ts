import { notFound, validationFailed } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import type { TemplateCache } from '../../core/rendering/template-cache.ts';
import type { BatchTrace } from '../../db/batching/batch-trace.ts';
import { createBatcher } from '../../db/batching/create-batcher.ts';
import { isRolledBack } from '../../db/batching/is-rolled-back.ts';
import { retrySerialization } from '../../db/batching/retry-serialization.ts';
import type { Orm } from '../../db/orm.ts';
import {
  type AcceptedEmail,
  type AcceptInput,
  acceptEmails,
} from '../../db/repositories/emails/accept-emails.ts';
import type { TemplateContent } from '../../db/repositories/templates/template-contents.ts';
import type { ApiProject } from '../edge/route.ts';
import type { SendBody } from '../schemas/send.ts';
import { contactRefusal } from './contact-errors.ts';
import { toPatch } from './contact-patch.ts';
import { findLiquidFaults, toFieldIssue } from './liquid-faults.ts';
import type { ProjectNames } from './project-names.ts';
import { createSendPermits } from './send-permits.ts';
import type { SenderDomains } from './sender-domains.ts';
import type { TemplateContents } from './template-contents.ts';

export interface SentEmail {
  contactId: string;
  contactEmail: string;
  emailId: string;
}

/** The project that a call is for. */
export type SendingProject = Pick<ApiProject, 'id' | 'hasSendLimit'>;

export interface SendService {
  /**
   * Accepts an email per recipient; the caller is answered after the commit, and they leave right after it.
   * Everything of one call is accepted, or nothing.
   *
   * @throws DomainError `NOT_FOUND` for the template, `SENDER_DOMAIN_REFUSED`, and `VALIDATION_ERROR` for Liquid
   * that does not parse or data beyond 64 KB, `BILLING_LIMIT_EXCEEDED`
   */
  send(project: SendingProject, body: SendBody): Promise<{ emails: SentEmail[]; occurredAt: Date }>;
}

const batchItems = 200;
const batchBytes = 2 * 1024 * 1024;
/** Emails that wait for a batch; large ones are bounded before (`BodyMemory`), so that they leave room for others. */
const waitingBytes = 128 * 1024 * 1024;

/** What the emails of a call say and who sends them. */
type Content = TemplateContent & { templateId: string | null };

/** What the request says itself, and else what its template says; the schema has seen to it that one of them does. */
function resolveContent(request: SendBody, template: TemplateContent | undefined): Content {
  const { from } = request;
  const subject = request.subject ?? template?.subject;
  const body = request.body ?? template?.body;
  const fromEmail = from?.email ?? template?.fromEmail;
  if (subject === undefined || body === undefined || fromEmail === undefined) throw notFound('Template');
  return {
    subject,
    body,
    fromEmail,
    fromName: from?.name || request.name || template?.fromName || null,
    replyTo: request.reply ?? template?.replyTo ?? null,
    type: template?.type ?? 'TRANSACTIONAL',
    templateId: request.template ?? null,
  };
}

function requireLiquid(cache: TemplateCache, content: Content): void {
  const faults = findLiquidFaults(cache, content);
  if (faults.length > 0) throw validationFailed(faults.map(toFieldIssue));
}

function toInput(
  { id, hasSendLimit }: SendingProject,
  request: SendBody,
  content: Content,
  occurredAt: Date,
): AcceptInput {
  return {
    projectId: id,
    isCounted: hasSendLimit,
    contentId: newId(),
    ...content,
    headers: request.headers ?? {},
    variables: { ...request.data?.set, ...request.data?.transient },
    subscribed: request.subscribed,
    patch: toPatch(request.data),
    recipients: request.to.map((recipient) => ({
      emailId: newId(),
      email: recipient.email,
      name: recipient.name,
      contactId: newId(),
      flipId: newId(),
      outboxId: newId(),
    })),
    attachments: (request.attachments ?? []).map((file) => ({
      filename: file.filename,
      contentType: file.contentType,
      cid: file.contentId ?? null,
      disposition: file.disposition,
      bytes: file.content,
    })),
    occurredAt,
  };
}

function weightOf(input: AcceptInput): number {
  const attachments = input.attachments.reduce((sum, file) => sum + file.bytes.length, 0);
  const variables = JSON.stringify(input.variables).length;
  return input.body.length + variables + attachments + input.recipients.length * 300;
}

export interface SendServiceOptions {
  orm: Orm;
  projectNames: ProjectNames;
  senderDomains: SenderDomains;
  templateContents: TemplateContents;
  /** Keeps what is compiled. */
  templates: TemplateCache;
  /** Called after each commit: something waits to be dispatched. */
  committed: () => void;
  trace?: BatchTrace | undefined;
}

/** Accepts transactional emails; calls that arrive together are written by one statement. */
export function createSendService(options: SendServiceOptions): SendService {
  const { orm, projectNames, senderDomains, templateContents, templates } = options;
  const batcher = createBatcher<AcceptInput, AcceptedEmail[]>({
    run: (inputs) => retrySerialization(() => projectNames.write(inputs, (em) => acceptEmails(em, inputs))),
    maxItems: batchItems,
    maxWeight: batchBytes,
    weightOf,
    maxWaitingWeight: waitingBytes,
    concurrency: 2,
    groupOf: (input) => input.projectId,
    keysOf: (input) => input.recipients.map((recipient) => `${input.projectId} ${recipient.email}`),
    // Calls to one contact share a statement unless they disagree on its subscription.
    kindOf: (input) => String(input.subscribed),
    isRolledBack,
    trace: options.trace,
  });

  const permits = createSendPermits(orm);

  return {
    async send(project, request) {
      const { id: projectId } = project;
      const template =
        request.template === undefined ? undefined : await templateContents.read(projectId, request.template);
      const content = resolveContent(request, template);
      await senderDomains.require(projectId, content.fromEmail);
      requireLiquid(templates, content);
      const occurredAt = new Date();
      const input = toInput(project, request, content, occurredAt);
      await projectNames.admit(input);
      if (project.hasSendLimit) await permits.take(projectId, input.recipients.length);
      try {
        const accepted = await batcher.submit(input);
        options.committed();
        const emails = accepted.map((email, index) => ({
          contactId: email.contactId,
          contactEmail: input.recipients[index]?.email ?? '',
          emailId: email.emailId,
        }));
        return { emails, occurredAt };
      } catch (error) {
        if (project.hasSendLimit) await permits.giveBack(projectId, input.recipients.length, error);
        throw contactRefusal(error);
      }
    },
  };
}
