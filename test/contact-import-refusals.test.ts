import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { eventually } from './setup/eventually.ts';
import { contacts, send, sender, stack, storedChunks, useImportStage } from './setup/import-stage.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import type { UploadFile } from './setup/upload.ts';

useImportStage(useSharedProduct());

describe('files that POST /contacts/import refuses', () => {
  it.each<[string, string, number]>([
    [
      'another file',
      '\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="b.csv"\r\n\r\nemail\n\r\n--b--\r\n',
      400,
    ],
    ['no end of the form', '\r\n--b\r\nContent-Disposition: form-data; name="note"\r\n\r\nHel', 400],
    [
      'far too much text',
      `\r\n--b\r\nContent-Disposition: form-data; name="note"\r\n\r\n${'x'.repeat(6 * 1024 * 1024)}\r\n--b--\r\n`,
      413,
    ],
  ])('imports nothing of a file that is followed by %s', async (_what, rest, status) => {
    const answered = Promise.withResolvers<number | undefined>();
    const client = request(`${stack.url}/contacts/import`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${sender.secretKey}`,
        'Content-Type': 'multipart/form-data; boundary=b',
      },
    });
    client.on('response', (answer) => answered.resolve(answer.resume().statusCode));
    // The server may close the connection while the rest of the form is being sent.
    client.on('error', () => undefined);
    client.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nemail\n');
    client.write('a@example.com\n'.repeat(60_000));
    await eventually(storedChunks, (count) => count > 0);
    client.write('\r\n--b\r\nContent-Disposition: form-data; name="first"\r\n\r\n1');
    // By now the server has read the whole file.
    await delay(500);
    client.end(rest);
    expect(await answered.promise).toBe(status);
    await eventually(storedChunks, 0);
    expect(await stack.sql('select 1 from jobs where project_id = $1', [sender.projectId])).toEqual([]);
    expect(await contacts()).toEqual({});
  });

  it('answers 400 to anything but one file in a form', async () => {
    const file = { field: 'file', name: 'a.csv', content: 'email\na@example.com\n' };
    const cases: [string, UploadFile[]][] = [
      ['no file', []],
      ['another field', [{ ...file, field: 'upload' }]],
      ['a text instead of a file', [{ field: 'file', content: 'email\n' }]],
      ['several files', [file, file]],
    ];
    for (const [what, files] of cases) {
      const answer = await send(files);
      expect(answer.status, what).toBe(400);
      expect(answer.body.error.code, what).toBe('BAD_REQUEST');
      expect(answer.body.error.message, what).toContain('"file"');
    }
    const json = await sender.post('/contacts/import', { file: 'email' });
    expect(json.status).toBe(400);
    expect(json.body.error.message).toContain('multipart/form-data');
    for (const [type, body] of [
      ['multipart/form-data', 'email\n'],
      [
        'multipart/form-data; boundary=b',
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nemail',
      ],
      ['multipart/form-data; boundary=b', 'nonsense'],
    ]) {
      const answer = await fetch(`${stack.url}/contacts/import`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${sender.secretKey}`, 'Content-Type': type ?? '' },
        body: body ?? '',
      });
      expect(answer.status, body).toBe(400);
    }
    expect(await storedChunks()).toBe(0);
  });

  it('answers 422, with advice, to a file that is not a CSV file of contacts', async () => {
    for (const [file, message] of [
      ['', /empty/],
      ['name,phone\nAda,1\n', /named "email"/],
    ] as const) {
      const answer = await send(file);
      expect(answer.status).toBe(422);
      expect(answer.body.error.errors).toEqual([
        { field: 'file', code: 'custom', message: expect.stringMatching(message) },
      ]);
    }
    expect(await storedChunks()).toBe(0);
  });
});

describe('GET /contacts/import/:jobId', () => {
  it('shows progress that never decreases, and the result at the end', async () => {
    const rows = Array.from({ length: 30_000 }, (_, index) => `reader-${index}@example.com,${index}`);
    const { body } = await send(`email,n\n${rows.join('\n')}`);
    const seen: { state: string; progress: number; result: unknown }[] = [];
    await eventually(
      async () => {
        seen.push((await sender.get(`/contacts/import/${body.jobId}`)).body);
        return seen.at(-1);
      },
      (job) => job?.state === 'completed',
    );
    const progress = seen.map((job) => job.progress);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(progress.at(-1)).toBe(100);
    for (const job of seen) {
      if (job.state !== 'completed') expect(job.result).toBeNull();
    }
    expect(seen.at(-1)?.result).toMatchObject({ totalRows: 30_000, created: 30_000 });
  });
});
