import { successOf } from './answer.ts';
import type { TestSender } from './sender.ts';

/** Creates a transactional template. @returns its id */
export async function createTemplate(sender: TestSender, changes: object = {}): Promise<string> {
  const created = await successOf(
    sender.post('/templates', {
      name: 'Welcome',
      subject: 'Welcome',
      body: '<p>Welcome</p>',
      from: `hello@${sender.domain}`,
      type: 'TRANSACTIONAL',
      ...changes,
    }),
  );
  return created.id;
}
