import type { Context } from 'koa';
import type { z } from 'zod';
import { tryParseJson } from '../../../core/json-value.ts';
import { HttpProblem } from './http-problem.ts';
import { readBody } from './read-body.ts';

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
