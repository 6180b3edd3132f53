import { Plus, Trash2 } from 'lucide-react';
import { type RefCallback, useState } from 'react';
import { Controller } from 'react-hook-form';
import { z } from 'zod';
import { $api } from '../../../api/client.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FormSelect } from '../../../ui/form-select.tsx';
import { ComboBox } from '../../../ui/select.tsx';
import { type DataRow, dataOf, hasRepeatedKey, rowsOf } from './data-rows.ts';
import { nameSchema, StepFormFrame, type StepFormProps, useStepForm } from './step-form.tsx';

const subscriptions = [
  { value: 'keep', label: 'Leave as it is' },
  { value: 'subscribe', label: 'Subscribe' },
  { value: 'unsubscribe', label: 'Unsubscribe' },
] as const;

const schema = z
  .object({
    name: nameSchema,
    subscribed: z.enum(['keep', 'subscribe', 'unsubscribe']),
    data: z.array(z.object({ id: z.number(), key: z.string(), value: z.string() })),
  })
  .refine(({ subscribed, data }) => subscribed !== 'keep' || data.some(({ key }) => key.trim() !== ''), {
    path: ['data'],
    message: 'Choose something to change',
  })
  .refine(({ data }) => !hasRepeatedKey(data), { path: ['data'], message: 'Set each field only once' });

export function UpdateContactForm(props: StepFormProps) {
  const { name, config } = props.step;
  const { subscribed } = config;
  const form = useStepForm<z.infer<typeof schema>>({
    ...props,
    schema,
    defaultValues: {
      name,
      subscribed: typeof subscribed === 'boolean' ? (subscribed ? 'subscribe' : 'unsubscribe') : 'keep',
      data: rowsOf(config.data),
    },
    configOf: (values) => {
      const data = dataOf(values.data);
      return {
        ...(Object.keys(data).length > 0 && { data }),
        ...(values.subscribed !== 'keep' && { subscribed: values.subscribed === 'subscribe' }),
      };
    },
  });
  const { control } = form.form;
  return (
    <StepFormFrame form={form} onDone={props.onDone}>
      <FormSelect control={control} name="subscribed" label="Subscription" options={subscriptions} />
      <Controller
        control={control}
        name="data"
        render={({ field, fieldState }) => (
          <DataRows
            rows={field.value}
            onChange={field.onChange}
            error={fieldState.error?.message}
            frameRef={field.ref}
          />
        )}
      />
    </StepFormFrame>
  );
}

interface DataRowsProps {
  rows: DataRow[];
  onChange: (rows: DataRow[]) => void;
  error: string | undefined;
  frameRef: RefCallback<HTMLFieldSetElement>;
}

function DataRows({ rows, onChange, error, frameRef }: DataRowsProps) {
  const { data } = $api.useQuery('get', '/contacts/fields', {}, { staleTime: 60_000 });
  const [nextId, setNextId] = useState(rows.length);
  const known = (data?.fields ?? []).flatMap(({ field }) => {
    const key = field.startsWith('data.') ? field.slice('data.'.length) : undefined;
    return key === undefined ? [] : [{ value: key, label: key }];
  });
  const change = (id: number, part: Partial<DataRow>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
  return (
    <fieldset
      ref={frameRef}
      tabIndex={-1}
      aria-describedby={error && 'data-error'}
      className="flex flex-col gap-2"
    >
      <legend className="mb-1 text-sm font-medium">Data to set</legend>
      {rows.map(({ id, key, value }) => (
        <div key={id} className="flex items-start gap-2">
          <ComboBox
            label="Field"
            isLabelHidden
            className="flex-1"
            placeholder="plan"
            options={known}
            value={key}
            onChange={(text) => change(id, { key: text })}
          />
          <TextField
            label={`Value of ${key || 'the field'}`}
            isLabelHidden
            className="flex-1"
            placeholder="pro"
            value={value}
            onChange={(text) => change(id, { value: text })}
          />
          <IconButton
            label={`Leave out ${key || 'the field'}`}
            onPress={() => onChange(rows.filter((row) => row.id !== id))}
          >
            <Trash2 className="size-4" />
          </IconButton>
        </div>
      ))}
      <p className="text-xs text-muted">
        Numbers, true and false are kept as such; put them in quotes to set a text. null removes a field.
      </p>
      {error && (
        <p id="data-error" role="alert" className="text-xs text-bad">
          {error}
        </p>
      )}
      <Button
        look="quiet"
        className="self-start"
        onPress={() => {
          onChange([...rows, { id: nextId, key: '', value: '' }]);
          setNextId(nextId + 1);
        }}
      >
        <Plus className="size-4" />
        Set a field
      </Button>
    </fieldset>
  );
}
