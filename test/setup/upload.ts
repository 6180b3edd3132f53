import { Readable } from 'node:stream';
import { readAnswer, type TestAnswer } from './answer.ts';

export interface UploadFile {
  field: string;
  /** Without a name, the part is a text field. */
  name?: string;
  type?: string;
  content: string | Uint8Array;
}

/** Posts a multipart form; a single content is sent as the file in the field `file`. */
export async function upload(
  url: string,
  key: string,
  files: string | Uint8Array | UploadFile[],
  { chunked = false } = {},
): Promise<TestAnswer> {
  const form = new FormData();
  const list = Array.isArray(files) ? files : [{ field: 'file', name: 'contacts.csv', content: files }];
  for (const { field, name, type = 'text/csv', content } of list) {
    const blob = new Blob([new Uint8Array(Buffer.from(content))], { type });
    if (name === undefined) form.append(field, Buffer.from(content).toString());
    else form.append(field, blob, name);
  }
  const encoded = new Response(form);
  const body = chunked
    ? Readable.from([Buffer.from(await encoded.arrayBuffer())])
    : await encoded.arrayBuffer();
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': encoded.headers.get('Content-Type') ?? '',
    },
    body: body instanceof Readable ? Readable.toWeb(body) : body,
    ...(chunked ? { duplex: 'half' } : {}),
  });
  return readAnswer(answer);
}
