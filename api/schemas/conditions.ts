import { z } from 'zod';
import { maxConditionFilters } from '../../core/conditions/parse-condition.ts';

const filterSchema = z
  .looseObject({
    field: z
      .string()
      .describe(
        '`email`, `subscribed`, `createdAt`, `updatedAt`, `snoozedUntil`, `randomGroup`, `data.<path>`, `event.<name>`, ' +
          '`email.<activity>`, `segment.<id>` or `campaign.<id>`.',
      ),
    operator: z
      .string()
      .describe(
        '`equals`, `notEquals`, `in`, `notIn`, `contains`, `notContains`, `greaterThan`, `lessThan`, `greaterThanOrEqual`, ' +
          '`lessThanOrEqual`, `within`, `olderThan`, `exists`, `notExists`; of events `triggered`, `triggeredWithin`, ' +
          '`triggeredOlderThan`, `notTriggered`, `notTriggeredWithin`, `countGreaterThan`, `countLessThan`; of ' +
          'segments `memberOfSegment`, `notMemberOfSegment`; of campaigns `sent`, `notSent`, `opened`, `notOpened`, ' +
          '`clicked`, `notClicked`.',
      ),
    value: z
      .unknown()
      .optional()
      .describe('What the operator compares with. `in` and `notIn` take a list of 1 to 100 values.'),
    // Any value is accepted, and ignored where the operator does not use it.
    unit: z
      .unknown()
      .optional()
      .describe('Unit of an amount of time: `days` (default), `hours` or `minutes`.'),
    within: z.unknown().optional().describe('A number: counts only events of the last `within` units.'),
  })
  .meta({ id: 'ConditionFilter' });

const groupSchema = z
  .looseObject({
    filters: z.array(filterSchema).nullish().describe('All must match.'),
    get conditions() {
      return conditionSchema.nullish().describe('Must match too.');
    },
  })
  .meta({ id: 'ConditionGroup' });

const conditionSchema = z
  .looseObject({ logic: z.enum(['AND', 'OR']), groups: z.array(groupSchema) })
  .describe(
    `At least one group, joined by \`logic\`; at most ${maxConditionFilters} filters in the whole tree.`,
  )
  .meta({ id: 'Condition' });

/** Stored as it was sent, so it may hold unknown fields. */
export const storedConditionSchema: z.ZodType<Record<string, unknown>> = conditionSchema;

/** Validated by `readCondition`, which names the path of each fault; documented like a stored one. */
export const sentConditionSchema = z.unknown().meta({ $ref: '#/$defs/Condition' });
