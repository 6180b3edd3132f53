import { DOMParser, DOMSerializer, type Node, type Slice } from '@tiptap/pm/model';
import { EditorState, Selection } from '@tiptap/pm/state';
import { type Editor, EditorContent, useEditor } from '@tiptap/react';
import { type Ref, useEffectEvent, useImperativeHandle, useLayoutEffect, useRef } from 'react';
import { say } from '../../../ui/toast.tsx';
import { useSizeEffect } from '../../../ui/use-size-effect.ts';
import { type EmailDocument, pageLook, showsMoreAfter, splitDocument } from './email-document.ts';
import { emailExtensions } from './extensions.ts';
import { insertImages } from './insert-images.ts';
import { parseContent } from './parse-content.ts';
import { cleanPasted, hasLocalImage } from './pasted.ts';
import { isSameContent } from './same-content.ts';
import { SelectionBar } from './selection-bar.tsx';
import { unsupportedParts } from './unsupported.ts';
import { VisualToolbar } from './visual-toolbar.tsx';
import { writeContent } from './write-content.ts';
import './visual-editor.css';

export interface VisualEditorHandle {
  /** Replaces the selection. */
  insert: (markup: string) => void;
}

interface VisualEditorProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Called when the editor can't show the value without changing it. */
  onRefuse: (reason: string) => void;
  ref?: Ref<VisualEditorHandle>;
}

/** @returns the position in the first empty paragraph, or else at the start of the first one */
function startOf(doc: Node): number {
  const starts: { at: number; isEmpty: boolean }[] = [];
  doc.descendants((node, at) => {
    if (node.isTextblock) starts.push({ at: at + 1, isEmpty: node.content.size === 0 });
  });
  return (starts.find(({ isEmpty }) => isEmpty) ?? starts[0])?.at ?? Selection.atStart(doc).from;
}

const read = (editor: Editor, content: string) =>
  DOMParser.fromSchema(editor.schema).parse(parseContent(content));

function write({ schema, state }: Editor): string {
  const hidden = document.implementation.createHTMLDocument();
  const root = hidden.createDocumentFragment();
  root.append(DOMSerializer.fromSchema(schema).serializeFragment(state.doc.content, { document: hidden }));
  return writeContent(root);
}

/** @returns why merely showing the email would change it; undefined if it would not */
function show(editor: Editor, email: EmailDocument): string | undefined {
  const { content } = email;
  if (showsMoreAfter(email)) return 'it has content after the end of its body';
  const unsupported = unsupportedParts(content);
  if (unsupported.length > 0) return `it has ${unsupported.slice(0, 3).join(', ')}`;
  const doc = read(editor, content);
  // A new state, because changes to the former content can't be undone in this one.
  editor.view.updateState(EditorState.create({ doc, plugins: editor.state.plugins }));
  editor.commands.setTextSelection(startOf(doc));
  return isSameContent(content, write(editor))
    ? undefined
    : 'it has elements in an order that the visual editor would change';
}

/** Whether the HTML was copied from a visual editor. */
const isOwn = (html: string): boolean => html.includes('data-pm-slice');

/** The image files, unless something else comes with them: spreadsheets also copy a picture of their cells. */
const imageFilesOf = (data: DataTransfer | null, slice: Slice): File[] =>
  slice.size > 0 ? [] : [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'));

/** Says which images of a pasted text are missing. */
function mentionLostImages(data: DataTransfer | null): void {
  const html = data?.getData('text/html') ?? '';
  if (!isOwn(html) && hasLocalImage(html))
    say('The images could not be pasted with the text. Paste each one alone, or drop its file here.');
}

/** Scales down an email that is wider than the pane, such as a 600 px table. */
function shrinkToFit(pane: HTMLElement): void {
  const page = pane.firstElementChild;
  if (!(page instanceof HTMLElement)) return;
  page.style.zoom = '1';
  page.style.zoom = String(Math.max(0.5, Math.min(1, pane.clientWidth / pane.scrollWidth)));
}

/** Edits an email as its recipient sees it. Preserves markup that it can't edit, or refuses the email. */
export function VisualEditor({ label, value, onChange, onRefuse, ref }: VisualEditorProps) {
  const pane = useRef<HTMLDivElement>(null);
  useSizeEffect(pane, shrinkToFit);
  const shown = useRef<{ editor: Editor; html: string }>(null);
  const editor: Editor = useEditor({
    extensions: emailExtensions,
    shouldRerenderOnTransaction: false,
    editorProps: {
      attributes: { 'aria-label': label, 'aria-multiline': 'true', role: 'textbox', class: 'visual-email' },
      transformPastedHTML: (html) => (isOwn(html) ? html : cleanPasted(html)),
      handlePaste: ({ state }, { clipboardData }, slice) =>
        takeImages(clipboardData, slice, state.selection.to),
      handleDrop: (view, { dataTransfer, clientX, clientY }, slice) =>
        takeImages(dataTransfer, slice, view.posAtCoords({ left: clientX, top: clientY })?.pos),
    },
    onUpdate({ editor: changed }) {
      const { before, after } = splitDocument(value);
      const html = `${before}${write(changed)}${after}`;
      shown.current = { editor: changed, html };
      onChange(html);
    },
  });
  /** @returns whether there was nothing but images, which will be inserted */
  function takeImages(data: DataTransfer | null, slice: Slice, at = editor.state.selection.to): boolean {
    const files = imageFilesOf(data, slice);
    if (files.length === 0) mentionLostImages(data);
    else void insertImages(editor, files, at);
    return files.length > 0;
  }
  const refuse = useEffectEvent(onRefuse);
  // A layout effect, because text typed between painting and a later effect would be lost.
  useLayoutEffect(() => {
    // If React delays effects, TipTap has already replaced this editor with one that is rendered next.
    if (editor.isDestroyed) return;
    const email = splitDocument(value);
    const last = shown.current?.editor === editor ? splitDocument(shown.current.html) : undefined;
    const isShown = last?.content === email.content && last.after === email.after;
    shown.current = { editor, html: value };
    if (isShown) return;
    const refusal = show(editor, email);
    if (refusal !== undefined) refuse(refusal);
  }, [editor, value]);
  useImperativeHandle(ref, () => ({
    insert(markup) {
      const slice = DOMParser.fromSchema(editor.schema).parseSlice(parseContent(markup));
      editor.view.dispatch(editor.state.tr.replaceSelection(slice).scrollIntoView());
      editor.commands.focus();
    },
  }));
  return (
    <div className="flex h-full min-h-0 flex-col">
      <VisualToolbar editor={editor} />
      <div
        ref={pane}
        className="email-page min-h-0 flex-1 overflow-auto"
        style={pageLook(splitDocument(value))}
      >
        <EditorContent editor={editor} className="h-full" />
      </div>
      <SelectionBar editor={editor} />
    </div>
  );
}
