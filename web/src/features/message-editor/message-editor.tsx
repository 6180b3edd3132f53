import { Image } from 'lucide-react';
import { type RefObject, Suspense, useRef, useState } from 'react';
import { useController, useFormContext } from 'react-hook-form';
import { Button } from '../../ui/button.tsx';
import { FormField } from '../../ui/form-field.tsx';
import { lazyComponent } from '../../ui/lazy-component.ts';
import { useDrawn } from '../../ui/use-drawn.ts';
import { InsertImageDialog } from '../images/insert-image-dialog.tsx';
import type { CodeEditorHandle, CodeEditorProps } from './code-editor.tsx';
import type { MessageContent } from './content.ts';
import { InsertFieldMenu } from './insert-field-menu.tsx';
import { PlainCode } from './plain-code.tsx';
import { PreviewPane } from './preview-pane.tsx';
import { ProblemList } from './problem-list.tsx';
import { useFieldNames } from './use-field-names.ts';
import { usePreview } from './use-preview.ts';
import { WorkflowSampleFields, type WorkflowSamples } from './workflow-samples.tsx';

// Loads with the data of the page: code that is there in time does not suspend, which React would reveal up to 300 ms late.
const CodeEditor = lazyComponent(() => import('./code-editor.tsx'), 'CodeEditor');
void CodeEditor.preload?.();
const noProblems: never[] = [];

const paneLook = 'flex h-[68dvh] min-h-96 flex-col overflow-hidden rounded-lg border border-line';

/**
 * Subject and body with the preview beside them, and the problems below. Needs a form with the fields of a message.
 * @param hasWorkflowSamples whether workflows may send it, so the preview takes sample values of their variables
 */
export function MessageEditor({ hasWorkflowSamples = false }: { hasWorkflowSamples?: boolean }) {
  const { control, watch } = useFormContext<MessageContent>();
  const [readerAddress, setReaderAddress] = useState('');
  const [samples, setSamples] = useState<WorkflowSamples>({});
  const editor = useRef<CodeEditorHandle>(null);
  // Templates may be sent with variables of their own.
  const path = hasWorkflowSamples ? '/templates/preview' : '/campaigns/preview';
  const preview = usePreview(path, watch(), readerAddress, samples);
  // What is still to be written is no problem yet; its field asks for it on saving.
  const isUnwritten = watch('subject').trim() === '';
  const found = preview.email?.problems ?? noProblems;
  const problems = isUnwritten ? found.filter(({ code }) => code !== 'subject_empty') : found;
  return (
    <>
      <FormField control={control} name="subject" label="Subject" />
      <div className="grid gap-4 xl:grid-cols-2">
        <BodyPane editor={editor} problems={problems} />
        <section aria-label="Preview" className={paneLook}>
          <PreviewPane preview={preview} readerAddress={readerAddress} onReader={setReaderAddress} />
        </section>
      </div>
      {preview.email && (
        <ProblemList problems={problems} onGoTo={(line, column) => editor.current?.goTo(line, column)} />
      )}
      {hasWorkflowSamples && <WorkflowSampleFields samples={samples} onChange={setSamples} />}
    </>
  );
}

interface BodyPaneProps {
  editor: RefObject<CodeEditorHandle | null>;
  problems: CodeEditorProps['problems'];
}

function BodyPane({ editor, problems }: BodyPaneProps) {
  const { control } = useFormContext<MessageContent>();
  const [isImageOpen, setIsImageOpen] = useState(false);
  const { field, fieldState } = useController({ control, name: 'body' });
  return (
    <div className={paneLook}>
      <div className="flex items-center justify-between border-b border-line bg-sunken px-3 py-1.5">
        <span className="text-sm font-medium">Body</span>
        <div className="flex">
          <InsertFieldMenu onInsert={(markup) => editor.current?.insert(markup)} />
          <Button look="quiet" onPress={() => setIsImageOpen(true)}>
            <Image aria-hidden className="size-4" />
            Insert image
          </Button>
        </div>
      </div>
      {fieldState.error && (
        <p role="alert" className="px-3 py-1 text-xs text-bad">
          {fieldState.error.message}
        </p>
      )}
      <div className="min-h-0 flex-1">
        <BodyEditor editor={editor} value={field.value} onChange={field.onChange} problems={problems} />
      </div>
      <InsertImageDialog
        isOpen={isImageOpen}
        onClose={() => setIsImageOpen(false)}
        onInsert={(markup) => editor.current?.insert(markup)}
      />
    </div>
  );
}

/** The body as plain text, until the editor is loaded. */
function BodyEditor({ editor, ...code }: BodyPaneProps & Pick<CodeEditorProps, 'value' | 'onChange'>) {
  const isDrawn = useDrawn();
  const fields = useFieldNames(isDrawn);
  const plain = <PlainCode value={code.value} />;
  if (!isDrawn) return plain;
  return (
    <Suspense fallback={plain}>
      <CodeEditor ref={editor} label="Body, HTML with Liquid" fields={fields} {...code} />
    </Suspense>
  );
}
