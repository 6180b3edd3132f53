import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { newId } from '../../../core/new-id.ts';
import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import type { StoredContent } from '../../../db/statements/emails/load-contents.ts';
import type { EmailProvider } from '../../../providers/email/email-provider.ts';
import type { ClaimedRenderer } from '../sending/render-claimed.ts';

export interface WarmUpDependencies {
  render: ClaimedRenderer;
  provider: Pick<EmailProvider, 'handOverMany'>;
  isDue: () => boolean;
}

/** By then V8 has compiled the code path: the first 50 emails take four times as long as later ones. */
const emails = 300;
const emailsPerCall = 50;

const body = `<html><body><h1>Hello {{ name ?? "friend" }}</h1>{% if plan == "pro" %}<p>{{ plan | upcase }}</p>{% else %}
<p>free</p>{% endif %}<p><a href="https://example.com/?contact={{ id }}">more</a></p></body></html>`;

/** Renders made-up emails, so that the first campaign does not wait for V8. Hands nothing over. */
export async function warmUp({ render, provider, isDue }: WarmUpDependencies): Promise<void> {
  const stored = exampleContent();
  for (let done = 0; done < emails && isDue(); done += emailsPerCall) {
    const rendered = Array.from({ length: emailsPerCall }, (_, index) => render(exampleEmail(index), stored));
    const ready = rendered.flatMap((result) => (result.ok ? result.email : []));
    await provider.handOverMany(ready, AbortSignal.abort());
    await yieldToLoop();
  }
}

function exampleContent(): StoredContent {
  return {
    content: {
      id: newId(),
      projectId: newId(),
      subject: 'News for {{ name ?? "you" }}',
      body,
      fromEmail: 'news@example.com',
      fromName: null,
      replyTo: null,
      headers: {},
      variables: {},
      domainOwnerId: null,
      brand: { language: 'en', footerAddress: null },
    },
    attachments: [],
  };
}

function exampleEmail(index: number): ClaimedEmail {
  return {
    id: newId(),
    projectId: newId(),
    contactId: newId(),
    contentId: newId(),
    toEmail: `reader-${index}@example.com`,
    toName: null,
    attempts: 1,
    triedSince: null,
    contactEmail: `reader-${index}@example.com`,
    contactData: { name: `Reader ${index}`, plan: index % 2 === 0 ? 'free' : 'pro' },
    source: 'CAMPAIGN',
    type: 'MARKETING',
    projectDisabled: false,
    suppressTransactional: false,
    subscribed: true,
    suppressed: false,
  };
}
