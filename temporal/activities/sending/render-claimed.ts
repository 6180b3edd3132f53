import { openAccountLink } from '../../../core/account-email/sealed-link.ts';
import type { Config } from '../../../core/config/schema.ts';
import { publicApiUrl } from '../../../core/config/urls.ts';
import { deriveKey } from '../../../core/crypto/derive-key.ts';
import type { JsonObject } from '../../../core/json-value.ts';
import { renderInPieces } from '../../../core/rendering/email-document.ts';
import { type CompileEmailResult, createEmailTemplates } from '../../../core/rendering/email-template.ts';
import { compileReason, limitReason, storedOptions } from '../../../core/rendering/render-stored.ts';
import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import type { StoredContent } from '../../../db/statements/emails/load-contents.ts';
import type { OutgoingEmail } from '../../../providers/email/email-provider.ts';

export type RenderedClaim = { ok: true; email: OutgoingEmail } | { ok: false; reason: string };

export type ClaimedRenderer = (email: ClaimedEmail, stored: StoredContent | undefined) => RenderedClaim;

/** @param recipients how many emails usually share a content */
export function createClaimedRenderer(
  config: Pick<Config, 'API_URL' | 'HOST' | 'PORT' | 'APP_SECRET'>,
  recipients: 'one' | 'many',
): ClaimedRenderer {
  const links = { apiUrl: publicApiUrl(config), linkKey: deriveKey(config.APP_SECRET, 'public-link') };
  const accountLinkKey = deriveKey(config.APP_SECRET, 'account-link');
  const templates = createEmailTemplates({ recipients });
  const ofContent = new WeakMap<StoredContent, CompileEmailResult>();
  /** Compiles a shared content only once: looking it up in the template cache costs a tenth of a rendering. */
  const compile = (stored: StoredContent): CompileEmailResult => {
    const known = recipients === 'many' ? ofContent.get(stored) : undefined;
    if (known !== undefined) return known;
    const compiled = templates.compile(stored.content);
    ofContent.set(stored, compiled);
    return compiled;
  };

  return (email, stored) => {
    if (stored === undefined) return { ok: false, reason: 'its content is past its retention' };
    const { content } = stored;
    if (isForeign(email, content))
      return { ok: false, reason: 'another project has the domain of its sender now' };
    const compiled = compile(stored);
    if (!compiled.ok) return { ok: false, reason: compileReason(compiled.error) };
    const texts = contentFor(email, content, accountLinkKey);
    const rendered = renderInPieces(compiled.template, storedOptions(texts, email, links));
    if (!rendered.ok) return { ok: false, reason: limitReason(rendered) };
    return { ok: true, email: { ...envelopeOf(email, stored), ...rendered.email } };
  };
}

/** The email was accepted while its own project had the domain verified. */
const isForeign = (
  { source, projectId }: ClaimedEmail,
  { domainOwnerId }: StoredContent['content'],
): boolean => source !== 'ACCOUNT' && domainOwnerId !== null && domainOwnerId !== projectId;

function envelopeOf(email: ClaimedEmail, { content, attachments }: StoredContent) {
  return {
    emailId: email.id,
    projectId: email.projectId,
    from: { email: content.fromEmail, name: content.fromName },
    to: { email: email.toEmail, name: email.toName },
    replyTo: content.replyTo,
    attachments: attachments.map(({ filename, contentType, cid, disposition, bytes }) => {
      return { filename, contentType, cid, disposition, bytes };
    }),
  };
}

function contentFor({ source }: ClaimedEmail, content: StoredContent['content'], accountLinkKey: Buffer) {
  return source === 'ACCOUNT' ? { ...content, variables: withAccountLink(content, accountLinkKey) } : content;
}

function withAccountLink({ id, variables }: StoredContent['content'], key: Buffer): JsonObject {
  const { sealedLink, ...texts } = variables;
  return { ...texts, accountLink: openAccountLink(key, id, String(sealedLink)) };
}
