import { expect } from 'vitest';
import type { TestSender } from './sender.ts';

/** @returns the id of a new draft of a campaign to all contacts */
export async function draftCampaign(sender: TestSender, changes: object = {}): Promise<string> {
  const { status, body } = await sender.post('/campaigns', {
    name: 'News',
    subject: 'News for {{ n }}',
    body: '<p>Hello {{ n }}</p>',
    from: `news@${sender.domain}`,
    audienceType: 'ALL',
    ...changes,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data.id;
}
