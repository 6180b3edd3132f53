import { sendBulkEmailSchema, sendEmailSchema } from '../protocol/schemas.ts';
import { type ContentOfEntry, contentOfBulk, contentOfSingle } from './message-content.ts';
import { readRawMessage } from './raw-message.ts';

export async function openStoredCall(body: Buffer, isBulk: boolean): Promise<ContentOfEntry> {
  const value: unknown = JSON.parse(body.toString('utf8'));
  if (isBulk) return contentOfBulk(sendBulkEmailSchema.parse(value));
  const { Content: content } = sendEmailSchema.parse(value);
  const single =
    content.Raw === undefined ? contentOfSingle(content) : (await readRawMessage(content.Raw.Data)).content;
  return () => single;
}
