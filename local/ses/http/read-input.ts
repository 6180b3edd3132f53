import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { HttpProblem } from './http-problem.ts';
import { BodyTooLarge, readBody } from './read-body.ts';

const limitBytes = 64 * 1024;

/** @throws HttpProblem 400 naming what is wrong */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`);
  throw new HttpProblem(400, faults.join('; '));
}

export function isForm(request: IncomingMessage): boolean {
  return request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
}

/**
 * Reads JSON or form fields.
 * @throws HttpProblem 400 for a malformed body, 413 beyond 64 KB
 */
export async function readInput<Schema extends z.ZodType>(
  schema: Schema,
  request: IncomingMessage,
): Promise<z.output<Schema>> {
  const text = await readBody(request, limitBytes).then(
    (body) => body.toString('utf8'),
    (error: unknown) => {
      if (error instanceof BodyTooLarge) throw new HttpProblem(413, error.message);
      throw error;
    },
  );
  if (isForm(request)) return parseInput(schema, Object.fromEntries(new URLSearchParams(text)));
  let value: unknown;
  try {
    value = text === '' ? {} : JSON.parse(text);
  } catch {
    throw new HttpProblem(400, 'The body is not valid JSON.');
  }
  return parseInput(schema, value);
}
