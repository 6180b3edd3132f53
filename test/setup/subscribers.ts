import { randomUUID } from 'node:crypto';
import { deriveKey } from '../../core/crypto/derive-key.ts';
import { createLinkToken, type LinkPurpose } from '../../core/public-links.ts';
import type { TestAnswer } from './answer.ts';
import type { TestProduct } from './product.ts';
import type { TestSender } from './sender.ts';

export interface TestSubscriber {
  contactId: string;
  emailId: string;
  email: string;
  campaignId: string | null;
  token(purpose: LinkPurpose): string;
  path(purpose: LinkPurpose): string;
}

export interface TestSubscriberOptions {
  subscribed?: boolean;
  data?: Record<string, unknown>;
  campaignId?: string;
  of?: TestSubscriber;
}

export async function createTestSubscriber(
  stack: TestProduct,
  sender: Pick<TestSender, 'projectId'> & {
    post(path: string, body: unknown): Promise<Pick<TestAnswer, 'body'>>;
  },
  options: TestSubscriberOptions = {},
): Promise<TestSubscriber> {
  const { subscribed = true, data = {}, campaignId = null, of } = options;
  const email = of?.email ?? `reader-${randomUUID()}@example.com`;
  const contactId = of?.contactId ?? (await sender.post('/contacts', { email, subscribed, data })).body.id;
  const [row] = await stack.sql<{ id: string }>(
    `insert into emails (id, project_id, contact_id, campaign_id, source, type, to_email, from_email, status, sent_at)
     values (uuidv7(), $1, $2, $3, 'CAMPAIGN', 'MARKETING', $4, 'news@example.com', 'DELIVERED', now())
     returning id`,
    [sender.projectId, contactId, campaignId, email],
  );
  const emailId = row?.id ?? '';
  const key = deriveKey(stack.environment.APP_SECRET ?? '', 'public-link');
  const subject = { projectId: sender.projectId, contactId, emailId };
  const token = (purpose: LinkPurpose) => createLinkToken(key, purpose, subject);
  return {
    contactId,
    emailId,
    email,
    campaignId,
    token,
    path: (purpose) => `/${purpose}/${token(purpose)}`,
  };
}

export interface PageAnswer {
  status: number;
  headers: Headers;
  /** The HTML with character entities decoded. */
  text: string;
}

const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

/** Opens a page, or submits it if `form` holds the button's fields; a text is sent unchanged. */
export async function visitPage(
  address: string,
  form?: Record<string, string> | string,
  headers: Record<string, string> = {},
): Promise<PageAnswer> {
  const answer = await fetch(address, {
    redirect: 'manual',
    headers,
    ...(form === undefined
      ? {}
      : { method: 'POST', body: typeof form === 'string' ? form : new URLSearchParams(form) }),
  });
  const text = (await answer.text()).replaceAll(
    /&(?:amp|lt|gt|quot|#39);/g,
    (entity) => entities[entity] ?? '',
  );
  return { status: answer.status, headers: answer.headers, text };
}
