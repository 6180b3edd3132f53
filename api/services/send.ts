import { toPatch } from '../../core/contact-data/contact-patch.ts';
import { notFound, validationFailed } from '../../core/errors.ts';
import { jsonByteLength } from '../../core/json-value.ts';
import { newId } from '../../core/new-id.ts';
import type { BatchTrace } from '../../db/batching/batch-trace.ts';
import { Batcher } from '../../db/batching/batcher.ts';
import type { Orm } from '../../db/orm.ts';
import { retryTransaction } from '../../db/retry-transaction.ts';
import type { ApiProject } from '../../db/statements/access/find-callers.ts';
import {
  type AcceptedEmail,
  type AcceptInput,
  acceptEmails,
} from '../../db/statements/emails/accept-emails.ts';
import type { TemplateContent } from '../../db/statements/templates/read-template-contents.ts';
import type { SendBody } from '../schemas/send.ts';
import { contactRefusal } from './contact-errors.ts';
import { findLiquidFaults, toFieldIssue } from './liquid-faults.ts';
import type { RecordedNames } from './recorded-names.ts';
import { createSendLimit } from './send-limit.ts';
import type { SenderDomains } from './sender-domains.ts';
import type { TemplateContents } from './template-contents.ts';
import type { TemplateTurns } from './template-turns.ts';

export type SendingProject = Pick<ApiProject, 'id' | 'hasSendLimit'>;

const batchItems = 200;
const batchBytes = 2 * 1024 * 1024;
/** Bytes of emails waiting for a batch. `BodyMemory` bounds large requests earlier, so they can't fill this alone. */
const waitingBytes = 128 * 1024 * 1024;
/** Recipients times the bytes of `data`, which is written to each contact: some seconds of one statement. */
const maxContactDataBytesPerCall = 8 * 1024 * 1024;

type Content = TemplateContent & { templateId: string | null };

/** Request fields override the template. The schema ensures that one of the two has each field. */
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
  const recipients = input.recipients.length * 300 + contactBytesOf(input);
  return input.body.length + variables + attachments + recipients;
}

const contactBytesOf = ({ recipients, patch }: AcceptInput) => recipients.length * jsonByteLength(patch);

function requireFewContactBytes(input: AcceptInput): void {
  if (input.recipients.length === 1 || contactBytesOf(input) <= maxContactDataBytesPerCall) return;
  const message = 'Recipients times the size of `data` come to at most 8 MB; split the call';
  throw validationFailed([{ field: 'data', message, code: 'too_big' }]);
}

export interface SendServiceOptions {
  orm: Orm;
  recordedNames: RecordedNames;
  senderDomains: SenderDomains;
  templateContents: TemplateContents;
  templates: TemplateTurns;
  committed: () => void;
  trace?: BatchTrace | undefined;
  accepted?: ((emailIds: readonly string[]) => void) | undefined;
}

export function createSendService(options: SendServiceOptions) {
  const { orm, recordedNames, senderDomains, templateContents, templates } = options;
  const batcher = new Batcher<AcceptInput, AcceptedEmail[]>({
    run: (inputs, lockMs) =>
      retryTransaction(() => recordedNames.write(inputs, (em) => acceptEmails(em, inputs, lockMs))),
    maxItems: batchItems,
    maxWeight: batchBytes,
    weightOf,
    maxWaitingWeight: waitingBytes,
    concurrency: 2,
    groupOf: (input) => input.projectId,
    keysOf: (input) => input.recipients.map((recipient) => `${input.projectId} ${recipient.email}`),
    // Calls for one contact share a statement unless they disagree on its subscription.
    kindOf: (input) => String(input.subscribed),
    limitsLocks: true,
    trace: options.trace,
  });

  const limit = createSendLimit(orm);

  return {
    /**
     * Accepts one email per recipient, all or none. Returns after the commit; dispatch follows.
     * @throws DomainError `NOT_FOUND` for the template, `SENDER_DOMAIN_REFUSED`, `VALIDATION_ERROR` for invalid Liquid
     * or data beyond 64 KB, or 8 MB over all recipients, `BILLING_LIMIT_EXCEEDED`
     */
    async send(project: SendingProject, request: SendBody) {
      const { id: projectId } = project;
      const template =
        request.template === undefined ? undefined : await templateContents.read(projectId, request.template);
      const content = resolveContent(request, template);
      await senderDomains.require(projectId, content.fromEmail);
      const faults = await templates.inTurn(projectId, () => findLiquidFaults(templates.cache, content));
      if (faults.length > 0) throw validationFailed(faults.map(toFieldIssue));
      const occurredAt = new Date();
      const input = toInput(project, request, content, occurredAt);
      requireFewContactBytes(input);
      await recordedNames.admit(input);
      const wanted = { projectId, emails: input.recipients.length };
      const taken = project.hasSendLimit ? await limit.take(wanted) : undefined;
      try {
        const accepted = await batcher.submit(input);
        options.committed();
        options.accepted?.(accepted.map(({ emailId }) => emailId));
        const emails = accepted.map((email, index) => ({
          contactId: email.contactId,
          contactEmail: input.recipients[index]?.email ?? '',
          emailId: email.emailId,
        }));
        return { emails, occurredAt };
      } catch (error) {
        if (taken !== undefined) await limit.giveBack(taken, error);
        throw contactRefusal(error);
      }
    },
  };
}
