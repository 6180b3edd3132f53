import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toFieldIssues } from './field-issues.ts';

const address = z.email();
const recipient = z.union([address, z.object({ name: z.string().optional(), email: address })]);
const send = z.object({
  to: z.union([recipient, z.array(recipient).min(1)]),
  subject: z.string().max(5).optional(),
  password: z.string().min(10).optional(),
  event: z
    .string()
    .refine((name) => !name.startsWith('email.'), { params: { code: 'reserved_event' }, error: 'Reserved' })
    .optional(),
  headers: z.record(z.string().regex(/^[a-z]+$/), z.string()).optional(),
  step: z.discriminatedUnion('type', [z.object({ type: z.literal('EXIT') })]).optional(),
});

function issuesOf(input: unknown) {
  const result = send.safeParse(input);
  return result.success ? [] : toFieldIssues(result.error.issues, input);
}
const briefly = (input: unknown) => issuesOf(input).map((issue) => `${issue.field} ${issue.code}`);

describe('field issues', () => {
  it.each([
    [{ to: 'x' }, ['to invalid_string']],
    [{ to: ['a@b.co', { email: 'x' }] }, ['to.1.email invalid_string']],
    [{ to: ['a@b.co', 'x', 7] }, ['to.1 invalid_string', 'to.2 invalid_type']],
    [{ to: { email: 3 } }, ['to.email invalid_type']],
    [{ to: {} }, ['to.email invalid_type']],
    [{ to: [] }, ['to too_small']],
    [{ to: 7 }, ['to invalid_type']],
    [{}, ['to invalid_type']],
    [{ to: 'a@b.co', subject: 'too long' }, ['subject too_big']],
    [{ to: 'a@b.co', event: 'email.sent' }, ['event reserved_event']],
    [{ to: 'a@b.co', headers: { A1: 'x', b: 2 } }, ['headers.A1 invalid_string', 'headers.b invalid_type']],
    [{ to: 'a@b.co', step: { type: 'JUMP' } }, ['step.type invalid_value']],
    [
      { to: 'x', subject: 'too long', event: 'email.x' },
      ['to invalid_string', 'subject too_big', 'event reserved_event'],
    ],
    [[], [' invalid_type']],
    [null, [' invalid_type']],
  ])('name each fault of %j by path and code', (input, expected) => {
    expect(briefly(input)).toEqual(expected);
  });

  it('name the types that a union accepts', () => {
    expect(issuesOf({ to: 7 })[0]?.message).toBe('Must be a string, an object or an array');
  });

  it('echo scalars only, shortened, and never a password', () => {
    expect(issuesOf({ to: 7 })[0]?.received).toBe(7);
    expect(issuesOf({ to: null })[0]?.received).toBeNull();
    expect(issuesOf({ to: {} })[0]).not.toHaveProperty('received');
    expect(issuesOf({})[0]).not.toHaveProperty('received');
    expect(issuesOf({ to: 'x'.repeat(1000) })[0]?.received).toBe(`${'x'.repeat(200)}…`);
    expect(issuesOf({ to: 'a@b.co', password: 'short' })[0]).not.toHaveProperty('received');
  });

  it('are at most a hundred, also of one union', () => {
    const headers = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`A${n}`, n]));
    expect(issuesOf({ to: 'a@b.co', headers })).toHaveLength(100);
    expect(issuesOf({ to: Array.from({ length: 1_000 }, () => 'x') })).toHaveLength(100);
  });

  it('never throw and never lose the whole refusal, whatever was sent', () => {
    fc.assert(
      fc.property(fc.anything(), (input) => {
        const refused = !send.safeParse(input).success;
        expect(issuesOf(input).length > 0).toBe(refused);
      }),
    );
  });
});
