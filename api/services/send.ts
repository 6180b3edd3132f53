import { notFound, validationFailed } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import type { TemplateCache } from '../../core/rendering/template-cache.ts';
import type { BatchTrace } from '../../db/batching/batch-trace.ts';
import { createBatcher } from '../../db/batching/create-batcher.ts';
import { isRolledBack } from '../../db/batching/is-rolled-back.ts';
import { retrySerialization } from '../../db/batching/retry-serialization.ts';
import type { Orm } from '../../db/orm.ts';
import { type AcceptedEmail, type AcceptInput, acceptEmails } from '../../db/repositories/accept-emails.ts';
import type { MailboxInput } from '../schemas/mailbox.ts';
import type { SendBody } from '../schemas/send.ts';
import { contactRefusal } from './contact-errors.ts';
import { toPatch } from './contact-patch.ts';
import type { FieldTypes } from './field-types.ts';
import type { SenderDomains } from './sender-domains.ts';

export interface SentEmail {
  contactId: string;
  contactEmail: string;
  emailId: string;
}

export interface SendService {
  /**
   * Accepts an email per recipient; the caller is answered after the commit, and they leave right after it.
   * Everything of one call is accepted, or nothing.
   *
   * @throws DomainError `NOT_FOUND` for the template, `SENDER_DOMAIN_REFUSED`, and `VALIDATION_ERROR` for Liquid
   * that does not parse or data beyond 64 KB
   */
  send(projectId: string, body: SendBody): Promise<{ emails: SentEmail[]; occurredAt: Date }>;
}

const batchItems = 200;
const batchBytes = 2 * 1024 * 1024;

interface Content {
  subject: string;
  body: string;
  from: MailboxInput;
}

function resolveContent(request: SendBody): Content {
  // Templates come with the template endpoints; until then no id is one of the project's.
  if (request.template !== undefined) throw notFound('Template');
  const { subject, body, from } = request;
  if (subject === undefined || body === undefined || from === undefined) throw notFound('Template');
  return { subject, body, from };
}

function requireLiquid(cache: TemplateCache, content: Content): void {
  const issues = (['subject', 'body'] as const).flatMap((field) => {
    const compiled = cache.compile(content[field], { kind: field === 'body' ? 'html' : 'text' });
    if (compiled.ok) return [];
    const { message, line, column } = compiled.error;
    return [
      { field, message: `Liquid, line ${line}, column ${column}: ${message}`, code: 'invalid_template' },
    ];
  });
  if (issues.length > 0) throw validationFailed(issues);
}

function toInput(projectId: string, request: SendBody, content: Content, occurredAt: Date): AcceptInput {
  return {
    projectId,
    contentId: newId(),
    subject: content.subject,
    body: content.body,
    fromEmail: content.from.email,
    fromName: content.from.name ?? (request.name || null),
    replyTo: request.reply ?? null,
    headers: request.headers ?? {},
    templateId: null,
    type: 'TRANSACTIONAL',
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
      content: file.content,
    })),
    occurredAt,
  };
}

function weightOf(input: AcceptInput): number {
  const attachments = input.attachments.reduce((sum, file) => sum + file.content.length, 0);
  return input.body.length + attachments + input.recipients.length * 300;
}

export interface SendServiceOptions {
  orm: Orm;
  fieldTypes: FieldTypes;
  senderDomains: SenderDomains;
  templates: TemplateCache;
  /** Called after each commit: something waits to be dispatched. */
  committed: () => void;
  trace?: BatchTrace | undefined;
}

/** Accepts transactional emails; calls that arrive together are written by one statement. */
export function createSendService(options: SendServiceOptions): SendService {
  const { orm, fieldTypes, senderDomains, templates } = options;
  const batcher = createBatcher<AcceptInput, AcceptedEmail[]>({
    run: (inputs) => retrySerialization(() => acceptEmails(orm.em.fork(), inputs)),
    maxItems: batchItems,
    maxWeight: batchBytes,
    weightOf,
    concurrency: 2,
    keysOf: (input) => input.recipients.map((recipient) => `${input.projectId} ${recipient.email}`),
    // Calls to one contact share a statement unless they disagree on its subscription.
    kindOf: (input) => String(input.subscribed),
    isRolledBack,
    trace: options.trace,
  });

  return {
    async send(projectId, request) {
      const content = resolveContent(request);
      await senderDomains.require(projectId, content.from.email);
      requireLiquid(templates, content);
      if (request.data !== undefined) await fieldTypes.learn(projectId, request.data);
      const occurredAt = new Date();
      const input = toInput(projectId, request, content, occurredAt);
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
        throw contactRefusal(error);
      }
    },
  };
}
