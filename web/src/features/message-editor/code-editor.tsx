import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { type Ref, useEffect, useEffectEvent, useImperativeHandle, useLayoutEffect, useRef } from 'react';
import type { Schema } from '../../api/client.ts';
import { editorTheme, highlighting } from './code-theme.ts';
import { toDiagnostics } from './diagnostics.ts';
import { emailLanguage } from './email-language.ts';

export interface CodeEditorHandle {
  /** Replaces the selection. */
  insert: (text: string) => void;
  /** Line and column both start at 1. */
  goTo: (line: number, column: number) => void;
}

export interface CodeEditorProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  problems: Schema<'EmailPreview'>['problems'];
  /** Field names for completion, from `/contacts/fields`. */
  fields: readonly string[];
  ref?: Ref<CodeEditorHandle>;
}

const language = new Compartment();

/**
 * Edits HTML with Liquid. Tab leaves the editor like any other field, so that the page works by keyboard; Ctrl+M makes
 * Tab indent instead.
 */
export function CodeEditor({ label, value, onChange, problems, fields, ref }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const changed = useEffectEvent(onChange);
  const initial = useEffectEvent(() =>
    EditorState.create({
      doc: value,
      extensions: [
        lineNumbers(),
        lintGutter(),
        history(),
        indentOnInput(),
        bracketMatching(),
        autocompletion(),
        highlightActiveLine(),
        EditorView.lineWrapping,
        language.of(emailLanguage(fields)),
        syntaxHighlighting(highlighting),
        editorTheme,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        keymap.of([...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(update.state.doc.toString());
        }),
      ],
    }),
  );
  // Runs before the owner receives the handle below.
  useLayoutEffect(() => {
    if (host.current === null) return;
    const editor = new EditorView({ parent: host.current, state: initial() });
    view.current = editor;
    return () => editor.destroy();
  }, []);
  useEffect(() => {
    const editor = view.current;
    // Compared as documents: the editor ends lines with \n, the stored text perhaps with \r\n.
    if (editor === null || editor.state.toText(value).eq(editor.state.doc)) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  // The initial text: setting it again would parse and draw it twice.
  const shown = useRef({ fields, problems: 0 });
  useEffect(() => {
    if (shown.current.fields === fields) return;
    shown.current.fields = fields;
    view.current?.dispatch({ effects: language.reconfigure(emailLanguage(fields)) });
  }, [fields]);
  useEffect(() => {
    const editor = view.current;
    if (shown.current.problems === 0 && problems.length === 0) return;
    shown.current.problems = problems.length;
    editor?.dispatch(setDiagnostics(editor.state, toDiagnostics(editor.state.doc, problems)));
  }, [problems]);
  useImperativeHandle(ref, () => ({
    insert(text) {
      const editor = view.current;
      if (editor === null) return;
      editor.dispatch(editor.state.replaceSelection(text), { scrollIntoView: true });
      editor.focus();
    },
    goTo(line, column) {
      const editor = view.current;
      if (editor === null || line > editor.state.doc.lines) return;
      const place = editor.state.doc.line(line);
      const anchor = Math.min(place.from + column - 1, place.to);
      editor.dispatch({ selection: { anchor }, scrollIntoView: true });
      editor.focus();
    },
  }));
  return <div ref={host} className="h-full min-h-0" />;
}
