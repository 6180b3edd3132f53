import type { RefCallback } from 'react';
import { $api } from '../../api/client.ts';
import { ComboBox } from '../../ui/select.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';

interface ContactBoxProps {
  label?: string;
  value: string;
  onChange: (email: string) => void;
  error?: string | undefined;
  inputRef?: RefCallback<HTMLInputElement>;
  isLabelHidden?: boolean;
  placeholder?: string;
  className?: string;
}

/** The address of a contact, with suggestions. */
export function ContactBox({
  label = 'Contact',
  value,
  onChange,
  error,
  inputRef,
  ...look
}: ContactBoxProps) {
  const search = useDebounced(value.trim());
  const { data } = $api.useQuery('get', '/contacts', {
    params: { query: { limit: 8, ...(search !== '' && { search }) } },
  });
  return (
    <ComboBox
      label={label}
      placeholder="person@example.com"
      options={(data?.data ?? []).map(({ email }) => ({ value: email, label: email }))}
      value={value}
      onChange={onChange}
      error={error}
      {...(inputRef && { inputRef })}
      {...look}
    />
  );
}
