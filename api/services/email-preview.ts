import { domainOfAddress } from '../../core/addresses/email-address.ts';
import { toPatch } from '../../core/contact-data/contact-patch.ts';
import { defaultEmailBrand, type EmailBrand } from '../../core/email-brand.ts';
import { bySeverity, findEmailProblems, problem } from '../../core/email-checks/email-problems.ts';
import { findUnknownFields } from '../../core/email-checks/unknown-fields.ts';
import { orNotFound } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json-value.ts';
import { nilId } from '../../core/nil-id.ts';
import type { ContactLinks } from '../../core/public-links.ts';
import { type RenderEmailOptions, renderEmail } from '../../core/rendering/email-document.ts';
import { createEmailTemplates, type EmailTemplate } from '../../core/rendering/email-template.ts';
import { buildVariables } from '../../core/rendering/variables.ts';
import { Contact, ContactField } from '../../db/entities/contact.ts';
import { Domain } from '../../db/entities/domain.ts';
import { Project } from '../../db/entities/project.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import type { Em, Orm } from '../../db/orm.ts';
import type { PreviewEmailBody } from '../schemas/email-preview.ts';
import { findLiquidFaults } from './liquid-faults.ts';
import type { TemplateTurns } from './template-turns.ts';

const sampleAddress = 'reader@example.com';

/** @param apiUrl public address of the API, for links that lead to a page but do nothing */
export function createEmailPreviewService(orm: Orm, apiUrl: string, { cache, inTurn }: TemplateTurns) {
  const templates = createEmailTemplates({ cache });
  const link = (purpose: string) => `${apiUrl}/${purpose}/preview`;
  const links: ContactLinks = {
    unsubscribeUrl: link('unsubscribe'),
    subscribeUrl: link('subscribe'),
    manageUrl: link('manage'),
    viewUrl: link('view'),
  };

  function preview(body: PreviewEmailBody, { contact, sender, brand, keys, takesVariables }: PreviewInputs) {
    const faults = findLiquidFaults(cache, body);
    const broken = new Set(faults.map(({ field }) => field));
    const source = {
      subject: broken.has('subject') ? '' : body.subject,
      body: broken.has('body') ? '' : body.body,
    };
    const template = templates.compile(source);
    if (!template.ok) throw new Error(`A part that parsed before does not parse: ${template.error.message}`);
    const variables = buildVariables({
      contact,
      links,
      requestData: { ...toPatch(body.data), ...body.data?.transient },
      ...workflowOf(body),
    });
    const rendered = renderAs(body.type, template.template, { variables, links, brand });
    const problems = faults.map(({ field, message, line, column }) =>
      problem('invalid_liquid', message, { field, line, column }),
    );
    if (!rendered.ok) return { ...nothing, problems: [...problems, rendered.problem] };
    const { email, isFooterAdded } = rendered;
    const footer =
      isFooterAdded === undefined ? undefined : { isAdded: isFooterAdded, address: brand.footerAddress };
    const checks = [
      ...findUnknownFields(template.template, { keys, variables, takesVariables }),
      ...findEmailProblems({ ...email, body: source.body, footer, sender }),
    ].toSorted(bySeverity);
    const shown = broken.has('body') ? { html: '', text: '' } : { html: email.html, text: email.text };
    return {
      subject: email.subject,
      ...shown,
      sizeBytes: Buffer.byteLength(shown.html),
      headers: email.headers,
      // A part that does not parse can't be checked further.
      problems: [...problems, ...checks.filter(({ field }) => field === undefined || !broken.has(field))],
    };
  }

  return {
    /**
     * Renders an email as it would be sent and lists its problems. Nothing is stored.
     * @param takesVariables whether a request may send it with variables of its own, besides the fields of contacts
     * @throws DomainError `NOT_FOUND` for an unknown contact; as `inTurn`
     */
    async render(projectId: string, body: PreviewEmailBody, { takesVariables }: { takesVariables: boolean }) {
      const em = projectEm(orm, projectId);
      const contact = await readContact(em, body);
      const sender = await readSender(em, body);
      const { footerAddress, language } = body.brand ?? {};
      const saved = await readBrand(em, projectId);
      const brand = {
        language: language ?? saved.language,
        footerAddress: footerAddress === undefined ? saved.footerAddress : footerAddress,
      };
      const keys = (await em.getRepository(ContactField).listTypes(projectId)).map(({ key }) => key);
      // A workflow passes nothing but these.
      const isOfWorkflow = body.event !== undefined || body.context !== undefined;
      const inputs = { contact, sender, brand, keys, takesVariables: takesVariables && !isOfWorkflow };
      return inTurn(projectId, () => preview(body, inputs));
    },
  };
}

interface PreviewInputs {
  contact: Awaited<ReturnType<typeof readContact>>;
  sender: Awaited<ReturnType<typeof readSender>>;
  brand: EmailBrand;
  /** Of `data` that contacts have. */
  keys: string[];
  takesVariables: boolean;
}

/** In a workflow both always exist, so giving one defines the other. */
function workflowOf({ event, context }: PreviewEmailBody) {
  return event || context ? { workflow: { event: event ?? {}, context: context ?? {} } } : {};
}

const nothing = { subject: '', html: '', text: '', sizeBytes: 0, headers: {} };

function renderAs(
  type: PreviewEmailBody['type'],
  template: EmailTemplate,
  parts: Pick<RenderEmailOptions, 'variables' | 'brand'> & { links: ContactLinks },
) {
  const now = new Date();
  const rendered = renderEmail(template, { ...parts, type, now });
  if (!rendered.ok) {
    const { part, limit } = rendered;
    const field = part === 'subject' ? 'subject' : 'body';
    const message = `The ${part} exceeds the limit of ${limit}`;
    return { ok: false as const, problem: problem('render_limit', message, { field }) };
  }
  const { email } = rendered;
  if (type !== 'MARKETING') return { ok: true as const, email, isFooterAdded: undefined };
  const bare = renderEmail(template, { ...parts, type: 'TRANSACTIONAL', now });
  return { ok: true as const, email, isFooterAdded: bare.ok && bare.email.html !== email.html };
}

async function readContact(em: Em, { contactId, email }: PreviewEmailBody) {
  if (contactId !== undefined && contactId !== null) {
    return toReader(orNotFound(await em.findOne(Contact, { id: contactId }), 'Contact'));
  }
  const contact = email ? await em.findOne(Contact, { email }) : null;
  if (contact !== null) return toReader(contact);
  return { id: nilId, email: email ?? sampleAddress, subscribed: false, data: {} };
}

function toReader({ id, email, subscribed, data }: Contact) {
  // as: `data` was parsed before it was stored.
  return { id, email, subscribed, data: data as JsonObject };
}

async function readSender(em: Em, { from }: PreviewEmailBody) {
  if (!from) return undefined;
  const domain = domainOfAddress(from);
  return { domain, status: (await em.findOne(Domain, { domain }))?.status };
}

export async function readBrand(em: Em, projectId: string): Promise<EmailBrand> {
  const project = await em.findOne(Project, { id: projectId }, { fields: ['language', 'footerAddress'] });
  return project === null
    ? defaultEmailBrand
    : { language: project.language, footerAddress: project.footerAddress ?? null };
}
