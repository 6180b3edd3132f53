import { expect } from 'vitest';
import type { TestAnswer } from '../setup/answer.ts';
import type { ContractLine, Refusal } from './line.ts';

export function valueAt(body: unknown, name: string): unknown {
  return name.split('.').reduce<unknown>((value, part) => Object(value)[part], body);
}

export function expectEnvelope(answer: TestAnswer, status: number, code?: string): void {
  expect([answer.status, answer.body]).toEqual([
    status,
    {
      success: false,
      error: expect.objectContaining({
        code: code ?? expect.stringMatching(/^[A-Z_]+$/),
        message: expect.stringMatching(/./),
        statusCode: status,
        requestId: answer.headers.get('X-Request-Id'),
      }),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    },
  ]);
}

export function expectRefusal(
  line: ContractLine,
  answer: TestAnswer,
  { status, code, issue }: Omit<Refusal, 'when' | 'change'>,
): void {
  if (line.key === 'link') {
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, line.type]);
    return;
  }
  if (line.simpleErrors === true && status === 400) {
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringMatching(/./) }]);
    return;
  }
  expectEnvelope(answer, status, code);
  if (status !== 422) return;
  const { errors } = answer.body.error;
  expect(errors).toEqual(expect.any(Array));
  for (const { received, ...one } of errors) {
    expect(one).toEqual({
      field: expect.any(String),
      message: expect.any(String),
      code: expect.stringMatching(/^[a-z_]+$/),
    });
    expect(typeof received === 'object' && received !== null).toBe(false);
  }
  if (issue !== undefined) expect(errors.map((one: { code: string }) => one.code)).toContain(issue);
}
