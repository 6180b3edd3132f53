import { randomUUID } from 'node:crypto';
import type { Context } from 'koa';
import type { z } from 'zod';
import { tryParseJson } from '../../../core/json-value.ts';
import { readBody } from '../http/read-input.ts';
import { badRequest, SesError } from './ses-error.ts';

const smallCallBytes = 256 * 1024;

export function answerCall(ctx: Context, value: object): void {
  ctx.set('x-amzn-requestid', randomUUID());
  ctx.body = value;
}

/** Responds with an error as SES does, so that the SDK throws the matching exception class. */
export function answerError(ctx: Context, { status, code, message }: SesError): void {
  ctx.status = status;
  ctx.set('x-amzn-errortype', code);
  answerCall(ctx, { message });
}

/** @throws SesError SerializationException for text that is not JSON, BadRequestException for a wrong shape */
export function parseCall<Schema extends z.ZodType>(schema: Schema, body: Buffer): z.output<Schema> {
  const value = body.length === 0 ? {} : tryParseJson(body.toString('utf8'));
  if (value === undefined) {
    throw new SesError('SerializationException', 'The request body is not valid JSON.');
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw badRequest(`${faults.length} validation error(s) detected: ${faults.join('; ')}`);
}

/** @throws SesError like {@link parseCall}; HttpProblem 413 for a body beyond 256 KB */
export async function readCall<Schema extends z.ZodType>(
  schema: Schema,
  { req }: Context,
): Promise<z.output<Schema>> {
  return parseCall(schema, await readBody(req, smallCallBytes));
}
