import { useRef, useState } from 'react';
import { useFormContext } from 'react-hook-form';
import { FormField } from '../../ui/form-field.tsx';
import { type BodyHandle, BodyPane } from './body-pane.tsx';
import type { MessageContent } from './content.ts';
import { paneLook } from './pane-look.ts';
import { PreviewPane } from './preview-pane.tsx';
import { PreviewTextField } from './preview-text-field.tsx';
import { ProblemList } from './problem-list.tsx';
import { usePreview } from './use-preview.ts';
import { WorkflowSampleFields, type WorkflowSamples } from './workflow-samples.tsx';

const noProblems: never[] = [];

/**
 * Subject and body, with the preview beside them and the problems below. Must be inside a form with the message fields.
 * @param hasWorkflowSamples whether workflows may send it, so that the preview takes sample values for their variables
 */
export function MessageEditor({ hasWorkflowSamples = false }: { hasWorkflowSamples?: boolean }) {
  const { control, watch } = useFormContext<MessageContent>();
  const [readerAddress, setReaderAddress] = useState('');
  const [samples, setSamples] = useState<WorkflowSamples>({});
  const editor = useRef<BodyHandle>(null);
  // The sender of a template may pass variables that the preview does not know.
  const path = hasWorkflowSamples ? '/templates/preview' : '/campaigns/preview';
  const preview = usePreview(path, watch(), readerAddress, samples);
  // A missing part is not a problem yet; its field reports it on saving.
  const isUnwritten = watch('subject').trim() === '';
  const found = preview.email?.problems ?? noProblems;
  const problems = isUnwritten ? found.filter(({ code }) => code !== 'subject_empty') : found;
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField control={control} name="subject" label="Subject" />
        <PreviewTextField />
      </div>
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
