import { toButton } from './visual/links.ts';

/** A ready-made email body to start from. */
export interface Design {
  name: string;
  note: string;
  body: string;
}

interface Brand {
  /** Name of the project. */
  name: string;
  language: string;
  /** Button color as `#rrggbb`. */
  color: string;
  /** The Liquid expression for the first name of the reader. */
  firstName: string;
}

/** A centered card. Marketing email gets its footer when it is sent. */
const pageIn = (language: string) => (content: string) =>
  `<!doctype html>
<html lang="${language}">
  <body style="margin: 0; padding: 24px 12px; background-color: #f4f4f5; font-family: sans-serif; line-height: 1.5;">
<div style="max-width: 560px; margin: 0 auto; padding: 24px 32px; background-color: #ffffff; color: #18181b; border-radius: 8px;">
${content}
</div>
  </body>
</html>
`;

/** Escapes HTML and Liquid. */
const escaped = (text: string) => text.replaceAll(/[&<>{}]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/**
 * Bodies that the visual editor supports. Their links are `#`, which the email's checks report until they are replaced.
 */
export function designs({ name, language, color, firstName }: Brand): Design[] {
  const page = pageIn(language);
  const sender = escaped(name);
  const button = (text: string) => `<a href="#" style="${toButton(null, color)?.style}">${text}</a>`;
  const story = (title: string) => `<hr>
<h2 style="font-size: 18px;">${title}</h2>
<p>Two or three sentences that make the reader want to know more.</p>
<p><a href="#">Read more</a></p>`;
  return [
    {
      name: 'Letter',
      note: 'A few words, as from a person',
      body: page(`<p>Hello {{ ${firstName} ?? "there" }},</p>
<p>Say in a sentence or two why you are writing.</p>
<p>Then say what the reader can do, and by when.</p>
<p>Thank you,<br>${sender}</p>`),
    },
    {
      name: 'Announcement',
      note: 'One thing, and a button',
      body: page(`<p style="text-align: center;"><strong>${sender}</strong></p>
<h1 style="font-size: 26px; text-align: center;">What is new, in a few words</h1>
<p style="text-align: center;">Say what it is, and what the reader gets from it.</p>
<p style="text-align: center;">${button('See what is new')}</p>`),
    },
    {
      name: 'Newsletter',
      note: 'Several stories',
      body: page(`<h1 style="font-size: 24px;">News from ${sender}</h1>
<p>Hello {{ ${firstName} ?? "there" }}, this is what has happened since the last time.</p>
${story('The first story')}
${story('The second story')}
${story('The third story')}`),
    },
    {
      name: 'Confirmation',
      note: 'An order, a booking, a sign-up',
      body: page(`<h1 style="font-size: 24px;">Thank you for your order</h1>
<p>Hello {{ ${firstName} ?? "there" }}, we have your order, and will write again when it leaves.</p>
<p>${button('See your order')}</p>
<p>Is anything wrong? Just reply to this email.</p>
<p>${sender}</p>`),
    },
  ];
}
