import { useRef, useState } from 'react';
import { useFormContext } from 'react-hook-form';
import { FormField } from '../../ui/form-field.tsx';
import { type BodyHandle, BodyPane } from './body-pane.tsx';
import type { MessageContent } from './content.ts';
import { paneLook } from './pane-look.ts';
import { PreviewPane } from './preview-pane.tsx';
import { ProblemList } from './problem-list.tsx';
import { usePreview } from './use-preview.ts';
import { WorkflowSampleFields, type WorkflowSamples } from './workflow-samples.tsx';

const noProblems: never[] = [];

/**
 * Subject and body with the preview beside them, and the problems below. Needs a form with the fields of a message.
 * @param hasWorkflowSamples whether workflows may send it, so the preview takes sample values of their variables
 */
export function MessageEditor({ hasWorkflowSamples = false }: { hasWorkflowSamples?: boolean }) {
  const { control, watch } = useFormContext<MessageContent>();
  const [readerAddress, setReaderAddress] = useState('');
  const [samples, setSamples] = useState<WorkflowSamples>({});
  const editor = useRef<BodyHandle>(null);
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
        <BodyPane ref={editor} problems={problems} />
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
