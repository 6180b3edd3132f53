import { z } from 'zod';

export const units = ['days', 'hours', 'minutes'] as const;
export type Unit = (typeof units)[number];
export type FilterValue = string | number | boolean;
/** What `in` and `notIn` compare with. */
export type ValueList = FilterValue[];

export interface Filter {
  field: string;
  operator: string;
  value?: FilterValue | ValueList | undefined;
  unit?: Unit | undefined;
  /** For `countGreaterThan` and `countLessThan`: counts only events within this time before now. */
  within?: number | undefined;
}

/** A group holds when all of its conditions hold. */
export interface Group {
  filters: Filter[];
  conditions?: Condition | undefined;
}

/** A condition tree in the format of the API. While it is being edited, filters may be incomplete. */
export interface Condition {
  logic: 'AND' | 'OR';
  groups: Group[];
}

export const maxDepth = 10;
export const maxFilters = 100;

export const blankFilter: Filter = { field: '', operator: '' };
export const blankGroup: Group = { filters: [blankFilter] };
export const blankCondition: Condition = { logic: 'AND', groups: [blankGroup] };

const valueSchema = z.union([z.string(), z.number(), z.boolean()]);

const filterSchema = z.object({
  field: z.string().catch(''),
  operator: z.string().catch(''),
  value: z
    .union([valueSchema, z.array(valueSchema)])
    .optional()
    .catch(undefined),
  unit: z.enum(units).optional().catch(undefined),
  within: z.number().optional().catch(undefined),
});

const groupSchema = z.object({
  filters: z
    .array(filterSchema)
    .nullish()
    .transform((filters) => filters ?? []),
  get conditions() {
    return conditionSchema.nullish().transform((conditions) => conditions ?? undefined);
  },
});

const conditionSchema: z.ZodType<Condition, unknown> = z.object({
  logic: z.enum(['AND', 'OR']),
  groups: z.array(groupSchema).min(1),
});

/**
 * Converts the tree of the API, or the single filter that a CONDITION step may hold; returns a blank condition for
 * anything else.
 */
export function readCondition(raw: unknown): Condition {
  const tree = conditionSchema.safeParse(raw);
  if (tree.success) return tree.data;
  const filter = filterSchema.safeParse(raw);
  if (!filter.success || filter.data.field === '') return blankCondition;
  return { logic: 'AND', groups: [{ filters: [filter.data] }] };
}

export function countFilters({ groups }: Condition): number {
  return groups.reduce(
    (sum, { filters, conditions }) => sum + filters.length + (conditions ? countFilters(conditions) : 0),
    0,
  );
}

export const replaceAt = <Item>(items: readonly Item[], at: number, item: Item): Item[] =>
  items.map((one, index) => (index === at ? item : one));

export const removeAt = <Item>(items: readonly Item[], at: number): Item[] =>
  items.filter((_, index) => index !== at);
