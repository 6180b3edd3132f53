import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { mostPageBytes } from '../services/csv-file.ts';
import { AnswerBroken } from './error-response.ts';
import { holdParts } from './hold-answer.ts';

const contentType = 'text/csv; charset=utf-8';

export const csvFile = { 200: { description: 'The file, streamed.', contentType } } as const;

/**
 * Answers with a CSV file, which is started once there is memory for its parts. Only a whole file ends as an answer
 * does: an error breaks the connection.
 *
 * @throws as `holdParts`
 */
export async function answerCsv(
  ctx: Pick<Context, 'res' | 'attachment' | 'type' | 'body'>,
  owner: string,
  start: () => Promise<{ name: string; file: AsyncIterable<string> }>,
): Promise<void> {
  await holdParts(ctx, owner, mostPageBytes);
  const { name, file } = await start();
  ctx.attachment(name);
  ctx.type = contentType;
  ctx.body = Readable.from(whole(file));
}

async function* whole(file: AsyncIterable<string>): AsyncGenerator<string> {
  try {
    yield* file;
  } catch (cause) {
    throw new AnswerBroken('A CSV file was not finished', { cause });
  }
}
