import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';

/**
 * Server settings that log the plans of all statements, including those within functions, as one JSON object per line.
 */
export const planSettings = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_parameter_max_length': '0',
  'auto_explain.log_format': 'json',
  logging_collector: 'on',
  log_destination: 'jsonlog',
  log_filename: 'plans.log',
  log_rotation_age: '0',
  log_rotation_size: '0',
};

/** A sequential scan of more rows than this is not of a table that stays small. */
const smallTable = 2_000;
const nodeSchema = z.looseObject({
  'Node Type': z.string(),
  'Relation Name': z.string().optional(),
  'Actual Rows': z.number().default(0),
  'Actual Loops': z.number().default(0),
  'Rows Removed by Filter': z.number().default(0),
  'Rows Removed by Index Recheck': z.number().default(0),
  'Shared Hit Blocks': z.number().default(0),
  'Shared Read Blocks': z.number().default(0),
  get Plans(): z.ZodOptional<z.ZodArray<typeof nodeSchema>> {
    return z.array(nodeSchema).optional();
  },
});
type PlanNode = z.output<typeof nodeSchema>;
const planSchema = z.object({ 'Query Text': z.string(), Plan: nodeSchema });
const lineSchema = z.object({ message: z.string(), application_name: z.string().optional() });

export interface Statement {
  text: string;
  calls: number;
  /** The maximum of a single call, for each of the three. */
  buffers: number;
  read: number;
  returned: number;
  /** Tables that were read in full, with their rows. */
  scanned: Map<string, number>;
  /** Plan of the call with the most buffers. */
  plan: unknown;
}

/** Replaces numbers, ids and list lengths, which differ from call to call. */
const shapeOf = (text: string) =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/'[0-9a-f-]{36}'|\b\d+\b|\$\d+/g, '?')
    .replaceAll(/\?(?:::\w+)?(?:, ?\?(?:::\w+)?)+/g, '?')
    .trim();

function addNode(node: PlanNode, statement: Pick<Statement, 'read' | 'scanned'>): void {
  const table = node['Relation Name'];
  if (table !== undefined && node['Node Type'].endsWith('Scan')) {
    const each = node['Actual Rows'] + node['Rows Removed by Filter'] + node['Rows Removed by Index Recheck'];
    const rows = Math.round(each * node['Actual Loops']);
    statement.read += rows;
    if (node['Node Type'] === 'Seq Scan' && rows > smallTable) statement.scanned.set(table, rows);
  }
  for (const child of node.Plans ?? []) addNode(child, statement);
}

/** @param from,to bytes of the log */
export async function readPlans(file: string, from: number, to: number): Promise<Map<string, Statement>> {
  const statements = new Map<string, Statement>();
  if (from >= to) return statements;
  for await (const line of createInterface({ input: createReadStream(file, { start: from, end: to - 1 }) })) {
    if (!line.includes('plan:\\n')) continue;
    const { message } = lineSchema.parse(JSON.parse(line));
    const parsed = planSchema.parse(JSON.parse(message.slice(message.indexOf('plan:') + 'plan:'.length)));
    const { Plan: plan, 'Query Text': text } = parsed;
    const one = { read: 0, scanned: new Map<string, number>() };
    addNode(plan, one);
    const shape = shapeOf(text);
    const buffers = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    const before = statements.get(shape);
    statements.set(shape, {
      text,
      calls: (before?.calls ?? 0) + 1,
      buffers: Math.max(before?.buffers ?? 0, buffers),
      read: Math.max(before?.read ?? 0, one.read),
      returned: Math.max(before?.returned ?? 0, plan['Actual Rows']),
      scanned: new Map([...(before?.scanned ?? []), ...one.scanned]),
      plan: before !== undefined && before.buffers >= buffers ? before.plan : plan,
    });
  }
  return statements;
}

export interface Compared {
  shape: string;
  small: Statement | undefined;
  large: Statement;
  faults: string[];
}

/** Beyond these, a statement of the large project is reported: pages of a list differ by less. */
const [fewBuffers, growth, rowsPerRow] = [300, 4, 20];

export function compare(small: Map<string, Statement>, large: Map<string, Statement>): Compared[] {
  return [...large]
    .map(([shape, of]) => {
      const before = small.get(shape);
      const faults = [...of.scanned].map(([table, rows]) => `scans ${table} (${rows})`);
      if (before !== undefined && of.buffers > fewBuffers + growth * before.buffers) faults.push('grows');
      if (before === undefined && of.buffers > fewBuffers) faults.push('only here');
      if (of.read > smallTable + rowsPerRow * of.returned) faults.push('reads more than it returns');
      return { shape, small: before, large: of, faults };
    })
    .sort((a, b) => b.large.buffers - a.large.buffers);
}

const columns = ['buffers', 'small', 'read', 'small', 'answered', 'calls'];

/** What each statement read in its largest call, most buffers first. */
export function presentPlans(compared: readonly Compared[]): string {
  const lines = compared.map(({ shape, small, large, faults }) => {
    const values = [
      large.buffers,
      small?.buffers ?? '–',
      large.read,
      small?.read ?? '–',
      large.returned,
      large.calls,
    ];
    return `${values.map((value) => String(value).padStart(9)).join('')}  ${shape.slice(0, 150)}${faults.map((each) => `\n${' '.repeat(56)}^ ${each}`).join('')}`;
  });
  return [columns.map((name) => name.padStart(9)).join(''), ...lines].join('\n');
}
