import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import { sendJson } from '../http/answers.ts';
import { BodyTooLarge, readBody } from '../http/read-body.ts';
import { SesError } from './ses-error.ts';

const smallCallBytes = 256 * 1024;

export function answerCall(response: ServerResponse, value: object): void {
  sendJson(response, 200, value, { 'x-amzn-requestid': randomUUID() });
}

/** Answers an error as SES does, so that the SDK throws the matching exception class. */
export function answerError(response: ServerResponse, error: SesError): void {
  sendJson(
    response,
    error.status,
    { message: error.message },
    { 'x-amzn-requestid': randomUUID(), 'x-amzn-errortype': error.code },
  );
}

/**
 * @throws SesError SerializationException for text that is not JSON, BadRequestException for a wrong shape
 */
export function parseCall<Schema extends z.ZodType>(schema: Schema, body: Buffer): z.output<Schema> {
  let value: unknown;
  try {
    value = body.length === 0 ? {} : JSON.parse(body.toString('utf8'));
  } catch {
    throw new SesError('SerializationException', 'The request body is not valid JSON.');
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new SesError(
    'BadRequestException',
    `${faults.length} validation error(s) detected: ${faults.join('; ')}`,
  );
}

/** @throws SesError like {@link parseCall}, and BadRequestException for a body beyond `limitBytes` */
export async function readCall<Schema extends z.ZodType>(
  schema: Schema,
  request: IncomingMessage,
): Promise<z.output<Schema>> {
  return parseCall(schema, await readCallBody(request, smallCallBytes));
}

/** @throws SesError BadRequestException for a body beyond `limitBytes` */
export async function readCallBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  try {
    return await readBody(request, limitBytes);
  } catch (error) {
    if (!(error instanceof BodyTooLarge)) throw error;
    throw new SesError('BadRequestException', `The request is longer than ${limitBytes} bytes.`);
  }
}
