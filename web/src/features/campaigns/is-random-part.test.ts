import { expect, it } from 'vitest';
import { isRandomPart } from './is-random-part.ts';

const [half, around, paying] = ['a', 'b', 'c'].map((digit) => `0190a1b2-0000-7000-8000-${digit.repeat(12)}`);
const where = (field: string, operator: string, value?: unknown) => ({
  logic: 'AND',
  groups: [{ filters: [{ field, operator, value }] }],
});
const segments = [
  { id: String(half), condition: where('randomGroup', 'lessThan', 50) },
  { id: String(around), condition: where(`segment.${half?.toUpperCase()}`, 'memberOfSegment') },
  { id: String(paying), condition: where('data.plan', 'equals', 'randomGroup') },
];

it.each([
  [{ segmentId: null, audienceCondition: null }, false],
  [{ segmentId: null, audienceCondition: where('randomGroup', 'lessThan', 5) }, true],
  [{ segmentId: String(half), audienceCondition: null }, true],
  [{ segmentId: String(around), audienceCondition: null }, true],
  [{ segmentId: null, audienceCondition: where(`segment.${around}`, 'memberOfSegment') }, true],
  [{ segmentId: String(paying), audienceCondition: null }, false],
  [{ segmentId: '0190a1b2-0000-7000-8000-000000000000', audienceCondition: null }, false],
])('finds out whether %j is a random part', (audience, expected) => {
  expect(isRandomPart(audience, segments)).toBe(expected);
});
