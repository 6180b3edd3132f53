import { maxContactDataKeyLength } from '../contact-data/parse-contact-data.ts';
import type { EmailTemplate } from '../rendering/email-template.ts';
import type { ShownVariable } from '../rendering/shown-variables.ts';
import { isRecord } from '../rendering/values.ts';
import type { TemplateVariables } from '../rendering/variables.ts';
import { type EmailProblem, mostPerCode, problem } from './email-problems.ts';

/** What a template may show: see {@link findUnknownFields}. */
interface KnownFields {
  /** Keys of `data` that contacts of the project have. */
  keys: readonly string[];
  /** Of one recipient, including the built-in ones. */
  variables: TemplateVariables;
  /** Whether the email may be sent with further variables: by a request, with its `data`, or by a workflow. */
  takesVariables: boolean;
}

interface UnknownField {
  field: 'subject' | 'body';
  name: string;
  /** A field of contacts that has almost the same name. */
  meant: string | undefined;
  hasFallback: boolean;
  position: ShownVariable['position'];
}

/**
 * Finds outputs that stay empty for every contact because no contact has the field. Outputs with a fallback are meant
 * to allow for that, and are reported only if contacts have a field of almost the same name: "First name" of a file,
 * for example, instead of "firstName". If the email may take variables, a single note names the other fields.
 */
export function findUnknownFields(
  template: Pick<EmailTemplate, 'subject' | 'html'>,
  { keys, variables, takesVariables }: KnownFields,
): EmailProblem[] {
  const known = new Set([...keys, ...Object.keys(variables), ...(takesVariables ? ofWorkflows : [])]);
  const knownData = isRecord(variables.data) ? new Set([...keys, ...Object.keys(variables.data)]) : known;
  const likeName = new Map(keys.map((key) => [bareName(key), key]));
  const unknownIn = (field: 'subject' | 'body', shown: readonly ShownVariable[]) =>
    shown.flatMap(({ path, hasFallback, position }): UnknownField[] => {
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
  if (!takesVariables) return unknown.slice(0, mostPerCode).map(emptyOutput);
  const { misnamed = [], passed = [] } = Object.groupBy(unknown, ({ meant }) =>
    meant === undefined ? 'passed' : 'misnamed',
  );
  return [...misnamed.slice(0, mostPerCode).map(likelyMistake), ...variablesToPass(passed)];
}

/** Variables that only emails of workflows have. */
const ofWorkflows = ['event', 'context'];

function emptyOutput({ field, name, meant, hasFallback, position }: UnknownField): EmailProblem {
  const where = field === 'subject' ? 'in the subject' : 'there';
  const what = hasFallback ? 'only the fallback' : 'nothing';
  const advice = meant === undefined ? '' : `. Did you mean “${meant}”?`;
  const message = `No contact has a field “${name}”, so ${what} shows ${where}${advice}`;
  return problem('unknown_field', message, { field, ...position() });
}

function likelyMistake({ field, name, meant, position }: UnknownField): EmailProblem {
  const message = `No contact has a field “${name}”. Did you mean “${meant}”?`;
  return problem('unknown_field', message, { field, ...position() });
}

function variablesToPass(unknown: readonly UnknownField[]): EmailProblem[] {
  const names = [...new Set(unknown.map(({ name }) => `“${name}”`))].slice(0, mostPerCode);
  if (names.length === 0) return [];
  const message =
    names.length === 1
      ? `No contact has a field ${names[0]}. It stays empty unless the request that sends this passes it`
      : `No contact has the fields ${list.format(names)}. They stay empty unless the request that sends this passes them`;
  return [problem('variable_needed', message)];
}

const list = new Intl.ListFormat('en');

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
