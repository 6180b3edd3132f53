import { hash } from 'node:crypto';
import { z } from 'zod';
import {
  type CampaignActivity,
  type Condition,
  instantFields,
  type Predicate,
} from '../conditions/condition.ts';
import { predicatesOf } from '../conditions/references.ts';

/**
 * A test that is relative to now: its answer for a contact changes without a write, `ms` after the instant that it
 * reads. `nth`: the latest event is 1.
 */
export const segmentClockSchema = z.discriminatedUnion('of', [
  z.object({ of: z.literal('instant'), field: z.enum(instantFields), ms: z.number() }),
  z.object({ of: z.literal('data'), key: z.string(), path: z.array(z.string()), ms: z.number() }),
  z.object({ of: z.literal('event'), name: z.string(), nth: z.number(), ms: z.number() }),
]);

export type SegmentClock = z.output<typeof segmentClockSchema>;

/** Input for the existence of a contact: a new one may meet any condition. Registered for every tracked segment. */
const existence = 'contact';

/** Names are truncated, also by `record_segment_changes`; two that become equal only cost an extra evaluation. */
const nameLength = 200;

const named = (name: string) => [...name].slice(0, nameLength).join('');

export const eventInput = (name: string) => named(`event.${name}`);
export const membersInput = (segmentId: string) => `segment.${segmentId}`;

/**
 * What the membership of a segment is computed from, by the names under which changes are recorded. Each clock has its
 * own input, which is recorded when it is due.
 *
 * @param conditions of the segment and, at any depth, of those it refers to; null for static ones
 */
export function segmentInputs(
  conditions: ReadonlyMap<string, Condition | null>,
): Map<string, SegmentClock | null> {
  const inputs = new Map<string, SegmentClock | null>([[existence, null]]);
  for (const [segmentId, condition] of conditions) {
    if (condition === null) inputs.set(membersInput(segmentId), null);
    for (const predicate of condition === null ? [] : predicatesOf(condition)) {
      if (predicate.subject === 'variable' || predicate.subject === 'segment') continue;
      for (const input of sourcesOf(predicate)) inputs.set(input, null);
      const clock = clockOf(predicate);
      if (clock !== undefined) inputs.set(clockInput(clock), clock);
    }
  }
  return inputs;
}

export function clockSources(clock: SegmentClock): string[] {
  switch (clock.of) {
    case 'instant':
      return [existence, clock.field];
    case 'data':
      return [existence, ...dataSources(clock)];
    case 'event':
      return [existence, eventInput(clock.name)];
  }
}

function sourcesOf(predicate: Exclude<Predicate, { subject: 'segment' }>): string[] {
  switch (predicate.subject) {
    case 'email':
    case 'subscribed':
      return [predicate.subject];
    case 'randomGroup':
      return [];
    case 'instant':
      return [predicate.field];
    case 'data':
      return dataSources(predicate);
    case 'event':
      return [eventInput(predicate.name)];
    case 'campaign':
      return campaignEvents[predicate.activity].map(eventInput);
  }
}

/** Events that may be the first sign of the activity: each is journaled by the statement that notes it in the email. */
const campaignEvents: Readonly<Record<CampaignActivity, readonly string[]>> = {
  sent: ['email.sent'],
  opened: ['email.open', 'email.click'],
  clicked: ['email.click'],
};

/** Changes of `data` are recorded by its top-level keys: the literal one, and the first of the path. */
function dataSources({ key, path }: { key: string; path: readonly string[] }): string[] {
  return [key, path[0] ?? key].map((name) => named(`data.${name}`));
}

function clockOf(predicate: Exclude<Predicate, { subject: 'segment' }>): SegmentClock | undefined {
  if (!('test' in predicate) || predicate.subject === 'email') return undefined;
  const { test } = predicate;
  if (test.is === 'counted') {
    if (predicate.subject !== 'event' || test.withinMs === undefined || test.atLeast === 0) return undefined;
    return { of: 'event', name: predicate.name, nth: test.atLeast, ms: test.withinMs };
  }
  if (test.is !== 'within' && test.is !== 'olderThan') return undefined;
  const { ms } = test;
  switch (predicate.subject) {
    case 'instant':
      return { of: 'instant', field: predicate.field, ms };
    case 'data':
      return { of: 'data', key: predicate.key, path: predicate.path, ms };
    case 'event':
      return { of: 'event', name: predicate.name, nth: 1, ms };
  }
}

/** A hash, because the truncated names of two clocks could be equal. */
function clockInput(clock: SegmentClock): string {
  return `clock.${hash('sha256', JSON.stringify(clock))}`;
}
