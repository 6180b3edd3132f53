import { randomUUID } from 'node:crypto';
import { CreateEmailIdentityCommand, GetEmailIdentityCommand } from '@aws-sdk/client-sesv2';
import type { EmailProvider } from '../providers/email/email-provider.ts';
import { createSesProvider } from '../providers/email/ses.ts';
import { createSesAccountClient, createSesClient } from '../providers/email/ses-client.ts';

const lanes = 16;
const seconds = 3;

const optionsOf = (endpoint: string) => ({
  region: 'us-east-1',
  endpoint,
  credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' },
});
const account = (endpoint: string) => createSesAccountClient(optionsOf(endpoint));

/** The local SES verifies any registered domain. */
export async function registerSender(endpoint: string, domain: string): Promise<void> {
  const client = account(endpoint);
  await client.send(new CreateEmailIdentityCommand({ EmailIdentity: domain }));
  await client.send(new GetEmailIdentityCommand({ EmailIdentity: domain }));
  client.destroy();
}

export function createBenchProvider(endpoint: string): EmailProvider {
  return createSesProvider(createSesClient(optionsOf(endpoint)), account(endpoint), 'posthaste');
}

export async function measureSesCalls(endpoint: string): Promise<number> {
  const provider = createBenchProvider(endpoint);
  const startedAt = performance.now();
  let calls = 0;
  const lane = async () => {
    while (performance.now() - startedAt < seconds * 1000) {
      const answer = await provider.handOver({
        emailId: randomUUID(),
        projectId: randomUUID(),
        from: { email: 'hello@sender.example.com', name: 'Bench' },
        to: { email: 'someone@example.com', name: null },
        replyTo: null,
        subject: 'Your code',
        html: '<p>Hello, your code is 1234.</p>'.repeat(30),
        text: 'Hello, your code is 1234.\n'.repeat(30),
        headers: {},
        attachments: [],
      });
      if (answer.outcome !== 'accepted') throw new Error(`The local SES answered ${JSON.stringify(answer)}`);
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const rate = calls / ((performance.now() - startedAt) / 1000);
  await provider.close();
  return rate;
}
