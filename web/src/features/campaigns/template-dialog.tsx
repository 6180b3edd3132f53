import { useState } from 'react';
import { useFormContext } from 'react-hook-form';
import { $api, api } from '../../api/client.ts';
import { Dialog, type DialogState } from '../../ui/dialog.tsx';
import { SearchField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/list.tsx';
import { say, sayError } from '../../ui/toast.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { contentOf, type MessageContent, typeLabel } from '../message-editor/content.ts';

/** Copies a template into the form; later changes to the template do not affect the campaign. */
export function TemplateDialog(state: DialogState) {
  return (
    <Dialog {...state} title="Start from a template">
      <TemplateChoice onClose={state.onClose} />
    </Dialog>
  );
}

function TemplateChoice({ onClose }: { onClose: () => void }) {
  const { getValues, setValue } = useFormContext<MessageContent>();
  const [text, setText] = useState('');
  const search = useDebounced(text.trim()) || undefined;
  const query = $api.useQuery('get', '/templates', {
    params: { query: { search, sort: 'updatedAt', dir: 'desc', pageSize: 20, body: 'false' } },
  });
  const fill = ({ from, fromName, replyTo, subject, body, type }: MessageContent) => {
    const options = { shouldDirty: true, shouldValidate: false };
    setValue('from', from, options);
    setValue('fromName', fromName, options);
    setValue('replyTo', replyTo, options);
    setValue('subject', subject, options);
    setValue('body', body, options);
    setValue('type', type, options);
  };
  const choose = async (id: string) => {
    const { data: template } = await api.GET('/templates/{id}', { params: { path: { id } } });
    if (template === undefined) return;
    const before = { ...getValues() };
    fill(contentOf(template));
    onClose();
    say(`Content copied from “${template.name}”`, () => fill(before));
  };
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted">Type, sender, subject and body are replaced by those of the template.</p>
      <SearchField label="Search templates" value={text} onChange={setText} className="w-full" />
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="py-4 text-center text-muted">No template matches.</p>
          ) : (
            <ul className="divide-y divide-line">
              {data.map((template) => (
                <li key={template.id}>
                  <button
                    type="button"
                    className="w-full rounded-md px-2 py-2 text-left hover:bg-hover"
                    onClick={() => void choose(template.id).catch(sayError)}
                  >
                    <span className="flex justify-between gap-3">
                      <span className="truncate font-medium">{template.name}</span>
                      <span className="text-sm text-muted">{typeLabel(template.type)}</span>
                    </span>
                    <span className="block truncate text-sm text-muted">{template.subject}</span>
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  );
}
