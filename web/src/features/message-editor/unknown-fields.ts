import type { Schema } from '../../api/client.ts';
import { builtInNames, keysOf } from './field-names.ts';

export type EmailProblem = Omit<Schema<'EmailPreview'>['problems'][number], 'code'> & { code: string };

const output = /\{\{([^{}]*)\}\}/g;
/** Names may have spaces. */
const path = /^([^.[\]=<>"'()]+)((?:\.[^.[\]=<>"'()]+|\[[^\]]*\])*)$/;
const local = /\{%-?\s*(?:assign|capture|for|increment|decrement|tablerow)\s+([A-Za-z_][\w-]*)/g;
/** What they show is not the value of a field. */
const literal = /^(?:[\d.-]+|true|false|nil|null|empty|blank|)$/;
const logic = /(?:^| )(?:and|or|not|contains) /;
const dataKey = /^(?:\.([^.[]+)|\[\s*["']([^"']*)["']\s*\])/;

/**
 * Outputs of a campaign that stay empty for everybody, because no contact has such a field. One with a fallback is meant to.
 *
 * @param fields as `/contacts/fields` lists them; none are not known yet
 */
export function unknownFields(
  content: { subject: string; body: string },
  fields: readonly string[],
): EmailProblem[] {
  if (fields.length === 0) return [];
  const keys = keysOf(fields);
  const locals = [...`${content.subject}${content.body}`.matchAll(local)].map(([, name = '']) => name);
  const roots = new Set([...keys, ...builtInNames, 'data', 'forloop', 'tablerowloop', ...locals]);
  return (['subject', 'body'] as const).flatMap((field) =>
    [...content[field].matchAll(output)].flatMap((match): EmailProblem[] => {
      const fault = faultOf(match[1] ?? '', keys, roots);
      if (fault === undefined) return [];
      const { name, meant } = fault;
      const where = field === 'subject' ? 'in the subject' : 'there';
      const advice = meant === undefined ? '' : `. Did you mean “${meant}”?`;
      return [
        {
          code: 'unknown_field',
          severity: 'warning',
          message: `No contact has a field “${name}”, so nothing shows ${where}${advice}`,
          field,
          ...placeOf(content[field], match.index),
        },
      ];
    }),
  );
}

/** The field that nobody has, and one that is written like it. */
function faultOf(
  text: string,
  keys: readonly string[],
  roots: ReadonlySet<string>,
): { name: string; meant: string | undefined } | undefined {
  if (/\?\?|\|\s*default\b/.test(text)) return undefined;
  const head = text.replace(/^-|-$/g, '').split('|', 1)[0]?.trim() ?? '';
  const [, root, rest = ''] = path.exec(head) ?? [];
  if (root === undefined || literal.test(head)) return undefined;
  const [, dotted, quoted] = dataKey.exec(rest) ?? [];
  const key = root === 'data' ? (dotted ?? quoted) : undefined;
  if (key === undefined ? roots.has(root) : keys.includes(key)) return undefined;
  if (logic.test(head)) return undefined;
  const name = key ?? root;
  return { name, meant: keys.find((known) => known.toLowerCase() === name.toLowerCase()) };
}

function placeOf(text: string, index: number): { line: number; column: number } {
  const before = text.slice(0, index).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
