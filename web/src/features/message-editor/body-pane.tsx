import { type Ref, Suspense, useImperativeHandle, useRef, useState } from 'react';
import { useController, useFormContext } from 'react-hook-form';
import { lazyComponent } from '../../ui/lazy-component.ts';
import { useDrawn } from '../../ui/use-drawn.ts';
import { BodyActions } from './body-actions.tsx';
import type { CodeEditorHandle, CodeEditorProps } from './code-editor.tsx';
import type { MessageContent } from './content.ts';
import { type EditingMode, lastMode, rememberMode } from './editing-mode.ts';
import { ModeChoice } from './mode-choice.tsx';
import { paneLook } from './pane-look.ts';
import { PlainCode } from './plain-code.tsx';
import { useFieldNames } from './use-field-names.ts';
import type { VisualEditorHandle } from './visual/visual-editor.tsx';

// Loads while the page fetches its data: React reveals a component that suspends up to 300 ms late.
const CodeEditor = lazyComponent(() => import('./code-editor.tsx'), 'CodeEditor');
const VisualEditor = lazyComponent(() => import('./visual/visual-editor.tsx'), 'VisualEditor');
const [likely, other] = lastMode() === 'visual' ? [VisualEditor, CodeEditor] : [CodeEditor, VisualEditor];
void likely.preload?.()?.then(() => other.preload?.());

export type BodyHandle = Pick<CodeEditorHandle, 'goTo'>;

interface BodyPaneProps {
  problems: CodeEditorProps['problems'];
  ref?: Ref<BodyHandle>;
}

/** Edits the body visually or as HTML. */
export function BodyPane({ problems, ref }: BodyPaneProps) {
  const { control } = useFormContext<MessageContent>();
  const { field, fieldState } = useController({ control, name: 'body' });
  const [mode, setMode] = useState<EditingMode>(lastMode);
  const [refusal, setRefusal] = useState<string>();
  const visual = useRef<VisualEditorHandle>(null);
  const code = useRef<CodeEditorHandle>(null);
  const place = useRef<Parameters<CodeEditorHandle['goTo']>>(null);
  const choose = (chosen: EditingMode) => {
    rememberMode(chosen);
    setRefusal(undefined);
    setMode(chosen);
  };
  const insert = (markup: string) => (mode === 'visual' ? visual : code).current?.insert(markup);
  useImperativeHandle(ref, () => ({
    goTo(...wanted) {
      if (mode === 'html') code.current?.goTo(...wanted);
      else place.current = wanted;
      setMode('html');
    },
  }));
  const isDrawn = useDrawn();
  const fields = useFieldNames(isDrawn);
  const plain = mode === 'html' ? <PlainCode value={field.value} /> : null;
  return (
    <div className={paneLook}>
      <div className="flex flex-wrap items-center justify-between gap-x-2 border-b border-line bg-sunken px-3 py-1.5">
        <div className="flex items-center gap-3">
          <span className="text-sm font-medium">Body</span>
          <ModeChoice mode={mode} onChoose={choose} />
        </div>
        <BodyActions body={field.value} onChange={field.onChange} onInsert={insert} />
      </div>
      {fieldState.error && (
        <p role="alert" className="px-3 py-1 text-xs text-bad">
          {fieldState.error.message}
        </p>
      )}
      {refusal !== undefined && (
        <p role="status" className="border-b border-line px-3 py-1.5 text-xs text-muted">
          The visual editor can’t show all of this email: {refusal}.
        </p>
      )}
      <div className="min-h-0 flex-1">
        {isDrawn ? (
          <Suspense fallback={plain}>
            {mode === 'visual' ? (
              <VisualEditor
                ref={visual}
                label="Body"
                value={field.value}
                onChange={field.onChange}
                onRefuse={(reason) => {
                  setRefusal(reason);
                  setMode('html');
                }}
              />
            ) : (
              <CodeEditor
                ref={(editor) => {
                  code.current = editor;
                  if (editor === null || place.current === null) return;
                  editor.goTo(...place.current);
                  place.current = null;
                }}
                label="Body, HTML with Liquid"
                value={field.value}
                onChange={field.onChange}
                problems={problems}
                fields={fields}
              />
            )}
          </Suspense>
        ) : (
          plain
        )}
      </div>
    </div>
  );
}
