import { z } from 'zod';
import { FormField } from '../../../ui/form-field.tsx';
import { FormSelect } from '../../../ui/form-select.tsx';
import { nameSchema, StepFormFrame, type StepFormProps, useStepForm } from './step-form.tsx';
import { bodyText, readBody } from './webhook-body.ts';

const methods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'] as const;

const schema = z.object({
  name: nameSchema,
  method: z.enum(methods),
  url: z.string().trim().min(1, 'Enter a URL'),
  headers: z
    .string()
    .refine((text) => linesOf(text).every((line) => /^[^:\s]+:/.test(line)), 'Write each as “Name: value”')
    .refine(
      (text) => Object.keys(readHeaders(text.toLowerCase())).length === linesOf(text).length,
      'Write each name only once',
    ),
  body: z.string(),
});

export function WebhookForm(props: StepFormProps) {
  const { name, config } = props.step;
  const form = useStepForm<z.infer<typeof schema>>({
    ...props,
    schema,
    defaultValues: {
      name,
      method: methods.find((method) => method === config.method) ?? 'POST',
      url: String(config.url ?? ''),
      headers: Object.entries(config.headers ?? {})
        .map(([key, value]) => `${key}: ${value}`)
        .join('\n'),
      body: bodyText(config.body),
    },
    configOf: ({ method, url, headers, body }) => ({
      method,
      url,
      ...(headers.trim() !== '' && { headers: readHeaders(headers) }),
      ...(body.trim() !== '' && { body: readBody(body, config.body) }),
    }),
  });
  const { control } = form.form;
  return (
    <StepFormFrame form={form} onDone={props.onDone}>
      <div className="grid grid-cols-[7rem_minmax(0,1fr)] items-start gap-3">
        <FormSelect
          control={control}
          name="method"
          label="Method"
          options={methods.map((method) => ({ value: method, label: method }))}
        />
        <FormField control={control} name="url" label="URL" placeholder="https://example.com/hook" />
      </div>
      <FormField
        control={control}
        name="headers"
        label="Headers (optional)"
        rows={3}
        placeholder="Authorization: Bearer …"
        hint="One per line."
      />
      <FormField
        control={control}
        name="body"
        label="Body (optional)"
        rows={8}
        hint="JSON, or any text. URL, headers and body may use Liquid, such as {{ email }} or {{ event.total }}."
      />
    </StepFormFrame>
  );
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');

function readHeaders(text: string): Record<string, string> {
  return Object.fromEntries(
    linesOf(text).map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
}
