import type { Completion } from '@codemirror/autocomplete';
import { html } from '@codemirror/lang-html';
import { liquid } from '@codemirror/lang-liquid';
import type { Extension } from '@codemirror/state';
import { builtIn, keysOf, outputOf } from './field-names.ts';

const builtInVariables = builtIn.map(
  ({ name, detail }): Completion => ({ label: name, type: 'variable', detail }),
);

/** HTML with Liquid that completes the fields of the project's contacts. */
export function emailLanguage(fields: readonly string[]): Extension {
  const keys = keysOf(fields);
  const roots = keys.filter((key) => outputOf(key) === key);
  const named = keys.map(
    (label): Completion => ({ label, apply: outputOf(label), type: 'variable', detail: 'field of contacts' }),
  );
  const data: Completion = { label: 'data', type: 'variable', detail: 'all fields of contacts' };
  // Auto-closing quotes would break `href="{{ unsubscribeUrl }}"`.
  return liquid({
    base: html({ autoCloseTags: false }),
    variables: [...named, data, ...builtInVariables],
    properties: (path) =>
      path.length === 1 && path[0] === 'data' ? roots.map((label) => ({ label, type: 'property' })) : [],
  });
}
