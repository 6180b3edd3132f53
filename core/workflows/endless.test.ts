import { describe, expect, it } from 'vitest';
import { findEndless, maxHops, pauseOf, pauseUntil } from './endless.ts';

describe('an execution that is about to enter a step', () => {
  const begun = { visit: 5, pausedVisit: 0, hops: 0, onlyOnce: false };

  it.each([
    ['is the last of a chain', { ...begun, visit: 0, hops: maxHops - 1 }, undefined],
    ['is one too many in a chain', { ...begun, visit: 0, hops: maxHops }, 'chain'],
    [
      'is one too many, of a workflow that runs once',
      { ...begun, visit: 0, hops: 30, onlyOnce: true },
      undefined,
    ],
    ['began before there was a limit', { ...begun, hops: 30 }, undefined],
    ['has come far without a pause', { ...begun, visit: 99 }, undefined],
    ['has come too far without a pause', { ...begun, visit: 100 }, 'loop'],
    ['has paused on its way', { ...begun, visit: 5_000, pausedVisit: 4_901 }, undefined],
    ['began before pauses were recorded', { ...begun, visit: 5_000, pausedVisit: null }, undefined],
  ])('%s', (_name, progress, kind) => {
    expect(findEndless(progress, 7)?.kind).toBe(kind);
  });

  it('may go through each step of a long graph', () => {
    expect(findEndless({ ...begun, visit: 240 }, 250)).toBeUndefined();
  });
});

it('a pause is a delay or a time-out of a minute, what a person does, or a minute until anything happens', () => {
  expect([pauseOf(60_000), pauseOf(59_999), pauseOf(null)]).toEqual(['chain', undefined, undefined]);
  expect([pauseUntil({ hops: 0 }, 0), pauseUntil({ hops: 1 }, 0), pauseUntil({ hops: 1 }, 60_000)]).toEqual([
    'chain',
    undefined,
    'loop',
  ]);
});
