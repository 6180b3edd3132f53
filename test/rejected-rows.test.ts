import { describe, expect, it } from 'vitest';
import { contacts, imported, send, sender, stack, useImportStage } from './setup/import-stage.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { upload } from './setup/upload.ts';

useImportStage(useSharedProduct());

async function rejectedRows(jobId: string): Promise<Buffer> {
  const headers = { Authorization: `Bearer ${sender.secretKey}` };
  const answer = await fetch(`${stack.url}/contacts/import/${jobId}/errors.csv`, { headers });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  return Buffer.from(await answer.arrayBuffer());
}

const preview = async (file: Uint8Array) =>
  (await upload(`${stack.url}/contacts/import?dryRun=true`, sender.secretKey, file)).body;

describe('the rejected rows of an import', () => {
  it('are a file with all columns, which is corrected and imported again', async () => {
    const job = await imported(
      [
        'Name;E-Mail;Note;Balance;subscribed',
        'Zoë;zoe@example;"said ""hi""; then\nleft";-5;no',
        'Ada;ada@example.com;;1;yes',
        'Bob;bob@example.com;@bob;2;maybe',
        'Eve;eve;=1+1;3;no;too;long',
        'Tim',
      ].join('\n'),
    );
    const file = (await rejectedRows(job.id)).toString();
    expect(file).toBe(
      [
        '\ufeffRejected row;Rejected because;Name;E-Mail;Note;Balance;subscribed',
        '2;This is not an email address;Zoë;zoe@example;"said ""hi""; then\nleft";-5;no',
        '4;"The subscription ""maybe"" must be true, false, yes, no, 1, 0 or empty";Bob;bob@example.com;\'@bob;2;maybe',
        "5;This is not an email address;Eve;eve;'=1+1;3;no;too;long",
        '6;The row has no email address;Tim',
        '',
      ].join('\r\n'),
    );
    const corrected = file.replace('zoe@example;', 'zoe@example.com;').replace(';maybe', ';no');
    const second = await imported(corrected.replace(';eve;', ';eve@example.com;'));
    expect(second.result).toMatchObject({ totalRows: 4, created: 3, skipped: 1 });
    expect(await contacts()).toEqual({
      'ada@example.com': { subscribed: true, data: { Name: 'Ada', Balance: 1 } },
      'zoe@example.com': {
        subscribed: false,
        data: { Name: 'Zoë', Note: 'said "hi"; then\nleft', Balance: -5 },
      },
      'bob@example.com': { subscribed: false, data: { Name: 'Bob', Note: '@bob', Balance: 2 } },
      'eve@example.com': { subscribed: false, data: { Name: 'Eve', Note: '=1+1', Balance: 3 } },
    });
    const { fields } = (await sender.get('/contacts/fields')).body;
    const keys = fields.map(({ field }: { field: string }) => field);
    expect(keys.filter((key: string) => /reject/i.test(key))).toEqual([]);
    expect((await rejectedRows(second.id)).toString()).toBe(
      [
        '\ufeffRejected row;Rejected because;Name;E-Mail;Note;Balance;subscribed',
        '5;The row has no email address;Tim',
        '',
      ].join('\r\n'),
    );
  });

  it('include those that the database rejects, in the order of the file', async () => {
    const big = 'x'.repeat(40_000);
    await sender.post('/contacts', { email: 'full@example.com', data: { before: big } });
    const job = await imported(`email,after,n\nfull@example.com,${big},1\nbad,,2\nada@example.com,,3\n`);
    expect((await rejectedRows(job.id)).toString()).toBe(
      [
        '\ufeffRejected row,Rejected because,email,after,n',
        `2,The contact's data would have more than 64 KB,full@example.com,${big},1`,
        '3,This is not an email address,bad,,2',
        '',
      ].join('\r\n'),
    );
  });

  it('are the first 10,000, in UTF-8 whatever the file had, and say how many more there are', async () => {
    const rows = Array.from({ length: 100_000 }, (_, index) => `Zoë\tbad-${index}`);
    const job = await imported(Buffer.from(`name\temail\n${rows.join('\n')}`, 'latin1'));
    expect(job.result).toMatchObject({ totalRows: 100_000, skipped: 100_000 });
    const file = await rejectedRows(job.id);
    const lines = file.toString().split('\r\n');
    expect(lines).toHaveLength(10_003);
    expect(lines.slice(10_000)).toEqual([
      '10001\tThis is not an email address\tZoë\tbad-9999',
      '90000 more rows were rejected. They are not in this file.',
      '',
    ]);
    expect(await preview(file)).toMatchObject({ totalRows: 10_000, invalid: 10_000 });
    const columns = [null, null, 'name', 'email'];
    expect((await preview(file)).columns.map(({ field }: { field: string }) => field)).toEqual(columns);
  });

  it('have only the address after an import by a version that kept nothing else', async () => {
    const { id } = await imported('email\nada@example.com\n');
    const errors = [{ row: 2, email: '=ada', message: 'This is not an email address' }];
    await stack.sql('update jobs set result = $2 where id = $1', [id, { skipped: 3, errors }]);
    expect((await rejectedRows(id)).toString().split('\r\n')).toEqual([
      '\ufeffRejected row,Rejected because,email',
      "2,This is not an email address,'=ada",
      '2 more rows were rejected. They are not in this file.',
      '',
    ]);
  });

  it('keep NUL characters and the place of a quote that is never closed', async () => {
    const job = await imported('email,note\nada@example.com,a\0b\n"bob@example.com,c\n');
    expect((await rejectedRows(job.id)).toString().split('\r\n').slice(1)).toEqual([
      '2,The row contains NUL characters,ada@example.com,a\0b',
      '3,A quote that opens here is never closed; the rest of the file could not be read',
      '',
    ]);
  });
});

describe('a file with columns of these names', () => {
  it('becomes data of them where the mapping says so', async () => {
    const form = [
      { field: 'file', name: 'a.csv', content: 'email,Rejected row\nada@example.com,7\n' },
      { field: 'mapping', content: JSON.stringify({ 'Rejected row': 'Rejected row' }) },
    ];
    expect((await send(form)).status).toBe(202);
    const answer = await upload(`${stack.url}/contacts/import?dryRun=true`, sender.secretKey, form);
    expect(answer.body.preview).toMatchObject([{ data: { 'Rejected row': 7 } }]);
  });
});
