import type { ContentType } from '../content-types.ts';
import type { EmailBrand } from '../email-brand.ts';
import type { EmailSource } from '../email-state.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../json-value.ts';
import { nilId } from '../nil-id.ts';
import { createContactLinks } from '../public-links.ts';
import type { RenderEmailOptions, RenderEmailResult } from './email-document.ts';
import type { CompileEmailResult } from './email-template.ts';
import { buildVariables } from './variables.ts';

/** An email of the database with its contact, whose columns are null when there is none. */
export interface StoredEmail {
  id: string;
  projectId: string;
  contactId: string | null;
  source: EmailSource;
  type: ContentType;
  toEmail: string;
  contactEmail: string | null;
  contactData: JsonObject | null;
  subscribed: boolean | null;
}

interface StoredTexts {
  headers: Readonly<Record<string, string>>;
  variables: JsonObject;
  brand: EmailBrand;
}

/**
 * Options to render a stored email with the current data of its contact.
 *
 * @param links public address of the API, and the key of the tokens in links
 */
export function storedOptions(
  { headers, variables, brand }: StoredTexts,
  email: StoredEmail,
  { apiUrl, linkKey }: { apiUrl: string; linkKey: Buffer },
): RenderEmailOptions {
  const links = createContactLinks(apiUrl, linkKey, {
    projectId: email.projectId,
    // Links of an email whose contact was erased refer to no contact.
    contactId: email.contactId ?? nilId,
    emailId: email.id,
  });
  const contact = {
    id: email.contactId ?? '',
    email: email.contactEmail ?? email.toEmail,
    subscribed: email.subscribed ?? false,
    data: email.contactData ?? {},
  };
  const { event, context } = variables;
  const data =
    email.source === 'WORKFLOW'
      ? { workflow: { event: asObject(event), context: asObject(context) } }
      : { requestData: variables };
  return {
    type: email.type,
    variables: buildVariables({ contact, links, ...data }),
    links,
    brand,
    now: new Date(),
    headers,
  };
}

const asObject = (value: JsonValue | undefined): JsonObject => (isPlainObject(value) ? value : {});

type CompileFault = Extract<CompileEmailResult, { ok: false }>['error'];

export const compileReason = ({ field, message, line, column }: CompileFault): string =>
  `the ${field} does not parse (line ${line}, column ${column}): ${message}`;

type RenderFault = Extract<RenderEmailResult<unknown>, { ok: false }>;

export const limitReason = ({ part, limit }: RenderFault): string =>
  `the ${part} exceeds the limit of ${limit}`;
