import { convert } from 'html-to-text';
import { createTemplateCache } from '../../core/rendering/template-cache.ts';
import type { AttachmentRow, ContentRow } from '../../db/entities/email.ts';
import type { ClaimedEmail } from '../../db/repositories/claim-emails.ts';
import type { OutgoingEmail } from '../../providers/email/email-provider.ts';

export type RenderedClaim = { ok: true; email: OutgoingEmail } | { ok: false; reason: string };

/** Makes a claimed email ready to be handed over. */
export type ClaimedRenderer = (
  email: ClaimedEmail,
  stored: { content: ContentRow; attachments: AttachmentRow[] } | undefined,
) => Promise<RenderedClaim>;

export function createClaimedRenderer(): ClaimedRenderer {
  const cache = createTemplateCache();
  return async (email, stored) => {
    if (stored === undefined) return { ok: false, reason: 'its content is past the retention' };
    const { content, attachments } = stored;
    const variables = {
      ...email.contactData,
      ...content.variables,
      id: email.contactId,
      email: email.toEmail,
    };
    const subject = cache.compile(content.subject, { kind: 'text' });
    const body = cache.compile(content.body, { kind: 'html' });
    if (!subject.ok || !body.ok) return { ok: false, reason: 'the template does not parse' };
    const now = new Date();
    const renderedSubject = subject.template.render(variables, { now });
    const renderedBody = body.template.render(variables, { now });
    if (!renderedSubject.ok || !renderedBody.ok) return { ok: false, reason: 'the template took too long' };
    return {
      ok: true,
      email: {
        emailId: email.id,
        projectId: email.projectId,
        from: { email: content.fromEmail, name: content.fromName ?? null },
        to: { email: email.toEmail, name: email.toName },
        replyTo: content.replyTo ?? null,
        subject: renderedSubject.output,
        html: renderedBody.output,
        text: convert(renderedBody.output),
        headers: content.headers,
        attachments: attachments.map((file) => ({
          filename: file.filename,
          contentType: file.contentType,
          cid: file.cid ?? null,
          disposition: file.disposition,
          bytes: file.bytes,
        })),
      },
    };
  };
}
