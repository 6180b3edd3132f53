import { parse } from 'csv-parse/sync';
import { describe, expect, it, vi } from 'vitest';
import { bodyMemory } from '../api/edge/body-memory.ts';
import { maxImportBytes } from '../core/contact-import/import-format.ts';
import { insertContacts } from './setup/campaigns.ts';
import { eventually } from './setup/eventually.ts';
import { where } from './setup/segments.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { upload } from './setup/upload.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

const fetchFile = async (path: string, from = sender) => {
  const answer = await fetch(`${stack.url}${path}`, {
    headers: { Authorization: `Bearer ${from.secretKey}` },
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};
const rowsOf = (text: string): Record<string, string>[] => parse(text, { bom: true, columns: true });

describe('the export of contacts', () => {
  it('is a file with all matching contacts, which can be imported again', async () => {
    const data = { firstName: 'Ada "Countess"', score: -5, plan: 'pro', tags: ['a', 'b'], subscribed: 'May' };
    await sender.post('/contacts', { email: 'ada@example.com', data });
    await sender.post('/contacts', { email: 'grace@example.com', subscribed: false, data: { plan: 'free' } });
    const { status, headers, text } = await fetchFile('/contacts/export');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="contacts.csv"');
    expect(rowsOf(text)).toEqual([
      {
        id: expect.any(String),
        email: 'ada@example.com',
        subscribed: 'true',
        firstName: 'Ada "Countess"',
        plan: 'pro',
        score: '-5',
        tags: '["a","b"]',
        'data.subscribed': 'May',
      },
      expect.objectContaining({ email: 'grace@example.com', subscribed: 'false', plan: 'free', score: '' }),
    ]);
    const some = await fetchFile('/contacts/export?filter[data.plan]=free&status=unsubscribed');
    expect(rowsOf(some.text).map(({ email }) => email)).toEqual(['grace@example.com']);

    const other = await createTestSender(stack.url);
    expect(rowsOf((await fetchFile('/contacts/export', other)).text)).toEqual([]);
    const dry = await upload(`${stack.url}/contacts/import?dryRun=true`, other.secretKey, text);
    expect(dry.body.columns).toContainEqual({
      name: 'data.subscribed',
      field: 'data.subscribed',
      type: 'string',
    });
    const { body } = await upload(`${stack.url}/contacts/import`, other.secretKey, text);
    await eventually(
      () => other.get(`/contacts/import/${body.jobId}`),
      (job) => job.body.result?.created === 2,
    );
    const [ada] = (await other.get('/contacts?search=ada')).body.data;
    expect(ada).toMatchObject({
      subscribed: true,
      data: { firstName: 'Ada "Countess"', score: -5, plan: 'pro', tags: ['a', 'b'], subscribed: 'May' },
    });
    expect(Object.keys(ada.data)).not.toContain('id');
  });

  it('runs no formula, neither of a value nor of a key', async () => {
    await sender.post('/contacts', { email: '=cmd@example.com', data: { '=key': '=1+1', phone: '+49 30' } });
    const { text } = await fetchFile('/contacts/export');
    expect(text).toContain(`,subscribed,'=key,phone\r\n`);
    expect(text).toContain(`,'=cmd@example.com,true,'=1+1,'+49 30\r\n`);
  });

  it('continues over all pages', async () => {
    await insertContacts(stack.em(), sender.projectId, 2_500);
    const emails = rowsOf((await fetchFile('/contacts/export')).text).map(({ email }) => email);
    expect(emails).toEqual(Array.from({ length: 2_500 }, (_, n) => `reader-${n + 1}@example.com`));
    const found = rowsOf((await fetchFile('/contacts/export?search=reader-1')).text);
    expect(found).toHaveLength(1_111);
  });

  it('of a segment has its members, by condition or by hand', async () => {
    await insertContacts(stack.em(), sender.projectId, 2_500);
    const dynamic = {
      type: 'DYNAMIC',
      condition: where({ field: 'email', operator: 'contains', value: 'reader-1' }),
    };
    for (const [kind, size] of [
      [dynamic, 1_111],
      [{ type: 'STATIC' }, 2],
    ] as const) {
      const { id } = (await sender.post('/segments', { name: 'Some', ...kind })).body;
      const emails = ['reader-7@example.com', 'reader-1200@example.com'];
      if (kind.type === 'STATIC') await sender.post(`/segments/${id}/members`, { emails });
      const { headers, text } = await fetchFile(`/segments/${id}/export`);
      expect(headers.get('content-disposition')).toBe('attachment; filename="contacts.csv"');
      const found = rowsOf(text).map(({ email }) => email);
      expect(new Set(found).size).toBe(size);
      expect(found).toHaveLength(size);
      expect(found).toContain('reader-1200@example.com');
      const other = await createTestSender(stack.url);
      expect((await fetchFile(`/segments/${id}/export`, other)).status).toBe(404);
    }
  });
});

describe('the dry run of an import', () => {
  const address = () => `${stack.url}/contacts/import?dryRun=true`;
  const file = [
    'Mail,Given name,Notes,Score,subscribed',
    'ada@example.com,Ada,x,5,yes',
    'grace@example.com,Grace,y,,',
    'GRACE@example.com,Grace,,7,',
    'nobody,Nobody,,,',
  ].join('\n');
  const mapping = { Mail: 'email', 'Given name': 'firstName', Notes: null };
  const form = (fields: object) => [
    { field: 'file', name: 'contacts.csv', content: file },
    { field: 'mapping', content: JSON.stringify(fields) },
  ];

  it('predicts what the import then does', async () => {
    await sender.post('/contacts', { email: 'ada@example.com' });
    const dry = await upload(address(), sender.secretKey, form(mapping));
    expect(dry.status, JSON.stringify(dry.body)).toBe(200);
    expect(dry.body).toEqual({
      totalRows: 4,
      wouldCreate: 1,
      wouldUpdate: 2,
      repeated: 1,
      invalid: 1,
      errors: [{ row: 5, email: 'nobody', message: 'This is not an email address' }],
      notices: [],
      columns: [
        { name: 'Mail', field: 'email', type: 'string' },
        { name: 'Given name', field: 'firstName', type: 'string' },
        { name: 'Notes', field: null, type: null },
        { name: 'Score', field: 'Score', type: 'number' },
        { name: 'subscribed', field: 'subscribed', type: 'boolean' },
      ],
      preview: [
        { row: 2, email: 'ada@example.com', subscribed: true, data: { firstName: 'Ada', Score: 5 } },
        { row: 3, email: 'grace@example.com', subscribed: null, data: { firstName: 'Grace' } },
        { row: 4, email: 'grace@example.com', subscribed: null, data: { firstName: 'Grace', Score: 7 } },
      ],
    });
    expect((await sender.get('/contacts')).body.total).toBe(1);

    const { body } = await upload(`${stack.url}/contacts/import`, sender.secretKey, form(mapping));
    const job = await eventually(
      () => sender.get(`/contacts/import/${body.jobId}`),
      (found) => found.body.state === 'completed',
    );
    expect(job.body.result).toMatchObject({ totalRows: 4, created: 1, updated: 2, skipped: 1 });
    const [grace] = (await sender.get('/contacts?search=grace')).body.data;
    expect(grace.data).toEqual({ firstName: 'Grace', Score: 7 });

    const errors = await fetchFile(`/contacts/import/${body.jobId}/errors.csv`);
    expect(errors.headers.get('content-disposition')).toContain('import-errors.csv');
    expect(errors.text).toMatch(
      /^Rejected row,Rejected because,Mail,.*\r\n5,This is not an email address,nobody,.*\r\n$/,
    );
    const other = await createTestSender(stack.url);
    expect((await fetchFile(`/contacts/import/${body.jobId}/errors.csv`, other)).status).toBe(404);
  });

  it('names fields that become text though they look like numbers or dates, as the result does', async () => {
    const dates = ['31.12.2025', 'unknown', '1.2.2026'];
    const rows = dates.map((day, n) => `reader-${n}@example.com;${n},5;${day};1;${n === 1 ? '7,5' : 'pro'}`);
    const text = `email;price;since;seats;note\n${rows.join('\n')}\n`;
    const { body: dry } = await upload(address(), sender.secretKey, text);
    expect(dry.notices).toEqual([
      { field: 'price', message: expect.stringContaining('3 of 3 values look like numbers') },
      { field: 'since', message: expect.stringContaining('2 of 3 values look like dates') },
    ]);
    const { body } = await upload(`${stack.url}/contacts/import`, sender.secretKey, text);
    const job = await eventually(
      () => sender.get(`/contacts/import/${body.jobId}`),
      (found) => found.body.state === 'completed',
    );
    expect(job.body.result.notices).toEqual(dry.notices);
    expect((await sender.get('/contacts?search=reader-0')).body.data[0].data).toMatchObject({ price: '0,5' });
  });

  it('holds a large file in the share of memory of its project', async () => {
    const claim = vi.spyOn(bodyMemory, 'claim');
    const text = `email\n${'ada@example.com\n'.repeat(20_000)}`;
    const dry = await upload(address(), sender.secretKey, text);
    expect(dry.body).toMatchObject({ totalRows: 20_000, wouldCreate: 1 });
    expect(claim.mock.calls).toEqual([[sender.projectId, maxImportBytes]]);
    claim.mockRestore();
  });

  it('refuses what the import refuses, and a mapping that fits nothing', async () => {
    const refused = [
      { ...mapping, Mail: null },
      { ...mapping, Missing: 'city' },
      { ...mapping, Score: 'firstName' },
      { Mail: 5 },
      ['email'],
    ];
    for (const fields of refused) {
      for (const path of [address(), `${stack.url}/contacts/import`]) {
        const answer = await upload(path, sender.secretKey, form(fields));
        expect(answer.status, JSON.stringify(fields)).toBe(422);
      }
    }
    expect((await sender.get('/contacts')).body.total).toBe(0);
  });
});
