import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import type { z } from 'zod';
import { tryParseJson } from '../../../core/json-value.ts';

export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** @throws HttpProblem 413 as soon as more than `limitBytes` have arrived, so a huge body is never held in memory */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Keeps the socket open for the response.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > limitBytes) {
      request.resume();
      throw new HttpProblem(413, `The request is longer than ${limitBytes} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const limitBytes = 64 * 1024;

/** @throws HttpProblem 400 with the reason */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`);
  throw new HttpProblem(400, faults.join('; '));
}

export const isForm = (ctx: Context): boolean => Boolean(ctx.is('urlencoded'));

/**
 * Reads JSON or form fields.
 * @throws HttpProblem 400 for a malformed body, 413 beyond 64 KB
 */
export async function readInput<Schema extends z.ZodType>(
  schema: Schema,
  ctx: Context,
): Promise<z.output<Schema>> {
  const text = (await readBody(ctx.req, limitBytes)).toString('utf8');
  if (isForm(ctx)) return parseInput(schema, Object.fromEntries(new URLSearchParams(text)));
  const value = text === '' ? {} : tryParseJson(text);
  if (value === undefined) throw new HttpProblem(400, 'The body is not valid JSON.');
  return parseInput(schema, value);
}
