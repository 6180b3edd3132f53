import type { Completion } from '@codemirror/autocomplete';
import { html } from '@codemirror/lang-html';
import { liquid } from '@codemirror/lang-liquid';
import type { Extension } from '@codemirror/state';

const builtIn: readonly Completion[] = [
  { label: 'email', type: 'variable', detail: 'address of the reader' },
  { label: 'unsubscribeUrl', type: 'variable', detail: 'link to unsubscribe' },
  { label: 'manageUrl', type: 'variable', detail: 'link to preferences' },
  { label: 'subscribeUrl', type: 'variable', detail: 'link to subscribe again' },
  { label: 'subscribed', type: 'variable', detail: 'true or false' },
  { label: 'id', type: 'variable', detail: 'id of the contact' },
];
const isPlain = /^[A-Za-z_][\w-]*$/;

/** HTML with Liquid that completes the fields of the project's contacts. */
export function emailLanguage(fields: readonly string[]): Extension {
  const keys = fields
    .filter((field) => field.startsWith('data.'))
    .map((field) => field.slice('data.'.length));
  const roots = keys.filter((key) => isPlain.test(key));
  const named = roots.map((label): Completion => ({ label, type: 'variable', detail: 'field of contacts' }));
  const data: Completion = { label: 'data', type: 'variable', detail: 'all fields of contacts' };
  // Auto-closing quotes would break `href="{{ unsubscribeUrl }}"`.
  return liquid({
    base: html({ autoCloseTags: false }),
    variables: [...named, data, ...builtIn],
    properties: (path) =>
      path.length === 1 && path[0] === 'data' ? roots.map((label) => ({ label, type: 'property' })) : [],
  });
}
