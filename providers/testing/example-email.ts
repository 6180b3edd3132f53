import { v7 as uuidv7 } from 'uuid';
import type { OutgoingEmail } from '../email/email-provider.ts';

export function exampleEmail(changes: Partial<OutgoingEmail> = {}): OutgoingEmail {
  return {
    emailId: uuidv7(),
    projectId: uuidv7(),
    from: { email: 'news@shop.example', name: 'The Shop' },
    to: { email: 'reader@mail.example', name: null },
    replyTo: null,
    subject: 'Your order',
    html: '<p>It is on its way.</p>',
    text: 'It is on its way.',
    headers: {},
    attachments: [],
    ...changes,
  };
}

/** An email whose sender, recipient and subject have this name. */
export const namedEmail = (name: string, changes: Partial<OutgoingEmail> = {}): OutgoingEmail =>
  exampleEmail({
    from: { email: 'news@shop.example', name },
    to: { email: 'reader@mail.example', name },
    subject: name,
    ...changes,
  });

/** An email with the text in its names, subject, headers and the fields of an attachment of this type. */
export const emailOf = (
  text: string,
  type = 'text/plain',
  headers: Record<string, string> = {},
): OutgoingEmail =>
  namedEmail(text, {
    headers: { 'X-Note': text, ...headers },
    attachments: [
      {
        filename: text,
        contentType: `${type}; name="${text}"`,
        cid: text,
        disposition: 'inline',
        bytes: Buffer.from('x'),
      },
    ],
  });

/** An attached invoice and an inline picture of 69,990 bytes. */
export const invoiceAndLogo = (filename: string, invoice: number[]): OutgoingEmail['attachments'] => [
  {
    filename,
    contentType: 'application/pdf',
    cid: null,
    disposition: 'attachment',
    bytes: Buffer.from(invoice),
  },
  {
    filename: 'logo.png',
    contentType: 'image/png',
    cid: 'logo@shop',
    disposition: 'inline',
    bytes: new Uint8Array(70_000).fill(7).subarray(10),
  },
];

export const injections = [
  'x\r\nBcc: evil@evil.example',
  'x\nBcc: evil@evil.example',
  'x\rBcc: evil@evil.example',
  'x\r\n\r\n<b>body</b>',
  'x\0\u0085\u2028\vBcc: evil@evil.example',
  '"x" <evil@evil.example>, y',
  'x\\" <evil@evil.example>, "y',
];
