import { expect, it, vi } from 'vitest';

vi.stubGlobal('document', { baseURI: 'https://mail.example.com/app/' });
const { timelineQuery } = await import('./queries.ts');

const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
type Campaign = Parameters<typeof timelineQuery>[0];

it('the chart of a campaign drafted two months ago and being sent now includes today', () => {
  const campaign = {
    id: '1',
    startedAt: ago(0),
    sentAt: null,
    createdAt: ago(60 * 86_400_000),
    status: 'SENDING',
  };
  const { queryKey } = timelineQuery(campaign as Campaign);
  const { endDate } = (queryKey[2] as { params: { query: { endDate: string } } }).params.query;
  expect(Date.parse(endDate)).toBeGreaterThan(Date.now());
});
