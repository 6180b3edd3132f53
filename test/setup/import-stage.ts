import { beforeAll, expect } from 'vitest';
import type { TestAnswer } from './answer.ts';
import { eventually } from './eventually.ts';
import type { TestProduct } from './product.ts';
import { type TestSender, useSender } from './sender.ts';
import { type UploadFile, upload } from './upload.ts';

export let stack: TestProduct;
export let sender: TestSender;

export const send = (file: string | Uint8Array | UploadFile[]): Promise<TestAnswer> =>
  upload(`${stack.url}/contacts/import`, sender.secretKey, file);

/** Uploads a file and waits for the end of its job. */
export async function imported(file: string | Uint8Array) {
  const answer = await send(file);
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  expect(answer.body).toEqual({ message: expect.any(String), jobId: expect.any(String) });
  const { body } = await eventually(
    () => sender.get(`/contacts/import/${answer.body.jobId}`),
    (found) => found.body.finishedAt !== null,
  );
  return body;
}

/** The project's contacts by address. */
export async function contacts(): Promise<Record<string, { subscribed: boolean; data: unknown }>> {
  const { body } = await sender.get('/contacts?limit=100&dir=asc');
  return Object.fromEntries(
    body.data.map((contact: { email: string; subscribed: boolean; data: unknown }) => [
      contact.email,
      { subscribed: contact.subscribed, data: contact.data },
    ]),
  );
}

export async function eventNames(): Promise<string[]> {
  const rows = await stack.sql<{ name: string }>(
    'select name from events where project_id = $1 order by id',
    [sender.projectId],
  );
  return rows.map((row) => row.name);
}

export async function storedChunks(): Promise<number> {
  const [row] = await stack.sql<{ count: number }>('select count(*)::int as count from job_chunks');
  return row?.count ?? -1;
}

export function useImportStage(product: TestProduct): void {
  const own = useSender(product);
  beforeAll(() => {
    stack = product;
    sender = own;
  });
}
