import { z } from 'zod';
import { mostNames } from '../../analytics/questions/event-stats.ts';
import { emailFigures } from '../../analytics/questions/figures.ts';
import { activityTypes } from '../../core/activity-types.ts';
import { boundedInstant } from '../../core/bounded-instant.ts';
import { idSchema } from '../../core/id-schema.ts';
import { isStorableText } from '../../core/json-value.ts';
import { parseInstant } from '../../core/parse-instant.ts';
import { recordOf } from '../../core/record-of.ts';
import { reportIssue } from '../../core/zod-issues.ts';
import { anyObject } from './json-object.ts';
import { cursorPageSchema, limitSchema } from './pagination.ts';

/** Anything that a date parser accepts, clamped to the years 1 to 9999. */
export const dateSchema = z
  .string()
  .max(64)
  .meta({
    description: 'A date or date-time, ISO 8601; UTC without a zone.',
    example: '2026-01-31T00:00:00.000Z',
  })
  .transform((text, context) => {
    const instant = parseInstant(text);
    if (instant !== undefined) return boundedInstant(instant);
    reportIssue(context, 'Expected a date', 'invalid_string');
    return z.NEVER;
  });

export const periodQuerySchema = z.object({
  startDate: dateSchema.optional(),
  endDate: dateSchema
    .optional()
    .describe('Inclusive, as is `startDate`. A date means midnight UTC, so `2026-01-31` excludes that day.'),
});
export type PeriodQuery = z.output<typeof periodQuerySchema>;

export const activityQuerySchema = periodQuerySchema.extend({
  limit: limitSchema(50),
  cursor: z.string().optional(),
  types: z
    .union([z.string(), z.array(z.string())])
    .transform((types) =>
      [types]
        .flat()
        .flatMap((part) => part.split(','))
        .filter((type) => type !== ''),
    )
    .pipe(z.array(z.enum(activityTypes)))
    .optional()
    .meta({ description: 'Activity types, separated by commas.', example: 'email.sent,email.opened' }),
  contactId: idSchema.optional(),
});
export type ActivityQuery = z.output<typeof activityQuerySchema>;

export const upcomingQuerySchema = z.object({ limit: limitSchema(50) });

export const upcomingSchema = z.object({
  data: z.array(
    z.object({
      id: z.uuid().meta({ description: 'Id of the campaign or execution.' }),
      type: z.enum(['campaign.scheduled', 'workflow.waiting']),
      timestamp: z.iso.datetime(),
      contactId: z.uuid().nullable(),
      contactEmail: z.string().nullable(),
      metadata: anyObject,
    }),
  ),
});

export const eventListQuerySchema = z.object({
  limit: limitSchema(50),
  cursor: z.string().optional(),
  name: z.string().max(255).optional(),
});
export type EventListQuery = z.output<typeof eventListQuerySchema>;

export const eventNameParamsSchema = z.object({
  eventName: z
    .string()
    .refine(isStorableText, 'Expected text without NUL')
    .meta({ description: 'Name of the event, URL-encoded.', example: 'order placed' }),
});

const reference = z.object({ id: z.uuid(), name: z.string() });
export const eventUsageSchema = z.object({ segments: z.array(reference), workflows: z.array(reference) });

export const recentCountQuerySchema = z.object({
  minutes: z.coerce.number().int().min(1).max(1440).default(5).describe('Minutes to look back.'),
});

export const activitySchema = z
  .object({
    id: z.uuid(),
    type: z.string(),
    timestamp: z.iso.datetime(),
    contactId: z.uuid().nullable(),
    contactEmail: z.string().nullable().describe('Null after the contact was deleted.'),
    metadata: anyObject,
  })
  .meta({ id: 'Activity' });
export const activityPageSchema = cursorPageSchema(activitySchema);

export const eventSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    data: anyObject,
    contactId: z.uuid().nullable(),
    contactEmail: z.string().nullable().describe('Null after the contact was deleted.'),
    emailId: z.uuid().nullable(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Event' });
export const eventPageSchema = cursorPageSchema(eventSchema);

const count = z.int();
export const activityStatsSchema = z.object({
  totalEvents: count,
  ...recordOf(emailFigures, () => count),
  workflowsStarted: count,
  openRate: z.number().describe('Percent of sent.'),
  clickRate: z.number().describe('Percent of sent.'),
});

export const eventStatsSchema = z.object({
  total: count,
  byName: z.array(z.object({ name: z.string(), count })).describe(`The ${mostNames} most frequent names.`),
  otherCount: count.describe('Events with all other names.'),
  timeseries: z.array(z.object({ date: z.string(), count })),
});
