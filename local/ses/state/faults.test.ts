import { describe, expect, it } from 'vitest';
import { Faults, faultSettingsSchema } from './faults.ts';

function fates(settings: object, calls: number): string[] {
  const faults = new Faults();
  faults.replace(faultSettingsSchema.parse(settings));
  return Array.from({ length: calls }, () => faults.next().fate);
}

describe('faults', () => {
  it('are off until they are set', () => {
    expect(fates({}, 3)).toEqual(['answer', 'answer', 'answer']);
  });

  it('hit every n-th call', () => {
    expect(fates({ dropReplyEvery: 3 }, 6)).toEqual([
      'answer',
      'answer',
      'dropReply',
      'answer',
      'answer',
      'dropReply',
    ]);
    expect(fates({ failEvery: 1 }, 2)).toEqual(['fail', 'fail']);
  });

  it('combine: throttle wins over fail over drop', () => {
    expect(fates({ throttleEvery: 6, failEvery: 3, dropReplyEvery: 1 }, 6)).toEqual([
      'dropReply',
      'dropReply',
      'fail',
      'dropReply',
      'dropReply',
      'throttle',
    ]);
  });

  it('are replaced as a whole and counted from the start again', () => {
    const faults = new Faults();
    faults.replace(faultSettingsSchema.parse({ throttleEvery: 2, latencyMs: 5 }));
    faults.next();
    faults.replace(faultSettingsSchema.parse({ failEvery: 2 }));
    expect([faults.next(), faults.next()]).toEqual([
      { fate: 'answer', latencyMs: 0 },
      { fate: 'fail', latencyMs: 0 },
    ]);
    expect(faults.settings).toEqual({ latencyMs: 0, throttleEvery: 0, dropReplyEvery: 0, failEvery: 2 });
  });
});
