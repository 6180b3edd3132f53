import { expect, it } from 'vitest';
import type { EmailProvider } from '../../../providers/email/email-provider.ts';
import { createClaimedRenderer } from '../sending/render-claimed.ts';
import { warmUp } from './warm-up.ts';

const config = { API_URL: 'https://example.com', HOST: '127.0.0.1', PORT: 8080, APP_SECRET: 'a secret' };
const render = createClaimedRenderer(config, 'many');

it('the warm-up renders hundreds of emails without handing them over, until there is something to send', async () => {
  const subjects: string[] = [];
  let mayStart = false;
  const provider: Pick<EmailProvider, 'handOverMany'> = {
    async handOverMany(emails, signal) {
      subjects.push(...emails.map(({ subject }) => subject));
      mayStart ||= !signal.aborted;
      return [];
    },
  };
  await warmUp({ render, provider, isDue: () => true });
  expect(subjects).toHaveLength(300);
  expect(subjects[0]).toBe('News for Reader 0');
  expect(mayStart).toBe(false);

  subjects.length = 0;
  await warmUp({ render, provider, isDue: () => subjects.length < 100 });
  expect(subjects).toHaveLength(100);
});
