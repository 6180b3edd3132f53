import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { SpanFacts, Tracing } from '../../runtime/otlp-tracing.ts';
import type { Activities } from './create-activities.ts';

const resultFacts: {
  [Type in keyof Activities]?: (result: Awaited<ReturnType<Activities[Type]>>) => SpanFacts;
} = {
  dispatchEmails: ({ sent, ended, openIds }) => ({
    'posthaste.emails.sent': sent,
    'posthaste.emails.ended': ended,
    'posthaste.emails.open': openIds.length,
  }),
  computeSegment: (changes) => ({
    'posthaste.segment.entries': changes?.added ?? 0,
    'posthaste.segment.exits': changes?.removed ?? 0,
  }),
  evaluateSegmentChanges: ({ changes, added, removed, failed }) => ({
    'posthaste.segment.changes': changes,
    'posthaste.segment.entries': added,
    'posthaste.segment.exits': removed,
    'posthaste.segments.failed': failed,
  }),
  countSegments: ({ counted, failed }) => ({
    'posthaste.segments.counted': counted,
    'posthaste.segments.failed': failed,
  }),
  endOverdueSnoozes: ({ ended }) => ({ 'posthaste.snoozes.ended': ended }),
  repairStrandedEmails: ({ requeued }) => ({ 'posthaste.emails.requeued': requeued }),
};
const resultFactsByType = new Map(Object.entries(resultFacts));

/** The ids in an input: `campaignId` as `posthaste.campaign.id`, the number of `emailIds` as `posthaste.emails`. */
function factsOf(input: unknown): SpanFacts {
  const facts: SpanFacts = {};
  if (typeof input !== 'object' || input === null) return facts;
  for (const [field, value] of Object.entries(input)) {
    const [, subject] = /^(\w+)Ids?$/.exec(field) ?? [];
    if (subject === undefined) continue;
    if (Array.isArray(value)) facts[`posthaste.${subject}s`] = value.length;
    else facts[`posthaste.${subject}.id`] = String(value);
  }
  return facts;
}

export function traceActivities(tracing: Tracing): ActivityInterceptorsFactory {
  return ({ info: { activityType, attempt, workflowExecution } }) => {
    const result = resultFactsByType.get(activityType);
    return {
      inbound: {
        execute: (input, next) =>
          tracing.span<unknown>(
            {
              name: `activity ${activityType}`,
              facts: {
                ...factsOf(input.args[0]),
                'temporal.activity.attempt': attempt,
                'temporal.workflow.id': workflowExecution?.workflowId,
                'temporal.workflow.run_id': workflowExecution?.runId,
              },
              // as: Temporal types no results; the map pairs each activity's type with a reader of its result.
              ...(result !== undefined && { result: (value) => result(value as never) }),
            },
            () => next(input),
          ),
      },
    };
  };
}
