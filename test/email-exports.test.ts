import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { draftCampaign } from './setup/draft-campaign.ts';
import { eventually } from './setup/eventually.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';

const stack = useSharedProduct();
const sender = useSender(stack);
const bouncing = 'bounce@simulator.amazonses.com';
/** A formula in a spreadsheet. */
const hostile = '=cmd@example.com';

async function fetchFile(path: string, from = sender) {
  const headers = { Authorization: `Bearer ${from.secretKey}` };
  const answer = await fetch(`${stack.url}${path}`, { headers });
  return {
    status: answer.status,
    headers: answer.headers,
    text: Buffer.from(await answer.arrayBuffer()).toString(),
  };
}
const rowsOf = (text: string): Record<string, string>[] => parse(text, { bom: true, columns: true });
const rowsIn = async (path: string) => rowsOf((await fetchFile(path)).text);
const cellOf = (value: unknown) => (value === null ? '' : String(value).replace(/^=/, "'="));
/** The rows of a list as they stand in a file. */
const listed = async (path: string): Promise<Record<string, string>[]> =>
  (await sender.get(path)).body.data.map((row: object) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cellOf(value)])),
  );

/** Sent to an address that bounces, to one that is a formula, and to one whose contact is deleted afterwards. */
async function sendCampaign(): Promise<string> {
  for (const email of [bouncing, hostile, 'gone@example.com']) await sender.post('/contacts', { email });
  const id = await draftCampaign(sender, { name: 'Spring/Summer "Sale"', subject: 'News' });
  await sender.post(`/campaigns/${id}/send`, {});
  const { data } = await eventually(
    async () => (await sender.get(`/campaigns/${id}/recipients`)).body,
    ({ data: rows }) =>
      rows.length === 3 &&
      rows.every(({ status }: { status: string }) => ['DELIVERED', 'BOUNCED'].includes(status)),
  );
  const { contactId } = data.find(({ email }: { email: string }) => email === 'gone@example.com');
  expect((await sender.delete(`/contacts/${contactId}`)).status).toBe(204);
  return id;
}

/** Recipients of a campaign that was sent, oldest contact first. */
async function insertEmails(campaignId: string, number: number): Promise<void> {
  await stack.sql(
    `insert into emails (id, project_id, campaign_id, contact_id, source, to_email, from_email, subject, status, sent_at)
     select uuidv7(make_interval(secs => n)), $1, $2, uuidv7(make_interval(secs => n)), 'CAMPAIGN',
       'reader-' || n || '@example.com', 'a@b.example', 'News ' || n, 'SENT', now()
     from generate_series(1, $3::int) n`,
    [sender.projectId, campaignId, number],
  );
}

describe('the export of the recipients of a campaign', () => {
  it('is a file with the rows of the list, without deleted contacts', async () => {
    const path = `/campaigns/${await sendCampaign()}/recipients`;
    const { status, headers, text } = await fetchFile(`${path}/export`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe(
      'attachment; filename="Spring-Summer -Sale- recipients.csv"',
    );
    expect(text).toMatch(/^\ufeffemailId,contactId,email,status,reason,sentAt,deliveredAt,/);
    const rows = rowsOf(text);
    expect(rows).toEqual(await listed(path));
    expect(rows.map(({ email, status: outcome }) => [email, outcome])).toEqual([
      [bouncing, 'BOUNCED'],
      [`'${hostile}`, 'DELIVERED'],
    ]);
    const bounced = await rowsIn(`${path}/export?outcome=bounced`);
    expect(bounced).toEqual([
      expect.objectContaining({
        email: bouncing,
        reason: 'smtp; 550 5.1.1 user unknown',
        bouncedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      }),
    ]);
    expect(await rowsIn(`${path}/export?outcome=clicked`)).toEqual([]);
    const other = await createTestSender(stack.url);
    expect((await fetchFile(`${path}/export`, other)).status).toBe(404);
  });

  it('continues over all pages, also of an outcome', async () => {
    const id = await draftCampaign(sender);
    await insertEmails(id, 2_500);
    const emails = async (query: string) =>
      (await rowsIn(`/campaigns/${id}/recipients/export${query}`)).map(({ email }) => email);
    const all = Array.from({ length: 2_500 }, (_, n) => `reader-${n + 1}@example.com`);
    expect(await emails('')).toEqual(all);
    await stack.sql('update campaigns set total_recipients = 2500 where id = $1', [id]);
    await stack.sql(`update emails set sent_at = null, status = 'QUEUED' where campaign_id = $1`, [id]);
    expect(await emails('?outcome=pending')).toEqual(all);
  });

  it('has its kind in its name, however long that of the campaign is', async () => {
    const path = `/campaigns/${await draftCampaign(sender, { name: 'n'.repeat(255) })}/recipients/export`;
    const { headers } = await fetchFile(path);
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="${'n'.repeat(100)} recipients.csv"`,
    );
  });

  it('of a campaign without any has a header only', async () => {
    const { status, text } = await fetchFile(`/campaigns/${await draftCampaign(sender)}/recipients/export`);
    expect([status, text.split('\r\n').length]).toEqual([200, 2]);
    expect(rowsOf(text)).toEqual([]);
  });
});

describe('the export of the email log', () => {
  it('is a file with the rows of the list, by the same filters', async () => {
    const id = await sendCampaign();
    const { status, headers, text } = await fetchFile('/emails/export');
    expect(status).toBe(200);
    expect(headers.get('content-disposition')).toBe('attachment; filename="emails.csv"');
    const rows = rowsOf(text);
    expect(rows).toEqual(await listed('/emails'));
    expect(new Set(rows.map(({ to }) => to))).toEqual(new Set(['', bouncing, `'${hostile}`]));
    for (const [query, found] of [
      ['status=BOUNCED', [bouncing]],
      ['search=bounce%40', [bouncing]],
      ['search=cmd', [`'${hostile}`]],
      [`campaignId=${id}&status=BOUNCED&source=CAMPAIGN`, [bouncing]],
      ['source=TRANSACTIONAL', []],
      [`campaignId=${id}&source=WORKFLOW`, []],
      ['endDate=2020-01-01', []],
    ] as const) {
      const to = (await rowsIn(`/emails/export?${query}`)).map((row) => row.to);
      expect(to, query).toEqual(found);
    }
    expect((await fetchFile('/emails/export?startDate=2026-02-01&endDate=2026-01-01')).status).toBe(400);
    const other = await createTestSender(stack.url);
    expect(rowsOf((await fetchFile(`/emails/export?campaignId=${id}`, other)).text)).toEqual([]);
    expect(rowsOf((await fetchFile('/emails/export', other)).text)).toEqual([]);
  });

  it('continues over all pages, newest first, also of a search', async () => {
    await insertEmails(await draftCampaign(sender), 2_500);
    const subjects = async (query: string) =>
      (await rowsIn(`/emails/export${query}`)).map(({ subject }) => subject);
    const all = Array.from({ length: 2_500 }, (_, n) => `News ${2_500 - n}`);
    expect(await subjects('')).toEqual(all);
    expect(await subjects('?search=news')).toEqual(all);
    expect(await subjects('?search=news%2012')).toHaveLength(111);
  });
});
