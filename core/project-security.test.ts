import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluateSender, securityLevels } from './project-security.ts';

describe('a sender', () => {
  it.each([
    [{ sent: 0, bounced: 0, complained: 0 }, 'healthy', 'healthy'],
    [{ sent: 99, bounced: 99, complained: 99 }, 'healthy', 'healthy'],
    [{ sent: 100, bounced: 4, complained: 0 }, 'healthy', 'healthy'],
    [{ sent: 100, bounced: 5, complained: 0 }, 'warning', 'healthy'],
    [{ sent: 1_000, bounced: 99, complained: 0 }, 'warning', 'healthy'],
    [{ sent: 1_000, bounced: 100, complained: 0 }, 'critical', 'healthy'],
    [{ sent: 1_001, bounced: 0, complained: 1 }, 'healthy', 'healthy'],
    [{ sent: 1_000, bounced: 0, complained: 1 }, 'healthy', 'warning'],
    [{ sent: 10_000, bounced: 0, complained: 14 }, 'healthy', 'warning'],
    [{ sent: 10_000, bounced: 0, complained: 15 }, 'healthy', 'critical'],
    [{ sent: 100, bounced: 0, complained: 1 }, 'healthy', 'critical'],
  ])('with %j is %s by bounces and %s by complaints', (figures, bounceLevel, complaintLevel) => {
    expect(evaluateSender(figures)).toMatchObject({ bounceLevel, complaintLevel });
  });

  it('is as bad as the worse of its two levels', () => {
    expect(evaluateSender({ sent: 1_000, bounced: 50, complained: 2 })).toEqual({
      bounceRate: 5,
      complaintRate: 0.2,
      bounceLevel: 'warning',
      complaintLevel: 'critical',
      level: 'critical',
    });
  });

  it('never gets better by a further bounce or complaint', () => {
    const rank = (level: (typeof securityLevels)[number]) => securityLevels.indexOf(level);
    fc.assert(
      fc.property(fc.nat(100_000), fc.nat(20_000), fc.nat(300), (sent, bounced, complained) => {
        const before = rank(evaluateSender({ sent, bounced, complained }).level);
        expect(rank(evaluateSender({ sent, bounced: bounced + 1, complained }).level)).toBeGreaterThanOrEqual(
          before,
        );
        expect(
          rank(evaluateSender({ sent, bounced, complained: complained + 1 }).level),
        ).toBeGreaterThanOrEqual(before);
      }),
    );
  });
});
