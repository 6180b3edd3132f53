import { maxContactDataKeyLength } from '../contact-data/parse-contact-data.ts';
import type { EmailTemplate } from '../rendering/email-template.ts';
import type { ShownVariable } from '../rendering/shown-variables.ts';
import { isRecord } from '../rendering/values.ts';
import type { TemplateVariables } from '../rendering/variables.ts';
import { type EmailProblem, mostPerCode, problem } from './email-problems.ts';

/**
 * Finds outputs that stay empty for every contact because no contact has the field. Outputs with a fallback are meant
 * to allow for that, and are reported only if contacts have a field of almost the same name: "First name" of a file,
 * for example, instead of "firstName".
 *
 * @param keys of `data` that contacts of the project have
 * @param variables of one recipient, including the built-in ones
 */
export function findUnknownFields(
  template: Pick<EmailTemplate, 'subject' | 'html'>,
  keys: readonly string[],
  variables: TemplateVariables,
): EmailProblem[] {
  const known = new Set([...keys, ...Object.keys(variables)]);
  const knownData = isRecord(variables.data) ? new Set([...keys, ...Object.keys(variables.data)]) : known;
  const likeName = new Map(keys.map((key) => [bareName(key), key]));
  const unknownIn = (field: 'subject' | 'body', shown: readonly ShownVariable[]) =>
    shown.flatMap(({ path, hasFallback, position }) => {
      const [first, ...names] = path;
      const name = first === 'data' ? unknownName(names, knownData) : unknownName(path, known);
      const meant = name && likeName.get(bareName(name));
      if (name === undefined || (hasFallback && meant === undefined)) return [];
      return [{ field, name, meant, hasFallback, position }];
    });
  const unknown = [
    ...unknownIn('subject', template.subject.shownVariables()),
    ...unknownIn('body', template.html.shownVariables()),
  ];
  return unknown.slice(0, mostPerCode).map(({ field, name, meant, hasFallback, position }) => {
    const where = field === 'subject' ? 'in the subject' : 'there';
    const what = hasFallback ? 'only the fallback' : 'nothing';
    const advice = meant === undefined ? '' : `. Did you mean “${meant}”?`;
    const message = `No contact has a field “${name}”, so ${what} shows ${where}${advice}`;
    return problem('unknown_field', message, { field, ...position() });
  });
}

/** Without case, spaces, hyphens and underscores. */
const bareName = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, '');

/** Keys may have dots, so each part of the path up to a name may be one. */
function unknownName(path: readonly string[], known: ReadonlySet<string>): string | undefined {
  // No key is longer than the limit.
  const names = path.slice(0, maxContactDataKeyLength + 1);
  const joined = names.join('.');
  let end = -1;
  for (const name of names) {
    end += name.length + 1;
    if (end > maxContactDataKeyLength) break;
    if (known.has(joined.slice(0, end))) return undefined;
  }
  return names[0];
}
