import { useState } from 'react';
import { TextField } from '../../ui/field.tsx';
import { readJsonObject } from '../../ui/json-object.ts';

const kinds = [
  { name: 'event', label: 'Event data', example: '{ "orderId": 7 }' },
  { name: 'context', label: 'Context', example: '{ "coupon": "SPRING" }' },
] as const;

/** Sample values for the variables that only workflow emails have. */
export type WorkflowSamples = Partial<Record<(typeof kinds)[number]['name'], Record<string, unknown>>>;

interface WorkflowSampleFieldsProps {
  samples: WorkflowSamples;
  onChange: (samples: WorkflowSamples) => void;
}

/**
 * Edits the values that the preview uses in place of a workflow's. While a text is not a JSON object, its last valid
 * value is used.
 */
export function WorkflowSampleFields({ samples, onChange }: WorkflowSampleFieldsProps) {
  const [texts, setTexts] = useState({ event: '', context: '' });
  const isWrong = (text: string) => text.trim() !== '' && readJsonObject(text) === undefined;
  return (
    <details>
      <summary className="cursor-pointer text-sm text-muted">Sample values for workflows</summary>
      <div className="mt-3 grid gap-4 sm:grid-cols-2">
        {kinds.map(({ name, label, example }) => (
          <TextField
            key={name}
            label={label}
            rows={4}
            placeholder={example}
            value={texts[name]}
            hint={`In the preview, {{ ${name}.… }} reads from this JSON object.`}
            error={isWrong(texts[name]) ? `Enter a JSON object, such as ${example}` : undefined}
            onChange={(text) => {
              setTexts({ ...texts, [name]: text });
              if (!isWrong(text)) onChange({ ...samples, [name]: readJsonObject(text) });
            }}
          />
        ))}
      </div>
    </details>
  );
}
