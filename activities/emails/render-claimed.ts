import { openAccountLink } from '../../core/account-mail.ts';
import type { JsonObject, JsonValue } from '../../core/json-value.ts';
import { createContactLinks } from '../../core/public-links.ts';
import { renderEmail } from '../../core/rendering/email-document.ts';
import { createEmailTemplates } from '../../core/rendering/email-template.ts';
import { buildVariables } from '../../core/rendering/variables.ts';
import type { AttachmentRow, ContentRow } from '../../db/entities/email.ts';
import type { ClaimedEmail } from '../../db/repositories/emails/claim-emails.ts';
import type { OutgoingEmail } from '../../providers/email/email-provider.ts';

export type RenderedClaim = { ok: true; email: OutgoingEmail } | { ok: false; reason: string };

/** Makes a claimed email ready to be handed over. */
export type ClaimedRenderer = (
  email: ClaimedEmail,
  stored: { content: ContentRow; attachments: AttachmentRow[] } | undefined,
) => RenderedClaim;

/** No contact has it: stands in the links of an email whose contact was erased. */
const nobody = '00000000-0000-0000-0000-000000000000';

/**
 * @param apiUrl public address of the API, under which the links of an email lead
 * @param linkKey key of their tokens
 * @param accountLinkKey opens the links of account emails
 * @param recipients how many emails have the same content, usually
 */
export function createClaimedRenderer(
  apiUrl: string,
  linkKey: Buffer,
  accountLinkKey: Buffer,
  recipients: 'one' | 'many' = 'one',
): ClaimedRenderer {
  const templates = createEmailTemplates({ recipients });

  return (email, stored) => {
    if (stored === undefined) return { ok: false, reason: 'its content is past the retention' };
    const { content, attachments } = stored;
    const compiled = templates.compile(content);
    if (!compiled.ok) {
      const { field, message, line, column } = compiled.error;
      return {
        ok: false,
        reason: `the ${field} does not parse (line ${line}, column ${column}): ${message}`,
      };
    }
    const { projectId, id: emailId } = email;
    const links = createContactLinks(apiUrl, linkKey, {
      projectId,
      contactId: email.contactId ?? nobody,
      emailId,
    });
    const rendered = renderEmail(compiled.template, {
      type: email.type,
      variables: buildVariables({
        contact: {
          id: email.contactId ?? '',
          email: email.contactEmail ?? email.toEmail,
          subscribed: email.subscribed ?? false,
          data: email.contactData ?? {},
        },
        links,
        ...(email.source === 'WORKFLOW'
          ? { workflow: workflowVariables(content.variables) }
          : {
              requestData:
                email.source === 'ACCOUNT' ? withAccountLink(content, accountLinkKey) : content.variables,
            }),
      }),
      links,
      now: new Date(),
      headers: content.headers,
    });
    if (!rendered.ok)
      return { ok: false, reason: `the ${rendered.part} exceeds the limit of ${rendered.limit}` };
    const { subject, html, text, headers } = rendered.email;
    return {
      ok: true,
      email: {
        emailId,
        projectId,
        from: { email: content.fromEmail, name: content.fromName ?? null },
        to: { email: email.toEmail, name: email.toName },
        replyTo: content.replyTo ?? null,
        subject,
        html,
        text,
        headers,
        ...(recipients === 'many' && { layout: rendered.layout() }),
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

/** Of a step's email, its variables are those of the execution. */
function workflowVariables({ event, context }: ContentRow['variables']) {
  return { event: asObject(event), context: asObject(context) };
}

function asObject(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** The variables of an account email, with its link in clear. */
function withAccountLink({ id, variables }: ContentRow, key: Buffer): JsonObject {
  const { sealedLink, ...texts } = variables;
  return { ...texts, accountLink: openAccountLink(key, id, String(sealedLink)) };
}
