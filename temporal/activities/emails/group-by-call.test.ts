import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import type { StoredContent } from '../../../db/statements/emails/load-contents.ts';
import { groupByCall } from './group-by-call.ts';

interface Case {
  at: number;
  projectId?: string;
  from?: string;
  attachments?: number;
  isGone?: boolean;
}

function plan(cases: Case[], emailsPerCall = 50) {
  const emails = cases.map(({ projectId = 'p-1' }, id) => ({ id, projectId }) as unknown as ClaimedEmail);
  const caseOf = ({ id }: ClaimedEmail) => cases[Number(id)] ?? expect.unreachable();
  const storedOf = (email: ClaimedEmail) => {
    const { from = 'a@example.com', attachments = 0, isGone } = caseOf(email);
    const content = { body: '', fromEmail: from, fromName: null, replyTo: null };
    const stored = { content, attachments: Array.from({ length: attachments }) } as unknown as StoredContent;
    return isGone ? undefined : stored;
  };
  const planned = groupByCall(emails, storedOf, (email) => caseOf(email).at, emailsPerCall);
  return planned.map(({ emails: together, at }) => ({ at, ids: together.map(({ id }) => Number(id)) }));
}

describe('due emails', () => {
  it('share the calls of their sender', () => {
    const [a, b] = [{ at: 0 }, { at: 0, from: 'b@example.com' }];
    expect(plan([a, b, a, b, a])).toEqual([
      { at: 0, ids: [0, 2, 4] },
      { at: 0, ids: [1, 3] },
    ]);
  });

  it('share no call across projects', () => {
    expect(plan([{ at: 0 }, { at: 0, projectId: 'p-2' }]).map(({ ids }) => ids)).toEqual([[0], [1]]);
  });

  it('of projects that leave at the same time take turns', () => {
    const busy = { at: 0, attachments: 1 };
    const calls = plan([busy, busy, busy, { ...busy, projectId: 'p-2' }, { ...busy, at: -1 }]);
    expect(calls.map(({ ids }) => ids)).toEqual([[4], [0], [3], [1], [2]]);
  });

  it('leave alone with attachments or without content', () => {
    const calls = plan([
      { at: 0, attachments: 1 },
      { at: 0 },
      { at: 0, attachments: 1 },
      { at: 0, isGone: true },
    ]);
    expect(calls.map(({ ids }) => ids)).toEqual([[0], [1], [2], [3]]);
  });

  it('leave one by one with a provider that accepts only one', () => {
    expect(plan([{ at: 0 }, { at: 0 }], 1)).toHaveLength(2);
  });

  it('more than 20 ms apart share no call', () => {
    expect(plan([0, 15, 20, 21, 41, 42].map((at) => ({ at })))).toEqual([
      { at: 20, ids: [0, 1, 2] },
      { at: 41, ids: [3, 4] },
      { at: 42, ids: [5] },
    ]);
  });

  it('leave once each, none before its slot, in calls within the size limit', () => {
    const anyCase = fc.record({
      at: fc.integer({ min: 0, max: 300 }),
      from: fc.constantFrom('a@example.com', 'b@example.com'),
      attachments: fc.constantFrom(0, 0, 0, 1),
    });
    fc.assert(
      fc.property(fc.array(anyCase, { maxLength: 60 }), fc.integer({ min: 1, max: 10 }), (cases, perCall) => {
        const calls = plan(cases, perCall);
        expect(calls.flatMap(({ ids }) => ids).toSorted((a, b) => a - b)).toEqual([...cases.keys()]);
        for (const { at, ids } of calls) {
          const times = ids.map((id) => cases[id]?.at ?? expect.unreachable());
          expect(at).toBe(Math.max(...times));
          expect(at - Math.min(...times)).toBeLessThanOrEqual(20);
          expect(ids.length).toBeLessThanOrEqual(perCall);
        }
      }),
    );
  });
});
