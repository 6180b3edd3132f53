import { z } from 'zod';
import type { Schema } from '../../api/client.ts';
import { addressSchema } from '../../ui/address-schema.ts';

const address = addressSchema('Enter an address, such as hello@example.com');

/** Whether the HTML has text, an image or Liquid besides its tags. */
function isWritten(html: string): boolean {
  return /\S/.test(html.replaceAll(/<head\b[\s\S]*?<\/head>|<!--[\s\S]*?-->|<(?!img\b)[^>]*>|&nbsp;/gi, ''));
}

/** Fields that templates and campaigns share. */
export const contentShape = {
  type: z.enum(['MARKETING', 'TRANSACTIONAL', 'HEADLESS']),
  from: address,
  fromName: z.string(),
  replyTo: z.union([z.literal(''), address]),
  subject: z.string().regex(/\S/, 'Enter a subject').max(998, 'At most 998 characters'),
  body: z.string().refine(isWritten, 'Write the email first'),
};

const contentSchema = z.object(contentShape);
export type MessageContent = z.output<typeof contentSchema>;

export const contentTypes = [
  { value: 'MARKETING', label: 'Marketing', note: 'To subscribers, with an unsubscribe link' },
  { value: 'TRANSACTIONAL', label: 'Transactional', note: 'To everyone, such as a receipt' },
  { value: 'HEADLESS', label: 'Headless', note: 'To subscribers, without our footer' },
] as const;

export const typeLabel = (type: MessageContent['type']): string =>
  contentTypes.find(({ value }) => value === type)?.label ?? type;

/** @param language of the project: a reader's program would read German aloud as English otherwise */
export const emptyContent = (language: string): MessageContent => ({
  type: 'MARKETING',
  from: '',
  fromName: '',
  replyTo: '',
  subject: '',
  body: `<!doctype html>
<html lang="${language}">
  <body style="margin: 0; padding: 24px; font-family: sans-serif; line-height: 1.5;">
    <h1 style="font-size: 22px;">Hello</h1>
    <p></p>
  </body>
</html>
`,
});

/** Form values of a stored record. */
export function contentOf(record: Schema<'Template'> | Schema<'Campaign'>): MessageContent {
  const { type, from, fromName, replyTo, subject, body } = record;
  return { type, from, fromName: fromName ?? '', replyTo: replyTo ?? '', subject, body };
}
