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

export const injections = [
  'x\r\nBcc: evil@evil.example',
  'x\nBcc: evil@evil.example',
  'x\rBcc: evil@evil.example',
  'x\r\n\r\n<b>body</b>',
  'x\0\u0085\u2028\vBcc: evil@evil.example',
  '"x" <evil@evil.example>, y',
  'x\\" <evil@evil.example>, "y',
];
