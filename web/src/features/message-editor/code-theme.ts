import type { syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';

/** Uses the page's color tokens, so its themes apply here too. */
export const editorTheme = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', color: 'var(--ink)', backgroundColor: 'var(--canvas)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '20px', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': {
    backgroundColor: 'var(--sunken)',
    color: 'var(--faint)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--hover) 60%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-content ::selection': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 25%, transparent)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    border: 'none',
    borderRadius: '8px',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
  },
  '.cm-tooltip-autocomplete > ul > li': { padding: '4px 8px' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent-soft)',
    color: 'var(--ink)',
  },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal' },
  '.cm-diagnostic': { padding: '6px 10px', fontFamily: 'var(--font-sans)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  '.cm-diagnostic-info': { borderLeftColor: 'var(--faint)' },
});

// Keyed by the parser's tag names; a missing tag falls back to its parent.
const looks: Readonly<Record<string, string>> = {
  tagName: 'text-accent-text',
  angleBracket: 'text-accent-text',
  attributeName: 'text-muted',
  string: 'text-good',
  number: 'text-good',
  comment: 'text-faint',
  meta: 'text-faint',
  keyword: 'text-warn',
  brace: 'text-warn',
  variableName: 'text-warn',
  propertyName: 'text-warn',
};

/** Colors code by the page's CSS classes. */
export const highlighting: Parameters<typeof syntaxHighlighting>[0] = {
  style(tags) {
    const names = tags.flatMap(({ set }) => set.map(String));
    const known = names.find((name) => name in looks);
    return known === undefined ? null : (looks[known] ?? null);
  },
};
