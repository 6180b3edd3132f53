import { useController, useFormContext } from 'react-hook-form';
import { TextField } from '../../ui/field.tsx';
import type { MessageContent } from './content.ts';
import { readPreviewText, writePreviewText } from './visual/preview-text.ts';

/** Edits the preview text, which is a part of the body. Must be inside a form with the message fields. */
export function PreviewTextField() {
  const { control } = useFormContext<MessageContent>();
  const { field } = useController({ control, name: 'body' });
  return (
    <TextField
      label="Preview text"
      placeholder="What inboxes show after the subject"
      value={readPreviewText(field.value)}
      onChange={(text) => field.onChange(writePreviewText(field.value, text))}
    />
  );
}
